"""What holds for every dataset of a benchmark: its whole layout is read by name, and what is missing is named."""

from pathlib import Path

import pytest
from tests.data.conftest import Writer

from experiments.public_benchmarks import BENCHMARKS
from likeness.data import named_dataset, read_dataset
from likeness.errors import InputError

COUNTS = {"clevr4": 5, "genecis": 7, "icir": 8, "stanford40": 7}
EACH = pytest.mark.parametrize("name", [each.name for each in BENCHMARKS])


@EACH
def test_parts_make_the_whole_from_the_folder_around_it(name: str, miniatures: dict[str, Writer], tmp_path: Path) -> None:
    root = miniatures[name](tmp_path / "data" / "Größe 1")
    (tmp_path / "data" / "another").mkdir()
    whole = read_dataset(f"{name}/all:{tmp_path / 'data'}")
    assert (len(whole), whole.root) == (COUNTS[name], root)
    assert not whole.frame.isna().any().any()
    parts = {"clevr4": ("train", "test"), "stanford40": ("train", "test"), "icir": ("query", "database")}.get(name, ("test",))
    assert sum(len(read_dataset(f"{name}/{part}:{root}")) for part in parts) == len(whole)


@EACH
def test_what_is_missing_is_named(name: str, miniatures: dict[str, Writer], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"directly inside holds .*published at {named_dataset(name).origin.page}"):
        read_dataset(f"{name}:{tmp_path}")
    root = miniatures[name](tmp_path / "set")
    with pytest.raises(InputError, match=r"There is no split 'tets'; choose from test, .*all"):
        read_dataset(f"{name}/tets:{root}")
    paths = read_dataset(f"{name}/all:{root}").paths()
    paths[0].unlink()
    assert paths[0] in read_dataset(f"{name}/all:{root}").paths()
    for path in paths[1:]:
        path.unlink(missing_ok=True)
    with pytest.raises(InputError, match=r"None of the \d images"):
        read_dataset(f"{name}/all:{root}")
