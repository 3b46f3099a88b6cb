"""Whether language guidance helps on unseen families of classes, and by the meaning of the names."""

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import torch
import typer
from numpy.typing import NDArray

from likeness.commands.inputs import source_table
from likeness.commands.options import Format, Source, output_folder
from likeness.commands.terminal import print_table, write_csv
from likeness.data import image_classes
from likeness.errors import InputError
from likeness.language import readable_names
from likeness.shifts import ClassSplit, SplitFile, write_splits
from likeness.training import RunConfig, config_from, with_changes
from likeness.training.data.outputs import backbone_features
from likeness.training.loop.train import train

# Fixed before the runs, by the arm without guidance on classes held out for tuning: see experiments/results/language-guidance.md
RATE, EPOCHS = 0.0001, 2
OMEGAS = (0.5, 1.0, 2.5, 5.0, 10.0)
DIVISIONS, SEEDS = 10, 5
TUNING_DIVISIONS = 3
SMALLEST = 0.01  # gain in R@1 that matters
NONE, MEANS, IMAGES = "none", "class means", "image features"
ARMS: dict[str, dict[str, Any]] = {
    NONE: {},
    "names": {},
    "pseudolabels": {"kind": "plg", "k": 5},
    "flat": {"control": "flat"},
    "shuffled": {"control": "shuffled"},
    "taxonomy": {},
    MEANS: {"primer": "{}"},
    IMAGES: {"text": "captions"},
}
_TASK = ("stage", "division", "seed", "arm", "omega")
COLUMNS = ("images", *_TASK, "recall_at_1", "map_at_1000", "seconds", "precision")
_DRAWS = 10_000


@dataclass(frozen=True)
class Material:
    """Images of classes, the family of each class, and what the positive controls know of them.

    Attributes:
        source, attribute: of the images, and the attribute that is the class.
        families: family of each class: what is divided, and the taxonomy.
        stronger: weights of `tf_efficientnet_lite2`, whose features, as means of classes or of each image, are the other positive controls.
    """

    source: str
    attribute: str
    families: dict[str, str]
    stronger: Path


class StrongerFeatures:
    """Centered features (d,) of a stronger network as vectors of texts: of an image for its path, their mean for the name of a class."""

    def __init__(self, material: Material, config: RunConfig) -> None:
        network = {"name": "tf_efficientnet_lite2", "weights": str(material.stronger), "dim": None, "train_from": None}
        changes = {f"backbone.{key}": value for key, value in network.items()}
        table, classes, features = backbone_features(with_changes(config, changes | {"data.image_size": 260}))
        centered = features - features.mean(axis=0)
        means = [centered[classes.labels == number].mean(axis=0) for number in range(len(classes.names))]
        self.paths = [str(path) for path in table.frame["path"]]
        self.vectors = dict(zip([*readable_names(classes.names), *self.paths], [*means, *centered], strict=True))

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.vectors[text] for text in texts])


