"""`likeness export`: from a folder with labels made by hand to files for other programs, and what is said of wrong input."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PIL import Image

import likeness as lk
from worlds import Run


@pytest.fixture
def photos(tmp_path: Path) -> str:
    for number, name in enumerate(("warm/0.png", "warm/1.png", "cold/0.png", "cold/1.png")):
        (tmp_path / "photos" / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8), (60 * number, 9, 9)).save(tmp_path / "photos" / name)
    return str(tmp_path / "photos")


def test_labels_made_by_hand_are_exported(ok: Any, photos: str, tmp_path: Path) -> None:
    ok("tags", "set", photos, "mood", "--value", "calm", "--where", "class=cold")
    ok("tags", "set", photos, "good", "--path", "warm/1.png")
    assert ok("export", photos, "csv", tmp_path / "out.csv")[0] == f"4 images written to {tmp_path}/out.csv\n"
    found = pd.read_csv(tmp_path / "out.csv", keep_default_na=False).set_index("path")
    assert found["mood"].to_dict() == {"cold/0.png": "calm", "cold/1.png": "calm", "warm/0.png": "", "warm/1.png": ""}
    assert found.index[found["good"]].tolist() == ["warm/1.png"]
    ok("export", photos, "coco", tmp_path / "out.json", "--label", "mood", "--where", "good=no")
    content = json.loads((tmp_path / "out.json").read_text())
    assert [each["name"] for each in content["categories"]] == ["calm"]
    assert (len(content["images"]), len(content["annotations"])) == (3, 2)
    (tmp_path / "some.txt").write_text("warm/0.png\ncold/0.png\n")
    ok("export", photos, "links", tmp_path / "links", "--only", tmp_path / "some.txt", "--label", "class", "--link", "copy")
    assert sorted(str(file.relative_to(tmp_path / "links")) for file in (tmp_path / "links").rglob("*.png")) == ["cold/0.png", "warm/0-2.png"]
    shown, _ = ok("export", photos, "yolo", tmp_path / "yolo", "--val", "0.5")
    assert shown.splitlines()[1] == f"Train with: yolo classify train data={tmp_path}/yolo"
    assert len(list((tmp_path / "yolo" / "val").rglob("*.png"))) == 2


def test_a_space_of_a_notion_is_exported(ok: Any, tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text("".join(f"images/{number:05}.webp\n" for number in range(30)))
    only = ("--only", str(tmp_path / "some.txt"), "-e", "cars-small")
    ok("export", "cars", "parquet", tmp_path / "a.parquet", "--vectors", "-k", "3", "-n", "car-color", "-d", "4", *only)
    found = lk.load(tmp_path / "a.parquet")
    assert (found.vectors.shape, found.nearest("a red car", 1).rows.shape) == ((30, 4), (1,))


def test_smaller_vectors_say_what_they_lose(ok: Any, tmp_path: Path) -> None:
    shown, _ = ok("export", "cars", "faiss", tmp_path / "codes", "--precision", "binary", "-e", "cars-small")
    lines = shown.splitlines()
    assert lines[0] == f"2,000 images written to {tmp_path}/codes"
    assert lines[1].split() == ["ranking", "bytes_per_image", "neighbors_kept"]
    assert [line.split()[0] for line in lines[2:]] == ["cosine", "int8", "binary:candidates=0", "binary"]


def test_a_run_is_exported(run: Run, ok: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIKENESS_RUNS", str(tmp_path / "runs"))
    data = {"source": "cars", "attribute": "car_color", "image_size": 16, "subset": 12}
    backbone = {"name": "test_resnet", "weights": "none", "dim": 4}
    lk.train({"data": data, "backbone": backbone, "batch": {"size": 6, "per_class": 2}, "epochs": 0, "device": "cpu"}, tmp_path / "runs" / "small")
    shown, _ = ok("export", "run:small", "safetensors", tmp_path / "out")
    assert shown.splitlines()[0] == f"4 dimensions written to {tmp_path}/out"
    assert "The weights of the run 'small'" in shown
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["README.md", "model.safetensors", "preprocessing.json", "training.yaml"]
    for arguments, message in (
        (("run:small", "safetensors", "out"), "exists already"),
        (("run:absent", "onnx", "new"), "There is no run 'absent', neither as a folder nor in"),
        (("run:small", "onnx", "new", "--notion", "car-color"), "The target 'onnx' writes a run, so --notion has no effect; remove it."),
        (("run:small", "timm", "new", "--label", "class"), "The target 'timm' has no option 'label'"),
        (("run:small", "open_clip", "new"), "which is not a CLIP and has no text side"),
    ):
        status, shown, error = run("export", *arguments[:2], str(tmp_path / arguments[2]), *arguments[3:])
        assert (status, shown, error.count("\n"), message in error) == (2, "", 1, True)
    assert not (tmp_path / "new").exists()
