"""What a score that reads no label says of notions, against what they gain by the labels."""

from typing import TYPE_CHECKING

import pandas as pd

from likeness.errors import InputError
from likeness.plots.look import GRAY, look_at
from likeness.plots.panels import GRID, dress

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_HEIGHT, _BOTTOM = 460, 84
_SYMBOLS = {"reads it": "circle", "flagged": "x"}


def trust_scatter(verdicts: pd.DataFrame, *, title: str | None = None) -> "Figure":
    """A point for each notion and set of images: the score against MAP@R beyond that of the raw encoder; a cross where the notion is flagged.

    Args:
        verdicts: of `likeness.studies.trust_verdicts`: images, notion, score, gain and verdict. A color per set of images, in their order.
        title: above the figure.

    Raises:
        InputError: no row, or a column that is not there.
    """
    import plotly.graph_objects as go

    missing = [name for name in ("images", "notion", "score", "gain", "verdict") if name not in verdicts]
    if missing or verdicts.empty:
        raise InputError(f"There is no '{(missing or ['score'])[0]}' to draw; pass the table of likeness.studies.trust_verdicts.")
    figure, looks = go.Figure(), {images: look_at(place) for place, images in enumerate(dict.fromkeys(verdicts["images"]))}
    for verdict, symbol in _SYMBOLS.items():
        for images, look in looks.items():
            own = verdicts[(verdicts["images"] == images) & (verdicts["verdict"] == verdict)]
            if own.empty:
                continue
            figure.add_scatter(
                x=own["score"].tolist(),
                y=own["gain"].tolist(),
                mode="markers",
                marker={"color": look.color, "symbol": symbol, "size": 10, "opacity": 0.85},
                hovertext=own["notion"].tolist(),
                hovertemplate=f"%{{hovertext}} ({images}): %{{x:.2f}}, %{{y:+.3f}}<extra></extra>",
                name=images if verdict == "reads it" else f"{images}, {verdict}",
            )
    dress(figure, _HEIGHT, title)
    figure.update_layout(hovermode="closest", margin={"b": _BOTTOM, "t": 48 if title else 16})
    figure.update_xaxes(title_text="Score without labels", gridcolor=GRID, zeroline=False, range=[-0.04, 1.04])
    figure.update_yaxes(title_text="MAP@R beyond the raw encoder", gridcolor=GRID, zeroline=True, zerolinecolor=GRAY, zerolinewidth=1)
    return figure
