"""Figures 4 and 7 of the log-ratio paper on photos, which do not ship, as lists: what a typical and a rare query retrieve, by file and distance of
labels; label distances of rare queries; and what people say of Figure 8's photos. Writes photo-retrieval.csv and rare-queries.csv of
experiments/results.

python -m experiments.figures.photo_retrieval RUNS --poses JOINTS --captions FOLDER    # joints.csv of Leeds Sports Pose, Flickr8k

RUNS has the folders lsp-pose-whole and flickr-captions of `likeness study`; runs that they lack are trained, minutes each. With one of the options,
the figures of the other stay.
"""

import argparse
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.results import FOLDER, read_results
from likeness.commands.terminal import write_csv
from likeness.data import ImageTable, read_captions, read_dataset
from likeness.embedding import embed
from likeness.evaluation import retrieve
from likeness.labels.captions import words_of
from likeness.studies import Cell, cells, read_study
from likeness.studies.study import run_study
from likeness.training import RunFolder, RunImages, run_images

PICTURED = ("Raw encoder", "L(Triplet)+M(Binary)", "L(Log-ratio)+M(Dense)")
# The place of a query among all, by how near the Oracle's images are.
QUERIES = {"typical": 0.5, "rare": 0.9}
RARE = 0.1  # share of the queries that count as rare
SCORE = "mean_label_distance_at_10"
SHOWN = 26  # every so many of the photos with sentences
_AGREED = 2  # captions of an image that have a word


