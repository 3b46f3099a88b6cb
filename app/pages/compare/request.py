"""What a comparison of methods is asked for: its key, its rows, its work."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from background import Work
from likeness.notions import METHODS, Notion
from likeness.progress import Progress, progress_of_part
from likeness.space import Space
from likeness.studies import SUGGESTED, compare
from pages.compare.live_runs import measuring
from pages.compare.metric_words import called
from pages.compare.table import Line
from shared import cached

BASELINE = "raw"
# What learns by gradient steps: measured after all that takes a fraction of a second, so that there soon is a picture.
_SLOW = ("lae", "ae", "lae-code", "ae-code", "adam", "oracle")


@dataclass(frozen=True)
class Request:
    """What to compare.

    Attributes:
        dataset: catalog id of the images.
        notions: each with the attribute that judges it.
        methods: in the order of `METHODS`, the raw encoder among them.
        dims: whole numbers or "suggested": each notion's own.
        seeds: runs of a method with random choices.
    """

    dataset: str
    notions: tuple[Notion, ...]
    methods: tuple[str, ...]
    dims: tuple[int | str, ...]
    seeds: int

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for requests that have equal results."""
        return "methods", cached.base(self.dataset).key, content_of(self.notions), self.methods, self.dims, self.seeds

    @property
    def title(self) -> str:
        """What people call it."""
        return f"Comparison of {called(self.notions)}"

    def lines(self) -> list[Line]:
        """The rows of its table."""
        return list(dict.fromkeys(self._lines()))

    def _lines(self) -> Iterator[Line]:
        for notion in self.notions:
            sizes = [cached.dim_of(self.dataset, notion) if dim == SUGGESTED else int(dim) for dim in self.dims]
            for method in (METHODS[name] for name in self.methods):
                runs = self.seeds if method.seeds else 1
                yield from (Line(notion.name, method.name, size, runs) for size in (sizes if method.dims else [None]))

    def work(self) -> Work:
        """What measures the runs, those of quick methods first."""
        return measuring(self._measure, cached.base(self.dataset), self.lines())

    def _measure(
        self,
        base: Space,
        lines: Sequence[Line],
        progress: Progress,
        should_stop: Callable[[], bool],
        on_run: Callable[[dict[str, Any]], None],
    ) -> None:
        total, before = sum(line.runs for line in lines), 0
        for quick in (True, False):
            methods = [method for method in self.methods if (method not in _SLOW) == quick]
            if not methods or should_stop():
                continue
            compare(
                base,
                self.notions,
                methods,
                self.dims,
                range(self.seeds),
                progress=progress_of_part(progress, before, total),
                should_stop=should_stop,
                on_run=on_run,
            )
            before += sum(line.runs for line in lines if line.method in methods)


def content_of(notions: Sequence[Notion]) -> tuple[object, ...]:
    """Equal for notions that are fitted and judged alike."""
    return tuple((notion.name, tuple(notion.content), notion.attribute, notion.dim) for notion in notions)


def with_baseline(methods: Sequence[str]) -> tuple[str, ...]:
    """The methods and the raw encoder, in the order of `METHODS`."""
    return tuple(method for method in METHODS if method in methods or method == BASELINE)
