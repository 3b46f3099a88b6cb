"""Plotly figures of measured runs, for the command line, the app and notebooks. Importing this needs no plotly."""

from likeness.plots.bars import metric_bars
from likeness.plots.curve import metric_curve
from likeness.plots.page import as_page

__all__ = ["as_page", "metric_bars", "metric_curve"]
