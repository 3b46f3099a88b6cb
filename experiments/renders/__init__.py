"""Rendered datasets: a package for each, and one line for each of them here."""

from experiments.renders import cars, poses, rooms
from experiments.renders.render import Render
from likeness.errors import InputError

RENDERS: tuple[Render, ...] = (cars.RENDER, poses.RENDER, rooms.RENDER)


def find_render(name: str) -> Render:
    """Raises InputError if there is nothing of this name to draw, with the known names."""
    found = {render.name: render for render in RENDERS}
    if name not in found:
        raise InputError(f"There is nothing to render called '{name}'; choose from {', '.join(found)}.")
    return found[name]