def by_rarity(images: RunImages, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places of a run's queries by the mean label distance of the k nearest images of the gallery, nearest first; and these images (q, k)."""
    assert images.distances is not None
    apart = images.distances.between(images.queries, images.gallery)
    apart = np.where(images.queries[:, None] == images.gallery, np.inf, apart)
    ideal = np.argsort(apart, axis=1, kind="stable")[:, :k]
    return np.argsort(np.take_along_axis(apart, ideal, axis=1).mean(axis=1), kind="stable"), images.gallery[ideal]


def shared_words(captions: Sequence[Sequence[str]], *rows: int) -> str:
    """Words that stand in two captions of each of these images, or in the one that it has."""
    agreed = []
    for row in rows:
        counts = Counter(word for sentence in captions[row] for word in set(words_of(sentence)))
        agreed.append({word for word, count in counts.items() if count >= min(_AGREED, len(captions[row]))})
    return " ".join(sorted(set.intersection(*agreed)))


def retrieved(runs: Sequence[Cell], k: int = 5) -> pd.DataFrame:
    """What the runs of the first seed and the Oracle retrieve for each of `QUERIES`: columns query, method, rank, path, label_distance, words.

    Rank 0 is the query itself. With captions, `words` are those that it shares with the image, and its own at rank 0.
    """
    images = run_images(runs[0].config.data, runs[0].seed)
    assert images.distances is not None
    kind = runs[0].config.data.labels
    captions = read_captions(images.table) if kind is not None and kind.kind == "captions" else None
    order, ideal = by_rarity(images, k)
    places = {name: int(order[int(share * len(order))]) for name, share in QUERIES.items()}
    tests, table = np.union1d(images.queries, images.gallery), images.table
    some = ImageTable(table.name, table.root, table.frame.iloc[tests])
    own = {cell.row: cell for cell in runs if cell.seed == runs[0].seed and cell.row in PICTURED}
    vectors = {row: embed(some, f"run:{own[row].folder}").vectors for row in PICTURED if row in own}
    lines = []
    for name, place in places.items():
        query = int(images.queries[place])
        others = images.gallery[images.gallery != query]
        asked, searched = np.searchsorted(tests, [query]), np.searchsorted(tests, others)
        answers = {row: others[retrieve(found[asked], found[searched], k)[0]] for row, found in vectors.items()} | {"Oracle": ideal[place]}
        for method, rows in {"Query": np.array([query]), **answers}.items():
            apart = images.distances.between(np.array([query]), rows)[0]
            for rank, (row, distance) in enumerate(zip(rows, apart, strict=True), start=int(method != "Query")):
                words = shared_words(captions, query, int(row)) if captions else ""
                path = str(table.frame["path"].iloc[row])
                lines.append({"query": name, "method": method, "rank": rank, "path": path, "label_distance": distance * (rank > 0), "words": words})
    return pd.DataFrame(lines)


def rare_queries(runs: Sequence[Cell]) -> pd.DataFrame:
    """By row, seed and group of queries, all and the rarest tenth, the mean label distance of the ten nearest, and `chance`, that of all images;
    `step` is 0 without training.
    """
    images = run_images(runs[0].config.data, runs[0].seed)
    assert images.distances is not None
    order, _ = by_rarity(images, 10)
    groups = {"all": images.queries, "rarest tenth": images.queries[order[-max(1, round(RARE * len(order))) :]]}
    chance = {name: float(images.distances.between(rows, images.gallery).mean()) for name, rows in groups.items()}
    lines = []
    for cell in runs:
        figures = pd.read_parquet(RunFolder(cell.folder).path / "queries.parquet").set_index("row")[f"last {SCORE}"]
        place = {"row": cell.row, "seed": cell.seed, "step": int(cell.config.epochs > 0)}
        lines += [place | {"queries": name, SCORE: float(figures.reindex(rows).mean()), "chance": chance[name]} for name, rows in groups.items()]
    return pd.DataFrame(lines)


def described(source: str) -> pd.DataFrame:
    """Of the photos whose sentences notebook 04 shows, what people say: words of two captions; columns as of `retrieved`."""
    table = read_dataset(source)
    captions, paths = read_captions(table), list(table.frame["path"].astype(str))
    shown = read_results("captioning-sentences")["path"].unique()[::SHOWN]
    lines = [{"query": "", "method": "People", "rank": 0, "path": path, "label_distance": 0.0} for path in shown]
    return pd.DataFrame(lines).assign(words=[shared_words(captions, paths.index(path)) for path in shown])


def study_runs(name: str, folder: Path, source: str, rows: Collection[str], seeds: int) -> list[Cell]:
    """Finished runs of these rows of a shipped study, by so many of its seeds; what the folder lacks is trained."""
    study = read_study(name)
    found = cells(study.model_copy(update={"seeds": study.seeds[:seeds]}), folder / name, {"data.source": source}, rows)
    run_study(found)
    return found


def _save(name: str, found: pd.DataFrame, study: str) -> None:
    """Writes the file with these figures of a study in place of its former ones."""
    file = FOLDER / f"{name}.csv"
    kept = read_results(name).query("study != @study") if file.is_file() else pd.DataFrame()
    every = pd.concat([kept, found.assign(study=study)], ignore_index=True)
    write_csv(file, every[["study", *every.columns.drop("study")]].round(4))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--poses", help="joints.csv of Leeds Sports Pose")
    parser.add_argument("--captions", help="the folder of Flickr8k")
    given = parser.parse_args()
    if not (given.poses or given.captions):
        parser.error("pass --poses, --captions, or both")
    if given.poses:
        study = read_study("lsp-pose-whole")
        rows = [*PICTURED, "L(Triplet)+M(Dense), δ = 0.5", "L(Log-ratio)+M(Dense), labels shuffled"]
        runs = study_runs("lsp-pose-whole", given.runs, given.poses, rows, len(study.seeds))
        _save("photo-retrieval", retrieved(runs), "lsp-pose-whole")
        _save("rare-queries", rare_queries(runs), "lsp-pose-whole")
    if given.captions:
        source = f"flickr:{given.captions}"
        _save("photo-retrieval", described(source), "sentences")
        _save("photo-retrieval", retrieved(study_runs("flickr-captions", given.runs, source, PICTURED, 1)), "flickr-captions")


if __name__ == "__main__":
    main()
