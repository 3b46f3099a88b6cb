"""Batch norm of a batch that several processes share."""

from torch import nn

from likeness.errors import InputError
from likeness.training.loop.place import Place
from likeness.training.network.network import EmbeddingNetwork


def shared_batch_norm(network: EmbeddingNetwork, place: Place) -> EmbeddingNetwork:
    """The network, whose batch norm, where it learns its statistics, takes them from the whole batch, as in one process.

    On GPUs by torch's SyncBatchNorm; timm's conversion, since torch's own would lose the activations inside timm's layers. SyncBatchNorm
    does not run on processors, and statistics of parts of a batch would be another training, so there this is refused. Frozen batch norm,
    which the papers' protocols have, needs nothing.

    Raises:
        InputError: batch norm that learns, in several processes without GPUs.
    """
    learns = not network.freeze_batch_norm and any(isinstance(each, nn.modules.batchnorm._BatchNorm) for each in network.modules())
    if not (place.together and learns):
        return network
    if place.device != "cuda":
        raise InputError(
            f"Batch norm that learns needs the whole batch, which {place.processes} processes share on GPUs only; set backbone.freeze_batch_norm to "
            "true, as in the papers, or train in one process (--devices 1)."
        )
    from timm.layers import convert_sync_batchnorm

    converted: EmbeddingNetwork = convert_sync_batchnorm(network)
    return converted
