"""The notions on disk: shipped YAML files and the user's own, which replace shipped ones of the same file name.

`folder` holds the user's own; by default a folder of the cache.
"""

import os
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from likeness.data import SHIPPED_CARS, ImageTable
from likeness.defaults import CARS_ENCODER, PHOTO_NOTIONS, PHOTOS_ENCODER, reads_as_rendered_cars
from likeness.errors import InputError
from likeness.io import as_path, assets_dir, cache_dir, column_texts, parse_yaml, text_of, write_atomic
from likeness.notions.click import read_clicks
from likeness.notions.notion import Notion, distinct_slug, name_key, slug

_NOTHING = ("", "null", "~")
_LONGEST_NUMBER = 10  # digits; no encoder has as many dimensions
_FIELDS = ("name", "template", "aspects", "aspects_from", "question", "attribute", "source", "dataset", "dim", "joined", "clicks")


def list_notions(folder: Path | None = None) -> list[Notion]:
    """All readable notions, the user's own first; see `notion_problems` for the others."""
    return [notion for notion in _all(folder) if isinstance(notion, Notion)]


def notion_problems(folder: Path | None = None) -> list[str]:
    """One sentence for each unreadable notion file, with its name."""
    return [problem for problem in _all(folder) if isinstance(problem, str)]


def get_notion(name: str, folder: Path | None = None) -> Notion:
    """The notion of this name or file name ("car color" or "car-color"); InputError: an unknown name, or a file that cannot be read."""
    files = _files(folder)
    own = _files_in(folder or own_folder())
    path = _file_of(name, own) or _file_of(name, {stem: file for stem, file in files.items() if stem not in own})
    if path is not None:
        return read_notion(path)
    raise InputError(f"There is no notion '{name}'; choose from {', '.join(sorted(files))}.")


def read_notion(path: Path) -> Notion:
    """A notion from a YAML file.

    Keys are the fields of `Notion`. `joined` lists other notions with a `weight` (default 1), by name (`notion: car-model`, from the same folder or
    shipped) or in full; `clicks` lists pairs of images with the keys `query`, `neighbor`, `alike` and optionally `passed`, a list. Instead of
    `aspects`, `aspects_from: {table: car_models.csv, columns: [manufacturer]}` uses the distinct values of columns of a shipped table, joined by
    spaces. InputError, with the file's name: no such file, not YAML, unknown or missing keys, or an invalid notion.
    """
    named = as_path(path)
    try:
        stamp = named.stat().st_mtime_ns
    except OSError:
        raise InputError(f"There is no notion file '{path}'; pass the path of a YAML file.") from None
    return _read(named, stamp)


def write_notion(path: Path, notion: Notion) -> None:
    """Writes a notion as YAML, whole or not at all."""
    import yaml

    fields: dict[str, Any] = {
        "name": notion.name,
        "template": notion.template if isinstance(notion.template, str) else list(notion.template),
        "aspects": list(notion.aspects),
    }
    for key in ("question", "attribute", "source", "dataset", "dim"):
        if getattr(notion, key):
            fields[key] = getattr(notion, key)
    if notion.joined:
        fields["joined"] = [_joined_fields(weight, each) for weight, each in notion.joined]
    if notion.clicks:
        fields["clicks"] = [click.fields for click in notion.clicks]
    write_atomic(path, yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=120).encode())


def save_notion(notion: Notion, *, overwrite: bool = True, folder: Path | None = None) -> Path:
    """Saves a notion of the user; one with the name of a shipped notion replaces it.

    Overwrites only a notion of the same name (`likeness.notions.name_key`). InputError: it exists and `overwrite` is False, or the name makes no file
    name.
    """
    if not overwrite and _is_taken(notion.name, folder):
        raise InputError(f"There is a notion '{notion.name}' already; choose another name.")
    place = folder or own_folder()
    path = _named(notion.name, _files_in(place)) or place / f"{notion.slug}.yaml"
    if _has_other_name(path, notion.name):
        path = place / f"{distinct_slug(notion.name)}.yaml"
    write_notion(path, notion)
    return path


