"""One field of all entries of a registry, by name."""

from collections.abc import Iterator, Mapping
from typing import Any


class FieldView(Mapping[str, str]):
    """A text that all entries declare, such as their titles: it follows the registry, also when an entry is added later.

    Args:
        entries: by name.
        field: an attribute of each.
    """

    def __init__(self, entries: Mapping[str, Any], field: str) -> None:
        self._entries, self._field = entries, field

    def __getitem__(self, name: str) -> str:
        return str(getattr(self._entries[name], self._field))

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
