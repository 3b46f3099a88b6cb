"""Curves as SVG."""

import re

from likeness.reports.curves import HEIGHT, WIDTH, Curve, curve_svg


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
