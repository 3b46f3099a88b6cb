"""Runs the tasks that can be run, and lists them all."""

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer
import yaml

from experiments.captioning import CaptioningConfig
from experiments.papers.session import CLIP, Session, Task, has_value
from experiments.papers.tasks import HERE, TASKS, tasks_of
from likeness.commands.options import Changes, Format, output_folder
from likeness.commands.terminal import print_table, write_csv
from likeness.commands.train import changed
from likeness.data import named_dataset
from likeness.encoders import embed_texts, open_clip_saved, parse_name
from likeness.errors import InputError
from likeness.io import open_atomic, runs_dir, write_atomic, yaml_content
from likeness.studies import as_markdown
from likeness.training import RunConfig

_CLIP_PAPERS = ("indirect", "language-guidance")
FILES = {"glove.txt": "GloVe's vectors of words as text, published at https://nlp.stanford.edu/projects/glove/"}


def listed(tasks: Sequence[Task], data: Path, out: Path) -> pd.DataFrame:
    """A row per heading and task: paper, heading, task, what it needs, and whether it is finished, can run, or lacks something in the folder."""
    lines = [
        {
            "paper": task.paper,
            "heading": heading,
            "task": task.name,
            "needs": ", ".join((*task.datasets, *task.files)),
            "state": _state(task, data, out),
        }
        for task in tasks
        for heading in task.headings
    ]
    papers = {task.paper for task in tasks if len(tasks) == len(TASKS)}
    lines += [
        {"paper": paper, "heading": heading, "needs": "nothing", "state": command} for (paper, heading), command in HERE.items() if paper in papers
    ]
    return pd.DataFrame(lines).fillna("").sort_values("paper", kind="stable")


def _state(task: Task, data: Path, out: Path) -> str:
    if _is_finished(task, out):
        return "finished"
    if (out / f"{task.name}.md").is_file():
        return "finished in part"
    lacking = task.lacking(data)
    return f"lacks {', '.join(lacking)}" if lacking else "can run"


def _is_finished(task: Task, out: Path) -> bool:
    """Whether its page is there with all rows: what was left out or failed is tried again, and finished runs are not."""
    page = out / f"{task.name}.md"
    return page.is_file() and not re.search(r"^(Left out|Failed): ", page.read_text(encoding="utf-8"), re.MULTILINE)


def run_task(task: Task, session: Session) -> None:
    """Measures a task; writes a row per run to NAME.csv, then the tables, beside the paper's, to NAME.md. InputError: as what it calls, or runs that
    failed, after what the others gave is written.
    """
    found = task.measure(session)
    write_csv(session.out / f"{task.name}.csv", found.runs)
    lines = [f"# {task.paper}: {', '.join(task.headings)} ({', '.join(task.datasets)})", f"CLIP: {session.encoder}. Every run: {task.name}.csv."]
    lines += [*found.remarks, *(f"## {title}\n\n{as_markdown(_without_gaps(table)).rstrip()}" for title, table in found.tables.items() if len(table))]
    write_atomic(session.out / f"{task.name}.md", ("\n\n".join(lines) + "\n").encode())
    if failed := [remark for remark in found.remarks if remark.startswith("Failed: ")]:
        raise InputError(failed[0].removeprefix("Failed: "))


def _without_gaps(table: pd.DataFrame) -> pd.DataFrame:
    return table.astype(object).where(table.notna(), "")


def clip_name(encoder: str, out: Path) -> str:
    """The name of an encoder, or of that of a weight file: with open_clip's configuration beside it its folder, else a copy as the paper's ViT-B/32.

    InputError: an unknown name, or a file that is not there or not of safetensors.
    """
    file = Path(encoder).expanduser()
    if file.suffix not in (".safetensors", ".pt", ".pth", ".bin"):
        parse_name(encoder)
        return encoder
    if not file.is_file() or file.suffix != ".safetensors":
        reason = "is no .safetensors file" if file.is_file() else "is not there"
        raise InputError(
            f"The weight file '{encoder}' {reason}; pass a .safetensors file of ViT-B/32, or local-dir:FOLDER of a CLIP saved by open_clip."
        )
    if (file.parent / "open_clip_config.json").is_file():
        return f"local-dir:{file.parent.resolve()}"
    folder = out / "clip"
    if not (folder / "open_clip_config.json").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        config, _ = open_clip_saved(parse_name(CLIP))
        with file.open("rb") as weights, open_atomic(folder / "open_clip_model.safetensors") as copy:
            shutil.copyfileobj(weights, copy)
        write_atomic(folder / "open_clip_config.json", json.dumps(config).encode())
    return f"local-dir:{folder.resolve()}"


