"""What methods mean, in a sentence each, and what comparisons are called."""

from collections.abc import Mapping, Sequence

from likeness.notions import METHODS, Notion
from likeness.registry import LiveView
from shared.sidebar import listed

METHODS_HELP = LiveView(lambda: {name: method.help for name, method in METHODS.items()})


def help_list(titles: Mapping[str, str], helps: Mapping[str, str]) -> str:
    """A Markdown list, `- **title**: sentence`."""
    return "\n".join(f"- **{title}**: {helps.get(name, '')}" for name, title in titles.items())


def called(notions: Sequence[Notion]) -> str:
    """`car model, car color and viewpoint`; only their number where there are more."""
    return listed([notion.name for notion in notions]) if len(notions) <= 3 else f"{len(notions)} notions"
