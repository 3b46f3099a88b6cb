"""A run elsewhere: the library that reads a format gives the run's vectors, of images prepared as `preprocessing.json` says by PIL and NumPy."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import open_clip
import pytest
import timm
import torch
from PIL import Image, ImageOps

import likeness as lk
from likeness.errors import InputError
from likeness.exports.run_material import RunMaterial
from likeness.exports.run_timm import crop_share
from likeness.io import assets_dir
from likeness.training import EmbeddingNetwork, RunFolder, Status
from tiny_models import save_clip

FORMATS = ("onnx", "pt2", "timm", "open_clip", "sentence-transformers", "safetensors")
# of unit rows in float32: what other orders of sums and other kernels change
CLOSE, COSINE = 1e-4, 1 - 1e-6
_CNN = {"name": "test_resnet", "weights": "none", "dim": 8}
# part of a config -> what is refused, by format
RUNS: dict[str, dict[str, Any]] = {
    "cnn": {"backbone": _CNN, "epochs": 1, "data": {"image_size": 32}},
    "head only": {"backbone": {"name": "photos", "dim": 16, "head_only": True}, "data": {"image_size": 64}},
    "parts": {"backbone": _CNN | {"parts": 4}, "data": {"image_size": 31}},
    "not unit": {"backbone": _CNN | {"unit": False}, "data": {"image_size": 32}},
    "whole frame": {"backbone": _CNN, "data": {"image_size": 32, "frame": "whole", "kept": 40}},
    "vit": {"backbone": {"name": "test_vit", "weights": "none", "dim": 8, "options": {"img_size": 32}}, "data": {"image_size": 32}},
    "two classifiers": {
        "backbone": {"name": "deit_tiny_distilled_patch16_224", "weights": "none", "dim": 8, "options": {"img_size": 32}},
        "data": {"image_size": 32},
    },
    "clip cnn": {"backbone": {"name": "clip:cars-small", "dim": None, "head_only": True}, "epochs": 1, "data": {"image_size": 64}},
    "clip vit": {"backbone": {"name": "clip:local-dir:CLIP", "dim": 24}, "data": {"image_size": 32}},
    "clip raw": {"backbone": {"name": "clip:local-dir:CLIP", "dim": None}, "data": {"image_size": 32}},
    "clip narrow": {"backbone": {"name": "clip:local-dir:CLIP", "dim": 8}, "data": {"image_size": 32}},
    "clip parts": {"backbone": {"name": "clip:local-dir:CLIP", "dim": 24, "parts": 4}, "data": {"image_size": 32}},
    "clip not unit": {"backbone": {"name": "clip:local-dir:CLIP", "dim": 24, "unit": False}, "data": {"image_size": 32}},
}
REFUSED = {
    **{(name, "open_clip"): "which is not a CLIP and has no text side; choose" for name in RUNS if not name.startswith("clip")},
    **{(name, "timm"): "which is not a timm model; choose open_clip, onnx or pt2" for name in RUNS if name.startswith("clip")},
    ("two classifiers", "timm"): "is no linear layer on pooled features, as an embedding layer is; choose onnx or pt2",
    ("clip narrow", "open_clip"): "has 8 dimensions, but the text side of '.*' has 24, .*; train with backbone.dim 24, or choose onnx or pt2",
    **{(name, "open_clip"): "are not scaled as a whole, as open_clip does; choose onnx or pt2" for name in ("clip parts", "clip not unit")},
    **{(name, "sentence-transformers"): "are not scaled as a whole, as sentence-transformers does" for name in ("parts", "not unit")},
    **{(name, "sentence-transformers"): "is based on a CLIP, but this target takes timm models" for name in RUNS if name.startswith("clip")},
}


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Of torch: for small networks more threads only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], RunFolder]:
    """Tiny runs on the shipped cars by their name in `RUNS`, each trained once; most of no epoch, whose embedding layer is drawn at random."""
    place = tmp_path_factory.mktemp("runs")
    clip = save_clip(place / "tiny-clip")
    content = {"objective": {"name": "margin"}, "batch": {"size": 6, "per_class": 2}, "epochs": 0, "device": "cpu"}

    def trained(name: str) -> RunFolder:
        run = RunFolder(place / name)
        if not run.best.is_file():
            part = RUNS[name]
            data = {"source": "cars", "attribute": "car_color", "subset": 40} | part["data"]
            backbone = part["backbone"] | {"name": part["backbone"]["name"].replace("CLIP", str(clip))}
            lk.train(content | part | {"name": name, "data": data, "backbone": backbone}, run.path)
        return run

    return trained


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Shipped cars, and of these one that is wide, high, turned by its EXIF, transparent, gray, tiny, and much longer than it is high."""
    place, cars = tmp_path_factory.mktemp("pictures"), lk.read("cars").paths()
    car = Image.open(cars[5]).convert("RGB")
    turned = Image.Exif()
    turned[0x0112] = 6
    made = {
        "wide.png": car.resize((91, 40)),
        "high.png": car.resize((33, 90)),
        "clear.png": car.convert("RGBA").resize((50, 47)),
        "gray.png": car.convert("L"),
        "tiny.png": car.resize((7, 5)),
        "long.png": car.resize((421, 3)),
    }
    for name, image in made.items():
        image.save(place / name)
    car.resize((80, 50)).save(place / "turned.png", exif=turned)
    return [*cars[:4], *sorted(place.iterdir())]


