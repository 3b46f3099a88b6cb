"""The small files that drawn command lines name: sound ones, damaged ones, and what is no file."""

import json
import os
import pickle
import stat
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

_NOTION = "name: mine\ntemplate: a {} car\naspects: [red, blue, green, white]\nattribute: class\n"
_RUN = "base: none\n"


class _Code:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("true",)


def build(folder: Path) -> None:
    """Fills an empty folder."""
    _images(folder)
    _texts(folder)
    _arrays(folder)
    _no_files(folder)


def _images(folder: Path) -> None:
    rows = []
    for name, color in {"warm": (200, 60, 20), "cold": (20, 60, 200), "dark": (20, 20, 20), "pale": (220, 230, 220)}.items():
        (folder / "photos" / name).mkdir(parents=True)
        for shade in range(3):
            Image.new("RGB", (16, 16), tuple(part + 5 * shade for part in color)).save(folder / "photos" / name / f"{shade}.png")
            rows.append({"path": f"{name}/{shade}.png", "class": name, "yaw": 20.0 * len(rows), "car_color": name})
    (folder / "photos" / "warm" / "broken.jpg").write_bytes(b"no picture")
    frame = pd.DataFrame(rows)
    frame.to_csv(folder / "photos" / "table.csv", index=False)
    frame.assign(path="photos/" + frame["path"]).to_parquet(folder / "table.parquet")
    frame.assign(path="photos/" + frame["path"]).to_csv(folder / "table.csv", index=False)
    (folder / "empty").mkdir()


def _texts(folder: Path) -> None:
    from likeness.training import as_yaml, read_config, with_changes

    changes = {"data.source": "photos", "data.attribute": "class", "data.image_size": 16, "backbone.name": "test_resnet", "backbone.weights": "none"}
    changes |= {"backbone.dim": 4, "batch.size": 4, "epochs": 1, "guidance": None, "data.train_classes": 0.5}
    texts = {
        "empty.csv": "",
        "notion.yaml": _NOTION,
        "run.yaml": as_yaml(with_changes(read_config("shipped-cars-elg"), changes)),
        "study.yaml": "name: s\nbase: shipped-cars-elg\nseeds: [0]\nrows: {a: {data.source: photos, data.attribute: class, epochs: 0}}\n",
        "captioning.yaml": "name: c\nimages: photos\n",
        "serving.yaml": "shared: true\ntraining: false\n",
        "bomb.yaml": "a: &a [x,x,x,x]\n"
        + "".join(f"{new}: &{new} [*{old},*{old},*{old},*{old}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)),
        "deep.yaml": "[" * 3000,
        "date.yaml": "seed: 2020-13-45\n",
        "splits.json": json.dumps({"format": "likeness splits", "version": 1, "dataset": "photos", "splits": [_split()]}),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "latin.csv").write_bytes("path,class\nwarm/0.png,größe\n".encode("latin1"))


def _split() -> dict[str, object]:
    return {"name": "start", "distance": 1.5, "train": ["cold", "dark"], "test": ["pale", "warm"], "tuning": []}


def _arrays(folder: Path) -> None:
    import torch

    np.save(folder / "m.npy", np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0))))
    np.save(folder / "objects.npy", np.array([{}, 1], dtype=object), allow_pickle=True)
    official = {n: {"train": ["a", "b"], "test": ["c", "d"], "fid": 1.0 + n, "split_val": []} for n in (1, 2)}
    (folder / "splits.pkl").write_bytes(pickle.dumps(official, 2))
    for name in ("code.pkl", "code.pt"):
        (folder / name).write_bytes(pickle.dumps(_Code()))
    torch.save([1, 2], folder / "list.pt")
    (folder / "runs" / "one").mkdir(parents=True)
    (folder / "runs" / "one" / "config.yaml").write_text((folder / "run.yaml").read_text())
    (folder / "clip").mkdir()
    for name in ("runs/one/checkpoint.ckpt", "clip/checkpoint.pt"):
        (folder / name).write_bytes((folder / "list.pt").read_bytes())


def _no_files(folder: Path) -> None:
    for name in ("folder.csv", "folder.png", "folder.yaml", "folder.html"):
        (folder / name).mkdir()
    for suffix in ("", ".csv", ".yaml", ".npy", ".png", ".pkl"):
        os.mkfifo(folder / f"pipe{suffix}")
        if suffix in ("", ".yaml"):
            (folder / f"loop{suffix}").symlink_to(folder / f"loop{suffix}")
    for name, minor in {"full": 7, "full.csv": 7, "null.html": 3, "null.npy": 3}.items():  # of this folder's own: a device may be replaced by a file
        try:
            os.mknod(folder / name, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        except OSError:  # not as this user
            os.mkfifo(folder / name)
