"""What a refit costs: each training-free method fitted on the aspects of a notion and applied to 10,000 images of 512 dimensions.

python benchmarks/refit_methods.py           # half a minute

Peer: the images multiplied by a matrix of as many columns, each row scaled to length 1: the least that any linear method takes. Methods that hold a
notion against others get seven of 60 aspects. Best of several runs, milliseconds.
"""

from collections.abc import Iterator

import numpy as np
from indirect_fit import ENCODER_DIM, random_prompts, show, unit
from measuring.timing import best_of

from likeness.notions import METHODS, suggest_dim

IMAGES, OTHERS, RUNS, TARGET = 10_000, 7, 7, 20
TRAINED = ("lae", "ae", "lae-code", "ae-code", "adam")
PAPER_DIM = 128


def lines() -> Iterator[list[str]]:
    """A line per number of prompts, method and dimension."""
    images = unit(np.random.default_rng(1).standard_normal((IMAGES, ENCODER_DIM)))
    others = [random_prompts(60, seed=seed).text for seed in range(1, OTHERS + 1)]
    for prompts in (18, 100, 569):
        text = random_prompts(prompts).text
        material = {
            "text": (text,),
            "text and images": (text, images),
            "text and other notions": (text, others),
            "text, images and other notions": (text, images, others),
        }
        for name, method in METHODS.items():
            given = material.get(method.learns_from)
            if given is None or name in TRAINED:
                continue
            for dim in sorted({min(suggest_dim(text), prompts - 1), min(PAPER_DIM, prompts - 1)}) if method.dims else [PAPER_DIM]:
                estimator = method.make(dim=dim, seed=0)
                fit = best_of(RUNS, lambda estimator=estimator, given=given: estimator.fit(*given))
                space = best_of(RUNS, lambda estimator=estimator: estimator.transform(images))
                matrix = np.random.default_rng(2).standard_normal((ENCODER_DIM, space.result.shape[1])).astype(np.float32)
                least = best_of(RUNS, lambda matrix=matrix: unit(images @ matrix))
                spent = fit.seconds + space.seconds
                yield [
                    str(prompts),
                    name,
                    str(space.result.shape[1]),
                    *(f"{1000 * part:.1f}" for part in (fit.seconds, space.seconds, spent, least.seconds)),
                    f"{spent / least.seconds:.1f}",
                    "yes" if 1000 * spent <= TARGET else "no",
                ]


if __name__ == "__main__":
    show(["prompts", "method", "dim", "fit", "10,000 images", "both", "product alone", "ratio", f"within {TARGET} ms"], lines())
