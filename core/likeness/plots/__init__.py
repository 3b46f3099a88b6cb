"""Figures of what was measured and pictures with their labels drawn, for the command line, the app and notebooks. Importing this needs no plotly."""

from likeness.plots.bars import metric_bars
from likeness.plots.case_dots import case_dots
from likeness.plots.class_sides import class_sides
from likeness.plots.continuous_curves import continuous_curves
from likeness.plots.convergence import convergence_curves
from likeness.plots.curve import metric_curve
from likeness.plots.distance_curve import STEP_KINDS, distance_curve
from likeness.plots.few_shot import few_shot_bars, few_shot_curves
from likeness.plots.generalization import generalization_bars, generalization_curves
from likeness.plots.heat_maps import class_heat_maps
from likeness.plots.label_pictures import blend_layout, draw_numbers, draw_pose, draw_viewpoint
from likeness.plots.labelled_image import captions_of, distance_text, label_text, labelled_image, squared_webp
from likeness.plots.page import as_page
from likeness.plots.picture_rows import picture_rows
from likeness.plots.retrieval_figure import retrieval_figure
from likeness.plots.retrieved import retrieved_bars
from likeness.plots.score_histogram import score_histogram
from likeness.plots.size_curves import size_curves
from likeness.plots.structure import PROPERTIES, structure_scatter
from likeness.plots.trust_scatter import trust_scatter

__all__ = [
    "PROPERTIES",
    "STEP_KINDS",
    "as_page",
    "blend_layout",
    "captions_of",
    "case_dots",
    "class_heat_maps",
    "class_sides",
    "continuous_curves",
    "convergence_curves",
    "distance_curve",
    "distance_text",
    "draw_numbers",
    "draw_pose",
    "draw_viewpoint",
    "few_shot_bars",
    "few_shot_curves",
    "generalization_bars",
    "generalization_curves",
    "label_text",
    "labelled_image",
    "metric_bars",
    "metric_curve",
    "picture_rows",
    "retrieval_figure",
    "retrieved_bars",
    "score_histogram",
    "size_curves",
    "squared_webp",
    "structure_scatter",
    "trust_scatter",
]
