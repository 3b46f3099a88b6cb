"""Caltech-101 (Li, Fergus and Perona, Learning Generative Visual Models from Few Training Examples, CVPR Workshop 2004): photos of 101 kinds."""

import re
import shutil
import tarfile
import zipfile
import zlib
from pathlib import Path

from likeness.data.readers.dataset import Dataset
from likeness.data.readers.folder import read_folder
from likeness.data.readers.web_archive import WebArchive
from likeness.data.table import ImageTable
from likeness.errors import InputError

_INNER = "caltech-101/101_ObjectCategories.tar.gz"
_IMAGE = re.compile(r"(?:\./)?101_ObjectCategories/(?P<kind>[A-Za-z][\w-]{0,40})/(?P<file>image_\d{4}\.jpg)")
_NO_KIND = "BACKGROUND_Google"  # clutter; torchvision leaves it out, too
_MOST_IMAGES, _MOST_BYTES = 20_000, 10_000_000  # in the archive, and of one image: far more than there are


def unpack(archive: Path, folder: Path) -> None:
    """Writes the images of the published archive, a tar file in a ZIP file, as KIND/image_0001.jpg; everything else is skipped. Only names of exactly
    that form are accepted, so that none leaves the folder, and no links or devices. Raises InputError if it is damaged or another archive.
    """
    count = 0
    try:
        with zipfile.ZipFile(archive) as outer, outer.open(_INNER) as inner, tarfile.open(fileobj=inner, mode="r|gz") as images:
            for member in images:
                found = _IMAGE.fullmatch(member.name)
                if found is None or found["kind"] == _NO_KIND or not member.isreg():
                    continue
                count += 1
                if member.size > _MOST_BYTES or count > _MOST_IMAGES:
                    raise InputError(f"'{archive.name}' holds more than Caltech-101 does; fetch it again from {SOURCE.page}.")
                place, content = folder / found["kind"] / found["file"], images.extractfile(member)
                place.parent.mkdir(exist_ok=True)
                assert content is not None
                with place.open("wb") as file:
                    shutil.copyfileobj(content, file)
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, KeyError, EOFError, ValueError) as error:
        raise InputError(f"'{archive.name}' is damaged or not Caltech-101 ({error}); fetch it again from {SOURCE.page}.") from error
    if not count:
        raise InputError(f"'{archive.name}' holds no images of Caltech-101; fetch it again from {SOURCE.page}.")


# Address and MD5 stand in torchvision (datasets/caltech.py), size and SHA-256 in tensorflow_datasets (caltech101/checksums.tsv). The license is that
# of its mirror on Hugging Face (HuggingFaceM4/Caltech-101); the record itself could not be opened from where this was written.
SOURCE = WebArchive(
    "caltech101",
    url="https://data.caltech.edu/records/mzrjq-6wc02/files/caltech-101.zip",
    page="https://data.caltech.edu/records/mzrjq-6wc02",
    size=137_414_764,
    sha256="331234750fc7f77520e50d9565e8b6907b03565e30320da1401130db08c61f91",
    license="CC BY 4.0",
    unpack=unpack,
)


def read_caltech101() -> ImageTable:
    """The photos, with the object as `class` ("sunflower"); 137 MB are downloaded on first use. Raises InputError if that fails, with the file to
    download by hand.
    """
    SOURCE.fetch()
    return read_folder(SOURCE.folder, DATASET.title)


DATASET = Dataset("caltech101", "Caltech-101", "Photos of 101 kinds of things and animals; 137 MB, downloaded on first use.", read_caltech101, SOURCE)
