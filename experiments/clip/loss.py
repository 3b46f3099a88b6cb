"""Contrastive losses that know which captions are true of which images."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def multi_positive_loss(logits: "Tensor", truth: "Tensor") -> "Tensor":
    """Cross-entropy against the uniform distribution over the true columns, mean over the rows that have one.

    With one true column per row this is the InfoNCE loss of CLIP. In a batch "a red car" is true of many images; counting
    those as negatives is the largest error of the plain loss here.

    Args:
        logits: scaled similarities (rows, columns).
        truth: which columns are true (rows, columns), bool.

    Returns:
        A scalar, at least the mean entropy of the targets; 0 if no row has a true column.
    """
    count = truth.sum(dim=1)
    log_share = logits.log_softmax(dim=1).masked_fill(~truth, 0.0).sum(dim=1)
    rows = count > 0
    loss: Tensor = -(log_share / count.clamp(min=1))[rows].sum() / rows.sum().clamp(min=1)
    return loss


def caption_loss(logits: "Tensor", truth: "Tensor", sets: list[slice], prompts_weight: float = 1.0) -> "Tensor":
    """Loss of images against captions (n, c): both directions over all captions, plus images against each competing set.

    Args:
        logits: scaled similarities (images, captions).
        truth: which captions are true of which images.
        sets: columns of captions that compete with each other, of which exactly one is true of every image.
        prompts_weight: weight of the competing sets, whose loss is the mean over them.
    """
    overall = (multi_positive_loss(logits, truth) + multi_positive_loss(logits.T, truth.T)) / 2
    competing = [multi_positive_loss(logits[:, columns], truth[:, columns]) for columns in sets]
    return overall + prompts_weight * sum(competing[1:], competing[0]) / len(competing)
