"""The experiments by name: one line here lists each, and one help shows them all."""

import sys
from collections.abc import Callable

import typer

from experiments import analyses, efficientnet_lite, precision_check, saliency_check, shipping
from experiments.captioning import command as captioning
from experiments.clip import command as clip
from experiments.papers import command as papers
from experiments.photos import command as photos
from experiments.public_benchmarks import command as public_benchmarks
from experiments.renders import command as renders
from likeness.commands.listed_help import ListedHelp
from likeness.commands.terminal import answered, print_any_text

Experiments = dict[str, Callable[..., None]]
# An experiment, or several below one name, by the name of the module that is run; a function's docstring is its help.
EXPERIMENTS: dict[str, Callable[..., None] | Experiments] = {
    "renders": renders.main,
    "clip": {"train": clip.train, "zero-shot": clip.zero_shot},
    "photos": photos.main,
    "efficientnet_lite": efficientnet_lite.main,
    "shipping": shipping.main,
    "captioning": {"train": captioning.train, "caption": captioning.caption},
    "papers": papers.main,
    "public_benchmarks": public_benchmarks.main,
    "saliency_check": saliency_check.main,
    "precision_check": precision_check.main,
    "analyses": {name: module.main for name, module in analyses.ANALYSES.items()},
}


def command_line() -> typer.Typer:
    """All experiments as one command line."""
    cli = _group("Renders, recipes of shipped models, benchmarks, and analyses of Likeness's own features.", "python -m experiments")
    for name, experiment in EXPERIMENTS.items():
        if not isinstance(experiment, dict):
            cli.command(name, cls=ListedHelp)(experiment)
            continue
        group = _group(f"{', '.join(experiment)}.")
        for own, each in experiment.items():
            group.command(own, cls=ListedHelp)(each)
        cli.add_typer(group, name=name)
    return cli


def _group(help: str, name: str | None = None) -> typer.Typer:
    return typer.Typer(name=name, help=help, no_args_is_help=True, rich_markup_mode="markdown", pretty_exceptions_enable=False, add_completion=False)


def run(*place: str) -> None:
    """Entry point of `python -m experiments` and, with its name, of an experiment below it."""
    print_any_text()
    with answered():
        command_line()([*place, *sys.argv[1:]], prog_name="python -m experiments")
