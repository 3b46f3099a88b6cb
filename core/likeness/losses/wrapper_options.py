"""The options of wrappers of objectives, with defaults and bounds; apart from the wrappers, whose classes check them, too. Needs no torch."""

from typing import Any

from likeness.errors import InputError
from likeness.options import Option, Options, check_options

# Of the embedding of DiVA.
DIVA_PARTS = 4

WRAPPER_OPTIONS: dict[str, Options] = {
    "uniform_prior": {"weight": Option(0.1, "Of the adversarial term.", 0), "hidden": Option(100, "Width of the discriminator's inner layers.", 1)},
    "diva": {
        "shared_weight": Option(0.3, "Of what classes share.", 0),
        "intra_weight": Option(0.3, "Of differences within a class.", 0),
        "sample_weight": Option(0.3, "Of what is special to an image.", 0),
        "separation_weight": Option(1500.0, "Of keeping the parts from telling of each other.", 0),
        "beta": Option(1.2, "Of the margin losses of the added parts.", 0),
        "margin": Option(0.2, "Of the margin losses of the added parts.", 0),
        "hidden": Option(512, "Width of the separations' inner layers.", 1),
        "momentum": Option(0.9, "Of the copy of the network.", 0, 1),
        "temperature": Option(0.1, "Of the contrast between images.", 1e-4),
        "queue_batches": Option(30, "Batches whose keys are kept.", 1),
        "dropout": Option(0.1, "Share of features that a second view lacks.", 0, 0.9),
        "random_labels": Option(False, "Whether triplets of the added parts are drawn by labels dealt out at random."),
        "official_margin": Option(False, "Whether the margin losses of the added parts are those of margin-official."),
        "batch_weights": Option(False, "Whether the weights of other images sum to 1 over the batch."),
    },
}


def check_wrapper(name: str, options: dict[str, Any]) -> str:
    """What is wrong with the options of a wrapper, in one sentence; empty where nothing is."""
    known = WRAPPER_OPTIONS.get(name)
    return "" if known is None else check_options(name, known, options, name)


def require_options(name: str, **options: Any) -> None:
    if wrong := check_wrapper(name, options):
        raise InputError(wrong)
