"""Computes the shipped embeddings and maps, so that the first map is shown before any model is loaded."""

import shutil

import typer

from experiments.shipped_files import ship_embeddings, ship_texts, ship_vocabulary, write_sight
from likeness.clusters import photo_nouns
from likeness.commands.terminal import progress_bar
from likeness.data import read_cars
from likeness.embedding import embed
from likeness.encoders import unknown_words
from likeness.io import assets_dir
from likeness.notions import Notion, list_notions, shipped_folder
from likeness.progress import Progress
from likeness.projection import LayoutJob, write_map
from likeness.space import Space
from likeness.words import word_lists


def ship(progress: Progress | None = None) -> int:
    """Writes image embeddings, prompt embeddings and maps of the shipped images into `assets/`, and embeddings of the words that name clusters;
    removes older ones.

    Returns:
        The number of maps.
    """
    table, notions = read_cars(), cars_notions()
    for folder in ("embeddings", "maps"):
        shutil.rmtree(assets_dir() / folder, ignore_errors=True)
    ship_embeddings(table, "cars")
    ship_texts("cars", [*(prompt for notion in notions for prompt in notion.prompts), *list_prompts("cars")])
    ship_texts("cars-small", list_prompts("cars-small"))
    nouns = photo_nouns("photos")
    assert nouns is not None
    ship_vocabulary("photos", nouns.prompts)
    base = embed(table)
    for name in ("cars", "cars-small"):
        write_sight(name, table.paths())
    spaces = [base, *(base.refit(notion) for notion in notions)]
    for done, space in enumerate(spaces):
        if progress:
            progress(done, len(spaces))
        _ship_map(space)
    return len(spaces)


def cars_notions() -> list[Notion]:
    """Notions whose labels the shipped images have."""
    attributes = read_cars().attributes
    return [notion for notion in list_notions(shipped_folder()) if notion.attribute in attributes]


def list_prompts(encoder: str) -> list[str]:
    """Words that can name clusters of cars: all listed words that the encoder knows."""
    found = []
    for each in word_lists():
        if each.fits("car"):
            templates = each.templates_for("car")
            template = next((known for known in templates if not unknown_words(encoder, known.replace("{}", " "))), templates[0])
            found += [template.replace("{}", aspect) for aspect in each.aspects_for("car") if not unknown_words(encoder, aspect)]
    return found


def _ship_map(space: Space) -> None:
    job = LayoutJob(space.vectors, content=space.key)
    write_map(assets_dir() / "maps" / f"{job.key}.npy", job.result())


def main() -> None:
    """Write embeddings and maps of the shipped images into the checkout's `assets/`, after a new model or new images."""
    with progress_bar("Laying out maps") as bar:
        typer.echo(f"{ship(bar)} maps written")


if __name__ == "__main__":
    from experiments.command_line import run

    run("shipping")
