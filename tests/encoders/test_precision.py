"""Encoders in bfloat16: other names, other identities, other vectors, kept apart; and the lengths of features, kept beside them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from typer.testing import CliRunner

import likeness as lk
from likeness.commands.cli import command_line
from likeness.data import ImageTable
from likeness.encoders import encoder_family, encoder_identity, image_lengths, load_encoder, map_path, reads_text, store_folder, with_precision
from likeness.errors import InputError
from likeness.io import assets_dir


def test_names() -> None:
    assert with_precision("cars", None) == "cars"
    assert with_precision("cars", "bf16") == "bf16:cars"
    assert with_precision("bf16:cars", "32") == "32:cars"
    assert encoder_family("bf16:timm:resnet50")[1] == "resnet50"
    assert reads_text("bf16:cars")
    assert not reads_text("BF16:timm:resnet50")
    assert map_path("bf16:local-dir:mine", lambda path: f"/home/{path}") == "bf16:local-dir:/home/mine"
    assert map_path("32:cars", lambda path: f"/home/{path}") == "32:cars"
    # the identities under which the embeddings that ship are found
    assert encoder_identity("cars") == encoder_identity("32:cars")
    assert encoder_identity("bf16:cars") not in (encoder_identity("cars"), encoder_identity("bf16:cars-small"))
    assert len({encoder_identity(name) for name in ("photos", "32:photos", "bf16:photos")}) == 3
    assert (assets_dir() / "embeddings" / encoder_identity("cars")).is_dir()


@pytest.mark.parametrize("name", ["bf16:", "bf16:nothing", "16:cars", "bf16:bf16:cars", "bf16:32:local-dir:mine"])
def test_no_known_form(name: str) -> None:
    with pytest.raises(InputError, match="has no known form"):
        encoder_family(name)


@pytest.mark.parametrize("kind", ["local-dir", "timm:local-dir"])
def test_the_network_computes_in_bfloat16_and_unit_rows_are_float32(kind: str, tiny_clip: Path, tiny_timm: Path, photo) -> None:
    name, images = f"{kind}:{tiny_clip if kind == 'local-dir' else tiny_timm}", [photo(50, 70), photo(90, 48)]
    exact: Any = load_encoder(name, "cpu")
    rounded: Any = load_encoder(f"bf16:{name}", "cpu")
    assert rounded.identity == encoder_identity(f"bf16:{name}") != exact.identity
    found = rounded.encode_images(images)
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
        features = exact.tower.forward(exact.tower.pixels([exact.prepare(image) for image in images]))
    assert (features.dtype, found.dtype) == (torch.bfloat16, np.float32)
    np.testing.assert_array_equal(found, torch.nn.functional.normalize(features.float()).numpy())
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    assert 0.99 < (found * exact.encode_images(images)).sum(1).min() < 1
    assert not np.array_equal(found, exact.encode_images(images))
    if exact.has_text:
        np.testing.assert_array_equal(rounded.encode_texts(["a red car"]), exact.encode_texts(["a red car"]))


def test_photos_has_both_and_its_own(photo, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default in what the processor has, which is taken away here; the head is in float32."""
    monkeypatch.setattr("likeness.encoders.models.photos._has_bfloat16", lambda device: False)
    images = [photo(224, 224)]
    own, exact, rounded = (load_encoder(name, "cpu").encode_images(images) for name in ("photos", "32:photos", "bf16:photos"))
    np.testing.assert_array_equal(own, exact)
    assert 0.99 < float((exact * rounded).sum()) < 1
    monkeypatch.setattr("likeness.encoders.models.photos._has_bfloat16", lambda device: True)
    np.testing.assert_array_equal(load_encoder("photos", "cpu").encode_images(images), rounded)
    np.testing.assert_array_equal(load_encoder("32:photos", "cpu").encode_images(images), exact)


def test_spaces_of_both_lie_apart_and_are_found_again(tiny_timm: Path, write_images, tmp_path: Path) -> None:
    table, name = write_images(tmp_path / "colors", 12), f"timm:local-dir:{tiny_timm}"
    exact = lk.embed(table, name, store_dir=tmp_path / "store")
    rounded = lk.embed(table, name, store_dir=tmp_path / "store", precision="bf16")
    assert rounded.encoder == f"bf16:{name}"
    assert not np.array_equal(exact.vectors, rounded.vectors)
    folders = [store_folder(table, encoder_identity(each), tmp_path / "store") for each in (name, f"bf16:{name}")]
    assert all(len(list(folder.glob("*.npz"))) == 1 for folder in folders)
    image = table.paths()[0]
    assert rounded.nearest(image, k=1).similarities[0] == pytest.approx(1, abs=1e-6)
    np.testing.assert_array_equal(lk.embed(table, name, store_dir=tmp_path / "store", precision="32").vectors, exact.vectors)
    again = lk.load(rounded.save(tmp_path / "x.parquet"))
    np.testing.assert_array_equal(again.vectors, rounded.vectors)
    assert again.encoder == rounded.encoder


