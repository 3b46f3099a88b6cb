"""The check of imports: the library passes, and what it must find is found."""

import runpy
from pathlib import Path

import pytest

import check_imports
from check_imports import beyond, circles, deep, imports, modules, package_edges, upward

_DOCS = Path(__file__).resolve().parents[1] / "docs"


def test_no_package_imports_one_above_it_and_no_modules_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_imports.main() == 0, capsys.readouterr().out


def test_the_drawing_of_the_layers_is_that_of_the_imports() -> None:
    drawn = (_DOCS / "architecture.svg").read_text(encoding="utf-8")
    write_drawing = runpy.run_path(str(_DOCS / "write_drawing.py"))
    assert drawn == write_drawing["drawing"]()
    assert write_drawing["arrows"]() > {("app", "entry points"), ("the space", "views of a space")}


def test_an_import_upward_is_found_wherever_it_hides(tmp_path: Path) -> None:
    (tmp_path / "likeness" / "data").mkdir(parents=True)
    (tmp_path / "likeness" / "plots").mkdir()
    for file, text in {
        "__init__.py": "",
        "data/__init__.py": "",
        "data/table.py": "def f():\n    from likeness.plots import bars\n    return bars\n",
        "plots/__init__.py": "",
        "plots/bars.py": "import likeness.data.table\n",
    }.items():
        (tmp_path / "likeness" / file).write_text(text)
    known = modules(tmp_path)
    graph = {name: imports(name, file, known) for name, file in known.items()}
    assert graph["likeness.data.table"] == {"likeness.plots.bars"}
    assert upward(package_edges(graph)) == ["data imports plots, which stands above it"]
    assert circles(graph) == [["likeness.data.table", "likeness.plots.bars"]]


def test_what_is_taken_past_an_init_is_found(tmp_path: Path) -> None:
    (tmp_path / "likeness" / "data" / "readers").mkdir(parents=True)
    for file, text in {
        "data/__init__.py": "from likeness.data.table import read\n",
        "data/table.py": "",
        "data/readers/__init__.py": "",
        "data/readers/folder.py": "from likeness.data.table import read\n",
        "space.py": "from likeness.data import read\nfrom likeness.data.readers import DATASETS\n",
        "embedding.py": "def f():\n    from likeness.data.readers.folder import scan\n    from likeness.space import Space\n",
    }.items():
        (tmp_path / "likeness" / file).write_text(text)
    known = modules(tmp_path)
    found = [each for name, file in known.items() for each in deep(name, file, known)]
    assert found == ["likeness.embedding imports likeness.data.readers.folder, which is inside of data"]


def test_a_package_without_a_place_is_named() -> None:
    assert upward(package_edges({"likeness.new.thing": {"likeness.errors"}})) == ["new stands nowhere in ORDER"]


def test_what_is_taken_from_the_experiments_is_found(tmp_path: Path) -> None:
    (tmp_path / "render.py").write_text("def draw():\n    from experiments.renders import cars\n    return cars\n")
    assert beyond("render", tmp_path / "render.py", "experiments") == ["render imports experiments, which stands above it"]
    (tmp_path / "render.py").write_text("import likeness.experiments\nfrom .experiments import cars\n")
    assert beyond("render", tmp_path / "render.py", "experiments") == []
