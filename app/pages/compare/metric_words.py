"""What methods mean, in a sentence each, and what comparisons are called."""

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

def explained(titles: dict[str, str], told: dict[str, str]) -> str:
    """A Markdown list, `- **title**: sentence`."""
    return "\n".join(f"- **{title}**: {told.get(name, '')}" for name, title in titles.items())


def called(notions: Sequence[Notion]) -> str:
    """`car model, car color and viewpoint`; only their number where there are more."""
    return listed([notion.name for notion in notions]) if len(notions) <= 3 else f"{len(notions)} notions"
