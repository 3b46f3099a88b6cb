"""What an analysis found, in a sentence per notion: where the best method is best, and what it gives elsewhere."""

from collections.abc import Callable, Hashable, Mapping

import pandas as pd

from likeness.evaluation import metric_title
from likeness.notions import METHOD_TITLES
from shared.plain import plain
from shared.sidebar import readable

_NO_RIVAL = ("raw", "oracle")  # the baseline, and what sees the labels


def found(runs: pd.DataFrame, x: str, metric: str, at: Callable[[Hashable], str], elsewhere: Callable[[list[Hashable]], Hashable]) -> list[str]:
    """A sentence, in Markdown, for each notion that has a finished run.

    Args:
        runs: from an analysis of `likeness.evaluation`.
        x: the column it varies.
        metric: one of `METRICS`.
        at: says a value of `x`, "at 8 dimensions".
        elsewhere: of the values of `x` that the best method has, in their order, the one to name beside the best.
    """
    done = runs[runs["refused"] == ""]
    means = done.groupby(["notion", "method", x], sort=False)[metric].mean()
    return [_sentence(str(notion), group.droplevel("notion"), metric, at, elsewhere) for notion, group in means.groupby("notion", sort=False)]


def _sentence(
    notion: str, means: "pd.Series[float]", metric: str, at: Callable[[Hashable], str], elsewhere: Callable[[list[Hashable]], Hashable]
) -> str:
    by_method: Mapping[str, pd.Series[float]] = {str(method): line.droplevel("method") for method, line in means.groupby("method", sort=False)}
    rivals = {method: line for method, line in by_method.items() if method not in _NO_RIVAL}
    raw = f"the raw encoder has {by_method['raw'].iloc[0]:.3f}" if "raw" in by_method else ""
    if not rivals:
        return f"**{plain(readable(notion))}**: {raw or 'nothing yet'}."
    best = max(rivals, key=lambda method: rivals[method].max())
    line = rivals[best]
    place, other = line.idxmax(), elsewhere(list(line.index))
    parts = [f"best with {METHOD_TITLES[best]} **{at(place)}**: {metric_title(metric)} **{line.max():.3f}**"]
    if other != place:
        parts.append(f"{at(other)} it has {line[other]:.3f}")
    return f"**{plain(readable(notion))}**: {'; '.join([*parts, *([raw] if raw else [])])}."
