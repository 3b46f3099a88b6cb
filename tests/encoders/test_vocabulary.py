"""What an encoder reads of a text: told without its model, and as its model does it."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from likeness.encoders import CutText, cut_texts, embed_texts, load_encoder, reads_nothing, unknown_words
from likeness.encoders.models.words_outside import TokenCount

# encoder -> a word of one token, and how many of them it reads; the two others stand at both ends
READ = {"cars-small": ("red", 30), "photos": ("dog", 508)}


@pytest.mark.parametrize("name", READ)
def test_what_is_cut_is_named_and_nothing_else(name: str) -> None:
    word, most = READ[name]
    fits, cut = " ".join([word] * most), " ".join([word] * (most + 1))
    assert cut_texts(name, ["", word, fits]) == []
    assert cut_texts(name, [cut, fits, cut]) == [CutText(cut, most + 3, most + 2)]
    assert load_encoder(name).token_count(cut) == TokenCount(most + 3, most + 2, most + 1)  # type: ignore[attr-defined]
    shared = " ".join([word] * (most - 1))  # the model reads as many tokens as are told
    vectors = embed_texts(name, [f"{shared} blue", f"{shared} green", f"{shared} {word} blue", f"{shared} {word} green"]).vectors
    assert np.abs(vectors[0] - vectors[1]).max() > 1e-4
    np.testing.assert_allclose(vectors[2], vectors[3], atol=1e-6)


def test_byte_pairs_of_a_published_model() -> None:
    long = "a photo of " + "very " * 80 + "red car"
    assert cut_texts("ViT-B-32/openai", ["a red car", "a red car " * 7, long]) == [CutText(long, 87, 77)]
    assert cut_texts("bf16:ViT-B-32/openai", [long]) == [CutText(long, 87, 77)]
    assert not reads_nothing("ViT-B-32/openai", "🚗")


def test_short_texts_and_tokenizers_need_no_torch() -> None:
    code = (
        "import sys; from likeness.encoders import cut_texts, reads_nothing, unknown_words\n"
        "for name in ('cars', 'photos', 'ViT-B-32/openai', 'hf-hub:org/name'):\n"
        "    assert cut_texts(name, ['a red car']) == [] and not reads_nothing(name, 'a red car') and not unknown_words(name, 'a red car')\n"
        "print(len(cut_texts('cars', ['red ' * 40])), 'torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() == ["1", "False"]


def test_a_model_that_is_not_here_is_not_fetched_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likeness.encoders.vocabulary.load_encoder", None)
    assert cut_texts("hf-hub:org/name", ["a red car " * 100]) == []


@pytest.mark.parametrize("name", ["cars", "bf16:cars", "photos"])
def test_signs_that_an_encoder_passes_over_are_unknown_words(name: str) -> None:
    assert unknown_words(name, "a 🚗 red car 🚗🐕") in (["🚗", "🐕"], ["🚗", "🚗🐕"])
    assert load_encoder(name).unknown_words("a red 🚗 car") == ["🚗"]
    assert reads_nothing(name, "🚗")
    assert not reads_nothing(name, "a red 🚗")
    assert unknown_words(name, "a red car, seen from behind: 2 doors!") == ([] if name == "photos" else unknown_words(name, "2 doors"))


def test_an_object_says_itself_how_it_reads_and_of_blank_or_foreign_texts_nothing_is_read() -> None:
    for name, text in (("cars", ""), ("cars", " \n"), ("photos", ""), ("ViT-B-32/openai", " "), ("cars", "!!!"), ("cars", "qwxz")):
        assert reads_nothing(name, text)

    class Words:
        def encode_images(self, images):
            raise NotImplementedError

        def token_count(self, text: str) -> object:
            return SimpleNamespace(tokens=len(text.split()), limit=2)

    assert cut_texts(Words(), ["a b", "a b c"]) == [CutText("a b c", 3, 2)]
