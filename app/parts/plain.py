"""Names that people, folders and files have, where the app writes Markdown: shown as they are, never as links, pictures or formats."""

import re

# an underscore within a word is one; elsewhere it could begin emphasis. A colon before a blank begins nothing
_SIGNS = re.compile(r"([\\`*\[\]()<>#!|~$&]|:(?!\s)|(?<![^\W_])_|_(?![^\W_]))")
# Streamlit looks for these once more where Markdown has been read: the sign alone would not keep them
_ICON = re.compile(r":(?=[a-z+-][\w+-]*(?:/\w+)?:)")
_JOINER = "\u2060"  # has no width


def plain(text: str) -> str:
    """The text with every sign escaped that Markdown could take for more than itself."""
    return _SIGNS.sub(r"\\\1", _ICON.sub(f":{_JOINER}", text))
