"""What people hold, read as it is: lines that a person types, seconds and memory for 10,000 images, and whether they come back unchanged.

python benchmarks/sources.py            # prints the table
python benchmarks/sources.py --record   # writes it into benchmarks/README.md

Photos of CIFAR-100 (32 px) are written by the other library into each source. Then a forked process, which has imported everything, reads the table,
and opens the first 1,000 images, in seconds of a processor, which other work on the machine does not change; its memory is the most that it held
beyond what it held before. "comes back": these 1,000 have the pixels and labels that were written, and all rows have the labels that were written.
"""

import argparse
import hashlib
import io
import json
import multiprocessing
import os
import resource
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas as pd
import torchvision
from PIL import Image

import likeness as lk
from likeness.io import read_image

ROOT = Path(__file__).parents[1]
PHOTOS = ROOT.parent / "shared" / "data" / "cifar100_300.zip"
COUNT, OPENED = 10_000, 1_000
Photos = list[tuple[bytes, str]]  # PNG and label
Write = Callable[[Photos, Path], str]


def photos(count: int) -> Photos:
    """The first images of each class in turn."""
    with zipfile.ZipFile(PHOTOS) as archive:
        names = sorted((name for name in archive.namelist() if name.endswith(".png")), key=lambda name: name.split("/")[-1][::-1])
        return [(archive.read(name), name.split("/")[-2]) for name in names[:count]]


def _names(given: Photos) -> list[str]:
    return [f"{label}/{row:05d}.png" for row, (_, label) in enumerate(given)]


def _files(given: Photos, folder: Path) -> Path:
    for name, (content, _) in zip(_names(given), given, strict=True):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def folder(given: Photos, place: Path) -> str:
    return f"lk.read({str(_files(given, place / 'photos'))!r})"


def image_folder(given: Photos, place: Path) -> str:
    pd.DataFrame({"file_name": _names(given), "label": [label for _, label in given]}).to_csv(_files(given, place) / "metadata.csv", index=False)
    return f"lk.read({str(place)!r})"


def zip_file(given: Photos, place: Path) -> str:
    with zipfile.ZipFile(place / "x.zip", "w") as archive:
        for name, (content, _) in zip(_names(given), given, strict=True):
            archive.writestr(name, content)
    return f"lk.read({str(place / 'x.zip')!r})"


def tar_gz(given: Photos, place: Path) -> str:
    with tarfile.open(place / "x.tar.gz", "w:gz") as archive:
        for name, (content, _) in zip(_names(given), given, strict=True):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return f"lk.read({str(place / 'x.tar.gz')!r})"


