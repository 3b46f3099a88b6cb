"""What the papers claim, and docs/beyond.md: each claim with a verdict, its evidence, and what failed or would change the verdict.

The claims stand in `experiments/results/claims.yaml`. No figure of ours is typed there: a place in braces names one, and is filled from the runs
that ship, so that documents and notebooks say the same:

    {cars-notions | notion == "car color" and method == "exact" and dim == 128 | map_at_r}    mean of the runs that the condition chooses
    {birds-guidance | +ELG, gamma 1, omega 7.5 - Multisimilarity | recall_at_1}               mean paired difference ± standard error
    {cifar100-shifts where split == "easier 5" | Margin - Raw MobileNetV2 | recall_at_1}      the same of some of the runs
    {few-shot gains of cifar100-shifts | shots == 5 and distance > 250 | gain}                of what a function makes of the runs (`DERIVED`)
    {published indirect | notion == "car color" and method == "raw" and metric == "map_at_r" | mean}    of a paper's table (`PUBLISHED`)
"""

import functools
import re
from collections.abc import Callable, Hashable
from typing import Literal, get_args

import pandas as pd
from pandas.api.types import is_numeric_dtype
from pydantic import Field

from experiments.analyses.algebra import algebra_summary
from experiments.analyses.changed_images import changed_summary
from experiments.analyses.clicks import TUNED, clicks_medians, clicks_table
from experiments.analyses.cluster_names import names_summary
from experiments.analyses.composed_queries import composed_table
from experiments.analyses.copies import copies_table
from experiments.analyses.cut_offs import cut_offs_table
from experiments.analyses.isoclip import isoclip_summary
from experiments.analyses.label_spreading import label_spreading_table
from experiments.analyses.meaning import gains
from experiments.analyses.methods import methods_table
from experiments.analyses.sentences import sentence_table
from experiments.analyses.trust import flags_table, trust_cases, trust_summary
from experiments.analyses.unnamed import unnamed_summary
from experiments.figures.quantization import whole_pixels
from experiments.papers import TASKS
from experiments.published import published_guidance, published_shifts
from experiments.results import FOLDER, read_results
from experiments.study_tables import autoencoder_ranges, sentence_shares
from likeness.errors import InputError
from likeness.evaluation import correlation_intervals, few_shot_gains, generalization_scores, scaled_structure
from likeness.io import FrozenConfig, yaml_content
from likeness.studies import decimals, paired_differences, published

Verdict = Literal["holds", "holds in part", "does not hold here", "not shown here", "not testable here"]
Paper = Literal["indirect", "language guidance", "oodml", "log-ratio", "beyond"]
# What a place may take of the runs that ship, by name.
DERIVED: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "few-shot gains": few_shot_gains,
    "generalization scores": lambda runs: generalization_scores(runs, "matched_recall_at_1"),
    "guidance gains": gains,
    "guidance gains in mAP": lambda runs: gains(runs, "map_at_1000"),
    "correlation intervals": lambda every: correlation_intervals(scaled_structure(every, "matched_recall_at_1")),
    "algebra": algebra_summary,
    "changed": changed_summary,
    "clicks": clicks_table,
    "clicks in the median": lambda runs: clicks_medians(runs, TUNED),
    "cluster names": names_summary,
    "composed": composed_table,
    "copies": copies_table,
    "cut-offs": cut_offs_table,
    "autoencoders": autoencoder_ranges,
    "flags": flags_table,
    "isoclip": isoclip_summary,
    "trust cases": trust_cases,
    "label spreading": label_spreading_table,
    "methods": methods_table,
    "sentence shares": sentence_shares,
    "sentence medians": lambda every: sentence_table(every).median(numeric_only=True).to_frame().T,
    "sentences": sentence_table,
    "trust": trust_summary,
    "units": lambda runs: runs.assign(**{name: runs[name].map("{:g}".format) + " " + runs["unit"] for name in ("value", "peer_value")}),
    "unnamed": unnamed_summary,
    "whole px": whole_pixels,
}
# The papers' tables, transcribed in `assets/papers`.
PUBLISHED: dict[str, Callable[[], pd.DataFrame]] = {
    "published indirect": published,
    "published indirect section 5": lambda: published(table="section5"),
    "published language guidance": published_guidance,
    "published oodml": published_shifts,
}
_PLACE = re.compile(r"\{([^{}|]+)\|([^{}|]+)\|([^{}|]+)\}")


class Claim(FrozenConfig):
    """A claim of a paper.

    Attributes:
        place: the heading of its section on the paper's page, such as "Table 2".
        claim: what the paper says, in one sentence.
        verdict: whether it holds on what can be measured here.
        why: the reason for the verdict, in one sentence.
        paper: the paper's figures.
        here: ours.
        control: figures of the control, which lacks what the paper says is the cause.
        command: what prints our figures.
        seeds: how many runs they are means of.
        failed: where it does not hold, and what was tried in vain.
        overturn: what would change the verdict, or what it takes to test the claim.
    """

    place: str
    claim: str
    verdict: Verdict
    why: str = ""
    paper: str = ""
    here: str = ""
    control: str = ""
    command: str = ""
    seeds: str = ""
    failed: str = ""
    overturn: str = ""


