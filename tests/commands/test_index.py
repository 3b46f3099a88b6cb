"""`likeness index` and `likeness search` through it."""

from pathlib import Path

import pytest

from likeness.search import search_plan
from worlds import Run


def rows_of(out: str) -> list[str]:
    return [line.split(",")[0] for line in out.strip().splitlines()[1:]]


def test_an_index_is_built_and_used(run: Run, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("search", "--row", "5", "-k", "8", "--csv")
    status, exact, told = run(*asked)
    assert (status, told.strip()) == (0, "")
    status, out, _ = run("index", "cars", "--cells", "60")
    assert status == 0
    assert out.startswith("2,000 images, 512 dimensions, 60 cells, 4 MB")
    assert len(list(cache.glob("embeddings/*/*/index/about.json"))) == 1
    status, again, told = run(*asked)
    assert (status, told.strip(), rows_of(again)) == (0, "", rows_of(exact))  # few images: exact, and nothing to say
    monkeypatch.setattr(search_plan, "_CHEAP_BYTES", 0)
    status, found, told = run(*asked)
    assert status == 0
    assert told.strip().startswith("Approximate: 9")
    assert told.strip().endswith("of the nearest are found, measured on images of this dataset.")
    assert len(set(rows_of(found)) & set(rows_of(exact))) >= 6


def test_an_index_of_an_older_state_is_not_used(run: Run, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("index", "cars", "--cells", "60")[0] == 0
    monkeypatch.setattr(search_plan, "_CHEAP_BYTES", 0)
    file = next(cache.glob("embeddings/*/*/index/vectors.npy"))
    file.write_bytes(file.read_bytes()[:-4])
    status, _, told = run("search", "--row", "5")
    assert (status, told.strip()) == (0, "")


def test_lance(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("lancedb", reason="lancedb is an extra")
    place = str(tmp_path / "lance")
    assert run("index", "cars", "--lance", place)[1].endswith(f"written to {place}\n")
    asked = ("search", "--row", "5", "-k", "3", "--csv", "--lance", place)
    assert rows_of(run(*asked, "--where", "body_type = 'van'")[1]) != rows_of(run(*asked)[1])
    assert run(*asked, "--where", "body_type = 'boat'")[2].strip() == "Error: No image meets the condition \"body_type = 'boat'\"; widen it."
    assert "cannot be answered" in run(*asked, "--where", "nothing = 3")[2]
