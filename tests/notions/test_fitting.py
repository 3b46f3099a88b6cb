from pathlib import Path

import pandas as pd
import pytest

import likeness as lk
from likeness.data import ImageTable
from likeness.notions import Notion, fitting_notions, get_notion, list_notions, notion_encoder, save_notion

STARTERS = {"setting", "kind of animal", "activity", "main subject", "indoors or outdoors"}


def _table(name: str = "My photos", **columns: list[str]) -> ImageTable:
    return ImageTable(name, Path(), pd.DataFrame({"path": ["a.jpg", "b.jpg"], **columns}))


def _names(table: ImageTable, encoder: str = "photos", folder: Path | None = None) -> list[str]:
    return [notion.name for notion in fitting_notions(table, encoder, folder)]


def test_photos_get_the_starters_and_datasets_with_notions_of_their_own_those() -> None:
    assert set(_names(_table())) == STARTERS
    assert set(_names(_table("photos"))) == STARTERS  # what such folders are called, and the mark of the starters
    assert set(_names(_table(**{"class": ["a", "b"]}), "ViT-B-32/openai")) == STARTERS
    made_for = {name: {notion.name for notion in list_notions() if notion.dataset == name} for name in ("Synthetic Cars", "CUB200")}
    for encoder in ("cars", "ViT-B-32/openai"):
        assert set(_names(lk.read("cars"), encoder)) == made_for["Synthetic Cars"]
    assert set(_names(_table("CUB200", bird_species=["Bobolink", "Cardinal"]))) == made_for["CUB200"]
    # labels bring the notions that they judge under any name, and first
    names = _names(_table("Birds of my own", bird_species=["Bobolink", "Cardinal"]))
    judged = {notion.name for notion in list_notions() if notion.attribute == "bird_species"}
    assert set(names[: len(judged)]) == judged
    assert set(names[len(judged) :]) == STARTERS


def test_ones_own_fit_everywhere_unless_they_name_other_images(tmp_path: Path) -> None:
    save_notion(Notion("mine", "a {}", ("x", "y")), folder=tmp_path)
    save_notion(Notion("theirs", "a {}", ("x", "y"), dataset="Other photos"), folder=tmp_path)
    assert "mine" in _names(_table(), folder=tmp_path)
    assert "mine" in _names(lk.read("cars"), "cars", tmp_path)
    assert "theirs" not in _names(_table(), folder=tmp_path)
    assert "theirs" in _names(_table("Other photos"), folder=tmp_path)


def test_every_starter_says_when_photos_are_similar_and_how_many_dimensions_that_takes() -> None:
    for notion in (get_notion(name) for name in STARTERS):
        assert notion.question.startswith("Two photos are similar if")
        assert (notion.dataset, notion.attribute, notion.dim is None) == ("photos", None, False)


@pytest.mark.parametrize(
    ("notion", "encoder"),
    [
        (get_notion("setting"), "photos"),
        (get_notion("car-color"), "cars"),
        (get_notion("cub200-bird-species"), "photos"),
        (Notion("mine", "a {} car", ("x", "y"), attribute="car_color"), "cars"),
        (Notion("mine", "a {} car", ("x", "y")), "photos"),
    ],
)
def test_the_encoder_follows_the_notion(notion: Notion, encoder: str) -> None:
    assert notion_encoder(notion) == encoder
