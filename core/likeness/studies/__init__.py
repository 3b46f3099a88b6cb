"""Studies: tables of runs, the papers' protocols, and their presets."""

from likeness.studies._labeled import OnRun, collected
from likeness.studies.comparison import SUGGESTED, compare, no_runs
from likeness.studies.comparison_tables import left_out_of, paper_table, statistics, summarize
from likeness.studies.continuous_table import continuous_table
from likeness.studies.convergence import convergence, convergence_table
from likeness.studies.embedding_sizes import ANALYSIS_METRICS, embedding_sizes
from likeness.studies.encoder_sizes import PAPER_ENCODERS, SHIPPED_ENCODERS, encoder_sizes
from likeness.studies.guidance_table import guidance_table
from likeness.studies.image_passes import image_passes
from likeness.studies.paired import paired_differences
from likeness.studies.parallel import compare_in_parallel
from likeness.studies.prompt_counts import prompt_counts
from likeness.studies.published import beside_guidance, order_differences, published, published_guidance, published_shifts, side_by_side
from likeness.studies.questions import judged_notions, parse_dimensions, parse_whole_number
from likeness.studies.refusals import refusals
from likeness.studies.row_values import sweep_of, sweep_table
from likeness.studies.semantic_classes import SemanticClasses, classes_of, unseen_classes
from likeness.studies.shift_table import shift_table
from likeness.studies.study import (
    FIGURES,
    Cell,
    StudyConfig,
    cells,
    measured,
    read_results,
    read_study,
    row_configs,
    studies,
    study_notes,
    study_table,
    table_of,
)
from likeness.studies.study_folder import StudyFolder, StudyStatus, list_studies
from likeness.studies.sweeps import Domain, SweepConfig, SweepFolder, Trial, read_sweep, settings_text, sweep
from likeness.studies.table_texts import NONE, as_latex, as_markdown, decimals, mean_text, with_spread

__all__ = [
    "ANALYSIS_METRICS",
    "FIGURES",
    "NONE",
    "PAPER_ENCODERS",
    "SHIPPED_ENCODERS",
    "SUGGESTED",
    "Cell",
    "Domain",
    "OnRun",
    "SemanticClasses",
    "StudyConfig",
    "StudyFolder",
    "StudyStatus",
    "SweepConfig",
    "SweepFolder",
    "Trial",
    "as_latex",
    "as_markdown",
    "beside_guidance",
    "cells",
    "classes_of",
    "collected",
    "compare",
    "compare_in_parallel",
    "continuous_table",
    "convergence",
    "convergence_table",
    "decimals",
    "embedding_sizes",
    "encoder_sizes",
    "guidance_table",
    "image_passes",
    "judged_notions",
    "left_out_of",
    "list_studies",
    "mean_text",
    "measured",
    "no_runs",
    "order_differences",
    "paired_differences",
    "paper_table",
    "parse_dimensions",
    "parse_whole_number",
    "prompt_counts",
    "published",
    "published_guidance",
    "published_shifts",
    "read_results",
    "read_study",
    "read_sweep",
    "refusals",
    "row_configs",
    "settings_text",
    "shift_table",
    "side_by_side",
    "statistics",
    "studies",
    "study_notes",
    "study_table",
    "summarize",
    "sweep",
    "sweep_of",
    "sweep_table",
    "table_of",
    "unseen_classes",
    "with_spread",
]
