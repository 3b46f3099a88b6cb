"""Attributes as a report holds them."""

import base64
from typing import Any

import numpy as np
import pandas as pd

from likeness.reports.columns import report_columns


def _columns(frame: pd.DataFrame, megabytes: float = 5) -> tuple[dict[str, dict[str, Any]], list[str]]:
    found, left_out = report_columns(frame, list(frame.columns), [], megabytes)
    return {column["name"]: column for column in found}, left_out


def test_each_kind_of_value_can_be_read_back() -> None:
    rows = 60
    frame = pd.DataFrame(
        {
            "car_color": ["red", "blue", None] * 20,
            "animal": [*["cat", "dog"] * 29, "", "cat"],
            "weight": [np.nan, np.inf, *np.arange(rows - 2) / 3],
            "yaw": np.linspace(0, 350, rows),
            "caption": [f"number {row}" for row in range(rows)],
            "flag": [True, False] * 30,
        }
    )
    found, left_out = _columns(frame)
    assert not left_out
    color = found["Car color"]["coloring"]
    assert (color["kind"], color["label"], found["Car color"]["known"]) == ("colors", "Car color", 2)
    codes = np.frombuffer(base64.b64decode(color["codes"]["base64"]), color["codes"]["type"])
    assert [color["names"][code] if code < 2 else None for code in codes] == ["red", "blue", None] * 20
    assert color["colors"][color["names"].index("red")] == "#ff0000"
    animal = found["Animal"]["coloring"]
    assert np.frombuffer(base64.b64decode(animal["codes"]["base64"]), animal["codes"]["type"])[58] == found["Animal"]["known"] == 2
    assert len(set(animal["colors"][:2])) == 2
    weight = found["Weight"]
    assert (weight["coloring"]["kind"], weight["values"][:3], weight["coloring"]["low"]) == ("number", [None, None, 0.0], 0.0)
    assert np.allclose(weight["values"][2:], frame["weight"][2:], rtol=1e-4)
    assert [found["Yaw"]["coloring"][name] for name in ("kind", "low", "high")] == ["angle", 0.0, 360.0]
    assert ("coloring" in found["Caption"], found["Caption"]["values"]) == (False, frame["caption"].tolist())
    assert set(found["Flag"]["coloring"]["names"]) == {"True", "False"}


def test_paths_lose_their_folders_and_long_values_their_end() -> None:
    found, _ = _columns(pd.DataFrame({"from": ["/home/ada/a.jpg", "x" * 500] * 10}))
    assert sorted(found["From"]["coloring"]["names"]) == ["a.jpg", "x" * 159 + "…"]
    found, left_out = report_columns(pd.DataFrame({"/home/ada/kinds": ["a", "b"] * 5}), ["/home/ada/kinds"], [], 5)
    assert ([column["name"] for column in found], left_out) == (["Kinds"], [])


def test_what_has_no_room_is_told() -> None:
    frame = pd.DataFrame({"kind": ["a", "b"] * 500, "story": [f"{row} " + "word " * 30 for row in range(1000)]})
    found, left_out = _columns(frame, 0.5)
    assert (list(found), left_out) == (["Kind"], ["Story"])
