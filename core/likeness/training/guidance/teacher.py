"""Distillation from a larger encoder: similarities of a batch follow those of its stored embeddings."""

from typing import Any

import numpy as np

from likeness.data import ImageTable
from likeness.encoders import embed_images, encoder_identity
from likeness.errors import InputError
from likeness.io import cache_dir, compute_once_locked
from likeness.progress import Progress
from likeness.training.config import DistillConfig
from likeness.training.data.run_images import RunImages
from likeness.training.guidance.guided_loss import LanguageGuidance, VectorTargets


def build_teacher(config: DistillConfig, images: RunImages, progress: Progress, should_stop: Any, device: str) -> LanguageGuidance:
    """T^2 times the mean over rows of KL(softmax(S_t / T) || softmax(S / T)), with the cosine similarities S of a batch and S_t of its teacher.

    The distillation of S2SD (Roth et al., ICML 2021), whose teacher is a branch of the network. Here it is an encoder, whose embeddings of the
    training images are those that `likeness embed` stores. InputError: the encoder cannot be loaded, an image cannot be read, or a stop.
    """
    table = ImageTable(images.table.name, images.table.root, images.table.frame.iloc[images.train])
    options: dict[str, Any] = {"device": device, "progress": lambda done, total, *_: progress(done, total, "Embedding by the teacher")}
    with compute_once_locked(cache_dir() / "teachers" / encoder_identity(config.teacher), should_stop):  # one of several processes embeds
        found = embed_images(table, config.teacher, should_stop=should_stop, **options)
    if len(found.rows) < len(table):
        why = found.failed[0].reason if found.failed else "it was stopped; resume the run to go on."
        raise InputError(f"The teacher '{config.teacher}' has embedded {len(found.rows):,} of {len(table):,} images: {why}")
    vectors = np.zeros((len(images.table), found.vectors.shape[1]), np.float32)
    vectors[images.train] = found.vectors
    targets = VectorTargets(vectors, of_images=True)
    return LanguageGuidance(targets, masked=False, shift=0.0, direction="language||image", temperature=config.temperature)
