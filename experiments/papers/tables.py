"""Tables and figures of trained networks: language guidance, log-ratio and ooDML."""

from collections.abc import Sequence

import pandas as pd

from experiments.captioning import (
    CaptioningConfig,
    Cells,
    captioning_cells,
    captioning_runs,
    captioning_table,
    compare_features,
    read_captioning_config,
    with_captioning_changes,
)
from experiments.papers.session import Found, Session, has_value
from experiments.papers.shift_splits import OODML, build_splits, feature_changes
from experiments.papers.studies import trained
from experiments.published import beside_guidance, published_guidance, published_shifts
from experiments.study_tables import continuous_table, guidance_table
from likeness.commands.inputs import embedded
from likeness.commands.splits import sides_at_start
from likeness.commands.terminal import progress_bar
from likeness.data import read_dataset
from likeness.evaluation import (
    correlation_intervals,
    few_shot_gains,
    generalization_scores,
    most_changed,
    scaled_structure,
    semantics,
    semantics_table,
    structure_correlations,
)
from likeness.language import class_similarities
from likeness.shifts import read_splits, reference_distances
from likeness.studies import classes_of, convergence, convergence_table, shift_table, table_of
from likeness.training import RunFolder, backbone_features, read_config, with_changes

# The papers' names of each dataset.
GUIDANCE = {"cub200": "CUB200", "cars196": "CARS196", "online-products": "SOP"}
_SHIFTS = {"cub200": "CUB", "cars196": "CARS", "online-products": "SOP"}
PAIR = ("Multisimilarity", "Multisimilarity +ELG")
_CAPTION_AWARE = "L(Log-ratio)+M(Dense)"


def guided_table(shipped: str, tables: Sequence[str], without: str, which: str, dataset: str, session: Session) -> Found:
    """A table of language guidance on a dataset, in percent beside the paper's `tables` (`published_guidance`), and what guidance gains, as shares,
    over the row `without`; of the "last" or the "best" weights. InputError: as `trained`.
    """
    _, runs, remarks = trained(session, shipped, dataset, which)
    metrics = [name for name in ("recall_at_1", "nmi", "map_at_1000") if name in runs]
    found = {f"Beside {name.replace('_', ' ')}": beside_guidance(table_of(runs), name, [GUIDANCE[dataset]], metrics) for name in tables}
    return Found(runs, found | ({"Gained": guidance_table(runs, without)} if without else {}), remarks)


def agreement_table(session: Session) -> Found:
    """Section 4.5 and Figure 3 on the unseen birds: divergences (nats) of the spaces from CLIP's similarities of names, means over the seeds, and the
    classes whose confusions change most. InputError: as `trained` and `semantics`.
    """
    wanted, _, remarks = trained(session, "language-table-s1", "cub200", rows=PAIR)
    table = read_dataset(session.source("cub200"))  # the classes that no run has seen
    found, examples = [], pd.DataFrame()
    for seed in dict.fromkeys(cell.seed for cell in wanted):
        bases = {cell.row: embedded(table, f"run:{cell.folder}") for cell in wanted if cell.seed == seed}
        classes = classes_of(next(iter(bases.values())).table, ["bird_species"], None, 2)
        language = class_similarities(classes.names, [f"clip:{session.encoder}"])
        spaces = {row: semantics(base.vectors[classes.rows], classes.labels, language, classes.names) for row, base in bases.items()}
        found.append(semantics_table(spaces).assign(seed=seed))
        examples = examples if len(examples) else most_changed(spaces[PAIR[0]].retrieval, spaces[PAIR[1]].retrieval, 10)
    runs = pd.concat(found, ignore_index=True)
    means = runs.drop(columns="seed").groupby("space", sort=False).mean().round(3).reset_index()
    theirs = published_guidance("section_4.5")[["method", "mean", "std"]]
    return Found(runs, {"Section 4.5": means, "The paper's divergences": theirs, "Figure 3: classes that change most, first seed": examples}, remarks)


def curves_table(dataset: str, session: Session) -> Found:
    """Figure S1: R@1, a share, by epoch with and without guidance. InputError: as `trained` and `convergence`."""
    wanted, _, remarks = trained(session, "language-table-s1", dataset, rows=PAIR)
    runs = convergence([RunFolder(cell.folder) for cell in wanted])
    return Found(runs, {"R@1 by epoch": convergence_table(runs).round(3)}, remarks)


