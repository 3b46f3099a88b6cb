"""What goes around an objective on classes, a declaration each. Needs no torch."""

from typing import Any

from likeness.errors import InputError
from likeness.losses.objective import Wrapper
from likeness.options import Option, check_options

# Of the embedding of DiVA.
DIVA_PARTS = 4

WRAPPERS: dict[str, Wrapper] = {
    wrapper.name: wrapper
    for wrapper in (
        Wrapper("s2sd", "S2SD", "The embedding also learns from wider ones that are trained beside it."),
        Wrapper(
            "uniform_prior",
            "uniform prior",
            "Also spreads the images evenly over the whole space.",
            {
                "weight": Option(0.1, "Of the adversarial term.", 0),
                "hidden": Option(100, "Width of the discriminator's inner layers.", 1),
            },
        ),
        Wrapper(
            "diva",
            "DiVA",
            "Has further parts that learn what classes share and what is special to an image.",
            {
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
            },
        ),
    )
}


def check_wrapper(name: str, options: dict[str, Any]) -> str:
    """What is wrong with the options of what wraps an objective, in one sentence; empty where nothing is."""
    known = WRAPPERS[name].options
    return "" if known is None else check_options(name, known, options, name)


def require_options(name: str, **options: Any) -> None:
    """Raises InputError where `check_wrapper` finds something wrong."""
    if wrong := check_wrapper(name, options):
        raise InputError(wrong)
