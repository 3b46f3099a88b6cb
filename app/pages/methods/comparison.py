"""The comparison of methods: its settings, its start, and for each notion a table that fills while it runs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from likeness.errors import InputError
from likeness.evaluation import METRICS, find_metric
from likeness.notions import METHOD_TITLES, METHODS, Notion
from likeness.progress import Progress, progress_of_part
from likeness.space import Space
from likeness.studies import SUGGESTED, as_latex, as_markdown, compare, left_out_of, paper_table, parse_dimensions, published
from pages.methods import measure
from pages.methods.measure import (
    BASELINE,
    METHODS_HELP,
    PAPER_DIM,
    MeasureRequest,
    called,
    choose_dimensions,
    choose_methods,
    choose_notions,
    choose_runs,
    content_of,
    help_list,
    measuring,
    with_baseline,
)
from parts import cached
from parts.plain import plain
from parts.sidebar import readable
from parts.view import View
from server.access import redact
from server.jobs import Job, Work

T = TypeVar("T")

# The Oracle takes half a minute a run and is no fair competitor; add it to see the upper bound.
_METHODS = ("random", "random-transform", "pca", "lae", "ae", "exact", "adam")
# What learns by gradient steps: measured last, so that first results come soon.
_SLOW = ("lae", "ae", "lae-code", "ae-code", "adam", "oracle")
_NO_RIVAL = "oracle"  # is trained on the labels, so that it is never "best"
Printed = Mapping[tuple[str, str, str], tuple[float, float]]  # notion, method, metric -> mean and deviation in the paper


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


@dataclass(frozen=True, eq=False)
class LineResult:
    """What is known of a line so far.

    Attributes:
        runs: its finished runs, a row each.
        refused: why the method does not apply; empty where it does.
    """

    line: Line
    runs: pd.DataFrame = field(default_factory=pd.DataFrame)
    refused: str = ""

    @property
    def dim(self) -> int | None:
        """Its number of dimensions; None before it is known."""
        return int(self.runs["dim"].iloc[0]) if len(self.runs) else self.line.dim

    def mean(self, metric: str) -> float | None:
        """Of the runs so far, rounded as it is shown; None before there is one."""
        return round(float(self.runs[metric].mean()), 3) + 0.0 if len(self.runs) and metric in self.runs else None

    def spread(self, metric: str) -> float | None:
        """Standard deviation over the runs; None where there are less than two."""
        return float(self.runs[metric].std(ddof=0)) if len(self.runs) > 1 and metric in self.runs else None

    def is_complete(self) -> bool:
        """Whether it was refused or has all its runs."""
        return bool(self.refused) or len(self.runs) == self.line.runs


def results(lines: Sequence[Line], runs: pd.DataFrame) -> dict[str, list[LineResult]]:
    """By notion, its lines with what `likeness.studies.compare` has found of them so far."""

    def place(notion: str, method: str, dim: int | None) -> tuple[str, str, int]:
        return notion, method, int(dim or 0) if METHODS[method].dims else 0

    groups = {place(*key): group for key, group in runs.groupby(["notion", "method", "dim"], sort=False)} if len(runs) else {}
    found: dict[str, list[LineResult]] = {}
    for line in lines:
        group = groups.get(place(line.notion, line.method, line.dim))
        result = LineResult(line)
        if group is not None:
            done = group[group["refused"] == ""]
            result = LineResult(line, done, "" if len(done) else str(group["refused"].iloc[0]))
        found.setdefault(line.notion, []).append(result)
    return found


def table(lines: Sequence[LineResult], metric: str, paper: Printed | None = None) -> pd.DataFrame:
    """A row for each line that was not refused, the raw encoder first.

    Args:
        metric: that is drawn as a bar, compared with the raw encoder and, where that is wanted, with the paper.
        paper: the paper's figures, or None.
    """
    baseline = next((each.mean(metric) for each in lines if each.line.method == BASELINE), None)
    rows = []
    for each in sorted((each for each in lines if not each.refused), key=lambda each: each.line.method != BASELINE):
        mean, is_baseline = each.mean(metric), each.line.method == BASELINE
        row: dict[str, object] = {
            "Method": METHOD_TITLES[each.line.method] + (" (baseline)" if is_baseline else ""),
            "Dimensions": each.dim,
            METRICS[metric]: mean,
            "±": each.spread(metric),
            "Against raw": None if is_baseline or mean is None or baseline is None else round(mean - baseline, 3) + 0.0,
        }
        if paper is not None:
            row["Paper"] = _of_paper(paper, each.line, metric)
        row |= {title: each.mean(name) for name, title in METRICS.items() if name != metric}
        row["Fit"] = _seconds(float(each.runs["fit_seconds"].mean())) if len(each.runs) else ""
        row["Runs"] = f"{len(each.runs)} of {each.line.runs}"
        rows.append(row)
    return pd.DataFrame(rows)


def _of_paper(paper: Printed, line: Line, metric: str) -> str:
    """The paper's figure of a line: it has 128 dimensions for all but the raw encoder."""
    found = paper.get((line.notion, line.method, metric))
    if found is None or (line.method != BASELINE and line.dim != PAPER_DIM):
        return ""
    return f"{found[0]:.3f}" if pd.isna(found[1]) else f"{found[0]:.3f} ± {found[1]:.3f}"


