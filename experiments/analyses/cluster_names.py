"""Whether the names of clusters describe their images, evaluated by held-out labels."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from experiments.analyses.name_match import MATCHES, name_match, too_general
from experiments.analyses.run_table import run_table
from likeness.clusters import LOOKED_AT, ClusterName, Clusters, TextShares, WordChoice, cluster, names_from_shares, noun_choice, own_choice
from likeness.commands.inputs import embedded, source_table, space_named
from likeness.commands.options import EncoderName, Format, NotionName, Only, OutputFile, Source
from likeness.commands.terminal import measured, print_table
from likeness.data import has_label
from likeness.defaults import DATASET
from likeness.errors import InputError
from likeness.progress import Progress
from likeness.studies import OnRun, mean_text

if TYPE_CHECKING:
    from likeness.data import ImageTable
    from likeness.space import Space


_BLOCK = 512
_DIM = 10  # of the random projection, as of UMAP's points

Labels = Mapping[str, NDArray[np.object_]]
Names = Sequence[ClusterName]


def cluster_names(
    base: "Space", labels: Labels, seeds: Sequence[int] = range(5), *, progress: Progress | None = None, on_run: OnRun | None = None
) -> pd.DataFrame:
    """Agreement of clusters with labels, and the share of clusters whose name fits the class that most of their images have.

    Clusters: "HDBSCAN" (`likeness.clusters.cluster`), "k-means" with as many clusters at each depth, and the control "random projection", HDBSCAN on
    ten random directions instead of UMAP's ten. Names of the first: "words" (`name_clusters`), "nearest word" to the mean of a cluster's images,
    "class list", as "words" with the labels themselves as vocabulary; controls "words, shuffled", names shuffled among the clusters of a depth, and
    "words, labels shuffled", the images' labels shuffled. The other clusters have "words".

    Args:
        base: images in their encoder's space, which reads text.
        labels: of the images (n,), by the name of what they say; values such as "maple_tree".
        seeds: of UMAP, k-means, the projection and the shuffles.

    Returns:
        A row for each seed, kind of clusters and names, label and depth. Columns seed, label, depth, clusters_of, names_of, clusters (how many), core
        (the share of images that did not only follow a neighbor), ami (adjusted mutual information), purity (the mean share of the majority class),
        named (the share that has a name) and the shares of all clusters whose name fits as `name_match` says: exact, synonym, kind, hypernym, and
        fits, the sum; three: where one of three words fits. What stands above most classes does not fit (`too_general`).

    Raises:
        InputError: no labels, labels of other images, or the space reads no text.
    """
    if not labels or any(len(values) != len(base) for values in labels.values()):
        raise InputError(f"Pass labels for each of the {len(base)} images.")
    shares = _KeptShares(base, noun_choice(base))
    lists = {name: TextShares(base, _class_list(values)) for name, values in labels.items()}
    return run_table(seeds, lambda seed: _rows(base, labels, shares, lists, seed), progress, on_run)


def label_columns(base: "Space", names: Sequence[str], groups: Mapping[str, Sequence[str]] | None = None) -> dict[str, NDArray[np.object_]]:
    """Attributes as labels, and a label "group" if groups of the first one's values are given.

    Raises:
        InputError: no such attribute, an image without a label, or a value in no group.
    """
    found = {}
    for name in names:
        if name not in base.table.attributes:
            raise InputError(f"There is no attribute '{name}'; there are {', '.join(base.table.attributes) or 'none'}.")
        if not has_label(base.table.frame[name]).all():
            raise InputError(f"Some images have no '{name}'; exclude them with --only.")
        found[name] = base.table.frame[name].astype(str).to_numpy(dtype=object)
    if groups is not None:
        group_of = {str(value): group for group, values in groups.items() for value in values}
        unknown = sorted(set(found[names[0]]) - set(group_of))
        if unknown:
            raise InputError(f"'{unknown[0]}' is in no group; add it to the file of groups.")
        found["group"] = np.array([group_of[value] for value in found[names[0]]], dtype=object)
    return found


def cluster_names_table(runs: pd.DataFrame) -> pd.DataFrame:
    """A row for each kind of clusters and names, label and depth, averaged over seeds."""
    by = [*(["images"] if "images" in runs else []), "label", "depth", "clusters_of", "names_of"]
    return runs.groupby(by, sort=False).mean(numeric_only=True).drop(columns="seed").reset_index()


class _KeptShares(TextShares):
    """Shares for word lists, computed once for all seeds if they fit in some hundred megabytes, else each time."""

    def __init__(self, space: "Space", choice: WordChoice) -> None:
        super().__init__(space, choice)
        parts = np.array_split(np.arange(len(space)), len(space) // _BLOCK + 1) if len(space) <= LOOKED_AT else []
        self.kept = np.vstack([super(_KeptShares, self).of(part) for part in parts]) if parts else None

    def of(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """`TextShares.of`, cached."""
        return super().of(rows) if self.kept is None else self.kept[rows]


def _class_list(values: NDArray[np.object_]) -> WordChoice:
    return own_choice([str(value).replace("_", " ") for value in dict.fromkeys(values)])


def _rows(base: "Space", labels: Labels, shares: "_KeptShares", lists: Mapping[str, TextShares], seed: int) -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    found = cluster(base, seed=seed)
    names = names_from_shares(shares, found).depths
    nearest = [_nearest(shares, found, depth) for depth in range(found.depths)]
    listed = {label: names_from_shares(own, found).depths for label, own in lists.items()}
    projected = cluster(np.asarray(base.vectors @ rng.normal(size=(base.vectors.shape[1], _DIM)), np.float32), seed=seed)
    random_names = names_from_shares(shares, projected).depths
    for depth in range(found.depths):
        means = _kmeans(base, len(found.parents[depth]), seed)
        means_names = names_from_shares(shares, means).depths[0]
        order = rng.permutation(len(names[depth]))
        dealt = rng.permutation(len(base))
        for label, values in labels.items():
            general = _general(values)
            of = {"seed": seed, "label": label, "depth": depth}
            yield of | _judged("HDBSCAN", "words", found, depth, names[depth], values, general)
            yield of | _judged("HDBSCAN", "nearest word", found, depth, nearest[depth], values, general)
            yield of | _judged("HDBSCAN", "class list", found, depth, listed[label][depth], values, general)
            yield of | _judged("HDBSCAN", "words, shuffled", found, depth, [names[depth][place] for place in order], values, general)
            yield of | _judged("HDBSCAN", "words, labels shuffled", found, depth, names[depth], values[dealt], general)
            yield of | _judged("k-means", "words", means, 0, means_names, values, general)
            if depth < projected.depths:
                yield of | _judged("random projection", "words", projected, depth, random_names[depth], values, general)


def _general(values: NDArray[np.object_]) -> Any:
    """Whether a name is too general for these labels, cached."""
    from functools import cache

    classes = list(dict.fromkeys(map(str, values)))
    return cache(lambda name: too_general(name, classes))


def _nearest(shares: "_KeptShares", clusters: Clusters, depth: int) -> list[ClusterName]:
    numbers = clusters.labels[:, depth]
    centers = np.stack([np.asarray(shares.vectors[numbers == number]).mean(axis=0) for number in range(numbers.max() + 1)])
    best = np.argsort(-(centers @ shares.words.T), axis=1, kind="stable")[:, :3]
    return [ClusterName(shares.choice.words[row[0]], 1.0, tuple(shares.choice.words[place] for place in row)) for row in best]


def _kmeans(base: "Space", count: int, seed: int) -> Clusters:
    from sklearn.cluster import KMeans

    found = KMeans(count, n_init=1, random_state=seed).fit(base.vectors).labels_
    numbers = np.unique(found, return_inverse=True)[1].astype(np.int64)
    return Clusters(numbers[:, None], np.ones((len(base), 1), bool), (np.full(numbers.max() + 1, -1, np.int64),))


def _judged(
    clusters_of: str, names_of: str, clusters: Clusters, depth: int, names: Names, values: NDArray[np.object_], general: Any
) -> dict[str, Any]:
    from likeness.evaluation import clustering_metrics

    numbers = clusters.labels[:, depth]
    found, three, purity = [], [], []
    for number, each in enumerate(names):
        (majority, most), *_ = Counter(values[numbers == number]).most_common(1)
        purity.append(most / int((numbers == number).sum()))
        fits = [_fit(word, str(majority), general) for word in each.words]
        found.append(_fit(each.name, str(majority), general))
        three.append(bool(each.name) and any(fits))
    own = {match: float(np.mean([fit == match for fit in found])) for match in MATCHES}
    return {
        "clusters_of": clusters_of,
        "names_of": names_of,
        "clusters": len(names),
        "core": float(clusters.core[:, depth].mean()),
        "ami": clustering_metrics(None, values, numbers)["ami"],
        "purity": float(np.mean(purity)),
        "named": float(np.mean([bool(each.name) for each in names])),
        **own,
        "fits": sum(own.values()),
        "three": float(np.mean(three)),
    }


def _fit(name: str, label: str, general: Any) -> str:
    match = name_match(name, label)
    return "" if match == "hypernym" and general(name) else match


_OTHERS = ("nearest word", "words, shuffled", "words, labels shuffled", "class list")


def clusters_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per images, label and depth: how many clusters, and adjusted mutual information of each kind, mean ± deviation over seeds."""
    words = runs[runs["names_of"] == "words"]
    dealt = runs[runs["names_of"] == "words, labels shuffled"].assign(clusters_of="labels shuffled")
    found = _texts(pd.concat([words, dealt]), "clusters_of", "ami")
    sizes = words[words["clusters_of"] == "HDBSCAN"].groupby(["images", "label", "depth"], sort=False, observed=True)[["clusters", "core"]].mean()
    table = sizes.assign(clusters=sizes["clusters"].map("{:.0f}".format), core=sizes["core"].map("{:.2f}".format)).join(found)
    return table.rename(columns={"core": "in dense regions"}).fillna("–").reset_index()


