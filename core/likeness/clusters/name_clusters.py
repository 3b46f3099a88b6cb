"""Name clusters by words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from likeness.clusters.cluster import Clusters, Labels
from likeness.clusters.word_choice import WordChoice, word_choice
from likeness.clusters.word_shares import LOOKED_AT, TableShares, TextShares, WordShares
from likeness.errors import InputError
from likeness.notions import Notion
from likeness.progress import Progress
from likeness.space import Space

_EACH = 20  # images of each finest cluster at least
_BLOCK = 512
_RANKED, _CANDIDATES, _ALTERNATIVES = 20, 6, 3
_OF_ITS_KIND = 0.4  # share of a name's evidence from which on one of its kinds is the better name
LEAST = 0.8  # confidence below which a cluster has no name; chosen on 34 classes of CIFAR-100, where hardly a name below it fit

Masses = NDArray[np.float32]


@dataclass(frozen=True)
class ClusterName:
    """The name of a cluster.

    Attributes:
        name: "" where no word is well supported.
        confidence: the probability that the name says more about an image of the cluster than about another one: .5 is chance, 1 always.
        words: up to three that fit best, the name first where there is one.
    """

    name: str
    confidence: float
    words: tuple[str, ...]


@dataclass(frozen=True)
class ClusterNames:
    """The names of clusters, for each depth one for each cluster; `source` is "words", or "attributes" where they come from the table."""

    depths: tuple[tuple[ClusterName, ...], ...]
    source: str


def name_clusters(
    space: Space,
    clusters: Clusters,
    vocabulary: WordChoice | Notion | Sequence[str] | None = None,
    *,
    column: str | None = None,
    least: float = LEAST,
    seed: int = 0,
    progress: Progress | None = None,
) -> ClusterNames:
    """A name for each cluster at each depth: the word, or what several words are kinds of, that sets its images off against the others.

    Each image is shared among all words (`likeness.clusters.word_shares`), and a name has the shares of all words that are kinds of it in WordNet.
    With p its mean share in the cluster and q in all images, names are ranked by p log(p / q), the name's part of the divergence of the cluster's
    words from all images' (Kullback and Leibler 1951). So clusters of many kinds are called by what these are kinds of, those of one kind by that
    kind; where one of its kinds has 40 % of a name's share and no other half as much, this takes its place. At each depth, a name goes to the cluster
    where it scores highest; the others take their next one.

    Args:
        space: images whose clusters they are. For "photos" and "cars" the vectors of the words ship; with other encoders the first call embeds 15,000
            words, which takes minutes; they are stored.
        vocabulary: a person's own words, a notion whose aspects are the words, or a `WordChoice`; None: WordNet's nouns for what pictures show, or
            words of the table's attributes and file names where the space reads no text.
        column: the attribute whose values are names, such as the label: clusters are called by what sets them off.
        least: the confidence below which a cluster gets no name.
        seed: of the images that are looked at; all of them up to 6,000.

    Raises:
        InputError: clusters of other images, words beside a column, fewer than two words, words where the space reads no text, or
            neither text side nor words in the table.

    Example:
        >>> import likeness as lk
        >>> from likeness.clusters import cluster, name_clusters
        >>> space = lk.embed(lk.read("cars"), "cars")
        >>> found = name_clusters(space, cluster(space, 1), ["red", "green", "blue", "white", "black"])
        >>> {name.name for name in found.depths[0]} <= {"", "red", "green", "blue", "white", "black"}
        True
    """
    if len(clusters) != len(space):
        raise InputError(f"There are clusters of {len(clusters)} images, but '{space.name}' has {len(space)}; find them in this space.")
    if column is not None and vocabulary is not None:
        raise InputError("Words are given, and names are to come from attributes; pass either of them.")
    shares: WordShares
    by_table = column is not None or (vocabulary is None and space.embed_texts is None)
    shares = TableShares(space, column) if by_table else TextShares(space, word_choice(space, vocabulary), seed, progress)
    return names_from_shares(shares, clusters, least=least, seed=seed)


def names_from_shares(shares: WordShares, clusters: Clusters, *, least: float = LEAST, seed: int = 0) -> ClusterNames:
    """As `name_clusters`, where the images are shared among words already, so that several sets of clusters need this once."""
    return ClusterNames(_named(shares, clusters, _rows(clusters, seed), least), shares.source)


def _rows(clusters: Clusters, seed: int) -> Labels:
    """Some images, of small clusters nearly all."""
    order = np.random.default_rng(seed).permutation(len(clusters))
    finest = clusters.labels[order, -1]
    grouped = np.argsort(finest, kind="stable")
    begins = np.concatenate([[0], np.cumsum(np.bincount(finest))])[finest[grouped]]
    first = grouped[np.arange(len(order)) - begins < _EACH]
    return np.sort(order[np.union1d(first, np.arange(min(LOOKED_AT, len(order))))])


def _named(shares: WordShares, clusters: Clusters, rows: Labels, least: float) -> tuple[tuple[ClusterName, ...], ...]:
    labels = clusters.labels[rows]
    means, everything = _mean_shares(shares, clusters, rows)
    ranked = [[_candidates(mass, everything, shares.choice) for mass in depth] for depth in _by_depth(means, clusters)]
    nodes = sorted({node for depth in ranked for found in depth for node, _ in found})
    column = {node: place for place, node in enumerate(nodes)}
    mass = _node_masses(shares, rows, nodes)
    names = []
    for depth, found in enumerate(ranked):
        sure = [[_auc(mass[:, column[node]], labels[:, depth] == number) for node, _ in each] for number, each in enumerate(found)]
        names.append(_distinct(found, sure, shares.choice.names, least))
    return tuple(names)


def _mean_shares(shares: WordShares, clusters: Clusters, rows: Labels) -> tuple[Masses, Masses]:
    """Mean share (c, m) of each name in each finest cluster, and in all images (m,)."""
    from scipy.sparse import csr_array

    finest = clusters.labels[rows, -1]
    members = csr_array((np.ones(len(rows)), (finest, np.arange(len(rows)))), shape=(len(clusters.parents[-1]), len(rows)))
    sums = np.zeros((members.shape[0], len(shares.choice)))
    for part, block in _blocks(shares, rows):
        sums += members[:, part] @ block
    means = sums / np.maximum(np.bincount(finest, minlength=len(sums)), 1)[:, None]
    masses = np.asarray((shares.choice.covers @ means.T).T, np.float32)
    sizes = clusters.counts(clusters.depths - 1)
    return masses, np.asarray(sizes @ masses / sizes.sum(), np.float32)


def _by_depth(means: Masses, clusters: Clusters) -> list[Masses]:
    """The mean shares at each depth, from those of the finest clusters."""
    found, sizes = [means], clusters.counts(clusters.depths - 1)
    for parents in clusters.parents[:0:-1]:
        above = np.zeros((parents.max() + 1, means.shape[1]))
        np.add.at(above, parents, found[0] * sizes[:, None])
        sizes = np.bincount(parents, sizes).astype(np.int64)
        found.insert(0, np.asarray(above / sizes[:, None], np.float32))
    return found


def _candidates(mass: Masses, everything: Masses, choice: WordChoice) -> list[tuple[int, float]]:
    """Names with their scores, the best first, each made as narrow as the words allow."""
    tiny = np.finfo(np.float32).tiny
    scores = mass * np.log(np.maximum(mass, tiny) / np.maximum(everything, tiny))
    found: dict[int, float] = {}
    best = np.argpartition(-scores, min(_RANKED, len(scores) - 1))[:_RANKED]
    for node in best[np.argsort(-scores[best], kind="stable")]:
        if scores[node] > 0:
            found.setdefault(_narrowed(int(node), mass, choice), float(scores[node]))
    return list(found.items())[:_CANDIDATES]


def _narrowed(node: int, mass: Masses, choice: WordChoice) -> int:
    """The name, or the one of its kinds that has enough of its share and twice that of any other kind, and so on."""
    while len(kinds := choice.kinds(node)):
        first, second = np.sort(np.append(mass[kinds], 0))[:-3:-1]
        if first < _OF_ITS_KIND * mass[node] or second > first / 2:
            break
        node = int(kinds[mass[kinds].argmax()])
    return node


def _node_masses(shares: WordShares, rows: Labels, nodes: Sequence[int]) -> Masses:
    """The share (m, k) of some names in each image."""
    out = np.zeros((len(rows), len(nodes)), np.float32)
    if nodes:
        covers = shares.choice.covers[list(nodes)]
        for part, block in _blocks(shares, rows):
            out[part] = (covers @ block.T).T
    return out


def _blocks(shares: WordShares, rows: Labels) -> Iterator[tuple[slice, Masses]]:
    for begin in range(0, len(rows), _BLOCK):
        part = slice(begin, begin + _BLOCK)
        yield part, shares.of(rows[part])


def _auc(values: Masses, inside: NDArray[np.bool_]) -> float:
    """The probability that a value inside is larger than one outside, ties counting half (Mann and Whitney 1947); .5 where one side is empty."""
    from scipy.stats import rankdata

    own, other = int(inside.sum()), int((~inside).sum())
    return 0.5 if not own or not other else float((rankdata(values)[inside].sum() - own * (own + 1) / 2) / (own * other))


def _distinct(
    ranked: Sequence[Sequence[tuple[int, float]]], sure: Sequence[Sequence[float]], names: Sequence[str], least: float
) -> tuple[ClusterName, ...]:
    """Each name once, where it scores highest."""
    claims = sorted(
        (-score, number, place) for number, found in enumerate(ranked) for place, (_, score) in enumerate(found) if sure[number][place] >= least
    )
    taken, chosen = set[str](), dict[int, int]()
    for _, number, place in claims:
        name = names[ranked[number][place][0]]
        if number not in chosen and name not in taken:
            chosen[number] = place
            taken.add(name)
    out = []
    for number, found in enumerate(ranked):
        order = sorted(range(len(found)), key=lambda place: place != chosen.get(number))
        words = tuple(dict.fromkeys(names[found[place][0]] for place in order))[:_ALTERNATIVES]
        best = sure[number][order[0]] if found else 0.5
        out.append(ClusterName(words[0] if number in chosen else "", round(best, 4), words))
    return tuple(out)
