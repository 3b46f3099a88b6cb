"""What language guidance adds to a training step, and distance-weighted sampling beside pytorch-metric-learning's, in one run.

python benchmarks/training_step.py
"""

import argparse
from collections.abc import Callable

import numpy as np
import torch
from measuring.record import SMALL, add_record, record
from measuring.timing import best_of
from pytorch_metric_learning.miners import DistanceWeightedMiner

from likeness.losses import make_objective
from likeness.samplers import distance_weighted_triplets
from likeness.training import BackboneConfig, build_network
from likeness.training.guidance.guided_loss import ClassTargets, ImageTargets, LanguageGuidance
from likeness.training.loop.trainer import retain_freed_memory

BATCH, PER_CLASS, CLASSES, SIDE, DIM, NAMES, K = 112, 4, 50, 64, 128, 1000, 5


def main() -> None:
    """Prints milliseconds and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_record(parser)
    recorded = parser.parse_args().record
    retain_freed_memory()
    torch.manual_seed(0)
    images = torch.rand(BATCH, 3, SIDE, SIDE)
    labels = torch.randperm(CLASSES)[: BATCH // PER_CLASS].repeat_interleave(PER_CLASS)
    rows = torch.randperm(10_000)[:BATCH]
    network = build_network(BackboneConfig(name="mobilenetv2_100", weights="none", dim=DIM))
    added = []
    for name in ("multisimilarity", "margin"):
        print(f"A step of MobileNetV2, {BATCH} images of {SIDE} px, {name}")
        steps = {title: _step(network, name, guidance, images, labels, rows) for title, guidance in _guidances().items()}
        # one after the other in every round, so that what the machine does meanwhile meets all alike
        seconds = {title: np.array([]) for title in steps}
        for _ in range(12):
            for title, step in steps.items():
                seconds[title] = np.append(seconds[title], best_of(1, step).seconds)
        plain = seconds["without guidance"]
        for title, each in seconds.items():
            added.append(100 * (float(np.median(each / plain)) - 1))
            print(f"  {title:32} {1e3 * np.median(each):7.1f} ms   {added[-1]:+5.1f} %")
    if recorded:
        record(SMALL, "guidance, at most", f"{BATCH} images of {SIDE} px", round(max(added), 1), "% of a step")
    _samplers(recorded)


def _guidances() -> dict[str, LanguageGuidance | None]:
    rng = np.random.default_rng(0)
    names = rng.random((NAMES, NAMES)).astype(np.float32)
    own = rng.integers(0, NAMES, (10_000, K))
    return {
        "without guidance": None,
        "ELG": LanguageGuidance(ClassTargets(names[:CLASSES, :CLASSES])),
        "PLG, classes, multi": LanguageGuidance(ClassTargets(rng.random((K, CLASSES, CLASSES)).astype(np.float32))),
        "PLG, images": LanguageGuidance(ImageTargets(own, names), masked=False),
    }


def _step(
    network: torch.nn.Module, name: str, guidance: LanguageGuidance | None, images: torch.Tensor, labels: torch.Tensor, rows: torch.Tensor
) -> Callable[[], object]:
    objective = make_objective(name, CLASSES, DIM)
    adam = torch.optim.Adam(network.parameters(), 1e-5)

    def step() -> None:
        seen = network(images)
        loss = objective(seen.embeddings, labels)
        if guidance is not None:
            loss = loss + guidance(seen.embeddings, labels, rows)
        adam.zero_grad()
        loss.backward()
        adam.step()

    return step


def _samplers(recorded: bool) -> None:
    theirs = DistanceWeightedMiner()
    print("Distance-weighted sampling, triplets of a batch")
    for size in (112, 512, 2048):
        embeddings = torch.nn.functional.normalize(torch.randn(size, DIM), dim=1)
        labels = torch.arange(size // PER_CLASS).repeat_interleave(PER_CLASS)
        ours = best_of(5, lambda e=embeddings, y=labels: distance_weighted_triplets(e, y)).seconds
        peer = best_of(3, lambda e=embeddings, y=labels: theirs(e, y)).seconds
        triplets = len(theirs(embeddings, labels)[0])
        print(f"  {size:5} x {DIM}: {1e3 * ours:7.1f} ms for {size} triplets, pytorch-metric-learning {1e3 * peer:8.1f} ms for {triplets:,}")
        if recorded and size == 512:
            ours_ms, peer_ms = round(1e3 * ours, 1), round(1e3 * peer, 1)
            record(SMALL, "distance-weighted sampling", size, ours_ms, "ms", "pytorch-metric-learning, four times the triplets", peer_ms)


if __name__ == "__main__":
    main()