def names_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per images, label and depth: the share of clusters whose name fits, by kind of fit; for other names and clusters only the sum."""
    keys = ["images", "label", "depth"]
    own = runs[(runs["clusters_of"] == "HDBSCAN") & (runs["names_of"] == "words")]
    grouped = own.groupby(keys, sort=False, observed=True)
    table = grouped[["named", *MATCHES]].mean().map("{:.2f}".format)
    for column in ("fits", "three"):
        table[column] = grouped[column].agg(mean_text)
    others = runs[(runs["clusters_of"] == "HDBSCAN") & runs["names_of"].isin(_OTHERS)]
    means = runs[(runs["clusters_of"] == "k-means") & (runs["names_of"] == "words")].assign(names_of="k-means, words")
    found = _texts(pd.concat([others, means]), "names_of", "fits")[[*_OTHERS, "k-means, words"]]
    return table.join(found).rename(columns={"three": "one of three words"}).fillna("–").reset_index()


def _texts(runs: pd.DataFrame, by: str, value: str) -> pd.DataFrame:
    keys = ["images", "label", "depth"]
    found = runs.groupby([*keys, by], sort=False, observed=True)[value].agg(mean_text).unstack(by)
    return found[list(dict.fromkeys(runs[by]))].rename_axis(columns=None)


def main(
    source: Source = DATASET,
    labels: Annotated[str | None, typer.Option(help="Attributes to evaluate by, separated by commas; by default those of the notions.")] = None,
    groups: Annotated[
        Path | None, typer.Option(help='JSON file of groups of the first label\'s values, {"fish": ["ray", "shark"]}; also used for evaluation.')
    ] = None,
    notion: NotionName = None,
    seeds: Annotated[int, typer.Option(min=1, help="Repetitions with other seeds.")] = 5,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Do the names of clusters describe them? Share of clusters whose name fits the class of most of their images.

    By WordNet, a name fits if it contains the class (`exact`), is a synonym (`synonym`), a kind of it (`kind`), or a more general term at most four
    steps up (`hypernym`). Compared with shuffled names, the nearest word, and the class list as vocabulary; clusters are compared with k-means and a
    random projection.

    Examples: `python -m experiments.analyses cluster-names --labels car_color`,
    `python -m experiments.analyses cluster-names cub200/all:FOLDER --labels bird_family`
    """
    grouped = _groups(groups)
    table = source_table(source, only)
    chosen = _chosen(table, labels)
    base = space_named(embedded(table, encoder), notion)
    judging = label_columns(base, chosen, grouped)
    runs = measured("Clusters", out, lambda **watch: cluster_names(base, judging, range(seeds), **watch))
    print_table(cluster_names_table(runs).round(3), format)


def _chosen(table: "ImageTable", labels: str | None) -> list[str]:
    from likeness.studies import judged_notions

    if labels is not None:
        return [name.strip() for name in labels.split(",")]
    found = list(dict.fromkeys(notion.attribute for notion in judged_notions(table, every=True) if notion.attribute))
    if not found:
        raise InputError(f"'{table.name}' has no labels of a notion; choose labels with --labels.")
    return found


def _groups(path: Path | None) -> dict[str, list[str]] | None:
    from likeness.io import parse_json, text_of

    if path is None:
        return None
    found = parse_json(text_of(path), f"The file '{path.name}'")
    if not isinstance(found, dict) or not all(isinstance(each, list) and all(isinstance(value, str) for value in each) for each in found.values()):
        raise InputError(f'\'{path.name}\' must hold groups of names, such as {{"fish": ["ray", "shark"]}}.')
    return found
