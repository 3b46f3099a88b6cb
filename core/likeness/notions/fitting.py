"""Which notions fit which images: a notion says in `dataset` what it was made for."""

from pathlib import Path

from likeness.data import SHIPPED_CARS, ImageTable
from likeness.defaults import CARS_ENCODER, PHOTO_NOTIONS, PHOTOS_ENCODER, reads_as_rendered_cars
from likeness.notions.library import list_notions
from likeness.notions.notion import Notion


def fitting_notions(table: ImageTable, encoder: str = "", folder: Path | None = None) -> list[Notion]:
    """The notions of the library to offer for a table: those that its labels judge, then those for these images, in the library's order.

    A notion fits where its label column is there, and where its `dataset` is the table's name or empty. What ships with "photos" in place of a
    dataset, the starter notions, fits all images that are no rendered cars, unless notions were made for that very dataset. The notions of the
    rendered cars also fit what the encoder for cars has embedded, which reads no other words.

    Args:
        encoder: name of the encoder behind the images' vectors, where there is one.
        folder: where the user's own notions lie; by default a folder of the cache.

    Example:
        >>> import likeness as lk
        >>> [notion.name for notion in fitting_notions(lk.read("cars"))][:3]
        ['background color', 'camera height', 'car color']
    """
    notions, attributes = list_notions(folder), table.attributes
    cars = reads_as_rendered_cars(attributes, encoder)
    has_own = any(notion.dataset == table.name for notion in notions if notion.dataset != PHOTO_NOTIONS)  # a folder may be called "photos"

    def fits(notion: Notion) -> bool:
        if notion.dataset == PHOTO_NOTIONS:
            return not cars and not has_own
        return notion.attribute in attributes or notion.dataset in ("", table.name) or (cars and notion.dataset == SHIPPED_CARS.name)

    return sorted(filter(fits, notions), key=lambda notion: notion.attribute not in attributes)


def notion_encoder(notion: Notion) -> str:
    """The encoder that reads a notion's prompts where none is named: "cars" for one made for the rendered cars or judged by a label of theirs,
    "photos" for others.

    >>> notion_encoder(Notion("setting", "a photo taken {}", ("indoors", "outdoors")))
    'photos'
    """
    judges_cars = notion.attribute in {each.attribute for each in list_notions() if each.dataset == SHIPPED_CARS.name}
    return CARS_ENCODER if notion.dataset == SHIPPED_CARS.name or judges_cars else PHOTOS_ENCODER
