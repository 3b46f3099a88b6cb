"""Figures of measurements and pictures with drawn labels, for the command line, the app and notebooks. Importing this needs no plotly."""

from likeness.plots.class_sides import class_sides as class_sides
from likeness.plots.continuous_curves import continuous_curves as continuous_curves, size_curves as size_curves
from likeness.plots.curve import convergence_curves as convergence_curves, metric_bars as metric_bars, metric_curve as metric_curve
from likeness.plots.distance_curve import STEP_KINDS as STEP_KINDS, distance_curve as distance_curve
from likeness.plots.generalization import (
    few_shot_bars as few_shot_bars,
    few_shot_curves as few_shot_curves,
    generalization_bars as generalization_bars,
    generalization_curves as generalization_curves,
)
from likeness.plots.heat_maps import class_heat_maps as class_heat_maps
from likeness.plots.labeled_image import (
    captions_of as captions_of,
    distance_text as distance_text,
    label_text as label_text,
    labeled_image as labeled_image,
    squared_webp as squared_webp,
)
from likeness.plots.panels import as_page as as_page
from likeness.plots.retrieval_figure import retrieval_figure as retrieval_figure
from likeness.plots.retrieved import retrieved_bars as retrieved_bars
from likeness.plots.score_histogram import score_histogram as score_histogram
from likeness.plots.structure import PROPERTIES as PROPERTIES, structure_scatter as structure_scatter
