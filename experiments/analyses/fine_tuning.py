"""Does fine-tuning make retrieval worse where it did not train, and do mixed weights (WiSE-FT) mend that?"""

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from experiments.analyses.meaning import families_of, take_families
from likeness.commands.options import Format, Source, output_folder
from likeness.commands.terminal import print_table, write_csv
from likeness.shifts import ClassSplit, SplitFile, write_splits
from likeness.training import RunConfig, config_from, mix_run, query_table, train, with_changes

RAW = "pretrained"
ARMS: dict[str, dict[str, Any]] = {
    "embedding layer": {"backbone.head_only": True},
    "last block": {"backbone.train_from": "blocks.6"},
    "LoRA": {"backbone.lora": {"rank": 8}},
    "all layers": {},
}
RATES = {"embedding layer": (0.0001, 0.001), "last block": (0.00003, 0.0001), "LoRA": (0.0001, 0.001), "all layers": (0.00003, 0.0001)}
DIVISIONS, SEEDS, EPOCHS, IMAGES = 2, 3, 3, 2000
TUNING_DIVISION = 9  # rates are chosen on classes that a division of its own holds out
ALPHAS = (0.0, 0.25, 0.5, 0.75, 1.0)
_TASK = ("stage", "division", "seed", "arm", "rate")
COLUMNS = ("images", *_TASK, "alpha", "near", "far", "mixed near", "mixed far", "raw near", "raw far", "held out", "seconds", "mixing seconds")