def divide(families: dict[str, str], division: int) -> ClassSplit:
    """A random half of the classes to train, the others to test, and a quarter of the first for tuning, no family on two sides."""
    rng = np.random.default_rng([division, 21])
    order = rng.permutation(sorted(set(families.values()))).tolist()
    members = {family: sorted(name for name, own in families.items() if own == family) for family in order}
    train = take_families(order, members, len(families) // 2)
    tuning = take_families(train, members, len(families) // 8)
    names = [[name for family in chosen for name in members[family]] for chosen in (train, [each for each in order if each not in train], tuning)]
    return ClassSplit(name=f"division {division}", step=division, distance=0.0, train=tuple(names[0]), test=tuple(names[1]), tuning=tuple(names[2]))


def take_families(families: list[str], members: dict[str, list[str]], classes: int) -> list[str]:
    """The first families that have at least so many classes together."""
    total = np.cumsum([len(members[family]) for family in families])
    return families[: int(np.searchsorted(total, classes)) + 1]


def base_config(material: Material, splits: Path) -> RunConfig:
    """MobileNetV2 at its own size, its last block and the embedding layer trained, for all arms alike."""
    return config_from(
        {
            "data": {
                "source": material.source,
                "attribute": material.attribute,
                "image_size": 224,
                "subset": 6000,
                "split": "file",
                "splits": str(splits),
                "shift": "division 0",
            },
            "backbone": {"name": "photos", "dim": None, "train_from": "blocks.6"},
            "objective": {"name": "multisimilarity"},
            "batch": {"size": 56, "per_class": 4},
            "optimizer": {"rate": RATE, "weight_decay": 0.0003},
            "epochs": EPOCHS,
            "evaluate_every": EPOCHS,
            "checkpoint_every": 100000,
            "device": "cpu",
        }
    )


def planned(stage: str, chosen: dict[str, float]) -> Iterator[tuple[str, int, int, str, float]]:
    """Stage, division, seed, arm and omega of each run: those that choose omega, or those that judge it."""
    if stage == "tuning":
        for division in range(TUNING_DIVISIONS):
            yield stage, division, 0, NONE, 0.0
            yield from ((stage, division, 0, arm, omega) for omega in OMEGAS for arm in ARMS if arm != NONE)
        return
    for arms in ([arm for arm in ARMS if arm != IMAGES], [IMAGES]):  # what was added last runs last
        for seed in range(SEEDS):
            for division in range(DIVISIONS):
                yield from ((stage, division, seed, arm, chosen.get(arm, 0.0)) for arm in arms)


def chosen_omegas(runs: pd.DataFrame) -> dict[str, float]:
    """The omega of each guided arm with the best mean R@1 on the classes held out for tuning, the smaller of two equals."""
    return {str(arm): float(omega) for arm, omega in _held_out(runs).idxmax(axis=1).items()}


def _held_out(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean R@1 on the classes held out for tuning, a row per guided arm and a column per omega."""
    tuning = runs[(runs["stage"] == "tuning") & (runs["arm"] != NONE)]
    return tuning.groupby(["arm", "omega"])["recall_at_1"].mean().unstack()


def omega_choices(runs: pd.DataFrame) -> pd.DataFrame:
    """How much the choice of omega matters on the held-out classes, which in part judge other divisions.

    Returns:
        A row per set of images and arm: the chosen omega, those that each tuned division alone would choose, mean R@1 on the held-out classes by
        omega, and how much of it the worst of these other choices loses.
    """
    lines = []
    for images, own in runs[runs["stage"] == "tuning"].groupby("images", sort=False):
        means, chosen = _held_out(own), chosen_omegas(own)
        alone = [chosen_omegas(part) for _, part in own.groupby("division")]
        for arm in [arm for arm in ARMS if arm in chosen]:
            others, by_omega = [each[arm] for each in alone], means.loc[arm].to_dict()
            line = {"images": images, "arm": arm, "omega": f"{chosen[arm]:g}", "one division alone": ", ".join(f"{omega:g}" for omega in others)}
            lost = by_omega[chosen[arm]] - min(by_omega[omega] for omega in others)
            lines.append(line | {f"{omega:g}": by_omega[omega] for omega in OMEGAS} | {"lost": lost})
    return pd.DataFrame(lines)


def run_all(name: str, material: Material, out: Path) -> pd.DataFrame:
    """Trains what is still missing in the CSV file of runs; a run is added when it has ended."""
    with tempfile.TemporaryDirectory() as place:
        splits, taxonomy, captions = (Path(place) / name for name in ("divisions.json", "taxonomy.json", "captions.csv"))
        parents = [f"family of {family}" for family in material.families.values()]  # some are called as their only class
        taxonomy.write_text(json.dumps(dict(zip(readable_names(list(material.families)), parents, strict=True))))
        divisions = tuple(divide(material.families, division) for division in range(DIVISIONS))
        write_splits(splits, SplitFile(dataset=name, attribute=material.attribute, splits=divisions))
        base, stronger = base_config(material, splits), None
        for stage in ("tuning", "test"):
            known = read_runs(out)
            own = known[known["images"] == name]
            done = set(own[list(_TASK)].itertuples(index=False, name=None))
            for task in planned(stage, chosen_omegas(own) if stage == "test" else {}):
                if task in done:
                    continue
                _, division, seed, arm, omega = task
                changes: dict[str, Any] = {"seed": seed, "data.shift": f"division {division}", "data.tuning": stage == "tuning"}
                changes["precision"] = precision_of(read_runs(out), name, task)
                if arm != NONE:
                    language = {"language": [f"hierarchy:{taxonomy}"]} if arm == "taxonomy" else {}
                    changes["guidance"] = ARMS[arm] | language | {"omega": omega}
                if arm in (MEANS, IMAGES) and stronger is None:
                    stronger = StrongerFeatures(material, base)
                    write_csv(captions, pd.DataFrame({"path": stronger.paths, "caption": stronger.paths}))
                if arm == IMAGES:
                    changes["guidance"]["captions"] = str(captions)
                run = train(with_changes(base, changes), Path(place) / "run", language=stronger if arm in (MEANS, IMAGES) else None)
                figures = run.report() or {}
                shutil.rmtree(run.path)
                line = {key: figures["last"][key] for key in ("recall_at_1", "map_at_1000")}
                line |= {"seconds": figures["seconds"], "precision": changes["precision"]}
                _append(out, {"images": name, **dict(zip(_TASK, task, strict=True)), **line})
        return read_runs(out)


def precision_of(runs: pd.DataFrame, images: str, task: tuple[str, int, int, str, float]) -> str:
    """What the arms of this division and seed that ran before computed in, whatever the processor; else bfloat16 if it has instructions for that."""
    stage, division, seed, _, _ = task
    alike = runs[(runs["images"] == images) & (runs["stage"] == stage) & (runs["division"] == division) & (runs["seed"] == seed)]
    if len(alike):
        return str(alike["precision"].iloc[0])
    return "bf16-mixed" if torch.cpu._is_avx512_bf16_supported() else "32"


def read_runs(file: Path) -> pd.DataFrame:
    return pd.read_csv(file, dtype={"precision": str}) if file.is_file() else pd.DataFrame(columns=COLUMNS)


def _append(file: Path, line: dict[str, Any]) -> None:
    rounded = {name: round(value, 5) if isinstance(value := line[name], float) else value for name in COLUMNS}
    write_csv(file, pd.DataFrame([*read_runs(file).to_dict("records"), rounded], columns=COLUMNS))


def gains(runs: pd.DataFrame, figure: str = "recall_at_1") -> pd.DataFrame:
    """What each arm gains over training without guidance, and over the flat and the shuffled target, with 95 % intervals.

    A hierarchical bootstrap: divisions are drawn with replacement, and in each the seeds; arms of one division and seed are compared with each other,
    as they see the same batches. Seeds that some divisions lack yet in one of both arms are left out.

    Returns:
        A row per set of images, arm and what it is compared with: gain, low, high, divisions, and verdict: "gains", "loses", "makes no difference"
        (the interval lies within `SMALLEST`), or "open".
    """
    lines = []
    for images, own in runs[runs["stage"] == "test"].groupby("images", sort=False):
        table = own.pivot(index=["division", "seed"], columns="arm", values=figure).reindex(columns=list(ARMS))
        for arm in ARMS:
            for other in (NONE, "flat", "shuffled"):
                if arm in (NONE, other) or (other != NONE and arm in ("flat", "shuffled")):
                    continue
                gained = (table[arm] - table[other]).dropna()
                seeds = gained.groupby("seed").size()
                gained = gained[gained.index.get_level_values("seed").isin(seeds.index[seeds == seeds.max()])]  # those that all divisions have
                if len(gained):
                    low, high = _interval(gained)
                    by_division = gained.groupby("division").mean()
                    line = {"images": images, "arm": arm, "over": other, "gain": float(by_division.mean()), "low": low, "high": high}
                    lines.append(line | {"divisions": len(by_division), "runs": len(gained), "verdict": _verdict(low, high)})
    return pd.DataFrame(lines, columns=["images", "arm", "over", "gain", "low", "high", "divisions", "runs", "verdict"])


def _interval(differences: "pd.Series[float]") -> tuple[float, float]:
    values, rng = differences.unstack("seed").to_numpy(), np.random.default_rng(0)
    count, seeds = values.shape
    divisions, drawn = rng.integers(count, size=(_DRAWS, count, 1)), rng.integers(seeds, size=(_DRAWS, count, seeds))
    means = values[divisions, drawn].mean(axis=(1, 2))
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def _verdict(low: float, high: float) -> str:
    if low > 0 or high < 0:
        return "gains" if low > 0 else "loses"
    return "makes no difference" if max(-low, high) < SMALLEST else "open"


def families_of(source: str, attribute: str, families: str) -> dict[str, str]:
    """The family of each class: by another attribute, or by a JSON file of families and their classes. InputError: a class without family."""
    table = source_table(source)
    names = image_classes(table, attribute).names
    if families in table.attributes:
        found = dict(zip(table.frame[attribute].astype(str), table.frame[families].astype(str), strict=True))
    else:
        content = json.loads(Path(families).read_text(encoding="utf-8"))
        found = {str(name): str(family) for family, own in content.items() for name in own}
    lacking = [name for name in names if name not in found]
    if lacking:
        raise InputError(f"The class '{lacking[0]}' has no family in '{families}'.")
    return {name: found[name] for name in names}


def main(
    source: Source,
    families: Annotated[str, typer.Option(help="The attribute that is a class's family, or a JSON file of families and their classes.")],
    stronger: Annotated[Path, typer.Option(help="Weights of tf_efficientnet_lite2, by `python -m experiments.efficientnet_lite`.")],
    attribute: Annotated[str, typer.Option("--attribute", "-a", help="The attribute that is the class.")] = "class",
    name: Annotated[str, typer.Option(help="What the images are called in the file of runs.")] = "photos",
    out: Annotated[
        Path, typer.Option("--out", "-o", callback=output_folder, help="Folder of `guidance-meaning.csv`, a row per run; goes on from it.")
    ] = Path(),
    format: Format = "table",
) -> None:
    """Does language guidance help on unseen families of classes, and by the meaning of the names? Hours; a stopped one goes on.

    Examples: `python -m experiments.analyses meaning cub200/all:data/cub100 -a bird_species --families bird_family --stronger lite2.safetensors`
    """
    material = Material(source, attribute, families_of(source, attribute, families), stronger)
    print_table(gains(run_all(name, material, out / "guidance-meaning.csv")).round(4), format)
