"""Entry points of installed packages."""

from functools import lru_cache
from importlib import metadata


def entry_points(group: str, name: str | None = None) -> metadata.EntryPoints:
    """The entry points of a group, such as "likeness.encoders", optionally by name. Packages installed later are found by the next process."""
    return _declared(group) if name is None else _declared(group).select(name=name)


@lru_cache
def _declared(group: str) -> metadata.EntryPoints:
    """Cached, because reading them opens files of every installed package (about 50 ms)."""
    return metadata.entry_points(group=group)
