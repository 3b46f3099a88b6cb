"""Saliency maps beside plain loops over the same images, in one run: 25 noisy copies each, raw encoder and a notion's space.

The peers do what the authors' explainer does: one image at a time, a backward pass that also computes the gradients of the weights, and all of it
again for the second space. One of them takes the copies of an image together, as the authors do, the other one after the other.

python benchmarks/saliency.py                # 6 images
python benchmarks/saliency.py --images 48
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from measuring.timing import best_of

from likeness.data import read_cars
from likeness.embedding import embed
from likeness.notions import InDiReCT, get_notion
from likeness.saliency import NOISE, SAMPLES, ImageModel, saliency_maps, saliency_of_spaces, scaled
from likeness.space import Space


def loop(spaces: Sequence[Space], rows: Sequence[int], at_once: int) -> list[list[Any]]:
    """Maps of every space and image, `at_once` copies in a backward pass."""
    return [[one_image(model_of(space), space.table.paths()[row], at_once) for row in rows] for space in spaces]


def one_image(model: ImageModel, path: Any, at_once: int) -> Any:
    """The map of one image, as the authors' explainer computes it."""
    pictures = model.prepare([path])
    with torch.no_grad():
        base = model.embed(model.pixels(np.zeros_like(pictures)))
    image = model.pixels(pictures)
    copies = image.repeat(SAMPLES, 1, 1, 1)
    copies += torch.randn_like(copies) * NOISE * (image.max() - image.min())
    gradients = []
    for start in range(0, SAMPLES, at_once):
        part = copies[start : start + at_once].clone().requires_grad_()
        (1 - torch.nn.functional.cosine_similarity(model.embed(part), base)).mean().backward()
        assert part.grad is not None
        gradients.append(part.grad.mean(dim=1))
    return scaled(torch.cat(gradients).abs().sum(0).cpu().numpy())


def model_of(space: Space) -> ImageModel:
    """The model behind a space."""
    assert space.differentiable is not None
    return space.differentiable()


def with_weight_gradients(space: Space, work: Callable[[], Any]) -> Callable[[], Any]:
    """`work` on weights as a fresh model has them; ours are frozen when an encoder is loaded."""
    network = model_of(space).tower.forward.__self__  # type: ignore[attr-defined]

    def run() -> Any:
        network.requires_grad_(True)
        try:
            return work()
        finally:
            network.requires_grad_(False)
            network.zero_grad(set_to_none=True)

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=6)
    rows = range(parser.parse_args().images)
    base = embed(read_cars())
    both = [base, base.refit(get_notion("car-color"), InDiReCT(dim=2))]
    size = model_of(base).prepare(base.table.paths()[:1]).shape[1]
    print(f"{len(rows)} images of {size} px, {SAMPLES} copies, {torch.get_num_threads()} threads")
    print("| spaces | way | images/s | processor ms per image | times faster | on the processor |\n|---|---|---|---|---|---|")
    for spaces in (both[:1], both):
        ways: dict[str, Callable[[], Any]] = {
            "a copy at a time": with_weight_gradients(base, lambda spaces=spaces: loop(spaces, rows, 1)),
            "an image at a time (authors)": with_weight_gradients(base, lambda spaces=spaces: loop(spaces, rows, SAMPLES)),
            "saliency_maps, a space at a time": lambda spaces=spaces: [saliency_maps(space, rows) for space in spaces],
            "saliency_of_spaces": lambda spaces=spaces: saliency_of_spaces(spaces, rows),
        }
        if len(spaces) == 1:
            del ways["saliency_maps, a space at a time"]
        timed = {name: best_of(2, work) for name, work in ways.items()}
        ours = timed["saliency_of_spaces"]
        for name, took in timed.items():
            speed = [len(rows) / took.seconds, 1000 * took.cpu_seconds / len(rows)]
            ratios = [took.seconds / ours.seconds, took.cpu_seconds / ours.cpu_seconds]
            print(f"| {len(spaces)} | {name} | " + " | ".join(f"{figure:.1f}" for figure in speed + ratios) + " |", flush=True)


if __name__ == "__main__":
    main()