def labels_table(shipped: str, dataset: str, session: Session) -> Found:
    """Figures of the log-ratio paper: label distances (pixels, 1 - mIoU, word mover's) and nDCG. InputError: as `trained`."""
    _, runs, remarks = trained(session, shipped, dataset)
    return Found(runs, {"Label distances": continuous_table(runs)}, remarks)


def captions_table(session: Session) -> Found:
    """Table 1 of the log-ratio paper: scores of captioning models on ImageNet's features and on those of the log-ratio runs, both decoders.

    InputError: as `trained` and `compare_features`.
    """
    cells_of_runs, _, remarks = trained(session, "log-ratio-coco", "coco-captions", rows=[_CAPTION_AWARE])
    seeds = [cell.seed for cell in cells_of_runs]
    aware = str(cells_of_runs[0].folder).removesuffix(str(seeds[0])) + "{seed}"
    own = {key: value for key, value in session.changes.items() if has_value(CaptioningConfig, key)}
    config = with_captioning_changes(read_captioning_config("coco-captions"), {"data.source": session.source("coco-captions")} | own)
    wanted: Cells = {}
    for kind, sizes in (("topdown", {}), ("att2all2", {"decoder.hidden": 512, "decoder.embedding": 512})):
        chosen = with_captioning_changes(config, sizes | own)
        wanted |= captioning_cells(chosen, ["imagenet", f"caption-aware=run:{aware}"], [kind], session.out / "runs" / "captioning", seeds)
    with progress_bar("Captioning") as progress:
        reports = compare_features(wanted, progress)
    return Found(captioning_runs(reports), {"Scores of captions": captioning_table(reports).round(3)}, remarks)


def distances_table(dataset: str, session: Session) -> Found:
    """Table 1 of ooDML: Frechet distances of a dataset's usual split and of references, beside the paper's. InputError: as `backbone_features`."""
    config = with_changes(read_config(OODML[dataset]), feature_changes(session, dataset))
    table, classes, features = backbone_features(config)
    train, test = sides_at_start("official", config.data.source, config.data.attribute, classes, 0)
    runs = reference_distances(features, classes.labels, train, test, len(session.runs))
    theirs = published_shifts()
    return Found(runs.assign(images=len(table)), {"Here": runs.round(4), "The paper": theirs[theirs["dataset"] == _SHIFTS[dataset]]})


def steps_table(dataset: str, session: Session) -> Found:
    """Figure 1 of ooDML: the Frechet distance after each step, as many classes removed at random, and of Cars196 the published splits.

    InputError: as `build_splits`.
    """
    file = session.out / "runs" / f"{OODML[dataset]}-steps.json"
    if not file.is_file():
        build_splits(session, dataset, file, every=True)
    runs = pd.DataFrame(
        [{"split": each.name, "distance": each.distance, "train": len(each.train), "test": len(each.test)} for each in read_splits(file)]
    )
    paper = read_splits("cars196-oodml") if dataset == "cars196" else ()
    theirs = pd.DataFrame([{"split": each.name, "distance": round(each.distance, 2)} for each in paper])
    return Found(runs, {"Steps": runs.round(4)} | ({"Published splits": theirs} if len(theirs) else {}))


def shifts_table(dataset: str, session: Session) -> Found:
    """`shifted_table` of the dataset's main study."""
    return shifted_table(OODML[dataset], dataset, session)


def shifted_table(shipped: str, dataset: str, session: Session) -> Found:
    """A study on splits of growing distance, "{}" standing for the dataset: R@1 of the best weights, aggregated scores, correlations with structure
    and what few shots gain, all as shares. InputError: as `trained`.
    """
    _, runs, remarks = trained(session, shipped.format(dataset), dataset, "best")
    tables = {"R@1 by split": shift_table(runs)}
    if len(scores := generalization_scores(runs)):
        tables["Aggregated scores"] = scores.round(4)
    if len(structure := structure_correlations(scaled := scaled_structure(runs))):
        tables["Structure and R@1"] = structure.pivot(index="property", columns="split", values="correlation").round(3).reset_index()
        tables["Over all splits, 95 % intervals over methods"] = correlation_intervals(scaled).round(3)
    if len(gains := few_shot_gains(runs)):
        tables["Gained by few shots"] = gains.round(4)
    return Found(runs, tables, remarks)
