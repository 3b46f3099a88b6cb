"""i-CIR on a miniature of its layout."""

from collections.abc import Callable
from pathlib import Path

import pytest

from experiments.public_benchmarks.datasets.icir import read_icir
from likeness.errors import InputError


@pytest.fixture
def root(miniatures: dict[str, Callable[[Path], Path]], tmp_path: Path) -> Path:
    return miniatures["icir"](tmp_path)


def test_queries_and_databases_whatever_the_paths_begin_with(root: Path) -> None:
    frame = read_icir(root).frame
    assert list(frame["part"]) == ["query"] * 3 + ["database"] * 5
    assert list(frame["path"])[:3] == ["query/temple/a.jpg", "query/temple/c.jpg", "query/mug/b.jpg"]
    assert list(frame["text"])[:3] == ["at sunset", "as a sketch", "on a beach"]
    assert set(read_icir(root, "database").frame["instance"]) == {"temple", "mug"}
    assert len(read_icir(root, "query")) == 3
    expected = read_icir(root).frame
    for part in ("query", "database"):
        file = root / f"{part}_files.csv"
        file.write_text(file.read_text().replace("icir/", ""))
    assert read_icir(root).frame.equals(expected)


@pytest.mark.parametrize("missing", ["query", "database"])
def test_a_missing_list(root: Path, missing: str) -> None:
    (root / f"{missing}_files.csv").unlink()
    with pytest.raises(InputError, match=rf"lacks '{missing}_files\.csv'; take it from the dataset published at https://vrg"):
        read_icir(root)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("query/a.jpg,at night", "an image's path, a text and an instance"),
        ("query/a.jpg,at night,temple,more", "an image's path, a text and an instance"),
        (",at night,temple", "an image's path, a text and an instance"),
        ("../query/a.jpg,at night,temple", "a path inside of the dataset's folder"),
        ("/etc/query/a.jpg,at night,temple", "a path inside of the dataset's folder"),
    ],
)
def test_lines_that_are_damaged(root: Path, line: str, expected: str) -> None:
    (root / "query_files.csv").write_text(f"{line}\n")
    with pytest.raises(InputError, match=rf"In 'query_files\.csv' of i-CIR, line 1 is .*, expected {expected}"):
        read_icir(root)
