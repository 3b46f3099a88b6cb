"""Plotly figures of what was measured, for the command line, the app and notebooks. Importing this needs no plotly."""

from likeness.plots.bars import metric_bars
from likeness.plots.convergence import convergence_curves
from likeness.plots.curve import metric_curve
from likeness.plots.heat_maps import class_heat_maps
from likeness.plots.page import as_page
from likeness.plots.retrieved import retrieved_bars

__all__ = ["as_page", "class_heat_maps", "convergence_curves", "metric_bars", "metric_curve", "retrieved_bars"]
