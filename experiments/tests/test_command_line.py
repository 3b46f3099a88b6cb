"""All experiments from one help: each is listed, runs as a module, and answers bad input in one line."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from experiments.command_line import EXPERIMENTS, command_line
from likeness.commands.listed_help import writes_file

Run = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_runs_as_a_module(name: str) -> None:
    done = subprocess.run([sys.executable, "-m", f"experiments.{name}", "--help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"Usage: python -m experiments {name}" in done.stdout


def test_the_help_shows_each(run: Run) -> None:
    status, printed, _ = run("--help")
    assert status == 0
    assert all(f"│ {name} " in printed for name in EXPERIMENTS)


def _leaves(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    for each in getattr(command, "commands", {}).values():
        yield from _leaves(each, f"{name} {each.name}")
    if not hasattr(command, "commands"):
        yield name, command


LEAVES = dict(_leaves(typer.main.get_command(command_line()), ""))
WRITERS = [(name, param.name) for name, command in LEAVES.items() for param in command.params if writes_file(param)]


@pytest.mark.parametrize(("name", "param"), WRITERS, ids=[f"{name} {param}" for name, param in WRITERS])
def test_a_file_that_exists_is_kept_unless_the_line_says_force(run: Run, tmp_path: Path, name: str, param: str) -> None:
    file = tmp_path / "taken.csv"
    file.write_bytes(b"mine")
    others = ["x" for each in LEAVES[name].params if each.required and each.name != param]
    words = [*others, f"--{param}", str(file)]
    status, out, err = run(*name.split(), *words)
    assert (status, out, err) == (2, "", f"Error: '{file}' exists; name another file, or add --force to replace it.\n")
    assert file.read_bytes() == b"mine"
    for line in (["--force", *words], [*words, "--force"]):
        assert LEAVES[name].make_context(name, line).params[param] == file


def test_the_experiments_that_write_files_are_these() -> None:
    assert len(WRITERS) == 24
    assert {param for _, param in WRITERS} == {"out", "save", "sentences"}


_PHOTOS = "photos new --captions x.csv --weights x.safetensors"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("clip zero-shot --format pdf", "There is no format 'pdf'; choose from table, markdown, csv, latex, json."),
        ("clip zero-shot nowhere", "there is no folder 'nowhere'"),
        ("clip train new --like vans", "There is no recipe 'vans'"),
        ("saliency_check --format pdf", "There is no format 'pdf'"),
        ("saliency_check --rows first", "'first' is not a whole number"),
        ("saliency_check --notion car-colour", "There is no notion 'car-colour'"),
        ("precision_check -e nonsense", "The encoder 'nonsense' has no known form"),
        ("analyses algebra --method best", "There is no method 'best'"),
        ("analyses trust --method best", "There is no method 'best'"),
        ("analyses clicks --methods best", "There is no method 'best'"),
        ("analyses cut-offs --fdr 0", "fdr is 0"),
        ("analyses label-spreading --methods magic", "magic"),
        ("analyses cluster-names --groups none.json", "'none.json' cannot be read"),
        ("analyses changed-images --keep car-colour", "There is no notion 'car-colour'"),
        ("analyses sentences --notions car-colour", "There is no notion 'car-colour'"),
        ("public_benchmarks nowhere:x --format pdf", "There is no format 'pdf'"),
        ("captioning train cars-captions --features imagenet --features imagenet", "Pass each set of features once"),
        ("captioning caption nowhere x.png --format pdf", "There is no format 'pdf'"),
        (_PHOTOS, "Invalid value for '--weights'"),
        ("renders new --what vans", "vans"),
    ],
)
def test_what_a_line_alone_refuses_is_refused_before_any_work(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, said: str
) -> None:
    def reached(*_: Any, **__: Any) -> None:
        pytest.fail("images are read or drawn, or an encoder computes")

    places = ("data.read_dataset", "embedding.embed", "encoders.embed_texts", "encoders.models.clip.open_clip_model")
    for place in places:
        monkeypatch.setattr(f"likeness.{place}", reached)
    monkeypatch.setattr("experiments.clip.zero_shot.render_scenes", reached)
    monkeypatch.chdir(tmp_path)
    status, _, err = run(*line.split())
    assert (status, said in " ".join(err.replace("│", " ").split())) == (2, True), err
    assert list(tmp_path.iterdir()) == []


def test_every_place_to_write_is_tried_before_the_work() -> None:
    assert len(LEAVES) > 15
    for name, command in LEAVES.items():
        for option in command.params:
            writes = option.name in ("out", "save") or (option.name == "folder" and name in (" renders", " clip train", " photos"))
            assert not writes or option.callback is not None, f"{name} --{option.name}: give it output_file or output_folder as callback"


@pytest.mark.parametrize("words", [["renders"], ["clip", "train"], ["captioning", "train", "cars-captions", "--out"]], ids=" ".join)
def test_where_nothing_can_be_written_no_work_begins(words: list[str], run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    status, _, err = run(*words, str(tmp_path / "file" / "x"))
    assert (status, err.count("\n")) == (2, 1)
    assert "cannot be written" in err


@pytest.mark.parametrize("words", [["renders", "new", "--seed", "-1"], ["clip", "train", "new", "--seed", "-1"]], ids=" ".join)
def test_numbers_out_of_bounds_are_answered(words: list[str], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    status, _, err = run(*words)
    assert status == 2
    assert "Invalid value for" in err
    assert list(tmp_path.iterdir()) == []
