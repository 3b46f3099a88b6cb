"""Pages and notebooks hold the figures of the runs that ship: each table stands somewhere, and no digit differs."""

import re
from pathlib import Path

import pandas as pd
import pytest

from experiments.claims import claims, claims_overview, own_data_text
from experiments.figures.results_report import NOTEBOOKS, ROOT, all_tables, by_size, filled_pages, read_pages
from experiments.papers import TASKS

_LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return all_tables()


def test_the_figures_in_pages_and_notebooks_are_those_that_were_measured(texts: dict[str, str]) -> None:
    pages = read_pages()
    found = filled_pages(pages, texts)
    assert [str(path.relative_to(ROOT)) for path, text in found.items() if text != pages[path]] == []


def test_one_other_digit_on_any_page_or_in_any_notebook_is_noticed(texts: dict[str, str]) -> None:
    pages = read_pages()
    changed = {path: _with_another_digit(text, path.suffix) for path, text in pages.items()}
    assert {path for path in pages if changed[path] == pages[path]} <= {ROOT / "README.md", ROOT / "experiments/results/encoder-check.md"}
    found = filled_pages(changed, texts)
    assert [str(path) for path, text in changed.items() if text != pages[path] and found[path] != pages[path]] == []


def _with_another_digit(text: str, suffix: str) -> str:
    """The text with the last decimal of what is generated changed."""
    areas = r"(<!-- (.+) -->\n.*?<!-- end of \2 -->)" if suffix == ".md" else r'("text/markdown": \[.*?\])'
    for area in re.finditer(areas, text, re.DOTALL):
        if decimal := re.search(r"\d\.\d+", area[1]):
            place = area.start() + decimal.end() - 1
            return text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :]
    return text


def test_unknown_markers_and_tables_without_a_page_are_refused() -> None:
    page = {Path("a.md"): "<!-- b -->\nx\n<!-- end of b -->\n"}
    assert filled_pages(page, {"b": "c"}) == {Path("a.md"): "<!-- b -->\nc\n<!-- end of b -->\n"}
    with pytest.raises(ValueError, match=r"a\.md has markers of 'b', which no table fills"):
        filled_pages(page, {})
    with pytest.raises(ValueError, match="No page has the markers of 'd'"):
        filled_pages(page, {"b": "c", "d": "e"})


@pytest.mark.parametrize("page", sorted((ROOT / "experiments/results").glob("*.md")), ids=lambda page: page.name)
def test_links_of_the_pages_of_tables_lead_to_files(page: Path) -> None:
    links = [link.partition("#")[0] for link in _LINK.findall(page.read_text()) if not link.startswith("http")]
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("paper", NOTEBOOKS)
def test_each_section_of_claims_stands_under_its_heading(paper: str) -> None:
    [text] = [text for page in (ROOT / "docs/papers").glob("*.md") if f"<!-- claims of {paper} -->" in (text := page.read_text())]
    places = re.findall(rf"^<!-- {paper}: (.+) -->$", text, re.MULTILINE)
    headings = [text[: text.index(f"<!-- {paper}: {place} -->")].rpartition("\n## ")[2].partition("\n")[0] for place in places]
    assert headings == places


@pytest.mark.parametrize("name", ["birds", "captioned"])
def test_every_notion_stands_beside_the_raw_encoder_and_the_control(name: str) -> None:
    runs = pd.read_csv(ROOT / f"assets/results/{name}-notions.csv")
    for notion, own in runs.groupby("notion"):
        assert {"random", "raw", "random-transform", "pca", "exact", "other-words"} <= set(own["method"]), notion
        assert own.loc[own["method"] == "other-words", "seed"].nunique() == 5


def test_a_table_by_size_shows_what_was_measured_and_no_figure_elsewhere() -> None:
    rows = [("x", "raw", 512, 0.1), ("x", "exact", 2, 0.2), ("x", "exact", 128, 0.3), ("x", "adam", 128, 0.4)]
    table = by_size(pd.DataFrame(rows, columns=["notion", "method", "dim", "map_at_r"]), "dim").drop(columns="notion")
    assert list(table.columns) == ["method", "2", "128"]
    assert table.drop(columns="method").to_numpy().tolist() == [["0.100", "0.100"], ["0.200", "0.300"], ["–", "0.400"]]
    alone = by_size(pd.DataFrame(rows[:1] + rows[3:], columns=["notion", "method", "dim", "map_at_r"]), "dim")
    assert alone["128"].tolist() == ["0.100", "0.400"]


@pytest.mark.parametrize("paper", NOTEBOOKS)
def test_an_overview_counts_every_claim_and_links_its_section(paper: str) -> None:
    found = claims(paper)  # type: ignore[arg-type]
    lines = [re.fullmatch(r"- ([a-z ]+) \((\d+)\): (.+)", line) for line in claims_overview(paper).splitlines()]  # type: ignore[arg-type]
    assert {line[1]: int(line[2]) for line in lines if line} == found.groupby("verdict").size().to_dict()
    linked = {(line[1], place) for line in lines if line for place in re.findall(r"\[(.+?)\]\(#", line[3])}
    assert linked == set(zip(found["verdict"], found["place"], strict=True))


@pytest.mark.parametrize("paper", NOTEBOOKS)
def test_what_needs_the_papers_data_is_listed_whole_with_its_datasets(paper: str) -> None:
    name = paper.replace(" ", "-")
    first, *lines = own_data_text(name).splitlines()
    assert f"ONLY={name}`" in first
    listed = {
        (heading, dataset)
        for line in lines
        if line
        for dataset in line[2:].partition(": ")[0].split(", ")
        for heading in line.partition(": ")[2].split(", ")
    }
    tasks = [task for task in TASKS if task.paper == name]
    assert listed == {(heading, dataset) for task in tasks for heading in task.headings for dataset in task.datasets}
