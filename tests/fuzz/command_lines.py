"""Command lines drawn from a seed, from what the commands themselves declare: a new command or option is tried without a line here."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

# Sound values by the name of an option, so that many lines get past the first check; for any other the pools of its type are enough.
_SOUND: dict[str, tuple[str, ...]] = {
    "source": ("photos", "photos", "photos/table.csv", "table.parquet", "photos", "cars"),
    "config": ("run.yaml", "study.yaml", "captioning.yaml", "shipped-cars-elg", "cars-captions"),
    "notion": ("car-color", "notion.yaml"),
    "notions": ("car-color", "notion.yaml", "all"),
    "encoder": ("cars-small",),
    "encoders": ("cars-small",),
    "methods": ("raw", "exact", "raw,pca,exact"),
    "method": ("exact",),
    "metric": ("map_at_r", "recall_at_1"),
    "metrics": ("map_at_r", "all"),
    "sizes": ("2,4",),
    "dims": ("2", "2,suggested"),
    "dim": ("2", "4", "suggested"),
    "counts": ("2,3",),
    "seeds": ("1",),
    "samples": ("1",),
    "n": ("1", "2"),
    "rows": ("0", "0,1"),
    "row": ("0", "1"),
    "text": ("a red car",),
    "image": ("photos/warm/0.png",),
    "file": ("splits.json", "m.npy"),
    "splits": ("splits.json",),
    "pickle": ("splits.pkl",),
    "format": ("table", "markdown", "csv", "latex"),
    "out": ("new.csv", "new.json", "new.npy", "new.parquet", "new.png", "new", "runs/one"),
    "plot": ("new.html",),
    "save": ("new.csv",),
    "folder": ("new", "runs", "runs/one", "clip"),
    "attribute": ("class",),
    "kind": ("numbers", "datasets", "objectives"),
    "columns": ("yaw",),
    "language": ("minilm", "clip:cars"),
    "what": ("synthetic-cars", "synthetic-rooms"),
    "change": ("epochs=0", "seed=1", "data.source=photos", "backbone.name=test_resnet", "backbone.weights=none"),
    "k": ("1", "2"),
    "features": ("imagenet", "run:runs/one", "raw=run:runs/one"),
    "model": ("topdown", "runs/one"),
    "images": ("photos", "photos/warm/0.png"),
    "settings": ("serving.yaml",),
    "target": ("csv", "parquet", "coco", "links", "yolo", "faiss", "lancedb", "notion", "fiftyone"),
    "place": ("new", "new.csv", "new.json", "new.parquet"),
    "label": ("class",),
    "predicted": ("class", "yaw"),
    "actual": ("class",),
    "link": ("symlink", "hard", "copy"),
    "where": ("class=warm",),
    "root": ("photos",),
    "between": ("class", "photos"),
    "to": ("raw", "@cars-small", "car-color@cars-small", "notion.yaml"),
    "from_": ("raw", "@cars-small"),
    "old": ("photos", "photos/table.csv"),
    "new": ("photos", "table.parquet"),
    "score": ("map", "recall_at_1"),
    "map": ("pca",),
    "by": ("class",),
    "threshold": ("0.9", "suggested"),
    "address": ("127.0.0.1",),
    "port": ("8599",),
    "run": ("runs/one",),
    "layout": ("pca",),
    "color": ("class",),
    "megabytes": ("1",),
}
_TEXTS = (
    *("", " ", ",", ",,", "=", "a=b", ".", "..", "-", "~", "~nobody", "nan", "inf", "-inf", "NaN", "null", "true", "0", "-1", "1", "2,", "1.5"),
    *("1e400", "9" * 30, "9" * 5000, "x" * 5000, "x" * 300, "²", "٣", "0x10", "1_000", "\udcff", "é\u202e\u2028", "a\nb", "%s", "{0}", "{}", "["),
    *("[]", "*", "car-color", "car-color,", "cars", "cars@3", "synthetic-poses@0", "cars196:photos", "nope:photos", "run:", "run:runs/one"),
    *("run:photos", "local-dir:photos", "timm:nope", "timm:test_resnet", "ViT-B-32/openai", "s3://", "file:///etc/passwd", "memory://x", "http://["),
    *("://", "clip:", "seed=", "=1", "seed=2020-13-45", "seed=-1", "seed=1e400", "seed=.nan", "seed=&a [*a]", "seed={", "a.b.c.d=1", "data=1", ".=1"),
    *("epochs=-1", "epochs=99999999999999999999", "device=cuda", "device=nope", "device=tpu", "backbone.options={nope: 1}"),
    *("backbone.options={in_chans: x}", "backbone.options={mean: 3}", "backbone.name=nope", "backbone.name=clip:nope", "backbone.weights=photos"),
    *("backbone.dim=99999999", "batch.size=0", "batch.size=7", "batch.size=99999999999", "data.image_size=nan", "data.source=photos"),
    *("data.attribute=nope", "data.train_classes=0.999", "objective.name=nope", "objective.options={margin: .inf}", "optimizer.rate=.inf"),
    *("optimizer.rate=1e300", "guidance=null", "name=../../x"),
)
_NUMBERS = (
    *("-1", "0", "1", "2", "3", "1.5", "nan", "inf", "-inf", "1e3", "1e400", "", " ", "x", "²", "٣", "0x10", "1_000", "9" * 12, "9" * 30, "9" * 5000),
)
_PLACES = (
    *("photos", "photos/table.csv", "table.parquet", "empty", "empty.csv", "latin.csv", "folder.csv", "folder.png", "folder.yaml", "folder.html"),
    *("pipe", "pipe.csv", "pipe.yaml", "pipe.npy", "pipe.png", "pipe.pkl", "loop", "loop.yaml", "missing", "missing.yaml", "missing.csv"),
    *("missing.npy", "/", "/dev", "bomb.yaml", "deep.yaml", "date.yaml", "notion.yaml", "run.yaml", "study.yaml", "captioning.yaml", "serving.yaml"),
    *("splits.json", "splits.pkl", "code.pkl", "m.npy", "objects.npy", "list.pt", "code.pt", "runs", "runs/one", "table.csv/x", "table.csv/x.csv"),
    *("/proc/x", "/proc/x.csv", "full", "full.csv", "null.html", "null.npy", "x" * 300, "x" * 5000, "new", "new.csv", "new.html", "new.json"),
    *("new.npy", "new.parquet", "new.png", "a/b/c.csv", "\udcff.csv"),
)
# What would reach beyond this process and its folder, or start others: several processes, clusters, machines.
_LEFT_OUT = {"devices": ("0", "-1", "x", ""), "nodes": ("0", "-1", "x", ""), "workers": _NUMBERS, "engine": ("local", "ivf", "nope", "")}


def commands() -> dict[tuple[str, ...], Any]:
    """Every command that the help names, by the words that call it."""
    from likeness.commands.cli import command_line

    return dict(_leaves(typer.main.get_command(command_line()), ()))


def _leaves(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not hasattr(command, "commands"):
        yield words, command
        return
    for name, each in command.commands.items():
        if not each.hidden:
            yield from _leaves(each, (*words, name))


def command_line(words: tuple[str, ...], command: Any, draw: random.Random) -> list[str]:
    """The arguments of one call: what is required, some of the rest, and now and then too much, too little or an unknown one."""
    arguments: list[str] = []
    sound = draw.choice((0.5, 0.8, 0.95))
    for parameter in command.params:
        if parameter.name == "help" or not (parameter.required or draw.random() < _share(parameter)):
            continue
        if parameter.required and draw.random() < 0.03:
            continue
        for _ in range(draw.choice((1, 1, 2)) if parameter.multiple else 1):
            arguments += _given(parameter, sound, draw)
    if draw.random() < 0.03:
        arguments.append(draw.choice(("--nope", "--help", "--", "more", *_TEXTS)))
    return [*words, *(text.replace("\0", "") for text in arguments)]


def _share(parameter: Any) -> float:
    return 0.8 if parameter.param_type_name == "argument" else 0.25


def _given(parameter: Any, sound: float, draw: random.Random) -> list[str]:
    if getattr(parameter, "is_flag", False):
        return [draw.choice([*parameter.opts, *parameter.secondary_opts])]
    value = _value(parameter, sound, draw)
    return [value] if parameter.param_type_name == "argument" else [draw.choice(parameter.opts), value]


def _value(parameter: Any, sound: float, draw: random.Random) -> str:
    name = parameter.name
    if name in _LEFT_OUT:
        return draw.choice(_LEFT_OUT[name])
    if name in _SOUND and draw.random() < sound:
        return draw.choice(_SOUND[name])
    kind = parameter.type_descriptor.annotation
    if kind in (int, float):
        return draw.choice(_NUMBERS)
    if kind is Path:
        return draw.choice(_PLACES)
    return draw.choice(draw.choice((_TEXTS, _PLACES, _NUMBERS)))
