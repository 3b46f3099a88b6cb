"""What methods and metrics mean, in a sentence each, and what comparisons are called."""

from collections.abc import Sequence

from likeness.notions import Notion
from shared.sidebar import listed

METHODS_TOLD = {
    "random": "Random vectors that have nothing to do with the images: what chance gives.",
    "raw": "The encoder as it is, without the notion: the baseline of all differences.",
    "random-transform": "The encoder seen through a random projection: what fewer dimensions do when nothing is learnt.",
    "pca": "The main directions in which the prompts vary, by principal component analysis; needs more prompts than dimensions.",
    "lae": "A linear autoencoder: learns to rebuild the prompts from fewer dimensions.",
    "ae": "A neural network (nonlinear autoencoder) that learns to rebuild the prompts from fewer dimensions.",
    "exact": "InDiReCT: keeps the directions in which the prompts lie, computed at once.",
    "adam": "InDiReCT as in the paper: the same aim, reached by gradient steps that take some seconds.",
    "oracle": "Learns from the very labels that judge it: an upper bound, no fair competitor.",
}

METRICS_TOLD = {
    "map_at_r": "Of an image's R nearest neighbors, where R is the number of others with its label: how many share the label, nearest counting most.",
    "precision_at_1": "How often the nearest neighbor has the same label.",
    "r_precision": "The share of an image's R nearest neighbors that have its label, in any order; R is the number of others with its label.",
    "ami": "Images grouped by k-means into as many groups as there are labels: how well the groups match the labels. 0 is chance, 1 is perfect.",
    "nmi": "Like AMI, without taking off what chance gives, so a little above 0 even for random vectors.",
    "map": "With all other images ranked by similarity: how far ahead those of the same label stand.",
    "mrr": "One over the rank of the first image with the same label: 1 if it comes first, 0.5 if second.",
}


def explained(titles: dict[str, str], told: dict[str, str]) -> str:
    """A Markdown list, `- **title**: sentence`."""
    return "\n".join(f"- **{title}**: {told.get(name, '')}" for name, title in titles.items())


def called(notions: Sequence[Notion]) -> str:
    """`car model, car color and viewpoint`; only their number where there are more."""
    return listed([notion.name for notion in notions]) if len(notions) <= 3 else f"{len(notions)} notions"