def webdataset_shards(given: Photos, place: Path) -> str:
    import webdataset

    with webdataset.ShardWriter(str(place / "shard-%03d.tar"), maxcount=-(-len(given) // 4), verbose=0) as sink:
        for row, (content, label) in enumerate(given):
            sink.write({"__key__": f"{row:05d}", "png": content, "json": {"label": label}})
    return f"lk.read({str(place / 'shard-{000..003}.tar')!r})"


def parquet(given: Photos, place: Path) -> str:
    import polars as pl

    frame = pl.DataFrame({"image": [{"bytes": content, "path": None} for content, _ in given], "label": [label for _, label in given]})
    frame.write_parquet(place / "x.parquet")
    return f"lk.read({str(place / 'x.parquet')!r})"


def _dataset(given: Photos) -> Any:
    names = sorted({label for _, label in given})
    features = datasets.Features({"image": datasets.Image(), "label": datasets.ClassLabel(names=names)})
    columns = {"image": [{"bytes": content, "path": None} for content, _ in given], "label": [label for _, label in given]}
    return datasets.Dataset.from_dict(columns, features=features)


def saved(given: Photos, place: Path) -> str:
    _dataset(given).save_to_disk(place / "saved", num_shards=4)
    return f"lk.read({str(place / 'saved')!r})"


def dataset_on_disk(given: Photos, place: Path) -> str:
    _dataset(given).save_to_disk(place / "saved")
    return f"lk.read(datasets.load_from_disk({str(place / 'saved')!r}))"


def dataset_in_memory(given: Photos, place: Path) -> str:
    _dataset(given).save_to_disk(place / "saved")
    return f"lk.read(datasets.load_from_disk({str(place / 'saved')!r}, keep_in_memory=True))"


def torchvision_folder(given: Photos, place: Path) -> str:
    return f"lk.read(torchvision.datasets.ImageFolder({str(_files(given, place / 'photos'))!r}))"


def arrays(given: Photos, place: Path) -> str:
    pixels = np.stack([np.asarray(Image.open(io.BytesIO(content)).convert("RGB")) for content, _ in given])
    np.savez(place / "x.npz", pixels=pixels, labels=[label for _, label in given])
    return f"(lambda x: lk.read(list(zip(x['pixels'], x['labels'].tolist()))))(np.load({str(place / 'x.npz')!r}))"


def coco(given: Photos, place: Path) -> str:
    names = sorted({label for _, label in given})
    images = [{"id": row, "file_name": name, "width": 32, "height": 32} for row, name in enumerate(_names(given))]
    boxes = [{"id": row, "image_id": row, "category_id": names.index(label), "bbox": [0, 0, 32, 32]} for row, (_, label) in enumerate(given)]
    content = {"images": images, "annotations": boxes, "categories": [{"id": row, "name": name} for row, name in enumerate(names)]}
    (_files(given, place) / "x.json").write_text(json.dumps(content))
    return f"lk.read({str(place / 'x.json')!r})"


def yolo(given: Photos, place: Path) -> str:
    names = sorted({label for _, label in given})
    _files(given, place / "yolo" / "images")
    for name, (_, label) in zip(_names(given), given, strict=True):
        file = (place / "yolo" / "labels" / name).with_suffix(".txt")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{names.index(label)} 0.5 0.5 1 1\n")
    (place / "yolo" / "data.yaml").write_text(json.dumps({"path": ".", "train": "images", "val": "images", "names": names}))
    return f"lk.read({str(place / 'yolo')!r})"


def fiftyone(given: Photos, place: Path) -> str:
    samples = [
        {"filepath": name, "tags": [], "label": {"_cls": "Classification", "label": label}}
        for name, (_, label) in zip(_names(given), given, strict=True)
    ]
    (_files(given, place) / "samples.json").write_text(json.dumps({"samples": samples}))
    (place / "metadata.json").write_text("{}")
    return f"lk.read({str(place)!r})"


def label_studio(given: Photos, place: Path) -> str:
    tasks = [
        {"data": {"image": name}, "annotations": [{"result": [{"from_name": "label", "value": {"choices": [label]}}]}]}
        for name, (_, label) in zip(_names(given), given, strict=True)
    ]
    (_files(given, place) / "x.json").write_text(json.dumps(tasks))
    return f"lk.read({str(place / 'x.json')!r})"


SOURCES: dict[str, Write] = {
    "folder": folder,
    "imagefolder with metadata.csv": image_folder,
    "ZIP": zip_file,
    "tar.gz": tar_gz,
    "webdataset, 4 shards": webdataset_shards,
    "Parquet of polars": parquet,
    "`save_to_disk`, 4 shards": saved,
    "`datasets.Dataset` on disk": dataset_on_disk,
    "`datasets.Dataset` in memory": dataset_in_memory,
    "torchvision's ImageFolder": torchvision_folder,
    "arrays with labels": arrays,
    "COCO (documented layout)": coco,
    "YOLO (documented layout)": yolo,
    "FiftyOne (documented layout)": fiftyone,
    "Label Studio (documented layout)": label_studio,
}


def digest(pixels: Any, label: str) -> bytes:
    return hashlib.sha256(np.asarray(pixels.convert("RGB")).tobytes() + label.encode()).digest()


def measure(call: str, given: Photos) -> tuple[float, float, float, str]:
    """Seconds until the table is read, and until the first images are opened, megabytes, and what came back."""
    names = {"lk": lk, "np": np, "datasets": datasets, "torchvision": torchvision}
    before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, sum(os.times()[:4])
    table = eval(call, names)
    read = sum(os.times()[:4]) - begin
    pictures = [read_image(path) for path in table.paths()[:OPENED]]
    opened = sum(os.times()[:4]) - begin - read
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    labels = table.frame[next(name for name in ("label", "class") if name in table.frame)].astype(str).tolist()
    left = Counter(digest(Image.open(io.BytesIO(content)), label) for content, label in given)
    left.subtract(digest(picture, label) for picture, label in zip(pictures, labels, strict=False))
    same = min(left.values()) >= 0 and Counter(labels) == Counter(label for _, label in given)
    return read, opened, memory, "yes" if same else f"no ({len(labels):,} rows)"


def apart(call: Callable[..., Any], *arguments: Any) -> Any:
    """What a call returns in a forked process, so that nothing of it stays in this one."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=lambda: theirs.send(call(*arguments)))
    process.start()
    theirs.close()
    found = ours.recv()
    process.join()
    return found


def rows(count: int) -> list[str]:
    """Lines of the table."""
    given, found = photos(count), []
    for name, write in SOURCES.items():
        with tempfile.TemporaryDirectory() as place:
            os.environ["LIKENESS_CACHE"] = f"{place}/cache"
            (Path(place) / "x").mkdir()
            call = apart(write, given, Path(place) / "x")
            read, opened, memory, back = apart(measure, call, given)
            found.append(f"| {name} | {call.count(chr(10)) + 1} | {read:.2f} | {opened:.2f} | {max(0, memory):,.0f} | {back} |")
            print(found[-1], flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--record", action="store_true", help="write the table into benchmarks/README.md")
    options = parser.parse_args()
    assert callable(lk.read)  # imported before anything is measured
    print(head := "| source | lines | read, s | 1,000 opened, s | memory, MB | comes back |\n|---|---|---|---|---|---|", flush=True)
    table = "\n".join([head, *rows(options.count)])
    if options.record:
        from experiments.results import filled

        file = ROOT / "benchmarks" / "README.md"
        file.write_text(filled(file.read_text(encoding="utf-8"), "sources", table), encoding="utf-8")


if __name__ == "__main__":
    main()
