"""What installed packages declare for others to find."""

from functools import lru_cache
from importlib import metadata


def entry_points(group: str, name: str | None = None) -> metadata.EntryPoints:
    """Those of a group, such as "likeness.encoders", or the one of this name; what is installed later, the next process finds."""
    return _declared(group) if name is None else _declared(group).select(name=name)


@lru_cache
def _declared(group: str) -> metadata.EntryPoints:
    """Read once: files of every installed package are opened for it, for some 50 ms."""
    return metadata.entry_points(group=group)
