"""Trains the bundled CLIP: renders, captions, steps, checkpoints, export."""

import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.data.synthetic_cars import render_scenes, sample_scenes
from likeness.paths import cache_dir
from likeness.training.clip.batches import Batch, BatchMaker, to_tensor
from likeness.training.clip.captions import CaptionWriter, encode_attributes
from likeness.training.clip.car_names import car_names
from likeness.training.clip.card import write_card
from likeness.training.clip.checkpoint import load_checkpoint, save_checkpoint
from likeness.training.clip.loss import caption_loss
from likeness.training.clip.model import WEIGHTS, build_model, export
from likeness.training.clip.recipe import RENDER_SIZE, ClipRecipe
from likeness.training.clip.renders import load_renders, resized
from likeness.training.clip.tokenizer import CONTEXT_LENGTH, build_tokenizer, vocabulary
from likeness.training.clip.zero_shot import HELD_OUT_SEED, Vectors, accuracy, first_prompts, zero_shot_report

if TYPE_CHECKING:
    from torch import Tensor

Report = Callable[[str, int, int, Mapping[str, float]], None]
CHECKPOINT = "checkpoint.pt"


def train_clip(out: Path, config: ClipRecipe | None = None, resume: bool = True, progress: Report | None = None) -> Path:
    """Trains by the recipe and leaves an open_clip local directory in `out`.

    Every `save_every` steps the run is checkpointed (in `out/checkpoint.pt`, removed at the end) and the model so far is
    written to `out`, so that a usable one always exists. A run that was stopped goes on from its checkpoint and ends as if it
    had not been.

    Args:
        out: folder of the model.
        config: the recipe; the shipped model's by default.
        resume: go on from a checkpoint in `out`; False starts anew.
        progress: called with a stage ("renders" or "steps"), how much of it is done, how much there is, and figures: loss, scale
            and, at every checkpoint, zero-shot accuracy on a few renders.

    Returns:
        `out`.

    Raises:
        InputError: if the checkpoint in `out` belongs to another recipe.
    """
    import torch

    recipe = config or ClipRecipe()
    torch.set_num_threads(recipe.threads)
    run = _Run(out, recipe, resume)
    maker = run.batch_maker(progress)
    watch = _Watch(recipe, run.tokenizer)
    while run.step < recipe.steps:
        start = time.monotonic()
        figures = run.advance(maker.batch(run.step))
        run.seconds += time.monotonic() - start
        if run.step % recipe.save_every == 0 or run.step == recipe.steps:
            figures |= watch.accuracies(run.averaged_model())
            run.save()
        if progress:
            progress("steps", run.step, recipe.steps, figures)
    run.close()
    return out


def learning_rate(recipe: ClipRecipe, step: int) -> float:
    """Rises over the warm-up, stays, falls along a cosine over the cool-down."""
    cooldown = max(1, round(recipe.cooldown * recipe.steps))
    left = min(1.0, (recipe.steps - step) / cooldown)
    return recipe.learning_rate * min(1.0, (step + 1) / (recipe.warmup + 1)) * (1 - math.cos(math.pi * left)) / 2


class _Run:
    """Model, optimizer and averaged weights, and how they are kept."""

    def __init__(self, out: Path, recipe: ClipRecipe, resume: bool) -> None:
        self.out, self.recipe = out, recipe
        self.models = car_names()
        self.words = vocabulary(name for names in self.models.values() for name in names)
        self.tokenizer = build_tokenizer(self.words)
        self.model = build_model(recipe, len(self.words))
        self.averaged = {name: value.clone() for name, value in self.model.state_dict().items()}
        self.optimizer = _optimizer(self.model, recipe)
        self.step, self.seconds = 0, 0.0
        self.file = out / CHECKPOINT
        if resume and self.file.is_file():
            self._load()

    def batch_maker(self, progress: Report | None) -> BatchMaker:
        """The source of batches; renders what is missing first."""
        recipe = self.recipe
        rendered = (lambda done, n: progress("renders", done, n, {})) if progress else None
        renders = load_renders(recipe.renders, recipe.seed, recipe.image_size, cache_dir() / "clip", recipe.threads, rendered)
        return BatchMaker(recipe, renders, CaptionWriter(self.models), self.tokenizer)

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
        save_checkpoint(self.file, self.recipe, self.words, state | {"step": self.step, "seconds": self.seconds})
        export(self.averaged, self.words, self.recipe, self.out)

    def _load(self) -> None:
        state = load_checkpoint(self.file, self.recipe, self.words)
        self.model.load_state_dict(state["model"])
        self.averaged, self.step, self.seconds = state["averaged"], state["step"], state["seconds"]
        self.optimizer.load_state_dict(state["optimizer"])

    def close(self) -> None:
        """Measures the model and writes its card; the checkpoint goes."""
        facts = {
            "words": len(self.words),
            "names": sum(len(names) for names in car_names(with_short_names=False).values()),
            "parameters": sum(p.numel() for p in self.model.parameters()),
            "bytes": (self.out / WEIGHTS).stat().st_size,
            "steps": self.step,
            "seconds": self.seconds,
            "report_seed": HELD_OUT_SEED,
        }
        write_card(self.out, self.recipe, facts, zero_shot_report(self.out, self.recipe.card_renders))
        self.file.unlink(missing_ok=True)


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

    with torch.autocast("cpu", torch.bfloat16):
        images = model.encode_image(to_tensor(batch.pixels))
        texts = model.encode_text(torch.from_numpy(batch.tokens))
    normalize = torch.nn.functional.normalize
    logits = model.logit_scale.exp() * normalize(images.float(), dim=-1) @ normalize(texts.float(), dim=-1).T
    return caption_loss(logits, torch.from_numpy(batch.truth), batch.sets, prompts_weight)


class _Watch:
    """A few renders that training never sees, to show how it goes."""

    def __init__(self, recipe: ClipRecipe, tokenizer: Any) -> None:
        scenes = sample_scenes(recipe.watch_renders, recipe.watch_seed)
        self.pixels = resized(render_scenes(scenes, RENDER_SIZE), recipe.image_size)
        self.codes, self.tokenizer = encode_attributes(scenes), tokenizer

    def accuracies(self, model: Any) -> dict[str, float]:
        """Top-1 accuracy per attribute, one prompt a class."""
        import torch

        from likeness.training.clip.captions import ATTRIBUTES

        def texts(prompts: list[str]) -> Vectors:
            ids = self.tokenizer(prompts, padding="max_length", max_length=CONTEXT_LENGTH, truncation=True, return_tensors="pt").input_ids
            vectors: Vectors = model.encode_text(ids, normalize=True).numpy()
            return vectors

        with torch.inference_mode():
            parts = [model.encode_image(to_tensor(part), normalize=True).numpy() for part in np.array_split(self.pixels, 8)]
            images: Vectors = np.concatenate(parts)
            return {name: accuracy(images, texts(first_prompts(name)), self.codes[:, i])[0] for i, name in enumerate(ATTRIBUTES)}
