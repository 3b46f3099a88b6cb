"""Checked input of the losses on continuous labels."""

from typing import TYPE_CHECKING, Any, NamedTuple

from likeness.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor


class Anchors(NamedTuple):
    """Embeddings (n, d) whose first a rows are anchors, and the label distances (a, n) from the anchors to all rows.

    The mask `others` (a, n) is False on the diagonal only; label distances on the diagonal are ignored.
    """

    embeddings: "Tensor"
    label_distances: "Tensor"
    others: "Tensor"

    def distances(self) -> "Tensor":
        """Squared distances (a, n) between the embeddings of anchors and of all rows."""
        from likeness.losses.anchor_distances import squared_distances

        return squared_distances(self.embeddings[: len(self.label_distances)], self.embeddings)


def checked_anchors(embeddings: Any, label_distances: Any) -> Anchors:
    """Checks both and returns them as tensors of one type.

    Embeddings are (n, d), NumPy or torch. Label distances are (n - 1,), from row 0 to each other row in order, or (a, n), from the first
    a rows to all.

    InputError: shapes that do not fit, fewer than three rows, distances that are negative or not finite.
    """
    import torch

    rows = embeddings if isinstance(embeddings, torch.Tensor) else torch.as_tensor(embeddings)
    if rows.ndim != 2 or len(rows) < 3:
        raise InputError(f"The embeddings have shape {tuple(rows.shape)}; expected (n, d) with at least 3 rows, an anchor and two neighbors.")
    known = torch.as_tensor(label_distances).to(rows)
    if known.shape == (len(rows) - 1,):
        known = torch.cat([known.new_zeros(1), known]).unsqueeze(0)
    if known.ndim != 2 or known.shape[1] != len(rows) or not 1 <= len(known) <= len(rows):
        raise InputError(
            f"Label distances of shape {tuple(known.shape)} do not fit {len(rows)} embeddings; pass ({len(rows) - 1},) for the anchor in row 0, "
            f"or (a, {len(rows)}) for the first a rows as anchors."
        )
    others = torch.ones_like(known, dtype=torch.bool).fill_diagonal_(False)
    wrong = others & ~((known >= 0) & torch.isfinite(known))
    if wrong.any():
        anchor, other = (int(each[0]) for each in wrong.nonzero(as_tuple=True))
        raise InputError(
            f"The label distance of rows {anchor} and {other} is {float(known[anchor, other]):g}; distances must be finite and not negative."
        )
    return Anchors(rows, known, others)


def as_given(loss: "Tensor", embeddings: Any) -> Any:
    """The loss as a float if the embeddings are an array."""
    import torch

    return loss if isinstance(embeddings, torch.Tensor) else float(loss.detach())