def _prepared(folder: Path, files: list[Path]) -> np.ndarray:
    """Images (n, 3, h, w) as `preprocessing.json` says."""
    about = json.loads((folder / "preprocessing.json").read_text())
    assert (about["interpolation"], about["value_range"], about["dtype"]) == ("bicubic", [0, 1], "float32")
    images = np.stack([_prepared_one(about, file) for file in files]).astype(np.float32).transpose(0, 3, 1, 2) / 255
    assert list(images.shape[1:]) == about["layout"][1:]
    if about["normalized_by_the_model"]:
        return images
    mean, std = (np.reshape(np.array(about[name], np.float32), (1, 3, 1, 1)) for name in ("mean", "std"))
    return (images - mean) / std


def _opened(about: dict[str, Any], file: Path) -> Image.Image:
    image = ImageOps.exif_transpose(Image.open(file)).convert("RGB")
    longest = [min(side, about["longest_aspect"] * min(image.size)) for side in image.size]
    return _middle(image, *longest, int)


def _prepared_one(about: dict[str, Any], file: Path) -> np.ndarray:
    image = _opened(about, file)
    side = about["resize"].get("shorter_side")
    size = (about["resize"]["width"], about["resize"]["height"]) if side is None else tuple(side * each // min(image.size) for each in image.size)
    image = image.resize(size, Image.Resampling.BICUBIC)
    return np.asarray(_middle(image, about["center_crop"]["width"], about["center_crop"]["height"], round))


def _middle(image: Image.Image, width: int, height: int, rounded: Callable[[float], int]) -> Image.Image:
    left, top = rounded((image.width - width) / 2), rounded((image.height - height) / 2)
    return image.crop((left, top, left + width, top + height))


def _scaled(folder: Path, rows: np.ndarray) -> np.ndarray:
    """Unit rows, as `output` in `preprocessing.json` says."""
    output = json.loads((folder / "preprocessing.json").read_text())["output"]
    assert rows.shape[1] == output["dimensions"]
    if output["unit_length"]:
        return rows
    if "spherical_map" in output:
        flat = (rows - np.array(output["spherical_map"]["center"])) / output["spherical_map"]["radius"]
        flat /= np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1)
        return np.hstack([flat, np.sqrt(np.maximum(1 - (flat**2).sum(axis=1, keepdims=True), 0))])
    parts = rows.reshape(len(rows), output["parts"], -1)
    return (parts / np.linalg.norm(parts, axis=2, keepdims=True)).reshape(rows.shape) / np.sqrt(output["parts"])


def _by_onnx(folder: Path, images: np.ndarray) -> np.ndarray:
    import onnxruntime

    return onnxruntime.InferenceSession(str(folder / "model.onnx")).run(["embeddings"], {"images": images})[0]


def _by_pt2(folder: Path, images: np.ndarray) -> np.ndarray:
    """All at once, and the first alone: a program may hold the number of images that it was made with."""
    module = torch.export.load(folder / "model.pt2").module()
    np.testing.assert_allclose(_rows(module, images[:1]), _rows(module, images)[:1], rtol=0, atol=CLOSE)
    return _rows(module, images)


def _rows(module: Any, images: np.ndarray) -> np.ndarray:
    with torch.inference_mode():
        return module(torch.from_numpy(images)).numpy()


def _by_timm(folder: Path, images: np.ndarray) -> np.ndarray:
    return _rows(timm.create_model(f"local-dir:{folder}", pretrained=True).eval(), images)


def _by_open_clip(folder: Path, images: np.ndarray) -> np.ndarray:
    return _rows(open_clip.create_model_from_pretrained(f"local-dir:{folder}", return_transform=False).eval().encode_image, images)


