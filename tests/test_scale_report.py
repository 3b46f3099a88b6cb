"""docs/speed.md and the READMEs of benchmarks hold the figures of the table that they are made from, and lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def test_the_figures_in_the_texts_are_those_that_were_measured() -> None:
    checked = subprocess.run([sys.executable, str(BENCHMARKS / "scale_report.py"), "--check"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_the_readme_of_the_benchmarks_names_every_one() -> None:
    named = set(re.findall(r"`(\w+\.py)`", (BENCHMARKS / "README.md").read_text()))
    assert named == {path.name for path in BENCHMARKS.glob("*.py")} - {"scale_report.py"}


def test_the_links_of_the_readmes_lead_somewhere() -> None:
    for page in (BENCHMARKS / "README.md", BENCHMARKS / "scale/README.md"):
        links = re.findall(r"\]\(([^)#]+)", page.read_text())
        assert links
        assert [link for link in links if not (page.parent / link).exists()] == []
