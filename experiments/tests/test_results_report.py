"""Pages and notebooks hold the figures of the runs that ship: each table stands somewhere, and no digit differs."""

import re
from pathlib import Path

import pandas as pd
import pytest

from experiments.figures.results_report import NOTEBOOKS, ROOT, all_tables, filled_pages, read_pages

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
