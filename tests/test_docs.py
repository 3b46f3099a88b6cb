"""README, docs and CONTRIBUTING: links lead somewhere, code runs, command lines name what is there."""

import contextlib
import functools
import importlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import typer

from experiments.command_line import command_line as experiments
from likeness.commands.cli import command_line

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "experiments" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_MOST_WORDS = 25_000  # of README.md and all that is written by hand in docs/
# a page that a script writes says so in its first line; of docs/cli.md it writes the list of commands
_GENERATED = "<!-- generated: "
_COMMANDS = re.compile(r"^<!-- commands -->$.*?^<!-- end of commands -->$", re.MULTILINE | re.DOTALL)
_FENCED = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXPERIMENT = "python -m experiments."
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def _blocks(page: Path) -> Iterator[tuple[str, str]]:
    """The info string and the text of each fenced block."""
    for found in _FENCED.finditer(page.read_text()):
        yield found[1].strip(), found[2]


def _anchors(page: Path) -> set[str]:
    """Of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _code() -> list[tuple[Path, str, str]]:
    return [(page, info, text) for page in PAGES for info, text in _blocks(page) if info.split()[:1] == ["python"]]


def _command_lines() -> list[tuple[str, str]]:
    """Page and command line: in fenced blocks, where two spaces or a # end it, and between backticks."""
    lines = []
    for page in PAGES:
        text = page.read_text()
        fenced = [line for _, block in _blocks(page) for line in block.splitlines()]
        inline = re.findall(r"`([^`]+)`", _FENCED.sub("", text))
        lines += [(page.name, re.split(r"\s{2,}|\s#", line)[0]) for line in [*fenced, *inline] if line.startswith(("likeness ", _EXPERIMENT))]
    return sorted(set(lines))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(_FENCED.sub("", page.read_text())):
        if link.startswith("http"):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in _anchors(target), link


@pytest.mark.parametrize("page", [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "architecture.md"], ids=lambda page: page.name)
def test_files_and_folders_that_are_named_are_there(page: Path) -> None:
    named = set(re.findall(r"`((?:app|assets|benchmarks|core|experiments|tests)/[\w/.]*)`", page.read_text()))
    assert len(named) > 10
    assert [path for path in sorted(named) if not (ROOT / path).exists() and "mine" not in path] == []


def test_the_readme_is_short_and_leads_to_every_page_and_there_is_code_to_run() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 70
    assert [page.relative_to(ROOT).as_posix() for page in PAGES if page not in _reached(ROOT / "README.md")] == []
    assert [page.name for page, info, _ in _code() if info == "python"][:1] == ["README.md"]
    assert len(_command_lines()) > 30


def _reached(page: Path) -> set[Path]:
    """The pages that a reader comes to by links from one."""
    found, todo = {page}, [page]
    while todo:
        links = _LINK.findall(_FENCED.sub("", todo[0].read_text()))
        new = {(todo[0].parent / link.partition("#")[0]).resolve() for link in links if link.partition("#")[0].endswith(".md")} - found
        found |= new
        todo = [*todo[1:], *(each for each in new if each.is_file())]
    return found


def _written(page: Path) -> str:
    """What a page has for people to read; figures and sentences that reports fill in count, too."""
    text = page.read_text()
    return "" if text.startswith(_GENERATED) else _COMMANDS.sub("", text)


def test_readme_and_docs_can_be_read_to_the_end() -> None:
    pages = [ROOT / "README.md", *(page for page in PAGES if page.is_relative_to(ROOT / "docs"))]
    words = {page.relative_to(ROOT).as_posix(): len(_written(page).split()) for page in pages}
    assert sum(words.values()) <= _MOST_WORDS, sorted(words.items(), key=lambda each: -each[1])


@pytest.mark.parametrize("writer", ["write_catalogue", "write_cli"])
def test_pages_that_scripts_write_are_up_to_date(writer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    module = importlib.import_module(writer)
    assert module.PAGE.read_text(encoding="utf-8") == module.page(), f"run `python docs/{writer}.py`"


@pytest.fixture
def short_layouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Maps are laid out in few passes: whether a page's code runs does not depend on where the points come to lie."""
    from likeness.projection import umap_map, umap_points

    def short(graph: Any, start: Any, min_distance: float, epochs: int, rate: float, seed: int) -> Any:
        return optimized(graph, start, min_distance, min(epochs, 10), rate, seed)

    optimized = sys.modules[umap_map.__module__].optimized
    for function in (umap_map, umap_points):
        monkeypatch.setattr(sys.modules[function.__module__], "optimized", short)


@pytest.mark.usefixtures("short_layouts")
@pytest.mark.parametrize(("page", "info", "text"), _code(), ids=lambda value: value.name if isinstance(value, Path) else "")
def test_code_runs(page: Path, info: str, text: str) -> None:
    """What takes minutes or needs files of one's own is marked `no-run`; its names resolve all the same, but for packages of others (`no-import`)."""
    if info != "python":
        compile(text, page.name, "exec")
        text = "" if info == "python no-import" else "\n".join(line for line in text.splitlines() if re.match(r"(from|import) ", line))
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, page.name, "exec"), {"__name__": page.name})


@functools.cache
def _commands(of_experiments: bool) -> Any:
    return typer.main.get_command(experiments() if of_experiments else command_line())


def _options(command: click.Command) -> set[str]:
    return {"--help", *(name for option in command.params for name in [*option.opts, *option.secondary_opts])}


def _unknown(line: str) -> list[str]:
    """Words of a command line that name no command, option or script."""
    command, words = _commands(line.startswith(_EXPERIMENT)), shlex.split(line.replace(_EXPERIMENT, "likeness "))[1:]
    if words[0].startswith("figures."):
        return [] if (ROOT / "experiments" / f"{words[0].replace('.', '/')}.py").is_file() else words[:1]
    while words and hasattr(command, "commands"):
        if words[0] not in command.commands:
            return words[:1]
        command = command.commands[words.pop(0)]
    return [word for word in words if re.match(r"--?[a-zA-Z]", word) and word.partition("=")[0] not in _options(command)]


def test_command_lines_name_commands_and_options_that_are_there() -> None:
    assert {(page, line): unknown for page, line in _command_lines() if (unknown := _unknown(line))} == {}
    assert _unknown("likeness nothing") == ["nothing"]
    assert _unknown("likeness embed --nothing=3 photos") == ["--nothing=3"]
