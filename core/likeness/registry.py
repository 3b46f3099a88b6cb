"""Live views of registries."""

from collections.abc import Callable, Iterator, Mapping


class LiveView(Mapping[str, str]):
    """A mapping that calls a function at each access, such as for the titles of all entries, so that later entries are included."""

    def __init__(self, current: Callable[[], Mapping[str, str]]) -> None:
        self._current = current

    def __getitem__(self, name: str) -> str:
        return self._current()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._current())

    def __len__(self) -> int:
        return len(self._current())