def _seconds(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def winner(lines: Sequence[LineResult], metric: str) -> str:
    """Which method is best and how far from the raw encoder, in a sentence; empty before that is known."""
    means = {each: mean for each in lines if each.line.method != _NO_RIVAL and (mean := each.mean(metric)) is not None}
    baseline = next((mean for each, mean in means.items() if each.line.method == BASELINE), None)
    if len(means) < 2 or baseline is None:
        return ""
    best = max(means, key=lambda each: means[each])
    if means[best] > baseline:
        return f"Best: {METHOD_TITLES[best.line.method]} with {best.dim} dimensions, {means[best] - baseline:+.3f} against the raw encoder."
    return "No method is better than the raw encoder." if all(each.is_complete() for each in lines) else ""


@dataclass(frozen=True)
class Request:
    """What to compare.

    Attributes:
        dataset: catalog id of the images.
        notions: each with the attribute that judges it.
        methods: in the order of `METHODS`, the raw encoder among them.
        dims: whole numbers or "suggested": each notion's own.
        seeds: runs of a method with random choices.
    """

    dataset: str
    notions: tuple[Notion, ...]
    methods: tuple[str, ...]
    dims: tuple[int | str, ...]
    seeds: int

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for requests that have equal results."""
        return "methods", cached.base(self.dataset).key, content_of(self.notions), self.methods, self.dims, self.seeds

    @property
    def title(self) -> str:
        """What people call it."""
        return f"Comparison of {called(self.notions)}"

    def lines(self) -> list[Line]:
        """The rows of its table."""
        return list(dict.fromkeys(self._lines()))

    def _lines(self) -> Iterator[Line]:
        for notion in self.notions:
            sizes = [cached.dim_of(self.dataset, notion) if dim == SUGGESTED else int(dim) for dim in self.dims]
            for method in (METHODS[name] for name in self.methods):
                runs = self.seeds if method.seeds else 1
                yield from (Line(notion.name, method.name, size, runs) for size in (sizes if method.dims else [None]))

    def work(self) -> Work:
        """What measures the runs, fast methods first."""
        return measuring(self._measure, cached.base(self.dataset), self.lines())

    def _measure(
        self,
        base: Space,
        lines: Sequence[Line],
        progress: Progress,
        should_stop: Callable[[], bool],
        on_run: Callable[[dict[str, Any]], None],
    ) -> None:
        total, before = sum(line.runs for line in lines), 0
        for quick in (True, False):
            methods = [method for method in self.methods if (method not in _SLOW) == quick]
            if not methods or should_stop():
                continue
            compare(
                base,
                self.notions,
                methods,
                self.dims,
                range(self.seeds),
                progress=progress_of_part(progress, before, total),
                should_stop=should_stop,
                on_run=on_run,
            )
            before += sum(line.runs for line in lines if line.method in methods)


def show(view: View) -> None:
    """Draws the view."""
    request = _settings(view)
    measure.show(f"comparison_{view.dataset}", _measure_request(request) if request else None, lambda: _invite(request))


def _settings(view: View) -> Request | None:
    """The row of settings with the start; None, with a sentence, while they are incomplete."""
    most = view.base.vectors.shape[1]
    request, problem = None, ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        notions = choose_notions(view, "compare_notions")
        methods = choose_methods(_METHODS, "compare_methods")
        dims = choose_dimensions(most, "compare_dims")
        seeds = choose_runs(5, "compare_seeds")
        try:
            request = Request(view.entry.id, _some(notions, "notion"), with_baseline(_some(methods, "method")), _sizes(dims, most), seeds)
        except InputError as error:
            problem = redact(error)
        measure.start_button("Compare", _measure_request(request) if request else None, "compare_start")
    if problem:
        st.warning(plain(problem), icon=":material/warning:")
    return request


def _some(chosen: Sequence[T], what: str) -> tuple[T, ...]:
    if not chosen:
        raise InputError(f"Choose at least one {what} to compare.")
    return tuple(chosen)


def _sizes(texts: Sequence[str], most: int) -> tuple[int | str, ...]:
    """Dimensions from what was typed; raises InputError for what is no number or not possible."""
    sizes = parse_dimensions(",".join(_some(texts, "number of dimensions")))
    for size in sizes:
        if size != SUGGESTED and not 1 <= int(size) <= most:
            raise InputError(f"{size} dimensions are not possible: this encoder has {most}. Enter a number from 1 to {most}.")
    return tuple(sizes)


def _measure_request(request: Request) -> MeasureRequest:
    return MeasureRequest(request.key, request.title, request.work(), lambda job: _draw(request, job))


def _invite(request: Request | None) -> None:
    rows = len(request.lines()) if request else 0
    with st.container(border=True):
        st.markdown(
            "**Nothing compared yet.** Each method builds a space from the prompts of a notion, without labels. Then every image is used as a "
            "query: the more of its nearest neighbors share its label, the better the method."
        )
        st.caption(f"{rows} rows will be measured, the fast ones first. You can leave this page or stop at any time. All visitors share results.")


def _draw(request: Request, job: Job) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        metric = _metric()
        paper = _paper(request)
    runs = measure.runs_of(job)
    found, left_out = _results(job.stamp, request, runs), left_out_of(runs)
    st.caption(find_metric(metric).help + ("" if paper is None else _legend(request)))
    for notion in request.notions:
        lines = found[notion.name]
        st.markdown(f"**{plain(readable(notion.name))}**")
        st.caption(plain(f"{winner(lines, metric)} {_about(notion, left_out.get(notion.name, 0))}".strip()))
        st.dataframe(table(lines, metric, paper), hide_index=True, placeholder="", column_config=_columns(metric), key=f"compare_table_{notion.name}")
        for each in (each for each in lines if each.refused):
            st.caption(f":material/block: {METHOD_TITLES[each.line.method]} does not apply: {plain(redact(each.refused))}")
    if job.found and job.finished:
        _downloads(_ordered(runs))


def _columns(metric: str) -> dict[str, Any]:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    others = {
        title: number(title, format="%.3f", help=f"{find_metric(name).help} Choose it above to see its spread.")
        for name, title in METRICS.items()
        if name != metric
    }
    score = st.column_config.ProgressColumn(METRICS[metric], min_value=0, max_value=1, format="%.3f", help=find_metric(metric).help)
    return others | {
        "Method": text("Method", pinned=True, help=help_list(METHOD_TITLES, METHODS_HELP)),
        "Dimensions": number("Dim.", format="%d", help="Dimensions: how many numbers describe each image."),
        METRICS[metric]: score,
        "±": number("±", format="%.3f", help=f"Standard deviation of {METRICS[metric]} over the runs; empty with a single run."),
        "Against raw": number("Against raw", format="%+.3f", help=f"{METRICS[metric]} minus that of the raw encoder."),
        "Paper": text("Paper", help=f"{METRICS[metric]} in the InDiReCT paper, on its own images with CLIP ViT-B/32."),
        "Fit": text("Fit", help="Time to learn the projection from the prompts, averaged over the runs."),
        "Runs": text("Runs", help="Finished runs of all runs; methods without randomness have one."),
    }


def _legend(request: Request) -> str:
    legend = f" Paper: what the authors report for their images with CLIP ViT-B/32, in {PAPER_DIM} dimensions."
    return legend if PAPER_DIM in request.dims else f"{legend} Add {PAPER_DIM} under Dimensions to compare with it."


@st.cache_resource(max_entries=64, show_spinner=False)
def _results(stamp: str, _request: Request, _runs: pd.DataFrame) -> dict[str, list[LineResult]]:
    return results(_request.lines(), _runs)


def _ordered(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs notion by notion and method by method, as the table has them."""
    notions = list(dict.fromkeys(runs["notion"]))
    return runs.sort_values(["notion", "method"], key=lambda names: names.map([*notions, *METHODS].index), kind="stable", ignore_index=True)


def _metric() -> str:
    chosen = st.segmented_control(
        "Metric",
        list(METRICS),
        default="map_at_r",
        required=True,
        format_func=METRICS.__getitem__,
        key="compare_metric",
        bind="query-params",
        label_visibility="collapsed",
    )
    return chosen or "map_at_r"


def _paper(request: Request) -> Printed | None:
    """The paper's figures, where it has some for these notions and they are wanted."""
    if not {notion for notion, _, _ in _published()} & {notion.name for notion in request.notions}:
        return None
    wanted = st.toggle(
        "Show the paper's figures",
        key="compare_paper",
        bind="query-params",
        help="Adds a column with what the InDiReCT paper (Kobs et al., WACV 2023) reports for its own images and CLIP ViT-B/32. "
        "Compare the order of the methods; the values are comparable only with the paper's images and encoder.",
    )
    return _published() if wanted else None


@st.cache_resource(show_spinner=False)
def _published() -> Printed:
    """The rows of `likeness.studies.published` by what they are about, without what the paper does not report."""
    rows = published().dropna(subset=["mean"]).itertuples()
    return {(row.notion, row.method, row.metric): (row.mean, row.std) for row in rows}


def _about(notion: Notion, left_out: int) -> str:
    without = f"; {left_out:,} images have no label and are left out" if left_out else ""
    return f"{len(notion.prompts)} prompts, judged by {readable(notion.attribute or '').lower()}{without}."


def _downloads(runs: pd.DataFrame) -> None:
    files = {
        "CSV": ("comparison.csv", "text/csv", lambda: runs.to_csv(index=False), "Every run, a row each."),
        "Markdown": ("comparison.md", "text/markdown", lambda: as_markdown(paper_table(runs, bold=True)), "The table in the paper's form."),
        "LaTeX": ("comparison.tex", "text/x-tex", lambda: as_latex(paper_table(runs, bold=True)), "The table in the paper's form."),
    }
    with st.container(horizontal=True):
        for title, (name, kind, content, help) in files.items():
            st.download_button(
                f"Download {title}", content, name, kind, icon=":material/download:", on_click="ignore", key=f"compare_download_{title}", help=help
            )
