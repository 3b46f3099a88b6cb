"""Nonsense, emoji and other languages are named; names, species, models and slips of the pen are not."""

import csv

import pytest

from likeness.io import assets_dir
from likeness.notions import get_notion
from likeness.presence import unread

LANGUAGE = "This encoder reads English; this looks like another language."
OTHERS = (
    "ein rotes Auto|zwei Hunde spielen im Schnee|une voiture rouge|deux chiens dans la neige|"
    "un coche rojo|dos perros en la nieve|una macchina rossa|"  # codespell:ignore
    "due cani nella neve|um carro vermelho|een rode auto|två hundar i snön|"
    "kırmızı bir araba|красная машина|雪地里的两只狗|سيارة حمراء|लाल कार|빨간 자동차"
)
ENGLISH = (
    "a red car at night|Le Conte Sparrow|a dog under a tree|a man on a bench|a van de luxe|newly cut grass|two girls with colorful hats|gren car|"
    "elephnat|Volkswagen|Lamborghini|the Mont Saint Michel|strength|rhythm section|a jazz quartet|zebra|sphinx|blicket"
)


@pytest.mark.parametrize("text", OTHERS.split("|"))
def test_other_languages(text: str) -> None:
    assert unread(text, "photos") == LANGUAGE
    assert unread(text, "xlm-roberta-base-ViT-B-32/laion5b_s13b_b90k") != LANGUAGE


@pytest.mark.parametrize("text", ["flurbgwizz", "asdfghjkl", "qwertzuiop", "a xzqvkpt on a beach"])
def test_nonsense(text: str) -> None:
    assert unread(text, "photos").endswith("is no word that this encoder knows.")


def test_no_words_and_words_outside_of_a_vocabulary() -> None:
    assert unread("🙂🙂", "photos") == "There is no word in '🙂🙂' to search for."
    assert unread("a submarine", "cars") == "'submarine' is no word that this encoder knows."
    assert unread("a car that is red", "cars") == ""  # "that" says nothing of an image
    assert unread("ein Hund", None) == ""  # of an unknown encoder nothing is known


@pytest.mark.parametrize("text", ENGLISH.split("|"))
def test_english(text: str) -> None:
    assert unread(text, "photos") == ""


def test_species_and_models_of_cars() -> None:
    species = get_notion("cub200-species-names").aspects
    assert [each for each in species if unread(f"a photo of a {each}", "photos")] == []
    with (assets_dir() / "car_models.csv").open(encoding="utf-8") as file:
        models = [f"{row['manufacturer']} {row['model']}" for row in csv.DictReader(file)]
    assert len(models) == 569
    assert [each for each in models if unread(f"a {each}", "photos")] == []