class Plain:
    """An encoder without a tower."""

    name = identity = "plain"

    def encode_images(self, images: list[Image.Image]) -> np.ndarray:
        return np.array([np.asarray(image.resize((2, 2))).ravel() for image in images], float)


def test_what_has_no_precision_is_refused(write_images, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = write_images(tmp_path / "colors", 2)
    with pytest.raises(InputError, match="The precision 'fp8' is unknown; choose from 32, bf16"):
        lk.embed(table, "cars", precision="fp8")
    with pytest.raises(InputError, match=r"The precision bf16 needs an encoder's name, but .*Plain.* is loaded; pass its name"):
        lk.embed(table, Plain(), precision="bf16")
    from likeness.encoders import ENCODER_FAMILIES, EncoderFamily
    from likeness.encoders.objects import ObjectEncoder

    own = EncoderFamily("own", "Own", "Mine.", "'own:X'", False, lambda name, target: "own", lambda *_: ObjectEncoder(Plain()))
    monkeypatch.setitem(ENCODER_FAMILIES, "own", own)
    with pytest.raises(InputError, match="'plain' has no torch network with a choice of precision; remove the precision"):
        load_encoder("bf16:own:x")


def test_the_command(tiny_timm: Path, write_images, tmp_path: Path) -> None:
    table = write_images(tmp_path / "colors", 5)
    call = ["embed", str(table.root), "--encoder", f"timm:local-dir:{tiny_timm}", "--out", str(tmp_path / "x.parquet"), "--force", "--precision"]
    done = CliRunner().invoke(command_line(), [*call, "bf16"])
    assert done.exit_code == 0, done.output
    assert "5 images" in done.output
    assert lk.load(tmp_path / "x.parquet").encoder == f"bf16:timm:local-dir:{tiny_timm}"
    wrong = CliRunner().invoke(command_line(), [*call, "fp8"])
    assert wrong.exit_code != 0


def test_unit_vectors_times_lengths_are_what_the_tower_gives_computed_once(
    table: ImageTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = lk.embed(table, "cars-small", store_dir=tmp_path / "store")
    before = set((tmp_path / "store").rglob("*.npz"))
    lengths = space.replace(name="other").lengths
    assert len(set((tmp_path / "store").rglob("*.npz")) - before) == 1  # kept beside the embeddings
    encoder: Any = load_encoder("cars-small")
    with torch.inference_mode():
        features = encoder.tower.forward(encoder.tower.pixels([encoder.prepare(Image.open(path)) for path in table.paths()])).numpy()
    assert (lengths.shape, lengths.dtype) == ((20,), np.float32)
    np.testing.assert_allclose(space.vectors * lengths[:, None], features, rtol=1e-3, atol=1e-3)
    assert lengths.std() > 0
    monkeypatch.setattr("likeness.encoders.lengths.load_encoder", lambda encoder: pytest.fail("the lengths were stored"))
    np.testing.assert_array_equal(image_lengths(table, "cars-small", store_dir=tmp_path / "store"), lengths)


def test_what_has_no_lengths_is_refused(table: ImageTable, tmp_path: Path) -> None:
    unknown = "have unit length and no encoder; embed the images"
    unit = "'plain' only returns unit vectors, so the lengths of its features are unknown; use an open_clip"
    notion = lk.embed(table, "cars-small").refit(lk.Notion("color", "a {} car", ["red", "blue"]))
    for space, said in ((lk.Space(np.eye(3)), unknown), (notion, "have unit length"), (lk.embed(table, Plain()), unit)):
        with pytest.raises(InputError, match=said):
            space.lengths  # noqa: B018
    with pytest.raises(InputError, match="are incomplete; start again"):
        image_lengths(table, "cars-small", store_dir=tmp_path / "store", should_stop=lambda: True)
    (table.root / "0003.png").write_bytes(b"no image")
    with pytest.raises(InputError, match=r"The lengths of 1 images are unknown; the first is '0003\.png'"):
        image_lengths(table, "cars-small", store_dir=tmp_path / "store")
