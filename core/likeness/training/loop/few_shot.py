"""Few-shot DML: the embedding layer of a trained network is adapted to a few images of each test class (ooDML, section 4.4)."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from likeness.losses import make_objective
from likeness.progress import Progress
from likeness.samplers import MPerClassBatches
from likeness.search import nearest
from likeness.shifts import Episode, few_shot_episodes, published_episodes, read_splits
from likeness.threads import threads_for
from likeness.training.config import FewShotConfig, RunConfig
from likeness.training.data.batches import Batches
from likeness.training.loop.scores import first_recall
from likeness.training.network.embedding_network import EmbeddingNetwork

Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]
_PER_CLASS = 2
# neighbors per image, so many that nearly always one is outside the support
_NEIGHBORS = 32


# (support rows (m,) of the test images, batches of these, seed, step) -> the backbone's features of the batch
CropFeatures = Callable[[Rows, MPerClassBatches, int, int], Tensor]


def few_shot_of_run(network: EmbeddingNetwork, features: Matrix, data: Batches, config: RunConfig, progress: Progress) -> dict[str, float]:
    """`few_shot_scores` of a run's test images, with the episodes and crops of its config. InputError: as there, and as `published_episodes`."""
    own, images = config.few_shot, data.images
    assert own is not None
    labels, episodes = images.labels[images.test], None
    if own.support == "file":
        split = read_splits(config.data.splits or "").named(config.data.shift or "")
        names, paths = [images.names[number] for number in labels], images.table.frame["path"].iloc[images.test].astype(str).tolist()
        episodes = {shots: published_episodes(split, shots, names, paths) for shots in own.shots}
    crops = partial(_crop_features, network, data) if own.crops == "random" else None
    return few_shot_scores(network, features, labels, own, progress, episodes, crops)


def _crop_features(network: EmbeddingNetwork, data: Batches, support: Rows, batches: MPerClassBatches, seed: int, step: int) -> Tensor:
    cut = Batches(data.inputs, replace(data.images, train=data.images.test[support]), batches, data.size, True, seed)[step]
    device, training = network.mean.device, network.training
    network.eval()
    with torch.no_grad():
        pixels = (cut.in_float32() if device.type == "mps" else cut)._replace(inputs=cut.inputs.to(device)).cut(data.size)[0]
        found = network.features(pixels).float().cpu()
    network.train(training)
    return found


def few_shot_scores(
    network: EmbeddingNetwork,
    features: Matrix,
    labels: Rows,
    config: FewShotConfig,
    progress: Progress | None = None,
    episodes: Mapping[int, list[Episode]] | None = None,
    crops: CropFeatures | None = None,
) -> dict[str, float]:
    """R@1 among the query images of each episode before and after adaptation, averaged over the episodes.

    In each episode, `shots` images of every class train a copy of the embedding layer by the margin loss with distance-weighted sampling and Adam,
    whatever loss trained the network. All other images are queries, matched to their nearest neighbor among the other queries. `features` (n, f) are
    the backbone's for the test images. Each number of shots s has `zero_shot_s`, `few_shot_s`, and `few_shot_s_deviation` over the episodes.
    `episodes`, by shots, replace random ones, and `crops` the features of the support. InputError as `few_shot_episodes`.
    """
    numbers = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    tensors = torch.from_numpy(np.ascontiguousarray(features))
    raw = _embedded(network, tensors)
    before = nearest(raw, raw, _NEIGHBORS, exclude=np.arange(len(numbers))).rows
    found: dict[str, float] = {}
    done, total = 0, len(config.shots) * config.episodes
    for shots in config.shots:
        zero, few = [], []
        given = episodes[shots][: config.episodes] if episodes else few_shot_episodes(numbers, shots, config.episodes, config.seed)
        for number, episode in enumerate(given):
            support, steps = episode.support, config.steps_for(shots)
            adapted = adapt(network, tensors[support], numbers[support], config, steps, number, crops and partial(crops, support))
            zero.append(_recall_without(episode.support, before, numbers)[episode.query].mean())
            few.append(first_recall(_embedded(adapted, tensors[episode.query]), numbers[episode.query]))
            done += 1
            if progress:
                progress(done, total, "Adapting to a few images")
        found |= {f"zero_shot_{shots}": float(np.mean(zero)), f"few_shot_{shots}": float(np.mean(few))}
        found[f"few_shot_{shots}_deviation"] = float(np.std(few, ddof=1)) if len(few) > 1 else 0.0
    return found


def adapt(
    network: EmbeddingNetwork,
    features: Tensor,
    labels: Rows,
    config: FewShotConfig,
    steps: int,
    seed: int = 0,
    crops: Callable[[MPerClassBatches, int, int], Tensor] | None = None,
) -> EmbeddingNetwork:
    """A network without backbone whose embedding layer was trained on support features (m, f), or on those of `crops`, with labels (m,) from 0, at
    least two of each class.
    """
    learner = _without_backbone(network).train()
    objective = make_objective(config.objective, int(labels.max()) + 1, learner.head.out_features, beta=config.beta, learn_beta=False)
    optimizer = torch.optim.Adam(learner.head.parameters(), lr=config.rate, weight_decay=config.weight_decay)
    most = _PER_CLASS * len(np.unique(labels)) if config.draw == "spread" else config.batch_size
    size = min(config.batch_size, most)
    own = config.seed * 1_000 + seed
    batches = MPerClassBatches(labels, size - size % _PER_CLASS, _PER_CLASS, own, config.draw)
    targets = torch.from_numpy(labels)
    with torch.random.fork_rng(devices=[]), threads_for(size * learner.head.weight.numel()):
        for step in range(steps):
            # seeded by episode and step, so that episodes do not depend on each other
            torch.manual_seed(own * 1_000_003 + step)
            rows = batches.batch(step)
            read = features[rows] if crops is None else crops(batches, own, step)
            loss = objective(learner(read).embeddings, targets[rows])
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
