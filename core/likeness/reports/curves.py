"""What a run measured while it trained, as lines that any page can draw (SVG)."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 320, 170
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 10, 24


@dataclass(frozen=True)
class Curve:
    """One figure over the epochs.

    Attributes:
        title: what was measured.
        points: (epoch, value), by epoch.
        level: a value to compare with, such as the raw encoder's; None without one.
        level_name: what that is.
    """

    title: str
    points: Sequence[tuple[float, float]]
    level: float | None = None
    level_name: str = ""


def curve_svg(curve: Curve) -> str:
    """The curve as an SVG element, whose colors the page's style gives; all texts are escaped."""
    values = [value for _, value in curve.points] + ([] if curve.level is None else [curve.level])
    low, high = min(values), max(values)
    margin = 0.06 * (high - low) or 0.06 * abs(high) or 1.0
    low, high = low - margin, high + margin
    first, last = curve.points[0][0], curve.points[-1][0]

    def across(epoch: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (epoch - first) / ((last - first) or 1)

    def down(value: float) -> float:
        return _TOP + (HEIGHT - _TOP - _BOTTOM) * (high - value) / (high - low)

    places = " ".join(f"{across(epoch):.1f},{down(value):.1f}" for epoch, value in curve.points)
    ends = [(curve.points[0], "start"), (curve.points[-1], "end")]
    parts = [
        f'<polyline class="curve" points="{places}"/>',
        *(f'<circle class="dot" cx="{across(e):.1f}" cy="{down(v):.1f}" r="3"/>' for (e, v), _ in ends),
    ]
    parts += [
        f'<text class="tick" x="{_LEFT - 6}" y="{down(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>'
        for value in (low + margin, high - margin)
    ]
    parts += [f'<text class="tick" x="{across(e):.1f}" y="{HEIGHT - 7}" text-anchor="{anchor}">epoch {e:g}</text>' for (e, _), anchor in ends]
    if curve.level is not None:
        at = down(curve.level)
        parts.append(f'<line class="level" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        side = at - 5 if at > HEIGHT / 2 else at + 13
        parts.append(f'<text class="tick" x="{WIDTH - _RIGHT}" y="{side:.1f}" text-anchor="end">{escape(curve.level_name)} {curve.level:.3g}</text>')
    label = f"{curve.title}: from {curve.points[0][1]:.3g} to {curve.points[-1][1]:.3g}"
    drawn = "".join(parts)
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{drawn}</svg>'
