"""The comparison as a table with a bar for one metric: a group of rows per notion, the best in bold, the raw encoder as baseline."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import pandas as pd

from access import redact
from likeness.evaluation import METRICS, find_metric
from likeness.notions import METHOD_TITLES, METHODS
from likeness.studies import statistics
from pages.compare.metric_words import METHODS_HELP
from shared.sidebar import readable

_NO_RIVAL = "oracle"  # sees the labels, so that it is never "best"
_PAPER_DIM = 128
_LEGEND = " The dashed line is the raw encoder, the whisker one standard deviation."


@dataclass(frozen=True)
class Line:
    """A row that is or will be there.

    Attributes:
        dim: dimensions; None where they follow from the prompts or the encoder, and are known once there is a run.
        runs: how many runs it will have.
    """

    notion: str
    method: str
    dim: int | None
    runs: int


@dataclass(frozen=True)
class Score:
    """Mean and standard deviation over `runs` runs."""

    mean: float
    std: float
    runs: int


Scores = dict[tuple[Line, str], Score]
Printed = dict[tuple[str, str, str], Score]  # notion, method, metric


class Results:
    """What is known of a comparison so far, by line and metric.

    Args:
        lines: all rows in order, finished or not.
        runs: from `likeness.studies.compare`, perhaps with no row yet.
    """

    def __init__(self, lines: Sequence[Line], runs: pd.DataFrame) -> None:
        self.lines = list(lines)
        self.scores: Scores = {}
        self.refused: dict[Line, str] = {}
        self.seconds: dict[Line, float] = {}
        self.widths: dict[Line, int] = {}
        if len(runs):
            self._read(runs)

    def _read(self, runs: pd.DataFrame) -> None:
        by_place = {self._place(line.notion, line.method, line.dim): line for line in self.lines}
        for row in statistics(runs).itertuples():
            line = by_place.get(self._place(row.notion, row.method, row.dim))
            if line and not pd.isna(row.mean):
                self.scores[line, row.metric] = Score(row.mean, row.std, int(row.runs))
        for (notion, method, dim), group in runs.groupby(["notion", "method", "dim"], sort=False):
            line = by_place.get(self._place(notion, method, dim))
            if line and (group["refused"] != "").all():
                self.refused[line] = group["refused"].iloc[0]
            elif line:
                self.seconds[line], self.widths[line] = float(group["fit_seconds"].mean()), int(dim)

    @staticmethod
    def _place(notion: str, method: str, dim: int | None) -> tuple[str, str, int]:
        return notion, method, int(dim or 0) if METHODS[method].dims else 0

    def width(self, line: Line) -> str:
        """How many dimensions a row has, as text; "" before it is known."""
        found = self.widths.get(line, line.dim)
        return "" if found is None else str(found)

    def baseline(self, notion: str, metric: str) -> Score | None:
        """The raw encoder's score."""
        return next((score for (line, name), score in self.scores.items() if (line.notion, line.method, name) == (notion, "raw", metric)), None)

    def best(self, notion: str, metric: str) -> float | None:
        """The largest mean of a notion, as rounded; None before there are two to compare."""
        means = [
            round(score.mean, 3)
            for (line, name), score in self.scores.items()
            if name == metric and line.notion == notion and line.method != _NO_RIVAL
        ]
        return max(means) if len(means) > 1 else None

    def is_complete(self, notion: str, metric: str) -> bool:
        """Whether each row of a notion was refused or has all its runs."""
        lines = [line for line in self.lines if line.notion == notion and line not in self.refused]
        return all((line, metric) in self.scores and self.scores[line, metric].runs == line.runs for line in lines)

    def best_line(self, notion: str, metric: str) -> Line | None:
        """The row of that mean, the first where there are several."""
        best = self.best(notion, metric)
        mine = [line for line in self.lines if line.notion == notion and line.method != _NO_RIVAL and (line, metric) in self.scores]
        return next((line for line in mine if round(self.scores[line, metric].mean, 3) == best), None)


def printed(paper: pd.DataFrame) -> Printed:
    """The rows of `likeness.studies.published` by what they are about; what the paper does not report is left out."""
    rows = paper.dropna(subset=["mean"]).itertuples()
    return {(row.notion, row.method, row.metric): Score(row.mean, 0.0 if pd.isna(row.std) else row.std, 1 if pd.isna(row.std) else 5) for row in rows}


def table_html(results: Results, metric: str, about: dict[str, str], paper: Printed | None = None) -> str:
    """The table as HTML; its looks are in `comparison.css`.

    Args:
        metric: the one that the bars and the differences show.
        about: a quiet line for each notion.
        paper: figures to stand beside, or None.
    """
    columns = 5 + len(METRICS)
    body = [
        f'<tbody><tr class="notion"><th scope="rowgroup" colspan="{columns}"><div>{escape(readable(notion))}'
        f"<span>{escape(_winner(results, notion, metric) + about.get(notion, ''))}</span></div></th></tr>"
        + "".join(_row(results, line, metric, paper) for line in lines)
        + "</tbody>"
        for notion, lines in _by_notion(results.lines).items()
    ]
    return f'<div class="comparison" role="region" aria-label="Comparison" tabindex="0"><table>{_head(metric)}{"".join(body)}</table></div>'


