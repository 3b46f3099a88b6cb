"""open_clip encoders: equal to open_clip itself, with clear errors."""

import json
import logging
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
from huggingface_hub import is_offline_mode
from PIL import Image

from fake_hub import use_hub
from likeness.encoders import Encoder, StagedEncoder, TowerEncoder, load_encoder
from likeness.errors import InputError
from tiny_models import save_clip


@pytest.fixture(scope="module")
def reference(tiny_clip: Path):
    """Model, transform and tokenizer, straight from open_clip."""
    import open_clip

    model, transform = open_clip.create_model_from_pretrained(f"local-dir:{tiny_clip}")
    return model.eval(), transform, open_clip.get_tokenizer(f"local-dir:{tiny_clip}")


@pytest.fixture(scope="module")
def encoder(tiny_clip: Path) -> Encoder:
    return load_encoder(f"local-dir:{tiny_clip}", "cpu")


@pytest.mark.parametrize("size", [(32, 32), (64, 48), (48, 64), (20, 30), (33, 200)])
def test_pixels_equal_open_clips_transform(encoder, reference, photo, size: tuple[int, int]) -> None:
    image = photo(*size)
    ours = encoder.tower.pixels([encoder.prepare(image)])[0].numpy()
    np.testing.assert_array_equal(ours, reference[1](image).numpy())


def test_gradients_reach_the_pixels_and_not_the_weights(encoder, photo) -> None:
    pixels = encoder.tower.pixels([encoder.prepare(photo(40, 50, seed=i)) for i in range(2)]).requires_grad_()
    rows = encoder.tower.embed(pixels)
    rows[:, 0].sum().backward()
    np.testing.assert_allclose(rows.detach().numpy(), encoder.encode_images([photo(40, 50, seed=i) for i in range(2)]), atol=1e-6)
    assert pixels.grad.abs().amax(dim=(1, 2, 3)).min() > 0
    assert isinstance(encoder, TowerEncoder)
    module = encoder.tower.forward.__self__
    assert isinstance(module, torch.nn.Module)
    assert not any(weight.requires_grad for weight in module.parameters())


