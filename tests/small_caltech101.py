"""Caltech-101 as it is published, with five small images, on a server of this machine."""

import hashlib
import io
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from fake_hub import FakeHub
from likeness.data import readers
from likeness.data.readers import caltech101
from likeness.data.readers.web_archive import WebArchive
from likeness.io import downloads

KINDS = {"sunflower": 3, "ant": 2, "BACKGROUND_Google": 1}


def _picture(seed: int) -> bytes:
    file = io.BytesIO()
    Image.effect_noise((64, 48), 40 + seed).convert("RGB").save(file, "JPEG", quality=95)
    return file.getvalue()


def write_archive(path: Path, extra: Callable[[tarfile.TarFile], None] | None = None) -> Path:
    """As it is published: a tar file in a ZIP file."""
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:gz") as images:
        for kind, count in KINDS.items():
            for number in range(1, count + 1):
                content = _picture(number)
                member = tarfile.TarInfo(f"101_ObjectCategories/{kind}/image_{number:04}.jpg")
                member.size = len(content)
                images.addfile(member, io.BytesIO(content))
        if extra:
            extra(images)
    with zipfile.ZipFile(path, "w") as outer:
        outer.writestr("caltech-101/Annotations.tar", b"not read")
        outer.writestr("caltech-101/101_ObjectCategories.tar.gz", inner.getvalue())
    return path


def serve_caltech101(hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WebArchive:
    """Puts the archive, small and served by `hub`, in place of the real one."""
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(downloads, "_WAITS", (0.0, 0.0, 0.0))
    served = tmp_path / "served"
    served.mkdir(parents=True)
    content = write_archive(served / "caltech-101.zip").read_bytes()
    hub.repositories["caltech/records"] = served
    address = f"{hub.address}/caltech/records/resolve/main/caltech-101.zip"
    small = replace(caltech101.SOURCE, url=address, size=len(content), sha256=hashlib.sha256(content).hexdigest())
    use_source(small, monkeypatch)
    return small


def use_source(source: WebArchive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes an archive that of the dataset."""
    listed = replace(caltech101.DATASET, origin=source)
    monkeypatch.setattr(caltech101, "SOURCE", source)
    monkeypatch.setattr(readers, "DATASETS", tuple(listed if each.name == listed.name else each for each in readers.DATASETS))
