from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

from foreign_files import write_video
from likeness.data import ImageTable, read_folder
from likeness.errors import InputError
from likeness.training.config import RunConfig, config_from, with_changes
from likeness.training.data.outputs import backbone_outputs, cached_outputs
from likeness.training.data.pixels import center_crops, kept_size, load_pixels, load_whole_images
from likeness.training.loop import prepare
from likeness.training.loop.prepare import keep_on_device
from likeness.training.loop.train import train
from likeness.training.network.backbones import build_network


def test_the_middle_square_is_kept_or_the_whole_frame_squeezed_to_one(tmp_path: Path) -> None:
    """A wide picture, red left, green in the middle, blue right."""
    wide = np.zeros((60, 180, 3), np.uint8)
    for part in range(3):
        wide[:, 60 * part : 60 * part + 60, part] = 200
    Image.fromarray(wide).save(tmp_path / "wide.png")
    table = read_folder(tmp_path)
    pixels = load_pixels(table, 14)
    assert (pixels.shape, pixels.dtype) == ((1, 16, 16, 3), np.uint8)
    assert kept_size(14) == 16
    np.testing.assert_array_equal(pixels[0, 8, 8], [0, 200, 0])
    assert pixels[0, :, 3:13, 1].min() == 200
    np.testing.assert_allclose(center_crops(pixels, 14)[0].permute(1, 2, 0).numpy(), pixels[0, 1:15, 1:15] / 255, atol=1e-6)
    shown = center_crops(load_pixels(table, 14, kept=30, frame="whole"), 30)[0].numpy()  # another file of the cache
    for part in range(3):
        np.testing.assert_allclose(shown[part, :, 10 * part + 3 : 10 * part + 7], 200 / 255, atol=0.01)
        assert shown[part].mean() == pytest.approx(200 / 255 / 3, abs=0.01)


def test_how_much_is_seen_is_the_share_of_what_is_kept(tmp_path: Path) -> None:
    """288 px of which the network sees 224, unscaled, as in the log-ratio paper's code."""
    ramp = np.broadcast_to((np.arange(288) * 255 / 287)[None, :, None], (288, 288, 3)).astype(np.uint8)
    Image.fromarray(ramp).save(tmp_path / "ramp.png")
    pixels = load_pixels(read_folder(tmp_path), 224, kept=288)
    np.testing.assert_array_equal(pixels[0], ramp)
    shown = center_crops(pixels, 224)[0, 0].numpy()
    np.testing.assert_allclose(shown, ramp[32:256, 32:256, 0] / 255, atol=1e-6)
    usual = center_crops(load_pixels(read_folder(tmp_path), 224), 224)[0, 0].numpy()
    assert np.ptp(usual) > np.ptp(shown) + 0.08


def test_is_made_once_and_anew_when_a_file_changes(photos: Path, cache: Path) -> None:
    told: list[tuple[int, int]] = []
    table = read_folder(photos)
    first = load_pixels(table, 16, lambda *each: told.append(each))
    assert told[-1] == (36, 36, "Reading images")
    told.clear()
    np.testing.assert_array_equal(load_pixels(table, 16, lambda *each: told.append(each)), first)
    assert told == []
    Image.new("RGB", (30, 30), "white").save(table.paths()[0])
    assert load_pixels(table, 16)[0].min() == 255
    assert len(list((cache / "pixels").iterdir())) == 2


def test_what_is_cut_short_is_made_again(photos: Path, content: dict[str, Any], cache: Path) -> None:
    table, network = read_folder(photos), build_network(config_from(content).backbone)
    pixels = np.array(load_pixels(table, 16))
    features = np.array(cached_outputs(network, pixels, np.arange(5), 16))
    for name, read, wanted in (
        ("pixels", lambda: load_pixels(table, 16), pixels),
        ("outputs", lambda: cached_outputs(network, pixels, np.arange(5), 16), features),
    ):
        (file,) = (cache / name).glob("*.npy")
        whole = file.read_bytes()
        for damaged in (b"", whole[:60], whole[:-1], whole.replace(b"(36,", b"(35,").replace(b"(5,", b"(4,")):
            file.write_bytes(damaged)
            np.testing.assert_array_equal(read(), wanted)


def test_a_stop_and_an_image_that_is_broken_or_absent_are_told_of_and_leave_nothing(photos: Path, cache: Path) -> None:
    table = read_folder(photos)
    with pytest.raises(InputError, match="Stopped while reading images, 0 of 36"):
        load_pixels(table, 16, should_stop=lambda: True)
    table.paths()[7].write_bytes(b"no image")
    with pytest.raises(InputError, match=table.paths()[7].name):
        load_pixels(table, 16)
    assert list((cache / "pixels").iterdir()) == []
    absent = ImageTable("a", photos, pd.DataFrame({"path": ["gone.png"]}))
    with pytest.raises(InputError, match=r"gone.png' cannot be opened"):
        load_pixels(absent, 16)


