"""Convert class names to readable text."""

import re
from collections.abc import Sequence
from functools import lru_cache

from likeness.errors import InputError

# "027." of CUB200, "n01440764-" of ImageNet folders, "003_" of numbered folders. A number without leading zero stays unless a point
# follows it: "911_Turbo" and "3-series" are names.
_NUMBER = re.compile(r"^(?:n\d{8}[-_. ]|\d+\.(?=\D)|0\d*[-_](?=\D))")


def clean_class_name(name: str) -> str:
    """A class name without folder number, and with single spaces instead of underscores. "027.Shiny_Cowbird" becomes "Shiny Cowbird",
    "n01440764-tench" becomes "tench". Case, hyphens, CamelCase and readable names ("AM General Hummer SUV 2000") are unchanged. Raises InputError if
    the name is not a string, or nothing is left.
    """
    if not isinstance(name, str):
        raise InputError(f"The class name {name!r} is not a string; give class names as strings.")
    cleaned = " ".join(_NUMBER.sub("", name.strip()).replace("_", " ").split())
    if not cleaned:
        raise InputError(f"The class name {name!r} has no word; name each class.")
    return cleaned


def readable_names(names: Sequence[str]) -> list[str]:
    """The cleaned names in the same order; two classes may get the same name. Raises InputError if there is no name, one is not a string, or nothing
    of one is left.
    """
    if isinstance(names, str) or not len(names):
        raise InputError(f"Expected a list of at least one class name, got {names!r}; give the names as a list of strings.")
    return [clean_class_name(name) for name in names]


def first_synonym(name: str) -> str:
    """The text before the first ", " of a list of synonyms: "tench, Tinca tinca" becomes "tench", as in the authors' code. Raises InputError if the
    name is not a string or its first synonym is empty.
    """
    first = clean_class_name(name).split(", ")[0]
    if not first.strip(" ,"):
        raise InputError(f"The class name {name!r} begins with an empty synonym; write the synonym to use first.")
    return first


@lru_cache(maxsize=1)
def imagenet_names() -> tuple[str, ...]:
    """The first synonyms of the 1,000 ImageNet classes, in the order of a classifier's outputs. Two pairs of classes share a name ("crane": a bird
    and a machine; "maillot"), so there are 998 different ones.
    """
    from timm.data import ImageNetInfo

    info = ImageNetInfo("imagenet-1k")
    return tuple(first_synonym(info.index_to_description(index)) for index in range(info.num_classes()))
