"""Studies: tables of runs, the papers' protocols, and their presets."""

from likeness.studies.algebra_table import algebra_summary, algebra_table
from likeness.studies.benchmarks import BENCHMARKS, Benchmark, beside_published, named_benchmark, published_figures
from likeness.studies.best_method import leave_one_notion_out
from likeness.studies.changed_table import changed_summary, changed_table
from likeness.studies.claims import claims
from likeness.studies.clicked_notions import clicked_notions, clicks_medians, clicks_table
from likeness.studies.cluster_names import cluster_names, cluster_names_table, label_columns
from likeness.studies.cluster_names_tables import clusters_summary, names_summary
from likeness.studies.comparison import SUGGESTED, compare
from likeness.studies.comparison_tables import left_out_of, paper_table, statistics, summarize
from likeness.studies.composed_queries import composed_choice, composed_queries, composed_table
from likeness.studies.continuous_table import continuous_table
from likeness.studies.convergence import convergence, convergence_table
from likeness.studies.cut_offs import cut_offs, cut_offs_table
from likeness.studies.embedding_sizes import ANALYSIS_METRICS, embedding_sizes
from likeness.studies.encoder_sizes import PAPER_ENCODERS, SHIPPED_ENCODERS, encoder_sizes
from likeness.studies.guidance_table import guidance_table
from likeness.studies.image_passes import image_passes
from likeness.studies.label_spreading import label_spreading, label_spreading_table
from likeness.studies.methods_table import cases_table, chosen_methods, methods_table, winners_table
from likeness.studies.paired import paired_differences
from likeness.studies.parallel import compare_in_parallel
from likeness.studies.planted_copies import copies_table, planted_copies
from likeness.studies.prompt_counts import prompt_counts
from likeness.studies.published import beside_guidance, order_differences, published, published_guidance, published_shifts, side_by_side
from likeness.studies.questions import judged_notions, parse_dimensions, parse_whole_number
from likeness.studies.refusals import refusals
from likeness.studies.row_values import sweep_of, sweep_table
from likeness.studies.semantic_classes import SemanticClasses, classes_of, unseen_classes
from likeness.studies.sentence_notions import notion_sentences, sentence_notions, sentence_table, vague_sentences
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
from likeness.studies.table_texts import as_latex, as_markdown, with_spread
from likeness.studies.trust_table import flags_table, trust_summary, trust_table, trust_verdicts
from likeness.studies.unnamed_table import unnamed_summary, unnamed_table

__all__ = [
    "ANALYSIS_METRICS",
    "BENCHMARKS",
    "FIGURES",
    "PAPER_ENCODERS",
    "SHIPPED_ENCODERS",
    "SUGGESTED",
    "Benchmark",
    "Cell",
    "Domain",
    "SemanticClasses",
    "StudyConfig",
    "StudyFolder",
    "StudyStatus",
    "SweepConfig",
    "SweepFolder",
    "Trial",
    "algebra_summary",
    "algebra_table",
    "as_latex",
    "as_markdown",
    "beside_guidance",
    "beside_published",
    "cases_table",
    "cells",
    "changed_summary",
    "changed_table",
    "chosen_methods",
    "claims",
    "classes_of",
    "clicked_notions",
    "clicks_medians",
    "clicks_table",
    "cluster_names",
    "cluster_names_table",
    "clusters_summary",
    "compare",
    "compare_in_parallel",
    "composed_choice",
    "composed_queries",
    "composed_table",
    "continuous_table",
    "convergence",
    "convergence_table",
    "copies_table",
    "cut_offs",
    "cut_offs_table",
    "embedding_sizes",
    "encoder_sizes",
    "flags_table",
    "guidance_table",
    "image_passes",
    "judged_notions",
    "label_columns",
    "label_spreading",
    "label_spreading_table",
    "leave_one_notion_out",
    "left_out_of",
    "list_studies",
    "measured",
    "methods_table",
    "named_benchmark",
    "names_summary",
    "notion_sentences",
    "order_differences",
    "paired_differences",
    "paper_table",
    "parse_dimensions",
    "parse_whole_number",
    "planted_copies",
    "prompt_counts",
    "published",
    "published_figures",
    "published_guidance",
    "published_shifts",
    "read_results",
    "read_study",
    "read_sweep",
    "refusals",
    "row_configs",
    "sentence_notions",
    "sentence_table",
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
    "trust_summary",
    "trust_table",
    "trust_verdicts",
    "unnamed_summary",
    "unnamed_table",
    "unseen_classes",
    "vague_sentences",
    "winners_table",
    "with_spread",
]