def _by_safetensors(folder: Path, images: np.ndarray) -> np.ndarray:
    """By the backbone alone and a product of matrices."""
    import yaml
    from safetensors.torch import load_file

    weights, backbone = load_file(folder / "model.safetensors"), yaml.safe_load((folder / "training.yaml").read_text())["backbone"]
    name, start = backbone["name"], "backbone."
    if name.startswith("clip:"):
        model = name.removeprefix("clip:")
        source = model if ":" in model else f"local-dir:{assets_dir() / 'clip_small'}"
        module, start = open_clip.create_model_from_pretrained(source, return_transform=False).visual, "backbone.visual."
    elif name == "photos":
        module = timm.create_model("mobilenetv2_100", num_classes=0, pad_type="same")
    else:
        module = timm.create_model(name, num_classes=0, **backbone["options"])
    module.load_state_dict({key.removeprefix(start): value for key, value in weights.items() if key.startswith(start)})
    return _rows(module.eval(), images) @ weights["head.weight"].numpy().T + weights["head.bias"].numpy()


READERS = {name: globals()[f"_by_{name}"] for name in FORMATS if name != "sentence-transformers"}  # which prepares images itself


def _vectors(target: str, folder: Path, pictures: list[Path]) -> np.ndarray:
    if target in READERS:
        return _scaled(folder, READERS[target](folder, _prepared(folder, pictures)))
    from sentence_transformers import SentenceTransformer

    about = json.loads((folder / "preprocessing.json").read_text())
    return SentenceTransformer(str(folder), device="cpu").encode([_opened(about, each) for each in pictures])


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("name", RUNS)
def test_each_format_gives_the_vectors_of_the_run_or_is_refused(
    name: str, target: str, runs: Callable[[str], RunFolder], pictures: list[Path], tmp_path: Path
) -> None:
    run, folder = runs(name), tmp_path / "out"
    if (name, target) in REFUSED:
        with pytest.raises(InputError, match=REFUSED[name, target]):
            lk.export(run, target, folder)
        assert not folder.exists()
        return
    written = lk.export(run, target, folder)
    output = json.loads((folder / "preprocessing.json").read_text())["output"]
    assert (written.n, written.what, written.place) == (output["dimensions"], "dimensions", str(folder))
    expected = lk.load(f"run:{run.path}").encode_images(pictures)  # type: ignore[union-attr]
    found = _vectors(target, folder, pictures)
    np.testing.assert_allclose(found, expected, rtol=0, atol=CLOSE)
    assert (found * expected).sum(axis=1).min() > COSINE


_ALONE = """
import sys
sys.modules["likeness"] = None
import numpy, torch
for folder in sys.argv[1:]:
    images = torch.from_numpy(numpy.load(folder + "/images.npy"))
    numpy.save(folder + "/found.npy", torch.export.load(folder + "/model.pt2").module()(images).numpy())
"""
_SENTENCES = """
import sys
sys.modules["likeness"] = None
import glob, numpy
from PIL import Image
from sentence_transformers import SentenceTransformer
for folder in sys.argv[1:]:
    images = [Image.open(file).convert("RGB") for file in sorted(glob.glob(folder + "/*.png"))]
    numpy.save(folder + "/found.npy", SentenceTransformer(folder, device="cpu", trust_remote_code=False).encode(images))
"""


@pytest.mark.parametrize(
    ("target", "names", "code"), [("pt2", ("cnn", "not unit", "clip vit"), _ALONE), ("sentence-transformers", ("cnn", "head only"), _SENTENCES)]
)
def test_a_process_without_likeness_gives_the_vectors_of_the_run(
    target: str, names: tuple[str, ...], code: str, runs: Callable[[str], RunFolder], pictures: list[Path], tmp_path: Path
) -> None:
    pictures = [each for each in pictures if each.suffix == ".png" and each.stem not in ("turned", "long")]  # which `_opened` changes
    for name in names:
        lk.export(runs(name), target, tmp_path / name)
        np.save(tmp_path / name / "images.npy", _prepared(tmp_path / name, pictures))
        for picture in pictures:
            shutil.copy(picture, tmp_path / name)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    subprocess.run([sys.executable, "-c", code, *(str(tmp_path / name) for name in names)], check=True, env=environment, cwd=tmp_path)
    for name in names:
        expected = lk.load(f"run:{runs(name).path}").encode_images(pictures)  # type: ignore[union-attr]
        np.testing.assert_allclose(np.load(tmp_path / name / "found.npy"), expected, rtol=0, atol=CLOSE)


