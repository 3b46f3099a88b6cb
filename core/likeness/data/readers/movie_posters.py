"""Movie Posters (Chu and Guo, Movie Genre Classification based on Poster Images with Deep Neural Networks, 2017)."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from likeness.data.protocols import check_split
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.folder import is_image_name
from likeness.data.readers.official_layout import OfficialLayout
from likeness.data.table import ImageTable
from likeness.io import regular_file

LAYOUT = OfficialLayout(
    "Movie Posters", "https://www.cs.ccu.edu.tw/~wtchu/projects/MoviePoster/", ("Movie_Poster_Metadata/groundtruth", "groundtruth")
)
UNKNOWN = "N/A"  # as the dataset writes it
_POSTERS = "Movie_Poster_Dataset"
_OBJECT_ID = re.compile(r'ObjectId\(\s*("[^"]*")\s*\)')
_BETWEEN = re.compile(r"[\s,\ufeff]*")


def read_movie_posters(folder: str | Path, split: str = "test") -> ImageTable:
    """Movie posters with the labels that the InDiReCT paper judges its notions by; the splits "test" and "all" are the same, for it evaluates all
    posters.

    Attributes: `movie_genre` and `production_country`, the first of the several that a movie may have, which the paper calls the main one. "N/A",
    which stands where the metadata know none, is a label of its own: only so are there the 25 genres that the paper counts.

    Files: `Movie_Poster_Dataset/<year>/<imdbID>.jpg` and `Movie_Poster_Metadata/groundtruth/<year>.txt` (or `groundtruth/<year>.txt`), each a
    sequence of JSON objects with MongoDB's `ObjectId(...)`, in UTF-8, UTF-16 or Latin-1. The layout follows the authors' notebook and other public
    readers; the archives themselves were not at hand.

    A movie that stands several times counts once, as in the authors' notebook. Some movies have no poster: they stay in the table, and embedding
    lists them. The paper was able to read 8,052 posters. Posters without metadata have no labels and are left out.
    """
    check_split(split, ("test", "all"))
    root = LAYOUT.root(folder)
    metadata = LAYOUT.find(root, *LAYOUT.indexes)
    files = sorted(LAYOUT.find(root, _POSTERS).glob("*/*"))
    posters = {file.stem: file.relative_to(root).as_posix() for file in files if is_image_name(file.name)}
    rows: dict[str, dict[str, str]] = {}
    for file in sorted(metadata.glob("*.txt")):
        for line, movie in _movies(file):
            id = movie.get("imdbID")
            if not isinstance(id, str) or not (id := id.strip()):
                raise LAYOUT.malformed(file, f"the imdbID of the movie in line {line}", str(id), "a text such as tt0080684")
            path = posters.get(id, f"{_POSTERS}/{file.stem}/{id}.jpg")
            row = {"path": path, "movie_genre": _first(movie, "Genre"), "production_country": _first(movie, "Country")}
            rows.setdefault(id, row)
    return LAYOUT.table(root, pd.DataFrame(rows.values()), "test", metadata)


def _movies(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a file and the lines that they begin in."""
    text = _OBJECT_ID.sub(r"\1", _decoded(file))
    decoder, place = json.JSONDecoder(strict=False), 0
    while (match := _BETWEEN.match(text, place)) and (place := match.end()) < len(text):
        line = text.count("\n", 0, place) + 1
        try:
            movie, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", line)  # numbers of thousands of digits have none
            raise LAYOUT.malformed(file, f"line {line}", text.split("\n")[line - 1].strip(), f"a movie as JSON ({str(error)[:60]})") from None
        if not isinstance(movie, dict):
            raise LAYOUT.malformed(file, f"line {line}", str(movie), "a movie as JSON, in braces")
        yield line, movie


def _decoded(file: Path) -> str:
    """The text of a file: UTF-16 by its first bytes, otherwise UTF-8, otherwise Latin-1, which fits any bytes."""
    try:
        content = regular_file(file).read_bytes()
    except OSError as error:
        raise LAYOUT.error(file, f"cannot be read ({error.strerror})") from error
    # ASCII in UTF-16 has a zero in every other byte, also where no mark says so.
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace")
    if b"\0" in content[:2]:
        return content.decode("utf-16-be" if content[:1] == b"\0" else "utf-16-le", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _first(movie: dict[str, Any], key: str) -> str:
    return str(movie.get(key) or "").split(",")[0].strip() or UNKNOWN


DATASET = Dataset("movie-posters", LAYOUT.name, "Movie posters by genre and production country.", read_movie_posters, LAYOUT)
