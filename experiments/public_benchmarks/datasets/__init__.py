"""The datasets of benchmarks in their official layouts; `experiments/pyproject.toml` registers each with Likeness."""

from experiments.public_benchmarks.datasets.genecis import (
    ConditionTemplate as ConditionTemplate,
    TemplateImage as TemplateImage,
    genecis_tasks as genecis_tasks,
    read_genecis as read_genecis,
    read_templates as read_templates,
)
from experiments.public_benchmarks.datasets.icir import read_icir as read_icir