@pytest.mark.parametrize(
    ("name", "target"),
    [
        *(("cnn", target) for target in FORMATS if target != "open_clip"),
        *(("whole frame", "onnx"), ("whole frame", "timm"), ("parts", "timm"), ("clip vit", "open_clip"), ("head only", "safetensors")),
    ],
)
def test_the_card_runs_as_it_is_written(
    name: str, target: str, runs: Callable[[str], RunFolder], pictures: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    lk.export(runs(name), target, folder)
    page = (folder / "README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len([line for line in code.splitlines() if line]) <= 10
    monkeypatch.chdir(folder)
    for picture in pictures[3:5]:
        shutil.copyfile(picture, folder / "photo.jpg")
        names: dict[str, Any] = {}
        exec(code, names)
        found = names["embeddings" if "embeddings" in names else "rows"]
        found = np.asarray(found.detach() if hasattr(found, "detach") else found)
        expected = lk.load(f"run:{runs(name).path}").encode_images([picture])  # type: ignore[union-attr]
        np.testing.assert_allclose(found / np.linalg.norm(found), expected, rtol=0, atol=CLOSE)


def test_the_card_says_what_the_run_is(runs: Callable[[str], RunFolder], tmp_path: Path) -> None:
    run = runs("cnn")
    lk.export(run, "onnx", tmp_path / "out")
    page, report = (tmp_path / "out" / "README.md").read_text(), run.report()
    assert report is not None
    for part in ("# cnn", "cars, by the classes of car_color", "test_resnet, 8 dimensions", "margin", "weights drawn at random", "(n, 3, 32, 32)"):
        assert part in page
    assert f"R@1 {report['best']['recall_at_1']:.3f}" in page
    assert f"of step {report['best']['step']}, the last ones" in page
    assert (tmp_path / "out" / "training.yaml").read_bytes() == (run.path / "config.yaml").read_bytes()
    lk.export(runs("head only"), "safetensors", tmp_path / "photos")
    assert "Apache License 2.0" in (tmp_path / "photos" / "README.md").read_text()


def test_texts_stay_as_they_were_and_the_card_says_whether_they_meet_the_images(runs: Callable[[str], RunFolder], tmp_path: Path) -> None:
    for name, sentence in (("clip raw", "so text and images match as before"), ("clip vit", "They may no longer match")):
        folder, run = tmp_path / name, runs(name)
        lk.export(run, "open_clip", folder)
        assert sentence in (folder / "README.md").read_text()
        model = open_clip.create_model_from_pretrained(f"local-dir:{folder}", return_transform=False).eval()
        texts = ["a red car", "a photo of a blue car"]
        with torch.inference_mode():
            found = model.encode_text(open_clip.get_tokenizer(f"local-dir:{folder}")(texts), normalize=True).numpy()
        before = lk.load(run.config().backbone.name.removeprefix("clip:"))
        np.testing.assert_allclose(found, before.encode_texts(texts), rtol=0, atol=CLOSE)  # type: ignore[union-attr]
        here = lk.load(f"local-dir:{folder}")
        np.testing.assert_allclose(here.encode_texts(texts), found, rtol=0, atol=CLOSE)  # type: ignore[union-attr]


def test_weights_say_what_they_are(runs: Callable[[str], RunFolder], tmp_path: Path) -> None:
    import onnx
    from safetensors import safe_open

    run = runs("cnn")
    for target in FORMATS:
        if ("cnn", target) not in REFUSED:
            lk.export(run, target, tmp_path / target)
    extra = {"metadata.json": ""}
    torch.export.load(tmp_path / "pt2" / "model.pt2", extra_files=extra)
    headers = {
        "onnx": {each.key: each.value for each in onnx.load(tmp_path / "onnx" / "model.onnx").metadata_props},
        "pt2": json.loads(extra["metadata.json"]),
        **{target: dict(safe_open(tmp_path / target / "model.safetensors", "pt").metadata()) for target in ("timm", "safetensors")},
        "run": dict(safe_open(run.best, "pt").metadata()),
    }
    for header in headers.values():
        assert header["format"] == "pt"
        assert header["likeness.version"] == lk.__version__
        assert header["likeness.config"] == (run.path / "config.yaml").read_text()
        assert json.loads(header["likeness.figures"])["recall_at_1"] == run.best_figures()["recall_at_1"]
        assert json.loads(header["likeness.preprocessing"])["mean"] == [0.5, 0.5, 0.5]


def test_a_run_is_named_in_several_ways(runs: Callable[[str], RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs("cnn")
    monkeypatch.setenv("LIKENESS_RUNS", str(run.path.parent))
    sources: tuple[Any, ...] = (run, run.path, str(run.path), f"run:{run.path}", "run:cnn", "cnn", lk.load(f"run:{run.path}"))
    for number, source in enumerate(sources):
        lk.export(source, "safetensors", tmp_path / str(number))
        assert (tmp_path / str(number) / "model.safetensors").read_bytes() == (tmp_path / "0" / "model.safetensors").read_bytes()


def test_wrong_input_is_answered(runs: Callable[[str], RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, out, new = runs("cnn"), tmp_path / "out", RunFolder(tmp_path / "new")
    new.create(run.config())
    bad_inputs: list[tuple[Any, str, dict[str, Any], str]] = [
        ("run:absent", "onnx", {}, "There is no run 'absent', neither as a folder nor in"),
        (run, "tflite", {}, r"There is no target 'tflite'; choose from csv, .*, onnx, pt2, timm, open_clip, sentence-transformers, safetensors"),
        (lk.read("cars"), "onnx", {}, "takes a trained run, not images; pass one, such as 'run:NAME'"),
        (lk.load("cars"), "onnx", {}, "'cars' is not a trained run"),
        (run, "onnx", {"rows": [0]}, "has no rows and columns"),
        (run, "timm", {"label": "class"}, "The target 'timm' has no option 'label'; it has none"),
        (new, "onnx", {}, "has no weights yet"),
    ]
    for source, target, options, said in bad_inputs:
        with pytest.raises(InputError, match=said):
            lk.export(source, target, out, **options)
    with pytest.raises(InputError, match="takes images or a Space, not 'run:cnn'"):
        lk.export("run:cnn", "csv", tmp_path / "out.csv")
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(InputError, match=r'pip install "likeness\[onnx\]"'):
        lk.export(run, "onnx", out)
    assert not out.exists()


def test_a_run_that_is_still_training_waits_and_one_that_was_stopped_says_so(runs: Callable[[str], RunFolder], tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "copy")
    shutil.copytree(runs("cnn").path, run.path)
    (run.path / "report.json").unlink()
    run.report_status(Status("running", 2, 9, "", os.getpid()))
    with pytest.raises(InputError, match="The run 'copy' is still training, so its best weights may change"):
        lk.export(run, "safetensors", tmp_path / "out")
    run.report_status(Status("stopped", 3, 9))
    lk.export(run, "safetensors", tmp_path / "out")
    assert "training was not finished (3 of 9 steps)" in (tmp_path / "out" / "README.md").read_text()


@pytest.mark.parametrize("target", FORMATS)
def test_what_is_interrupted_leaves_nothing(target: str, runs: Callable[[str], RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(RunMaterial, "about_input", interrupted)
    with pytest.raises(KeyboardInterrupt):
        lk.export(runs("clip vit" if target == "open_clip" else "cnn"), target, tmp_path / "place" / "out")
    assert list((tmp_path / "place").iterdir()) == []


def test_what_a_format_cannot_hold_is_refused(runs: Callable[[str], RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of images as a constant, results that differ from call to call, and an operation that ONNX does not have."""
    embed = EmbeddingNetwork.embed
    for changed, target, said in (
        (lambda rows: rows.view(2, -1), "onnx", r"is not one program \(Constraints violated \(n\)!.*\); choose the target safetensors"),
        (lambda rows: rows.view(2, -1), "pt2", "is not one program"),
        (lambda rows: rows + torch.rand_like(rows), "pt2", "gives other vectors in torch.export; choose the target safetensors"),
        (torch.special.bessel_j0, "onnx", r"The network 'test_resnet' cannot be written as ONNX \(.*bessel_j0.*\); choose pt2"),
    ):
        monkeypatch.setattr(EmbeddingNetwork, "embed", lambda self, features, changed=changed: changed(embed(self, features)))
        with pytest.raises(InputError, match=said):
            lk.export(runs("cnn"), target, tmp_path / "out")
        assert not (tmp_path / "out").exists()


def test_timm_resizes_to_the_side_that_the_run_has() -> None:
    from torchvision.transforms import Resize

    for crop, side in ((size, kept) for size in range(16, 300, 7) for kept in (size, round(size * 8 / 7), size + 1, 3 * size)):
        data = {"input_size": (3, crop, crop), "crop_pct": crop_share(crop, side), "crop_mode": "center"}
        resize = next(step for step in timm.data.create_transform(**data, is_training=False).transforms if isinstance(step, Resize))
        assert resize.size == side
