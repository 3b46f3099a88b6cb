"""The file of a report: escaped, bounded, the same for the same report, without folders of this machine."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.notions import get_notion
from likeness.reports import ReportOptions, notion_report, report_html, write_report
from likeness.reports.page import HEIGHT, WIDTH, curve_svg
from likeness.reports.report import Curve
from small_report import POSITIONS, small_report, small_table
from worlds import cars

HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>\u2028&amp;\"'"


def _data(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    content: dict[str, Any] = json.loads(found[1])
    return content


def test_what_people_wrote_stays_text(tmp_path: Path) -> None:
    table = small_table(tmp_path / "images", **{HOSTILE: [HOSTILE, "b"] * 20, "$script": "${title}"})
    page = report_html(replace(small_report(tmp_path, table, HOSTILE), lead=HOSTILE, settings=HOSTILE, facts=[(HOSTILE, HOSTILE)])).decode()
    assert page.count("<script") == page.count("</script>") == 2
    assert "<img src=x" not in page
    assert "<!--" not in page.replace("<!doctype", "")
    data = _data(page)
    assert {column["name"] for column in data["columns"]} >= {HOSTILE, "$script"}
    assert data["map"]["panels"][1]["title"] == HOSTILE


def test_the_policy_names_the_only_script_and_style_and_forbids_the_network(tmp_path: Path) -> None:
    page = report_html(small_report(tmp_path)).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    digests = {}
    for name, tag in (("script-src", "script"), ("style-src", "style")):
        found = re.search(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert found
        digests[name] = f"'sha256-{base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()}'"
    assert rules == {"default-src": "'none'", "img-src": "data:", "base-uri": "'none'", "form-action": "'none'"} | digests
    assert not re.search(r"https?://|<link|@import|\sstyle=", page)


def test_places_and_neighbors_stand_in_it_the_same_for_the_same_report(tmp_path: Path) -> None:
    data = _data(report_html(small_report(tmp_path)).decode())
    places = np.frombuffer(base64.b64decode(data["map"]["panels"][0]["positions"]["base64"]), np.float32)
    assert np.array_equal(places.reshape(-1, 2), POSITIONS.astype(np.float32))
    assert data["near"][1][:3] == [39, 38, 37]
    assert data["like"][0][:8] == [900, 800, 700, 600, 500, 400, 300, 200]
    pages = [report_html(small_report(tmp_path / name)) for name in ("here", "there")]
    assert pages[0] == pages[1]


def test_no_folder_of_this_machine_is_told(tmp_path: Path) -> None:
    secret = tmp_path / "secret folder"
    table = small_table(secret, source=[str(secret / "raw" / f"{row}.tif") for row in range(40)], near=[f"beside {secret}/x.png"] * 40)
    report = replace(small_report(tmp_path, table), facts=[("Encoder", f"run:{secret}/runs/mine")], settings=f"data:\n  source: {secret}/images\n")
    page = report_html(report).decode()
    for part in ("secret folder", str(tmp_path), tmp_path.name, str(Path.home()) + "/"):
        assert part not in page
    assert "run:mine" in page


@pytest.mark.long
def test_two_thousand_cars_take_less_than_five_megabytes_or_as_many_as_are_asked_for(tmp_path: Path) -> None:
    color = get_notion("car color")
    path = write_report(notion_report(cars(), color, ReportOptions(layout="pca")), tmp_path / "color.html")
    assert path.stat().st_size < 5_000_000
    data = _data(path.read_text())
    assert len(data["names"]) == 2000
    assert data["sheets"]["side"] >= 96
    smaller = report_html(notion_report(cars(), color, ReportOptions(layout="pca", megabytes=1.5)))
    assert len(smaller) < 1_500_000
    assert 16 <= _data(smaller.decode())["sheets"]["side"] < data["sheets"]["side"]
    with pytest.raises(InputError, match="show fewer images"):
        report_html(notion_report(cars(), color, ReportOptions(layout="pca", megabytes=0.2)))


def test_points_rise_where_values_rise_and_a_flat_curve_can_be_drawn() -> None:
    drawn = curve_svg(Curve("R@1", [(0, 0.2), (1, 0.5), (2, 0.9)], 0.4, "raw & plain"))
    places = [tuple(map(float, pair.split(","))) for pair in re.findall(r'points="([^"]*)"', drawn)[0].split()]
    across, down = zip(*places, strict=True)
    assert list(across) == sorted(across)
    assert list(down) == sorted(down, reverse=True)
    assert all(0 < x < WIDTH and 0 < y < HEIGHT for x, y in places)
    level = float(re.findall(r'y1="([\d.]+)"', drawn)[0])
    assert down[1] < level < down[0]
    assert "raw &amp; plain 0.4" in drawn
    assert "nan" not in curve_svg(Curve("loss", [(0, 0.0), (1, 0.0)]))