def _same_settings(session: Session) -> None:
    """Results of one folder have one encoder, number of runs and changes. InputError: those that are there have others."""
    file, own = session.out / "settings.yaml", {"encoder": session.encoder, "seeds": session.seeds, "changes": session.changes}
    if file.is_file() and (before := yaml_content(file)) != own:
        differing = next(key for key in own if before.get(key) != own[key])
        raise InputError(f"'{session.out}' has results with {differing} {before.get(differing)}, not {own[differing]}; pass another folder by --out.")
    write_atomic(file, yaml.safe_dump(own, sort_keys=False).encode())


def main(
    data: Annotated[Path, typer.Argument(help="Folder with a subfolder for each dataset, by its name: cub200/, cars196/, coco-captions/ ...")] = Path(
        "data"
    ),
    encoder: Annotated[
        str, typer.Option("--encoder", "-e", help="CLIP by a name that `likeness` knows, or a .safetensors file of its weights.")
    ] = CLIP,
    out: Annotated[Path | None, typer.Option("--out", "-o", callback=output_folder, help="Folder of the results. Default: runs/papers.")] = None,
    only: Annotated[list[str] | None, typer.Option("--only", help="A paper or a task of --list; may be repeated.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Runs of what is random. Default: the papers'.")] = None,
    change: Changes = None,
    list_only: Annotated[bool, typer.Option("--list", help="Print tables and figures, what each needs, and whether it can run.")] = False,
    format: Format = "table",
) -> None:
    """Run the tables and figures of the four papers on their own data, as far as the datasets are there. A second call resumes.

    Each task writes NAME.md, our figures beside the paper's, and NAME.csv, a row per run. Most train networks and need a GPU and days.

    Examples: `python -m experiments.papers data --list`, `python -m experiments.papers data --only oodml --seeds 1`
    """
    chosen, place = tasks_of(only or ()), out or runs_dir() / "papers"
    if list_only:
        print_table(listed(chosen, data, place), format)
        return
    if not data.is_dir():
        raise InputError(f"There is no folder '{data}'; pass one with a subfolder for each dataset, such as cub200/.")
    waiting = [task for task in chosen if not _is_finished(task, place)]
    ready = [task for task in waiting if not task.lacking(data)]
    session = Session(data.resolve(), place.resolve(), clip_name(encoder, place), seeds, _checked(changed(change)))
    if ready:
        _same_settings(session)
        if any(task.paper in _CLIP_PAPERS for task in ready):
            embed_texts(session.encoder, ["a photo of a bird"])  # refuses weights that cannot be loaded before days of other work
    failed = _run_all(ready, session)
    _tell_lacking([task for task in waiting if task not in ready], data)
    typer.echo(f"{len(chosen) - len(waiting) + len(ready) - len(failed)} of {len(chosen)} tasks are finished; results are in {place}")
    if failed:
        raise typer.Exit(1)


def _checked(changes: dict[str, Any]) -> dict[str, Any]:
    if unknown := [key for key in changes if key in ("name", "seed") or not (has_value(RunConfig, key) or has_value(CaptioningConfig, key))]:
        raise InputError(f"'{unknown[0]}' cannot be set: no study has it, or it sets it itself; pass keys of a config, such as epochs=1.")
    return changes


def _run_all(tasks: Sequence[Task], session: Session) -> list[Task]:
    """Runs tasks one after the other; those that failed, with the reason on stderr."""
    failed = []
    for number, task in enumerate(tasks, start=1):
        typer.echo(f"{number} of {len(tasks)}: {task.name}")
        try:
            run_task(task, session)
        except InputError as error:
            failed.append(task)
            typer.secho(f"{task.name} failed: {error}", fg="red", err=True)
    return failed


def _tell_lacking(tasks: Sequence[Task], data: Path) -> None:
    """Says which tasks lack what, and where it is published."""
    for task in tasks:
        typer.echo(f"skipped {task.name}: {', '.join(task.lacking(data))} is not in {data}", err=True)
    for name in dict.fromkeys(name for task in tasks for name in task.lacking(data)):
        layout = named_dataset(name).layout if name not in FILES else None
        typer.echo(f"{name}: {layout.name}, published at {layout.page}" if layout else f"{name}: {FILES[name]}", err=True)
