"""The text side of a CLIP in a run."""

from typing import Any, NamedTuple

from torch import Tensor, nn
from torch.nn.functional import normalize


class Similarity(NamedTuple):
    """Logarithm of the scale, and bias, with which a model was pretrained; None: without bias."""

    log_scale: Tensor
    bias: Tensor | None


class TextTower(nn.Module):
    """Maps tokens (n, t) to features (n, d), not normalized.

    Args:
        model: of open_clip; its image side is taken off.
        reader: makes tokens (`likeness.encoders.ClipTokens`).
        trained: whether its weights are trained; otherwise they stay as they are.
    """

    def __init__(self, model: Any, reader: Any, trained: bool) -> None:
        super().__init__()
        bias = getattr(model, "logit_bias", None)
        self.similarity = Similarity(model.logit_scale.detach().clone(), None if bias is None else bias.detach().clone())
        model.visual, model.logit_scale, model.logit_bias = nn.Identity(), None, None
        self.model, self.reader, self.trained = model.requires_grad_(trained), reader, trained

    def forward(self, tokens: Tensor) -> Tensor:
        found: Tensor = self.model.encode_text(tokens)
        return found

    def unit(self, tokens: Tensor) -> Tensor:
        """Rows (n, d) of unit length."""
        return normalize(self(tokens), dim=1)
