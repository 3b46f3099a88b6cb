"""The log-ratio loss over every anchor of a batch, beside the authors' form, which takes one anchor and a matrix of all pairs of neighbors.

python benchmarks/log_ratio_loss.py
"""

import argparse
from collections.abc import Callable

import torch
from measuring.record import SMALL, add_record, record
from measuring.timing import best_of
from torch import Tensor

from likeness.losses import dense_triplet, log_ratio

SIZES = ((50, 1024), (150, 128), (300, 128))


def one_anchor(rows: Tensor, known: Tensor) -> Tensor:
    """The official variant in the authors' form: row 0 is the anchor, and each pair of neighbors an entry of a matrix."""
    lengths = ((rows[1:] - rows[0]).square().sum(dim=1) + 1e-4 / rows.shape[1]).sqrt()
    image, label = (lengths + 1e-6).log(), (known + 1e-6).log()
    squares = ((image[:, None] - image[None, :]) - (label[:, None] - label[None, :])).square()
    pairs = torch.ones_like(squares).triu(1)
    return (squares * pairs).sum() / pairs.sum()


def every_anchor(rows: Tensor, known: Tensor) -> Tensor:
    """The authors' form, anchor by anchor."""
    order = torch.arange(len(rows))
    losses = []
    for anchor in range(len(rows)):
        others = order[order != anchor]
        losses.append(one_anchor(rows[torch.cat([order[anchor : anchor + 1], others])], known[anchor, others]))
    return torch.stack(losses).mean()


def step(loss: Callable[[Tensor, Tensor], Tensor], rows: Tensor, known: Tensor) -> Callable[[], None]:
    """Forward and backward."""

    def run() -> None:
        leaf = rows.clone().requires_grad_()
        loss(leaf, known).backward()

    return run


def main() -> None:
    """Prints a line per size of batch."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_record(parser)
    recorded = parser.parse_args().record
    torch.manual_seed(0)
    for size, dim in SIZES:
        rows, labels = torch.randn(size, dim), torch.randn(size, 28)
        known = torch.cdist(labels, labels)
        ours, theirs = float(log_ratio(rows, known, "official")), float(every_anchor(rows, known))
        single, all_ours, all_theirs, dense = (
            1000 * best_of(5, step(*each)).seconds
            for each in (
                (one_anchor, rows, known[0, 1:]),
                (lambda a, b: log_ratio(a, b, "official"), rows, known),
                (every_anchor, rows, known),
                (dense_triplet, rows, known),
            )
        )
        print(
            f"batch of {size} x {dim}: ours, all {size} anchors {all_ours:.2f} ms; the authors' form, one anchor {single:.2f} ms, all anchors "
            f"{all_theirs:.1f} ms, {all_theirs / all_ours:.0f} times; relative difference of the losses {abs(ours - theirs) / theirs:.0e}; "
            f"dense triplet loss, all anchors {dense:.1f} ms"
        )
        if recorded and size == 150:
            record(SMALL, "log-ratio loss, all anchors", f"{size} x {dim}", round(all_ours, 1), "ms", "the authors' form", round(all_theirs, 1))


if __name__ == "__main__":
    main()