class _Claims(FrozenConfig):
    papers: dict[str, list[Claim]] = Field(min_length=1)


def claims(paper: Paper) -> pd.DataFrame:
    """The claims of a paper, a row each, with the figures of the runs that ship; columns are the attributes of `Claim`.

    Raises:
        InputError: an unknown paper, or a place in braces that no shipped figure fills.
    """
    found = _Claims.model_validate({"papers": yaml_content(FOLDER / "claims.yaml")}).papers
    if paper not in found:
        raise InputError(f"There are no claims of '{paper}'; choose from {', '.join(found)}.")
    return pd.DataFrame([claim.model_dump() for claim in found[paper]]).map(with_figures)


def claims_overview(paper: Paper) -> str:
    """In Markdown, a line per verdict: how many claims have it, and links to their sections on the same page."""
    by_verdict = claims(paper).groupby("verdict")["place"]
    known = [verdict for verdict in get_args(Verdict) if verdict in by_verdict.groups]
    links = [", ".join(f"[{place}](#{_anchor(place)})" for place in by_verdict.get_group(verdict).unique()) for verdict in known]
    return "\n".join(f"- {verdict} ({by_verdict.size()[verdict]}): {where}" for verdict, where in zip(known, links, strict=True))


def own_data_text(paper: str) -> str:
    """In Markdown, what of a paper takes data that are not here, as headings by datasets, and the command that measures all of it once they are."""
    tasks = [task for task in TASKS if task.paper == paper]
    datasets = {
        heading: tuple(dict.fromkeys(need for task in tasks if heading in task.headings for need in task.datasets))
        for task in tasks
        for heading in task.headings
    }
    lines = [
        f"- {', '.join(each)}: {', '.join(heading for heading in datasets if datasets[heading] == each)}" for each in dict.fromkeys(datasets.values())
    ]
    command = f"`make papers DATA=data ENCODER=ViT-B-32/openai ONLY={paper}`"
    where = f"Cannot be run here. With [the data](../../experiments/README.md#the-papers-on-their-own-data) {command} runs:"
    return "\n".join([where, "", *lines])


def claims_sections(paper: Paper) -> dict[str, str]:
    """By place the text under its heading, in Markdown: each claim with its verdict and its evidence."""
    found = claims(paper)
    return {str(place): "\n\n".join(_section(claim) for claim in own.to_dict("records")) for place, own in found.groupby("place", sort=False)}


def claims_text(paper: Paper) -> str:
    """All sections with their headings, in Markdown, and what would overturn each verdict, as notebooks show them."""
    overturn = claims(paper).groupby("place", sort=False)["overturn"].agg(list)
    sections = claims_sections(paper)
    return "\n\n".join(
        f"### {place}\n\n{text}\n\nWhat would overturn it: {' '.join(map(_sentence, overturn[place]))}" for place, text in sections.items()
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _anchor(heading: str) -> str:
    """Of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _section(claim: dict[Hashable, str]) -> str:
    verdict = claim["verdict"].capitalize() + (f": {claim['why']}" if claim["why"] else ".")
    parts = {**claim, "run": "; ".join(each for each in (claim["command"], claim["seeds"]) if each)}
    titles = {"paper": "Paper", "here": "Here", "control": "Control", "failed": "What failed", "run": "Run"}
    return "\n".join([f"**{claim['claim']}** {verdict}", "", *(f"- *{title}*: {parts[name]}" for name, title in titles.items() if parts[name])])


def with_figures(text: str) -> str:
    """The text with each place in braces filled from the runs that ship.

    Raises:
        InputError: a place that names no runs.
    """
    return _PLACE.sub(lambda place: _figure(place[1].strip(), place[2].strip(), place[3].strip()), text)


@functools.cache
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
    if not is_numeric_dtype(values):  # of a table whose cells are texts
        if len(values) > 1:
            raise InputError(f"{len(values)} rows of '{results}' have {chosen}; name one.")
        return str(values.iloc[0]).strip("*")
    return f"{values.mean():.{decimals(values.mean())}f}"


@functools.cache
def _runs(results: str) -> pd.DataFrame:
    """The runs that a place's first part names: "NAME", "NAME where CONDITION" or "DERIVED of NAME"."""
    kind, _, name = results.rpartition(" of ")
    name, _, condition = name.partition(" where ")
    if kind and kind not in DERIVED:
        raise InputError(f"'{kind}' cannot be derived from results; choose from {', '.join(DERIVED)}.")
    every = PUBLISHED[name]() if name in PUBLISHED else read_results(name)
    every = every.query(condition) if condition else every
    return DERIVED[kind](every) if kind else every
