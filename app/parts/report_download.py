"""A shareable report on a notion or a run, created in the background and offered as a file."""

from collections.abc import Callable, Hashable

import streamlit as st

from likeness.errors import InputError
from likeness.notions import Notion
from likeness.reports import Report, ReportOptions, notion_report, report_html, run_report, slices_report
from likeness.slices import Slices
from likeness.training import RunFolder
from parts.config_access import dataset_of, resolve_config
from parts.drafts import Draft
from parts.on_request import WorkRequest, job_button
from parts.plain import prose
from parts.view import View
from server.access import redact, resolve_encoder, store_dir
from server.jobs import Job
from server.visitors import visitor

_KEPT = 6  # files of some megabytes
_HELP = "One HTML file with figures, pictures and both maps, which anyone can open offline, without this app. At most 3,000 images are shown."


def offer_notion(view: View, draft: Draft, layout: str) -> None:
    """A report on the notion in the form, with maps of this layout."""
    notion, base = draft.notion, view.base
    color = view.color if view.color in base.table.attributes else None
    said = (notion.name, notion.question, notion.attribute, tuple(notion.content), notion.dim)
    key = (view.entry.id, base.key, tuple(base.table.attributes), *said, draft.solver, draft.seed, color, layout)

    def make(options: ReportOptions) -> Report:
        return notion_report(base, notion, options, method=draft.solver)

    _offer("notion", key, notion.name, _file_name(notion), make, color=color, seed=draft.seed, layout=layout)


def offer_run(run: RunFolder) -> None:
    """A report on a run with weights, on its test images."""
    try:
        config = resolve_config(run.config())
    except InputError as error:  # images that this visitor may not read
        st.caption(f"The report cannot be created. {prose(redact(error))}")
        return
    entry = dataset_of(run.config().data.source)
    encoder, place = (resolve_encoder(entry.encoder), store_dir(entry)) if entry else (None, None)

    def make(options: ReportOptions) -> Report:
        return run_report(run, options, config=config, encoder=encoder, store_dir=place)

    _offer("run", (run.name, run.metrics_stamp(), visitor(), entry.id if entry else None), run.name, run.path.name, make)


def offer_slices(view: View, found: Slices, key: Hashable, columns: tuple[str, str | None, str | None]) -> None:
    """A report on the slices of a model's errors in these columns."""
    _offer("slices", key, columns[0], "errors", lambda options: slices_report(view.base, found, *columns, options))


def _offer(kind: str, key: Hashable, name: str, file: str, make: Callable[[ReportOptions], Report], **options: object) -> None:
    def work(job: Job) -> bytes:
        def tell(done: int, total: int, stage: str = "") -> None:
            job.report_stage(done, total, stage or "Embedding")

        return report_html(make(ReportOptions(progress=tell, **options)))  # type: ignore[arg-type]

    request = WorkRequest("report", (kind, key), f"Report of {name}", work, {"max_finished": _KEPT})
    looks = {"icon": ":material/ios_share:", "help": _HELP}
    job = job_button("Make a report to share", f"report_{kind}", request, stopped="The report was stopped.", **looks)
    if job is not None:
        st.download_button(
            f"Download the report ({len(job.result) / 1e6:.1f} MB)",
            job.result,
            f"{file}-report.html",
            "text/html",
            icon=":material/download:",
            on_click="ignore",
            key=f"download_report_{kind}",
            help=_HELP,
        )


def _file_name(notion: Notion) -> str:
    try:
        return notion.slug
    except InputError:  # the name has no characters that every system allows
        return "notion"