def divide(families: dict[str, str], division: int) -> tuple[ClassSplit, set[str]]:
    """A split, and its near classes: of random families with half of the classes, some classes train, some choose the weights, and some are tested
    ("near"), as are all other families ("far").
    """
    rng = np.random.default_rng([division, 22])
    order = rng.permutation(sorted(set(families.values()))).tolist()
    members = {family: sorted(name for name, own in families.items() if own == family) for family in order}
    trained = take_families(order, members, len(families) // 2)
    train, tuning, near = list[str](), list[str](), list[str]()
    for family in trained:
        own = rng.permutation(members[family]).tolist()
        each = max(len(own) // 4, int(len(own) > 1))
        near += own[:each]
        tuning += own[each : each + each * (len(own) > 2)]
        train += own[each + each * (len(own) > 2) :]
    far = [name for family in order if family not in trained for name in members[family]]
    name, trained_and_tuning = f"division {division}", tuple(train + tuning)
    split = ClassSplit(name=name, step=division, distance=0.0, train=trained_and_tuning, test=tuple(near + far), tuning=tuple(tuning))
    return split, set(near)


def base_config(source: str, attribute: str, splits: Path) -> RunConfig:
    """MobileNetV2 at its own size, with the raw features as its embedding before training, for all arms alike."""
    data = {"source": source, "attribute": attribute, "image_size": 224, "subset": IMAGES}
    return config_from(
        {
            "data": data | {"split": "file", "splits": str(splits), "shift": f"division {TUNING_DIVISION}", "tuning": "validation"},
            "backbone": {"name": "photos", "dim": None},
            "objective": {"name": "multisimilarity"},
            "batch": {"size": 56, "per_class": 4},
            "optimizer": {"weight_decay": 0.0003},
            "epochs": EPOCHS,
            "evaluate_every": EPOCHS,
            "checkpoint_every": 100000,
            "device": "cpu",
        }
    )


def planned(stage: str, rates: dict[str, float]) -> Iterator[tuple[str, int, int, str, float]]:
    """Stage, division, seed, arm and rate of each run: those that choose rates, or those that judge."""
    if stage == "tuning":
        yield from ((stage, TUNING_DIVISION, 0, arm, rate) for arm in ARMS for rate in RATES[arm])
        return
    for seed in range(SEEDS):
        for division in range(DIVISIONS):
            yield from ((stage, division, seed, arm, rates[arm]) for arm in ARMS)


def chosen_rates(runs: pd.DataFrame) -> dict[str, float]:
    """The rate of each arm with the best mean R@1 of the images held out for tuning; the smaller of equals."""
    means = runs[runs["stage"] == "tuning"].groupby(["arm", "rate"])["held out"].mean().unstack()
    return {str(arm): float(rate) for arm, rate in means.idxmax(axis=1).items()}


def run_all(name: str, source: str, attribute: str, families: dict[str, str], out: Path) -> pd.DataFrame:
    """Trains what is still missing in the CSV file of runs; a run is added when it has ended."""
    with tempfile.TemporaryDirectory() as place:
        splits = Path(place) / "divisions.json"
        divisions = {number: divide(families, number) for number in (*range(DIVISIONS), TUNING_DIVISION)}
        write_splits(splits, SplitFile(dataset=name, attribute=attribute, splits=tuple(split for split, _ in divisions.values())))
        base = base_config(source, attribute, splits)
        for stage in ("tuning", "test"):
            known = read_runs(out)
            done = set(known.loc[known["images"] == name, list(_TASK)].itertuples(index=False, name=None))
            for task in planned(stage, chosen_rates(known[known["images"] == name]) if stage == "test" else {}):
                if task not in done:
                    _, division, seed, arm, rate = task
                    changes = {"seed": seed, "data.shift": f"division {division}", "optimizer.rate": rate, **ARMS[arm]}
                    if stage == "tuning":
                        changes["data.tuning"] = True
                    line = _figures(with_changes(base, changes), divisions[division][1], Path(place))
                    rows = [*read_runs(out).to_dict("records"), {"images": name, **dict(zip(_TASK, task, strict=True)), **line}]
                    write_csv(out, pd.DataFrame(rows, columns=COLUMNS))
        return read_runs(out)


def _figures(config: RunConfig, near: set[str], place: Path) -> dict[str, float]:
    run = train(config, place / "run")
    report = run.report() or {}
    line = {"seconds": report["seconds"]}
    if config.data.tuning is True:
        line["held out"] = report["last"]["recall_at_1"]
    else:
        began = time.perf_counter()
        mixed = mix_run(run, place / "mixed", ALPHAS)
        line |= {"mixing seconds": time.perf_counter() - began, "alpha": float(mixed.loc[mixed["kept"], "alpha"].iloc[0])}
        line["held out"] = report["best"]["validation_recall_at_1"]
        line |= _sides(query_table(run), near, {"untrained": "raw ", "best": ""})
        line |= _sides(query_table(type(run)(place / "mixed")), near, {"best": "mixed "})
        shutil.rmtree(place / "mixed")
    shutil.rmtree(run.path)
    return {name: round(value, 5) for name, value in line.items()}


def _sides(table: pd.DataFrame, near: set[str], columns: dict[str, str]) -> dict[str, float]:
    """Mean R@1 of the queries of near and of far classes, each among all test images."""
    is_near = table["class"].isin(near)
    sides = (("near", table[is_near]), ("far", table[~is_near]))
    return {f"{prefix}{side}": float(np.average(own[column], weights=own["queries"])) for column, prefix in columns.items() for side, own in sides}


def read_runs(file: Path) -> pd.DataFrame:
    return pd.read_csv(file) if file.is_file() else pd.DataFrame(columns=COLUMNS)


def fine_tuning_table(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per set of images and arm: R@1 of near and far classes before and after training and of the mixture, mean and, in brackets, the smallest
    and largest gain over the pretrained network of all divisions and seeds; alphas; minutes of a run.
    """
    lines: list[dict[str, object]] = []
    for images, own in runs[runs["stage"] == "test"].groupby("images", sort=False):
        raw = own.drop_duplicates("division")
        lines.append({"images": images, "trained": RAW, "near": _mean(raw["raw near"]), "far": _mean(raw["raw far"]), "runs": "", "minutes": ""})
        for arm in (arm for arm in ARMS if (own["arm"] == arm).any()):
            found = own[own["arm"] == arm]
            alphas = ", ".join(f"{alpha:g}" for alpha in sorted(found["alpha"].unique()))
            for title, prefix, seconds in ((arm, "", found["seconds"]), (f"{arm}, mixed", "mixed ", found["seconds"] + found["mixing seconds"])):
                line: dict[str, object] = {"images": images, "trained": title, "alpha": alphas if prefix else "", "runs": str(len(found))}
                line |= {side: _gain(found[f"{prefix}{side}"], found[f"raw {side}"]) for side in ("near", "far")}
                lines.append(line | {"minutes": f"{seconds.mean() / 60:.1f}"})
    return pd.DataFrame(lines, columns=["images", "trained", "near", "far", "alpha", "runs", "minutes"]).fillna("")


def _mean(values: "pd.Series[float]") -> str:
    return f"{values.mean():.3f}".removeprefix("0")


def _gain(values: "pd.Series[float]", raw: "pd.Series[float]") -> str:
    gains = values - raw
    return f"{_mean(values)} ({gains.min():+.3f} to {gains.max():+.3f})"


def main(
    source: Source,
    families: Annotated[str, typer.Option(help="The attribute that is a class's family, or a JSON file of families and their classes.")],
    attribute: Annotated[str, typer.Option("--attribute", "-a", help="The attribute that is the class.")] = "class",
    name: Annotated[str, typer.Option(help="What the images are called in the file of runs.")] = "photos",
    out: Annotated[
        Path, typer.Option("--out", "-o", callback=output_folder, help="Folder of `fine-tuning.csv`, a row per run; goes on from it.")
    ] = Path(),
    format: Format = "table",
) -> None:
    """What fine-tuning gains on classes of trained families and loses on others, by what is trained, with and without mixed weights. An hour.

    Examples: `python -m experiments.analyses fine-tuning cub200/all:data/cub100 -a bird_species --families bird_family --name birds`
    """
    found = run_all(name, source, attribute, families_of(source, attribute, families), out / "fine-tuning.csv")
    print_table(fine_tuning_table(found), format)
