"""What a registry declares, by name, as it stands now."""

from collections.abc import Callable, Iterator, Mapping


class LiveView(Mapping[str, str]):
    """What a function gives, anew at each look, such as the titles of all entries: it follows the registry, also when an entry is added later."""

    def __init__(self, current: Callable[[], Mapping[str, str]]) -> None:
        self._current = current

    def __getitem__(self, name: str) -> str:
        return self._current()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._current())

    def __len__(self) -> int:
        return len(self._current())
