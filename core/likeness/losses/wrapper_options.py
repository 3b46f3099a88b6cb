"""Options of wrappers, with defaults and bounds. In a file of their own, since configs check them without torch."""

from typing import Any

from likeness.errors import InputError
from likeness.options import Option, Options, check_options

# of the embedding of DiVA
DIVA_PARTS = 4
# besides all of them, where none are named
MATRYOSHKA_DIMS = (64, 128, 256)

WRAPPER_OPTIONS: dict[str, Options] = {
    "memory": {"size": Option(1024, "Embeddings that are kept, those of the batch among them.", 2)},
    "uniform_prior": {
        "weight": Option(0.1, "Weight of the adversarial term.", 0),
        "hidden": Option(100, "Width of the hidden layers.", 1),
        "official": Option(False, "As the code of ooDML: spread pieces of the backbone's features over the cube; the options below are of this."),
        "every": Option(10, "Steps between those of the discriminator.", 1),
        "piece": Option(128, "Features in a piece.", 1),
        "rate": Option(1e-5, "Learning rate of the discriminator.", 1e-12),
    },
    "diva": {
        "shared_weight": Option(0.3, "Weight of the class-shared part.", 0),
        "intra_weight": Option(0.3, "Weight of the intra-class part.", 0),
        "sample_weight": Option(0.3, "Weight of the sample-specific part.", 0),
        "separation_weight": Option(1500.0, "Weight of the decorrelation of the parts.", 0),
        "beta": Option(1.2, "Distance threshold of the margin losses of the added parts.", 0),
        "margin": Option(0.2, "Margin of the margin losses of the added parts.", 0),
        "hidden": Option(512, "Width of the separations' hidden layers.", 1),
        "momentum": Option(0.9, "Momentum of the copy of the network.", 0, 1),
        "temperature": Option(0.1, "Temperature of the contrast between images.", 1e-4),
        "queue_batches": Option(30, "Size of the queue of keys, in batches.", 1),
        "dropout": Option(0.1, "Share of features set to 0 in the second view.", 0, 0.9),
        "random_labels": Option(False, "Draw triplets of the added parts by randomly assigned labels."),
        "official_margin": Option(False, "Use margin-official for the added parts."),
        "batch_weights": Option(False, "Scale the weights of other images to the sum 1 over the batch."),
    },
}


def check_wrapper(name: str, options: dict[str, Any]) -> str:
    """One sentence on what is wrong with a wrapper's options; empty if nothing is."""
    known = WRAPPER_OPTIONS.get(name)
    return "" if known is None else check_options(name, known, options, name)


def require_options(name: str, **options: Any) -> None:
    if wrong := check_wrapper(name, options):
        raise InputError(wrong)
