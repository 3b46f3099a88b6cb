"""Studies: tables of runs, the papers' protocols, and their presets."""

from likeness.studies.comparison import (
    ANALYSIS_METRICS as ANALYSIS_METRICS,
    SUGGESTED as SUGGESTED,
    OnRun as OnRun,
    check_comparison as check_comparison,
    collected as collected,
    compare as compare,
    compare_in_parallel as compare_in_parallel,
    embedding_sizes as embedding_sizes,
    no_runs as no_runs,
)
from likeness.studies.comparison_tables import (
    left_out_of as left_out_of,
    paper_table as paper_table,
    refusals as refusals,
    statistics as statistics,
    summarize as summarize,
)
from likeness.studies.convergence import convergence as convergence, convergence_table as convergence_table
from likeness.studies.encoder_sizes import (
    PAPER_ENCODERS as PAPER_ENCODERS,
    SHIPPED_ENCODERS as SHIPPED_ENCODERS,
    check_encoders as check_encoders,
    encoder_sizes as encoder_sizes,
)
from likeness.studies.method_table import (
    PAPER_DIM as PAPER_DIM,
    best_method as best_method,
    method_table as method_table,
    published_figures as published_figures,
)
from likeness.studies.prompt_counts import check_counts as check_counts, prompt_counts as prompt_counts
from likeness.studies.published import published as published
from likeness.studies.questions import (
    judged_notions as judged_notions,
    parse_dimensions as parse_dimensions,
    parse_whole_number as parse_whole_number,
)
from likeness.studies.row_values import sweep_of as sweep_of, sweep_table as sweep_table
from likeness.studies.semantic_classes import SemanticClasses as SemanticClasses, classes_of as classes_of, unseen_classes as unseen_classes
from likeness.studies.shift_benchmark import (
    SHOTS as SHOTS,
    WHOLE_PRESET as WHOLE_PRESET,
    ShiftMethod as ShiftMethod,
    ShiftNetwork as ShiftNetwork,
    shift_methods as shift_methods,
    shift_study as shift_study,
)
from likeness.studies.study import (
    FIGURES as FIGURES,
    Cell as Cell,
    StudyConfig as StudyConfig,
    cells as cells,
    image_passes as image_passes,
    measured as measured,
    read_results as read_results,
    read_study as read_study,
    row_configs as row_configs,
    rows_with as rows_with,
    studies as studies,
    study_notes as study_notes,
    study_table as study_table,
    table_of as table_of,
)
from likeness.studies.study_folder import StudyFolder as StudyFolder, StudyStatus as StudyStatus, list_studies as list_studies
from likeness.studies.study_tables import paired_differences as paired_differences, shift_table as shift_table
from likeness.studies.sweeps.config import SweepConfig as SweepConfig, read_sweep as read_sweep
from likeness.studies.sweeps.folder import SweepFolder as SweepFolder
from likeness.studies.sweeps.sweep import sweep as sweep
from likeness.studies.table_texts import (
    NONE as NONE,
    as_latex as as_latex,
    as_markdown as as_markdown,
    decimals as decimals,
    mean_text as mean_text,
    with_spread as with_spread,
)
