"""Few-shot DML: the embedding layer of a trained network is adapted to a few images of each test class (ooDML, section 4.4)."""

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from likeness.losses import make_objective
from likeness.progress import Progress
from likeness.samplers import MPerClassBatches
from likeness.search import nearest
from likeness.shifts import few_shot_episodes
from likeness.threads import threads_for
from likeness.training.config import FewShotConfig
from likeness.training.loop.scores import first_recall
from likeness.training.network.embedding_network import EmbeddingNetwork

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]
_PER_CLASS = 2
# neighbors per image, so many that nearly always one is outside the support
_NEIGHBORS = 32


def few_shot_scores(
    network: EmbeddingNetwork, features: Matrix, labels: Rows, config: FewShotConfig, progress: Progress | None = None
) -> dict[str, float]:
    """R@1 among the query images of each episode before and after adaptation, averaged over the episodes.

    In each episode, `shots` images of every class train a copy of the embedding layer by the margin loss with distance-weighted sampling and Adam,
    whatever loss trained the network. All other images are queries, matched to their nearest neighbor among the other queries. `features` (n, f) are
    the backbone's for the test images. Each number of shots s has `zero_shot_s`, `few_shot_s`, and `few_shot_s_deviation` over the episodes.
    InputError as `few_shot_episodes`.
    """
    numbers = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    tensors = torch.from_numpy(np.ascontiguousarray(features))
    raw = _embedded(network, tensors)
    before = nearest(raw, raw, _NEIGHBORS, exclude=np.arange(len(numbers))).rows
    found: dict[str, float] = {}
    done, total = 0, len(config.shots) * config.episodes
    for shots in config.shots:
        zero, few = [], []
        for number, episode in enumerate(few_shot_episodes(numbers, shots, config.episodes, config.seed)):
            adapted = adapt(network, tensors[episode.support], numbers[episode.support], config, config.steps_for(shots), seed=number)
            zero.append(_recall_without(episode.support, before, numbers)[episode.query].mean())
            few.append(first_recall(_embedded(adapted, tensors[episode.query]), numbers[episode.query]))
            done += 1
            if progress:
                progress(done, total, "Adapting to a few images")
        found |= {f"zero_shot_{shots}": float(np.mean(zero)), f"few_shot_{shots}": float(np.mean(few))}
        found[f"few_shot_{shots}_deviation"] = float(np.std(few, ddof=1)) if len(few) > 1 else 0.0
    return found


def adapt(network: EmbeddingNetwork, features: Tensor, labels: Rows, config: FewShotConfig, steps: int, seed: int = 0) -> EmbeddingNetwork:
    """A network without backbone whose embedding layer was trained on support features (m, f) with labels (m,) from 0, at least two of each class."""
    learner = _without_backbone(network).train()
    objective = make_objective(config.objective, int(labels.max()) + 1, learner.head.out_features, beta=config.beta, learn_beta=False)
    optimizer = torch.optim.Adam(learner.head.parameters(), lr=config.rate, weight_decay=config.weight_decay)
    most = _PER_CLASS * len(np.unique(labels)) if config.draw == "spread" else config.batch_size
    size = min(config.batch_size, most)
    batches = MPerClassBatches(labels, size - size % _PER_CLASS, _PER_CLASS, config.seed * 1_000 + seed, config.draw)
    targets = torch.from_numpy(labels)
    with torch.random.fork_rng(devices=[]), threads_for(size * learner.head.weight.numel()):
        for step in range(steps):
            # seeded by episode and step, so that episodes do not depend on each other
            torch.manual_seed((config.seed * 1_000 + seed) * 1_000_003 + step)
            rows = batches.batch(step)
            loss = objective(learner(features[rows]).embeddings, targets[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return learner


def _without_backbone(network: EmbeddingNetwork) -> EmbeddingNetwork:
    backbone, network.backbone = network.backbone, None
    try:
        return copy.deepcopy(network).cpu().requires_grad_(True)
    finally:
        network.backbone = backbone


def _embedded(network: EmbeddingNetwork, features: Tensor) -> Matrix:
    learner = _without_backbone(network).eval() if network.backbone is not None or network.training else network
    with torch.inference_mode():
        found: Any = learner(features).embeddings.numpy()
    return np.asarray(found, dtype=np.float32)


def _recall_without(support: Rows, neighbors: Rows, labels: Rows) -> NDArray[np.bool_]:
    """For each image, whether its nearest neighbor outside the support has its class; if all neighbors are in the support, the last one counts."""
    outside = ~np.isin(neighbors, support)
    outside[:, -1] = True
    first = neighbors[np.arange(len(neighbors)), outside.argmax(axis=1)]
    return np.asarray(labels[first] == labels)
