"""Trains the shipped CLIP: renders, captions, steps, checkpoints, model card."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from experiments.clip.batches import BatchMaker
from experiments.clip.captions import CaptionWriter
from experiments.clip.car_names import car_names
from experiments.clip.card import write_card
from experiments.clip.model import WEIGHTS
from experiments.clip.recipe import ClipRecipe
from experiments.clip.renders import load_renders
from experiments.clip.run import Run
from experiments.clip.watch import Watch
from experiments.clip.zero_shot import HELD_OUT_SEED, zero_shot_report
from likeness.io import cache_dir
from likeness.progress import Progress


def train_clip(
    out: Path,
    config: ClipRecipe | None = None,
    resume: bool = True,
    progress: Progress | None = None,
    on_step: Callable[[int, Mapping[str, float]], None] | None = None,
) -> Path:
    """Trains by the recipe and writes an open_clip local directory to `out`.

    Every `save_every` steps the run is checkpointed (in `out/checkpoint.pt`, removed at the end) and the model so far is
    written to `out`, so that a usable one always exists. A run that was stopped goes on from its checkpoint and ends as if it
    had not been.

    Args:
        out: folder of the model.
        config: the recipe; the shipped model's by default.
        resume: go on from a checkpoint in `out`; False starts anew.
        progress: called with (done, total, what is being done) as images are rendered and after each step.
        on_step: called with (steps done, figures) after each step: loss, scale and, at every checkpoint, zero-shot accuracy on a few renders.

    Returns:
        `out`.

    Raises:
        InputError: if the checkpoint in `out` belongs to another recipe.
    """
    import torch

    recipe = config or ClipRecipe()
    torch.set_num_threads(recipe.threads)
    run = Run(out, recipe, resume)
    maker = _batches(run, progress)
    watch = Watch(recipe, run.tokenizer)
    while run.step < recipe.steps:
        start = time.monotonic()
        figures = run.advance(maker.batch(run.step))
        run.seconds += time.monotonic() - start
        if run.step % recipe.save_every == 0 or run.step == recipe.steps:
            figures |= watch.accuracies(run.averaged_model())
            run.save()
        if progress:
            progress(run.step, recipe.steps, "Training")
        if on_step:
            on_step(run.step, figures)
    _close(run)
    return out


def _batches(run: Run, progress: Progress | None) -> BatchMaker:
    """The source of batches; renders what is missing first."""
    recipe = run.recipe
    renders = load_renders(recipe.renders, recipe.seed, recipe.image_size, cache_dir() / "clip", recipe.threads, progress)
    return BatchMaker(recipe, renders, CaptionWriter(run.models), run.tokenizer)


def _close(run: Run) -> None:
    """Evaluates the model, writes its card, and removes the checkpoint."""
    facts = {
        "words": len(run.words),
        "names": sum(len(names) for names in car_names(with_short_names=False).values()),
        "parameters": sum(p.numel() for p in run.model.parameters()),
        "bytes": (run.out / WEIGHTS).stat().st_size,
        "steps": run.step,
        "seconds": run.seconds,
        "report_seed": HELD_OUT_SEED,
    }
    write_card(run.out, run.recipe, facts, zero_shot_report(run.out, run.recipe.card_renders))
    run.checkpoints.remove()