def delete_notion(name: str, folder: Path | None = None) -> None:
    """Deletes a notion of the user; a shipped one of the same name appears again. InputError: not a notion of the user."""
    path = _file_of(name, _files_in(folder or own_folder()))
    if path is None:
        get_notion(name, folder)
        raise InputError(f"The notion '{name}' ships with Likeness and cannot be deleted; only your own can.")
    path.unlink()


def is_own(name: str, folder: Path | None = None) -> bool:
    """True if the user saved a notion under this name."""
    return _file_of(name, _files_in(folder or own_folder())) is not None


def fitting_notions(table: ImageTable, encoder: str = "", folder: Path | None = None) -> list[Notion]:
    """The notions of the library that suit a table: first those with a label column in it, then those for these images, in the library's order.

    A notion suits a table that has its label column, or if its `dataset` is the table's name or empty. Starter notions, which ship with the dataset
    "photos", suit all images except the rendered cars, unless there are notions for that dataset. Notions of the rendered cars also suit images
    embedded by the encoder "cars", which knows no other words.

    Args:
        encoder: name of the encoder of the images' vectors, if any.
        folder: of the user's own notions; by default a folder of the cache.

    Example:
        >>> import likeness as lk
        >>> [notion.name for notion in fitting_notions(lk.read("cars"))][:3]
        ['background color', 'camera height', 'car color']
    """
    notions, attributes = list_notions(folder), table.attributes
    cars = reads_as_rendered_cars(attributes, encoder)
    has_own = any(notion.dataset == table.name for notion in notions if notion.dataset != PHOTO_NOTIONS)  # a user's folder may be called "photos"

    def fits(notion: Notion) -> bool:
        if notion.dataset == PHOTO_NOTIONS:
            return not cars and not has_own
        return notion.attribute in attributes or notion.dataset in ("", table.name) or (cars and notion.dataset == SHIPPED_CARS.name)

    return sorted(filter(fits, notions), key=lambda notion: notion.attribute not in attributes)


def notion_encoder(notion: Notion) -> str:
    """The default encoder of a notion: "cars" for notions of the rendered cars or with a label column of theirs, else "photos".

    >>> notion_encoder(Notion("setting", "a photo taken {}", ("indoors", "outdoors")))
    'photos'
    """
    judges_cars = notion.attribute in {each.attribute for each in list_notions() if each.dataset == SHIPPED_CARS.name}
    return CARS_ENCODER if notion.dataset == SHIPPED_CARS.name or judges_cars else PHOTOS_ENCODER


def own_folder() -> Path:
    """Default folder of the user's own notions."""
    return cache_dir() / "notions"


def shipped_folder() -> Path:
    """Folder of the shipped notions; passed as `folder`, these are the only ones."""
    return assets_dir() / "notions"


def _file_of(name: str, files: dict[str, Path]) -> Path | None:
    """The file of the notion of this name, or else the file of this name."""
    usual = files.get(slug(name))
    if usual is not None and not _has_other_name(usual, name):
        return usual  # the usual case, without reading all other files
    return _named(name, files) or usual


def _named(name: str, files: dict[str, Path]) -> Path | None:
    """The file of the notion of this name, whatever its file name."""
    wanted = name_key(name)
    return next((path for path in files.values() if isinstance(found := _try(path), Notion) and name_key(found.name) == wanted), None)


def _has_other_name(path: Path, name: str) -> bool:
    """Whether a file contains a notion of another name."""
    found = _try(path) if path.exists() else None
    return isinstance(found, Notion) and name_key(found.name) != name_key(name)


def _is_taken(name: str, folder: Path | None) -> bool:
    """Whether there is a notion of this name, own or shipped, or an unreadable file under its file name."""
    files = _files(folder)
    own = files.get(slug(name))
    return _named(name, files) is not None or (own is not None and not _has_other_name(own, name))


def _files(folder: Path | None) -> dict[str, Path]:
    """File name without ending -> path, own ones first, then shipped ones in alphabetical order."""
    own = _files_in(folder or own_folder())
    return own | {name: path for name, path in _files_in(shipped_folder()).items() if name not in own}


def _files_in(folder: Path) -> dict[str, Path]:
    """Like `Path.glob`, in a third of its time."""
    try:
        return {name.removesuffix(".yaml"): folder / name for name in sorted(os.listdir(folder)) if name.endswith(".yaml")}
    except OSError:
        return {}


