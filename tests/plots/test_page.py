import json
import re

import pandas as pd

from likeness.plots import as_page, metric_curve


def test_the_page_holds_the_figure_and_needs_no_network(runs: pd.DataFrame) -> None:
    page = as_page(metric_curve(runs), "Sizes <1>", ["car color, PCA: a & b"])
    assert re.search(r"<script[^>]+src=", page) is None
    assert "<title>Sizes &lt;1&gt;</title>" in page
    assert "<p>car color, PCA: a &amp; b</p>" in page
    data = json.JSONDecoder().raw_decode(page, page.index('[{"', page.index("Plotly.newPlot(")))[0]
    raw = next(trace for trace in data if trace["legendgroup"] == "raw")
    assert (raw["x"], raw["y"]) == ([2, 8, 32], [0.25, 0.25, 0.25])
