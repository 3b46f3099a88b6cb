"""Plotly figures of what was measured, for the command line, the app and notebooks. Importing this needs no plotly."""

from likeness.plots.bars import metric_bars
from likeness.plots.class_sides import class_sides
from likeness.plots.convergence import convergence_curves
from likeness.plots.curve import metric_curve
from likeness.plots.distance_curve import distance_curve
from likeness.plots.few_shot import few_shot_bars, few_shot_curves
from likeness.plots.generalization import generalization_bars, generalization_curves
from likeness.plots.heat_maps import class_heat_maps
from likeness.plots.page import as_page
from likeness.plots.retrieved import retrieved_bars
from likeness.plots.structure import structure_scatter

__all__ = [
    "as_page",
    "class_heat_maps",
    "class_sides",
    "convergence_curves",
    "distance_curve",
    "few_shot_bars",
    "few_shot_curves",
    "generalization_bars",
    "generalization_curves",
    "metric_bars",
    "metric_curve",
    "retrieved_bars",
    "structure_scatter",
]