def _all(folder: Path | None) -> list[Notion | str]:
    """Every notion of the library, or the error of its file. Unchanged files are cached, since the app calls this several times per click."""
    return [_try(path) for path in _files(folder).values()]


def _try(path: Path) -> Notion | str:
    try:
        return _read(path, path.stat().st_mtime_ns)
    except InputError as error:
        return str(error)
    except OSError:
        return f"The notion file '{path}' cannot be accessed; it may be a broken link, or may have been deleted."


@lru_cache(maxsize=512)
def _read(path: Path, stamp: int) -> Notion:
    # every plain value as text: an aspect such as 300, 9-5, no or on is a name here, not a number or a bool
    fields = parse_yaml(text_of(as_path(path)), f"The notion file '{path}'", as_texts=True)
    if not isinstance(fields, dict) or not {"name", "template"} <= fields.keys() or len({"aspects", "aspects_from"} & fields.keys()) != 1:
        raise InputError(f"The notion file '{path}' lacks a key; name, template and aspects are required.")
    unknown = [str(key) for key in fields if key not in _FIELDS]
    if unknown:
        raise InputError(f"The notion file '{path}' has the unknown key '{unknown[0]}'; the keys are {', '.join(_FIELDS)}.")
    try:
        if "aspects_from" in fields:
            fields["aspects"] = _from_table(fields.pop("aspects_from"))
        for key in ("question", "attribute", "source", "dataset"):
            if fields.get(key) in _NOTHING:
                del fields[key]
        if "dim" in fields:
            fields["dim"] = _number(fields["dim"])
        if "joined" in fields:
            fields["joined"] = _joined(fields["joined"], path.parent)
        if "clicks" in fields:
            fields["clicks"] = read_clicks(fields["clicks"])
        return Notion(**fields)
    except InputError as error:
        raise InputError(f"The notion file '{path}' is not valid: {error}") from None


def _number(text: Any) -> Any:
    """Converts the `5` of a file in which every value is text; other text is returned unchanged, for `Notion` to reject."""
    if text in _NOTHING:
        return None
    return int(text) if isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) < _LONGEST_NUMBER else text


def _joined_fields(weight: float, notion: Notion) -> dict[str, Any]:
    """In full, so that a saved composition does not change with the other notion."""
    size = {} if notion.dim is None else {"dim": notion.dim}
    template = notion.template if isinstance(notion.template, str) else list(notion.template)
    return {"weight": weight, "name": notion.name, "template": template, "aspects": list(notion.aspects), **size}


def _joined(listed: Any, folder: Path) -> tuple[tuple[float, Notion], ...]:
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise InputError("joined must be a list of entries with a notion and a weight.")
    return tuple((_weight(each.pop("weight", "1")), _other(each, folder)) for each in map(dict, listed))


def _weight(text: Any) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        raise InputError(f"joined has the weight {str(text)[:40]!r}; expected a number, such as 0.5 or -1.") from None


def _other(fields: dict[str, Any], folder: Path) -> Notion:
    if set(fields) == {"notion"} and isinstance(fields["notion"], str):
        found = next((each for each in _all(folder) if isinstance(each, Notion) and slug(fields["notion"]) in (each.slug, slug(each.name))), None)
        if found is None:
            raise InputError(f"joined names the notion '{fields['notion'][:60]}', which does not exist; name another one, or write it in full.")
        return replace(found, joined=(), clicks=())
    if not {"name", "template", "aspects"} <= fields.keys() <= {"name", "template", "aspects", "dim"}:
        raise InputError("Each entry of joined needs the key notion, or name, template and aspects; weight and dim may be added.")
    return Notion(**fields | ({"dim": _number(fields["dim"])} if "dim" in fields else {}))


def _from_table(reference: Any) -> tuple[str, ...]:
    if not isinstance(reference, dict) or set(reference) != {"table", "columns"}:
        raise InputError("aspects_from needs the keys table and columns.")
    # only the name: a notion file from elsewhere must not read other files
    table = Path(str(reference["table"])).name
    try:
        return column_texts(table, reference["columns"])
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"aspects_from cannot read {reference['columns']} of the table '{table}' ({error}).") from None
