"""A run's training state (model, optimizer, averaged weights) and its checkpoints."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.clip.batches import Batch, to_tensor
from experiments.clip.car_names import car_names
from experiments.clip.checkpoint import load_checkpoint, save_checkpoint
from experiments.clip.loss import caption_loss
from experiments.clip.model import build_model, export
from experiments.clip.recipe import ClipRecipe
from experiments.clip.tokenizer import build_tokenizer, vocabulary
from likeness.io import CheckpointFile

if TYPE_CHECKING:
    from torch import Tensor

CHECKPOINT = "checkpoint.pt"


def learning_rate(recipe: ClipRecipe, step: int) -> float:
    """Learning rate: warm-up, constant, then cosine cool-down."""
    cooldown = max(1, round(recipe.cooldown * recipe.steps))
    left = min(1.0, (recipe.steps - step) / cooldown)
    return recipe.learning_rate * min(1.0, (step + 1) / (recipe.warmup + 1)) * (1 - math.cos(math.pi * left)) / 2


class Run:
    """Model, optimizer and averaged weights, with checkpoints."""

    def __init__(self, out: Path, recipe: ClipRecipe, resume: bool) -> None:
        self.out, self.recipe = out, recipe
        self.models = car_names()
        self.words = vocabulary(name for names in self.models.values() for name in names)
        self.tokenizer = build_tokenizer(self.words)
        self.model = build_model(recipe, len(self.words))
        self.averaged = {name: value.clone() for name, value in self.model.state_dict().items()}
        self.optimizer = _optimizer(self.model, recipe)
        self.step, self.seconds = 0, 0.0
        self.checkpoints = CheckpointFile(out / CHECKPOINT)
        if resume and self.checkpoints.is_there():
            self._load()

    def advance(self, batch: Batch) -> dict[str, float]:
        """One step of the optimizer."""
        import torch

        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(self.recipe, self.step)
        self.model.train()
        loss = _loss(self.model, batch, self.recipe.prompts_weight)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        with torch.no_grad():
            self.model.logit_scale.clamp_(max=math.log(self.recipe.largest_scale))
            self._average()
        self.step += 1
        return {"loss": float(loss.detach()), "scale": float(self.model.logit_scale.detach().exp())}

    def _average(self) -> None:
        # a short memory at first, or the random start would stay in the average for long
        decay = min(self.recipe.averaging, (1 + self.step) / (10 + self.step))
        for name, value in self.model.state_dict().items():
            if value.is_floating_point():
                self.averaged[name].lerp_(value, 1 - decay)
            else:
                self.averaged[name].copy_(value)

    def averaged_model(self) -> Any:
        """A copy of the model with the averaged weights, ready to encode."""
        model = build_model(self.recipe, len(self.words))
        model.load_state_dict(self.averaged)
        return model.eval()

    def save(self) -> None:
        """Checkpoint first, so that the model in `out` is never newer than what a resumed run starts from."""
        state = {"model": self.model.state_dict(), "averaged": self.averaged, "optimizer": self.optimizer.state_dict()}
        save_checkpoint(self.checkpoints, self.recipe, self.words, state | {"step": self.step, "seconds": self.seconds})
        export(self.averaged, self.words, self.recipe, self.out)

    def _load(self) -> None:
        state = load_checkpoint(self.checkpoints, self.recipe, self.words)
        self.model.load_state_dict(state["model"])
        self.averaged, self.step, self.seconds = state["averaged"], state["step"], state["seconds"]
        self.optimizer.load_state_dict(state["optimizer"])


def _optimizer(model: Any, recipe: ClipRecipe) -> Any:
    from torch.optim import AdamW

    # as is usual, no decay for biases, norms and the temperature
    groups = [
        {"params": [p for p in model.parameters() if p.ndim >= 2], "weight_decay": recipe.weight_decay},
        {"params": [p for p in model.parameters() if p.ndim < 2], "weight_decay": 0.0},
    ]
    return AdamW(groups, lr=recipe.learning_rate, betas=(0.9, 0.98))


def _loss(model: Any, batch: Batch, prompts_weight: float) -> "Tensor":
    import torch

    # where the processor has no bfloat16 instructions, emulating them costs several times as much as float32
    with torch.autocast("cpu", torch.bfloat16, enabled=torch.ops.mkldnn._is_mkldnn_bf16_supported()):
        images = model.encode_image(to_tensor(batch.pixels))
        texts = model.encode_text(torch.from_numpy(batch.tokens))
    normalize = torch.nn.functional.normalize
    logits = model.logit_scale.exp() * normalize(images.float(), dim=-1) @ normalize(texts.float(), dim=-1).T
    return caption_loss(logits, torch.from_numpy(batch.truth), batch.sets, prompts_weight)