@pytest.mark.parametrize("size", [(1, 60_000), (60_000, 1), (3, 2000)])
def test_extremely_long_images_need_little_memory(encoder, size: tuple[int, int]) -> None:
    image = Image.new("RGB", size, (255, 0, 0))
    image.paste((0, 0, 255), (size[0] // 2 - 20 if size[0] > size[1] else 0, size[1] // 2 - 20 if size[1] > size[0] else 0, size[0], size[1]))
    prepared = encoder.prepare(image)
    assert prepared.shape == (32, 32, 3)
    assert (prepared == (0, 0, 255)).all()  # the middle, as open_clip crops it


def test_vectors_equal_open_clips(encoder, reference, photo, tmp_path: Path) -> None:
    images, texts = [photo(40 + i, 50, seed=i) for i in range(5)], ["a red car", "a photo of a green car", "blue"]
    with torch.inference_mode():
        expected = reference[0].encode_image(torch.stack([reference[1](image) for image in images]), normalize=True).numpy()
        expected_texts = reference[0].encode_text(reference[2](texts), normalize=True).numpy()
    images[2].save(tmp_path / "two.png")
    vectors = encoder.encode_images([*images[:2], tmp_path / "two.png", *images[3:]])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    np.testing.assert_allclose(encoder.encode_texts(texts), expected_texts, atol=1e-6)
    assert isinstance(encoder, StagedEncoder)
    assert (encoder.dim, encoder.has_text) == (24, True)
    assert encoder.unknown_words("a Red spaceship of a Spaceship spaceship") == ["spaceship", "Spaceship"]
    (tmp_path / "bad.png").write_bytes(b"no image")
    for call, said in (
        (lambda: encoder.encode_images([photo(32, 32), tmp_path / "bad.png"]), r"'bad\.png' cannot be read: .*not an image"),
        (lambda: encoder.encode_images([]), "no images to encode"),
        (lambda: encoder.encode_texts([]), "no texts to encode"),
    ):
        with pytest.raises(InputError, match=said):
            call()


def test_vectors_do_not_depend_on_the_batch(encoder, photo) -> None:
    images = [photo(32, 32, seed=i) for i in range(130)]  # more than one batch
    texts = [" ".join(["car"] * (i % 9 + 1)) for i in range(300)]
    np.testing.assert_allclose(encoder.encode_images(images)[[0, 129]], encoder.encode_images([images[0], images[129]]), atol=1e-6)
    np.testing.assert_allclose(encoder.encode_texts(texts)[:9], encoder.encode_texts(texts[:9]), atol=1e-6)


def test_several_threads_may_encode_texts(encoder) -> None:
    expected = encoder.encode_texts(["a red car"])
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: encoder.encode_texts(["a red car"]), range(80)):
            np.testing.assert_allclose(found, expected, atol=1e-6)


def test_loading_again_returns_the_same_encoder_until_the_weights_change(tmp_path: Path) -> None:
    folder = save_clip(tmp_path / "model", seed=1)
    first = load_encoder(f"local-dir:{folder}", "cpu")
    assert load_encoder(f"local-dir:{folder}", "cpu") is first
    save_clip(folder, seed=2)
    second = load_encoder(f"local-dir:{folder}", "cpu")
    assert second is not first
    assert second.identity != first.identity
    assert not np.allclose(second.encode_texts(["car"]), first.encode_texts(["car"]))


class TestErrors:
    @pytest.mark.parametrize(
        ("file", "spoil"),
        [
            ("open_clip_model.safetensors", None),  # open_clip itself would give random weights
            ("open_clip_model.safetensors", lambda content: content[:-100]),
            ("open_clip_model.safetensors", lambda content: b"garbage" * 100),
            ("open_clip_config.json", lambda content: content.replace(b'"embed_dim": 24', b'"embed_dim": 16')),
            ("open_clip_config.json", lambda content: b"{"),
            ("open_clip_config.json", lambda content: b"{}"),
        ],
    )
    def test_damaged_folder(self, tiny_clip: Path, tmp_path: Path, file: str, spoil: Callable[[bytes], bytes] | None) -> None:
        folder = shutil.copytree(tiny_clip, tmp_path / "model")
        content = (folder / file).read_bytes()
        (folder / file).unlink()
        if spoil:
            (folder / file).write_bytes(spoil(content))
        said = r"cannot be loaded: .*; save it again" if spoil else "configuration but no weights"
        with pytest.raises(InputError, match=said) as caught:
            load_encoder(f"local-dir:{folder}")
        assert len(str(caught.value).splitlines()) == 1

    @pytest.mark.parametrize(
        ("name", "device", "said"),
        [
            ("ViT-B-31/openai", "auto", r"no open_clip model 'ViT-B-31'.*nearest names are .*ViT-B-32"),
            ("ViT-B-32/opnai", "auto", r"'ViT-B-32' has no weights 'opnai'.*it has openai"),
            ("local-dir:EMPTY/nowhere", "auto", r"there is no folder .*nowhere"),
            ("local-dir:EMPTY", "auto", r"has no open_clip_config\.json"),
            ("timm:resnet51", "auto", r"no timm model 'resnet51'.*nearest names are .*resnet50"),
            ("cars-small", "abacus", "device 'abacus' is not available"),
        ],
    )
    def test_names_that_are_none(self, name: str, device: str, said: str, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=said):
            load_encoder(name.replace("EMPTY", str(tmp_path)), device)


class TestWithoutNetwork:
    """The hub is replaced by a port that nobody listens on, so that the tests mean the same on every machine."""

    @pytest.fixture(autouse=True)
    def no_network(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        use_hub(monkeypatch, "http://127.0.0.1:9", tmp_path / "hub")

    @pytest.mark.parametrize(
        ("name", "file", "repository"),
        [
            ("ViT-B-32/openai", "open_clip_model.safetensors", "timm/vit_base_patch32_clip_224.openai"),
            ("hf-hub:laion/CLIP-ViT-B-32", "open_clip_model.safetensors and open_clip_config.json", "laion/CLIP-ViT-B-32"),
            ("timm:mobilenetv2_100.ra_in1k", "model.safetensors", "timm/mobilenetv2_100.ra_in1k"),
        ],
    )
    def test_says_within_seconds_which_files_are_missing_and_where(
        self, name: str, file: str, repository: str, caplog: pytest.LogCaptureFixture, tmp_path: Path
    ) -> None:
        start = time.perf_counter()
        folder = tmp_path / "hub" / f"models--{repository.replace('/', '--')}"
        message = rf"'{name}' cannot be downloaded: {file} of '{repository}' (is|are) missing in {folder}, and the hub http://127.0.0.1:9 cannot"
        with pytest.raises(InputError, match=message) as caught:
            load_encoder(name)
        assert str(caught.value).endswith(
            "cannot be reached. Connect to the network, or use it once on another machine that has a network and copy "
            "that folder from there to the same place here; then try again."
        )
        assert "'cars'" not in str(caught.value)  # which sees nothing in photos
        assert time.perf_counter() - start < 30  # six attempts at each file take 46 s
        assert not [record for record in caplog.records if record.levelno >= logging.WARNING]  # one clear line, not two

    def test_folder_that_needs_the_hub(self, tiny_clip: Path, tmp_path: Path) -> None:
        folder = shutil.copytree(tiny_clip, tmp_path / "model")
        content = json.loads((folder / "open_clip_config.json").read_text())
        content["model_cfg"]["text_cfg"] = {"hf_model_name": "nobody/nothing", "context_length": 10}
        (folder / "open_clip_config.json").write_text(json.dumps(content))
        with pytest.raises(InputError, match="cannot be downloaded"):
            load_encoder(f"local-dir:{folder}")
        assert not is_offline_mode()
