"""A paper's claims and their verdicts here: each with evidence, and what would overturn it.

The claims stand in `experiments/results/claims.yaml`. No figure of ours is typed there: a place in braces names one, and is filled from the runs
that ship, so that documents and notebooks say the same:

    {cars-notions | notion == "car color" and method == "exact" and dim == 128 | map_at_r}    mean of the runs that the condition chooses
    {birds-guidance | +ELG, gamma 1, omega 7.5 - Multisimilarity | recall_at_1}               mean paired difference ± standard error
    {cifar100-shifts where split == "easier 5" | Margin - Raw MobileNetV2 | recall_at_1}      the same of some of the runs
    {few-shot gains of cifar100-shifts | shots == 5 and distance > 250 | gain}                of what a function makes of the runs (`DERIVED`)
"""

import re
from collections.abc import Callable
from typing import Literal

import pandas as pd
from pydantic import Field

from experiments.results import FOLDER, read_results
from likeness.errors import InputError
from likeness.evaluation import correlations_without, few_shot_gains, generalization_scores, scaled_structure
from likeness.io import FrozenConfig, yaml_content
from likeness.studies import decimals, paired_differences

Paper = Literal["indirect", "language guidance", "oodml", "log-ratio"]
# What a place may take of the runs that ship, by name.
DERIVED: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "few-shot gains": few_shot_gains,
    "generalization scores": generalization_scores,
    "correlations without 1": lambda every: correlations_without(scaled_structure(every), 1),
    "correlations without 2": lambda every: correlations_without(scaled_structure(every), 2),
}
_PLACE = re.compile(r"\{([^{}|]+)\|([^{}|]+)\|([^{}|]+)\}")


class Claim(FrozenConfig):
    """A claim of a paper.

    Attributes:
        claim: what the paper says, with its place.
        verdict: whether it holds on what can be measured here.
        evidence: what was measured, by which command.
        overturn: what would change the verdict.
    """

    claim: str
    verdict: Literal["holds", "holds in part", "does not hold here", "not shown here", "not testable here"]
    evidence: str
    overturn: str


class _Claims(FrozenConfig):
    papers: dict[str, list[Claim]] = Field(min_length=1)


def claims(paper: Paper) -> pd.DataFrame:
    """The claims of a paper, with the figures of the shipped runs: claim, verdict, evidence, overturn.

    Raises:
        InputError: an unknown paper, or a place that no shipped figure fills.
    """
    found = _Claims.model_validate({"papers": yaml_content(FOLDER / "claims.yaml")}).papers
    if paper not in found:
        raise InputError(f"There are no claims of '{paper}'; choose from {', '.join(found)}.")
    frame = pd.DataFrame([claim.model_dump() for claim in found[paper]])
    return frame.assign(evidence=[with_figures(text) for text in frame["evidence"]])


def with_figures(text: str) -> str:
    """The text with each place in braces filled from the runs that ship.

    Raises:
        InputError: a place that names no runs.
    """
    return _PLACE.sub(lambda place: _figure(place[1].strip(), place[2].strip(), place[3].strip()), text)


def _figure(results: str, chosen: str, metric: str) -> str:
    every = _runs(results)
    if metric not in every:
        raise InputError(f"The results '{results}' have no '{metric}'; they have {', '.join(every.columns)}.")
    if " - " in chosen and "==" not in chosen:
        row, against = chosen.rsplit(" - ", 1)
        found = paired_differences(every, against, [metric]).set_index("row")
        if row not in found.index:
            raise InputError(f"The results '{results}' have no row '{row}' beside '{against}'.")
        gain, error = (float(found[name].loc[row]) for name in (metric, f"{metric} ±"))
        places = decimals(every[metric].abs().mean())
        return f"{gain:+.{places}f} ± {error:.{places}f}"
    values = every.query(chosen)[metric].dropna()
    if not len(values):
        raise InputError(f"No run of '{results}' has {chosen}.")
    return f"{values.mean():.{decimals(values.mean())}f}"


def _runs(results: str) -> pd.DataFrame:
    """The runs that a place's first part names: "NAME", "NAME where CONDITION" or "DERIVED of NAME"."""
    kind, _, name = results.rpartition(" of ")
    name, _, condition = name.partition(" where ")
    if kind and kind not in DERIVED:
        raise InputError(f"'{kind}' cannot be derived from results; choose from {', '.join(DERIVED)}.")
    every = read_results(name)
    every = every.query(condition) if condition else every
    return DERIVED[kind](every) if kind else every
