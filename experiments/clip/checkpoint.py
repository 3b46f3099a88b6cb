"""A run's state on disk, with its recipe."""

from typing import Any

from experiments.clip.recipe import ClipRecipe
from likeness.errors import InputError
from likeness.io import CheckpointFile

# May differ between the two halves of an interrupted run.
_FREE = {"steps", "cooldown", "save_every", "threads", "watch_renders", "watch_seed", "card_renders"}


def save_checkpoint(checkpoints: CheckpointFile, recipe: ClipRecipe, words: list[str], state: dict[str, Any]) -> None:
    """Writes the recipe, the vocabulary and `state` (tensors, numbers, strings and containers of them)."""
    checkpoints.write({"recipe": recipe.model_dump_json(), "words": words, **state})


def load_checkpoint(checkpoints: CheckpointFile, recipe: ClipRecipe, words: list[str]) -> dict[str, Any]:
    """The state of an interrupted run.

    Raises:
        InputError: if the file is damaged, or the run had another recipe in more than its length, or another vocabulary.
    """
    state, file = checkpoints.read(), checkpoints.file
    try:
        before = ClipRecipe.model_validate_json(state.pop("recipe")).model_dump()
    except (KeyError, ValueError, TypeError) as error:
        raise InputError(f"The checkpoint '{file}' does not name its recipe; delete it to train again.") from error
    differing = [name for name, value in recipe.model_dump().items() if name not in _FREE and before[name] != value]
    if differing:
        changes = ", ".join(f"{name} {before[name]} became {getattr(recipe, name)}" for name in differing)
        raise InputError(f"The interrupted run in '{file.parent}' had another recipe ({changes}): choose another folder, or do not resume.")
    if state.pop("words", None) != words:
        raise InputError(f"The captions differ in words from the interrupted run in '{file.parent}': choose another folder, or do not resume.")
    return state
