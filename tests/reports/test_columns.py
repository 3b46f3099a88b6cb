"""Attributes as a report holds them."""

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
    color = found["Car color"]
    assert color["kind"] == "colors"
    assert [color["names"][code] if code >= 0 else None for code in color["codes"]] == ["red", "blue", None] * 20
    assert color["colors"][color["names"].index("red")] == "#ff0000"
    assert found["Animal"]["codes"][58] == -1
    assert len(set(found["Animal"]["colors"])) == 2
    weight = found["Weight"]
    assert (weight["kind"], weight["values"][:3], weight["low"]) == ("number", [None, None, 0.0], 0.0)
    assert np.allclose(weight["values"][2:], frame["weight"][2:], rtol=1e-4)
    assert (found["Yaw"]["kind"], found["Yaw"]["low"], found["Yaw"]["high"]) == ("angle", 0.0, 360.0)
    assert (found["Caption"]["kind"], found["Caption"]["values"]) == ("text", frame["caption"].tolist())
    assert set(found["Flag"]["names"]) == {"True", "False"}


def test_paths_lose_their_folders_and_long_values_their_end() -> None:
    found, _ = _columns(pd.DataFrame({"from": ["/home/ada/a.jpg", "x" * 500] * 10}))
    assert sorted(found["From"]["names"]) == ["a.jpg", "x" * 159 + "…"]
    found, left_out = report_columns(pd.DataFrame({"/home/ada/kinds": ["a", "b"] * 5}), ["/home/ada/kinds"], [], 5)
    assert ([column["name"] for column in found], left_out) == (["Kinds"], [])


def test_what_has_no_room_is_told() -> None:
    frame = pd.DataFrame({"kind": ["a", "b"] * 500, "story": [f"{row} " + "word " * 30 for row in range(1000)]})
    found, left_out = _columns(frame, 0.5)
    assert (list(found), left_out) == (["Kind"], ["Story"])