def test_seconds_of_a_video(tmp_path: Path) -> None:
    for shades in ((0, 240), (240, 0)):
        write_video(tmp_path / "a.mp4", shades=shades)
        np.testing.assert_allclose(load_pixels(read_folder(tmp_path), 16).mean(axis=(1, 2, 3)), shades, atol=4)


def test_what_is_stored_is_mapped_and_the_same_as_what_is_computed(content: dict[str, Any], cache: Path) -> None:
    torch.manual_seed(0)
    network = build_network(config_from(content).backbone)
    pixels, rows = np.random.default_rng(0).integers(0, 256, (9, 18, 18, 3), dtype=np.uint8), np.array([7, 1, 3])
    computed = backbone_outputs(network, pixels, rows, 16)
    assert not (cache / "outputs").exists()
    first, again = (cached_outputs(network, pixels, rows, 16) for _ in range(2))
    for stored in (first, again):
        assert isinstance(stored, np.memmap)  # processes that read the same file share its memory
        assert not stored.flags.writeable
        np.testing.assert_array_equal(stored, computed)
    assert len(list((cache / "outputs").glob("*.npy"))) == 1
    assert network.training


def test_what_no_weight_tells_is_not_taken_for_another_network(content: dict[str, Any], cache: Path) -> None:
    """Pooling has no weights; what a module of one's own computes may change while its weights stay."""
    pixels, rows, found = np.random.default_rng(0).integers(0, 256, (4, 66, 66, 3), dtype=np.uint8), np.arange(4), []
    for pooling in ("avg", "max"):
        torch.manual_seed(0)
        content["backbone"]["options"] = {"global_pool": pooling}
        network = build_network(config_from(content).backbone)
        found.append(cached_outputs(network, pixels, rows, 64))
        np.testing.assert_array_equal(found[-1], backbone_outputs(network, pixels, rows, 64))
    assert not np.allclose(*found)
    network.is_given = True
    stored = len(list((cache / "outputs").glob("*.npy")))
    np.testing.assert_allclose(cached_outputs(network, pixels, rows, 64), found[-1], atol=1e-6)  # batch norm of a module of one's own is not folded
    network.backbone.global_pool = torch.nn.Sequential(network.backbone.global_pool, torch.nn.Tanh())
    assert not np.allclose(cached_outputs(network, pixels, rows, 64), found[-1])
    assert len(list((cache / "outputs").glob("*.npy"))) == stored == 2


CPU = torch.device("cpu")


def test_images_and_features_are_kept_as_they_are_on_a_gpu_where_they_fit_and_on_a_processor_where_it_is_wanted(
    photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("likeness.training.loop.prepare._CHUNK_BYTES", 3000)  # some images at a time
    table = read_folder(photos)
    pixels, whole = load_pixels(table, 16), load_whole_images(table, 16)
    features = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
    for inputs, expected in ((pixels, pixels), (whole, whole["pixels"]), (features, features)):
        kept = keep_on_device(inputs, CPU, wanted=True)
        np.testing.assert_array_equal(kept.numpy(), expected)
        assert keep_on_device(inputs, CPU) is keep_on_device(inputs, CPU, wanted=False) is None
    for free, fits in ((inputs.nbytes * 2, False), (inputs.nbytes * 3, True)):
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device, free=free: (free, free))
        assert prepare._fits(inputs, torch.device("cuda")) is fits


@pytest.mark.parametrize("changes", [{}, {"data.crops": "whole"}, {"augment": "jitter"}, {"augment": False}, {"backbone.head_only": True}])
def test_a_run_is_the_same_with_images_on_the_device_and_with_processes_that_prepare_them(
    config: RunConfig, tmp_path: Path, changes: dict[str, Any]
) -> None:
    losses = [
        train(with_changes(config, changes | where), tmp_path / str(number)).metrics().drop(columns="seconds")
        for number, where in enumerate(({}, {"keep_on_device": True}, {"workers": 2}))
    ]
    assert losses[0].equals(losses[1])
    assert losses[0].equals(losses[2])


def test_batch_norm_is_folded_while_a_cpu_computes_outputs(content: dict[str, Any]) -> None:
    """And for this time only: the network stays what it was."""
    network = build_network(config_from(content).backbone)
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_()
            module.running_var.uniform_(0.5, 2)
    own, pixels = network.backbone, np.random.default_rng(0).integers(0, 256, (300, 32, 32, 3), dtype=np.uint8)
    seen: list[bool] = []
    handle = torch.nn.modules.module.register_module_forward_hook(lambda module, *_: seen.append(isinstance(module, torch.nn.BatchNorm2d)))
    found = backbone_outputs(network, pixels, np.arange(300), 32)
    handle.remove()
    norms = sum(isinstance(module, torch.nn.BatchNorm2d) for module in own.modules())
    assert sum(seen) < 2 * norms  # once for the check of the copy, of five batches
    assert network.backbone is own
    with torch.no_grad():
        images = torch.from_numpy(pixels).permute(0, 3, 1, 2) / 255
        np.testing.assert_allclose(found, network.eval().features(images), rtol=1e-4, atol=1e-5)
