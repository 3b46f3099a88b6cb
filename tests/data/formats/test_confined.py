"""What lies in a table, an archive or annotations gives nobody a way to read other files of a shared server."""

import io
import json
import os
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.io import confine, read_image
from numbered_pictures import encoded, write_pictures

SECRET = 77  # the number of a picture outside


def coco(root: Path, *names: str) -> Path:
    images = [{"id": row, "file_name": name} for row, name in enumerate((*names, str(root / "a.png")))]
    (root / "x.json").write_text(json.dumps({"images": images, "annotations": [], "categories": []}))
    return root / "x.json"


def coco_elsewhere(root: Path, secret: str) -> Path:
    file = coco(root, Path(secret).name)
    file.write_text(json.dumps(json.loads(file.read_text()) | {"info": {"images_in": str((root / secret).parent)}}))
    return file


def label_studio(root: Path, secret: str) -> Path:
    tasks = [{"data": {"image": name}, "annotations": []} for name in ("a.png", f"/data/local-files/?d={secret}", secret)]
    (root / "x.json").write_text(json.dumps(tasks))
    return root / "x.json"


def fiftyone(root: Path, secret: str) -> Path:
    (root / "metadata.json").write_text("{}")
    (root / "samples.json").write_text(json.dumps({"samples": [{"filepath": name, "tags": []} for name in ("a.png", secret)]}))
    return root


def structs(root: Path, secret: str) -> Path:
    cells = [{"bytes": encoded(0), "path": None}, {"bytes": None, "path": secret}]
    pq.write_table(pa.table({"image": cells}), root / "x.parquet")
    return root / "x.parquet"


def listed(root: Path, secret: str) -> Path:
    (root / "x.csv").write_text(f'path\na.png\n{secret}\n"{secret}#xywh=0,0,9,9"\n')
    return root / "x.csv"


def image_folder(root: Path, secret: str) -> Path:
    (root / "metadata.csv").write_text(f"file_name,x\na.png,1\n{secret},2\n")
    return root


def links(root: Path, secret: str) -> Path:
    os.symlink(root / secret, root / "link.png")
    os.symlink((root / secret).parent, root / "folder")
    return root


def zip_of_links(root: Path, secret: str) -> Path:
    with zipfile.ZipFile(root / "x.zip", "w") as archive:
        archive.writestr("a.png", encoded(0))
        archive.writestr(secret, encoded(1))
        link = zipfile.ZipInfo("link.png")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, secret)
        archive.writestr("table.csv", f"path\na.png\n{secret}\n")
    return root / "x.zip"


def tar_of_links(root: Path, secret: str) -> Path:
    with tarfile.open(root / "x.tar", "w") as archive:
        for name, kind in (("a.png", tarfile.REGTYPE), (secret, tarfile.REGTYPE), ("link.png", tarfile.SYMTYPE), ("hard.png", tarfile.LNKTYPE)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, secret if kind != tarfile.REGTYPE else ""
            member.size = len(encoded(0)) if kind == tarfile.REGTYPE else 0
            archive.addfile(member, io.BytesIO(encoded(0)) if member.size else None)
    return root / "x.tar"


def yolo(root: Path, secret: str) -> Path:
    (root / "labels").mkdir()
    (root / "data.yaml").write_text(f"path: {(root / secret).parent}\ntrain: .\nnames: [a]\n")
    return root


def vectors(root: Path, secret: str) -> Path:
    np.savez(root / "x.npz", vectors=np.eye(2), path=["a.png", secret])
    return root / "x.npz"


WRITERS = (coco, coco_elsewhere, label_studio, fiftyone, structs, listed, image_folder, links, zip_of_links, tar_of_links, yolo, vectors)


READS_WHAT_IT_NAMES = (coco, coco_elsewhere, label_studio, fiftyone, structs, listed, links, yolo, vectors)  # for who runs the program


@pytest.mark.parametrize("how", ["relative", "absolute"])
@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_no_other_file_is_opened(tmp_path: Path, write: Callable[[Path, str], Path], how: str) -> None:
    outside = write_pictures(tmp_path / "outside", *[f"{row}.png" for row in range(SECRET)], "secret.png") / "secret.png"
    root = write_pictures(tmp_path / "root", "a.png")
    source = write(root, "../outside/secret.png" if how == "relative" else str(outside))
    assert (SECRET in opened(source)) == (write in READS_WHAT_IT_NAMES)
    confine([root])
    if write is yolo:
        with pytest.raises(InputError, match="outside the folders that may be read here"):
            lk.read(source)
    else:
        found = opened(source)
        assert SECRET not in found
        assert 0 in found


def opened(source: Path) -> list[int]:
    """The numbers of the pictures that are opened."""
    found = []
    for path in (lk.load(source).table if source.suffix == ".npz" else lk.read(source)).paths():
        with suppress(OSError, InputError):
            found.append(read_image(path).getpixel((0, 0))[0])
    return found


def test_urls_and_the_cache_stay_closed(tmp_path: Path) -> None:
    kept = lk.read([encoded(0)])
    confine([tmp_path / "root"])
    with pytest.raises(PermissionError):
        read_image(kept.paths()[0])
    with pytest.raises(InputError, match="URLs are disabled"):
        lk.read("hf://datasets/anna/pets")