def _winner(results: Results, notion: str, metric: str) -> str:
    line, baseline = results.best_line(notion, metric), results.baseline(notion, metric)
    if line is None or baseline is None or line.method == "raw":
        return "Nothing is better than the raw encoder. " if line and results.is_complete(notion, metric) else ""
    change = round(results.scores[line, metric].mean - baseline.mean, 3)
    return f"Best: {METHOD_TITLES[line.method]} with {results.width(line)} dimensions, {change:+.3f} against the raw encoder. "


def _by_notion(lines: Sequence[Line]) -> dict[str, list[Line]]:
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(line.notion, []).append(line)
    return groups


def _head(metric: str) -> str:
    title = METRICS[metric]
    cells = [
        '<th scope="col" class="method">Method</th>',
        f'<th scope="col" class="number">{_tip("Dim.", "Dimensions: how many numbers describe each image.")}</th>',
        f'<th scope="col" class="chart">{_tip(title, find_metric(metric).help + _LEGEND)}</th>',
        f'<th scope="col" class="number">{_tip("Against raw", f"{title} minus the {title} of the raw encoder.")}</th>',
        *(
            f'<th scope="col" class="number{" chosen" if name == metric else ""}">{_tip(each, find_metric(name).help)}</th>'
            for name, each in METRICS.items()
        ),
        f'<th scope="col" class="number">{_tip("Fit", "Time to learn the projection from the prompts, mean of the runs.")}</th>',
    ]
    return f"<thead><tr>{''.join(cells)}</tr></thead>"


def _tip(text: str, help: str, reached: bool = True) -> str:
    """A word whose explanation opens under the pointer, and where it is `reached` by the Tab key, then too."""
    tabbed = ' tabindex="0"' if reached else ""
    return f'<span class="tip"{tabbed}>{escape(text)}<span class="help" role="tooltip">{escape(help)}</span></span>'


def _row(results: Results, line: Line, metric: str, paper: Printed | None) -> str:
    method = _tip(METHOD_TITLES[line.method], METHODS_HELP[line.method], reached=False)
    first = f'<th scope="row" class="method">{method}</th><td class="number">{results.width(line)}</td>'
    if line in results.refused:
        help = escape(redact(results.refused[line]))
        return f'<tr class="refused">{first}<td colspan="{3 + len(METRICS)}"><div>Does not apply: {help}</div></td></tr>'
    beside = _printed(paper, line)
    cells = [_bar(results, line, metric, beside), _difference(results, line, metric)]
    cells += [_number(results, line, name, name == metric, beside) for name in METRICS]
    cells.append(f'<td class="number">{_seconds(results.seconds.get(line))}</td>')
    score = results.scores.get((line, metric))
    kind = "waiting" if score is None else "partial" if score.runs < line.runs else ""
    return f'<tr class="{kind} {line.method}">{first}{"".join(cells)}</tr>'


def _printed(paper: Printed | None, line: Line) -> dict[str, Score]:
    """The paper's scores of a line by metric; it has 128 dimensions for all but the raw encoder."""
    if paper is None or (line.method != "raw" and line.dim != _PAPER_DIM):
        return {}
    return {metric: paper[line.notion, line.method, metric] for metric in METRICS if (line.notion, line.method, metric) in paper}


def _bar(results: Results, line: Line, metric: str, beside: dict[str, Score]) -> str:
    parts = []
    if score := results.scores.get((line, metric)):
        parts.append(f'<i class="bar" style="width:{_percent(score.mean)}"></i>')
        if score.std > 0:
            low, high = max(score.mean - score.std, 0), min(score.mean + score.std, 1)
            parts.append(f'<i class="whisker" style="left:{_percent(low)};width:{_percent(high - low)}"></i>')
    if metric in beside:
        parts.append(f'<i class="printed" style="left:{_percent(beside[metric].mean)}"></i>')
    if baseline := results.baseline(line.notion, metric):
        parts.append(f'<i class="baseline" style="left:{_percent(baseline.mean)}"></i>')
    return f'<td class="chart" aria-hidden="true"><div>{"".join(parts)}</div></td>'


def _percent(share: float) -> str:
    return f"{100 * min(max(share, 0.0), 1.0):.1f}%"


def _difference(results: Results, line: Line, metric: str) -> str:
    score, baseline = results.scores.get((line, metric)), results.baseline(line.notion, metric)
    if line.method == "raw":
        return '<td class="number quiet">baseline</td>'
    if score is None or baseline is None:
        return '<td class="number"></td>'
    change = round(score.mean - baseline.mean, 3)
    if not change:
        return '<td class="number quiet">0.000</td>'
    return f'<td class="number {"up" if change > 0 else "down"}">{"▲ +" if change > 0 else "▼ −"}{abs(change):.3f}</td>'


def _number(results: Results, line: Line, metric: str, chosen: bool, beside: dict[str, Score]) -> str:
    score = results.scores.get((line, metric))
    text = _text(score, score is not None and line.method != _NO_RIVAL and round(score.mean, 3) == results.best(line.notion, metric))
    second = f'<span class="printed">{_text(beside[metric])}</span>' if metric in beside else ""
    return f'<td class="number{" chosen" if chosen else ""}">{text}{second}</td>'


def _text(score: Score | None, best: bool = False) -> str:
    if score is None:
        return '<span class="quiet">·</span>'
    mean = f"{round(score.mean, 3) + 0.0:.3f}".replace("-", "−")  # no "-0.000"
    spread = f" <small>± {score.std:.3f}</small>" if score.runs > 1 else ""
    return f"<b>{mean}</b>{spread}" if best else f"{mean}{spread}"


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
