"""Escapes names from users, folders and files for Markdown, so that they are shown literally."""

import re

# an underscore within a word is one; elsewhere it could begin emphasis. A colon before a blank begins nothing
_SIGNS = re.compile(r"([\\`*\[\]()<>#!|~$&]|:(?!\s)|(?<![^\W_])_|_(?![^\W_]))")
# Streamlit looks for these once more where Markdown has been read: the sign alone would not keep them
_ICON = re.compile(r":(?=[a-z+-][\w+-]*(?:/\w+)?:)")
_COMMAND = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")  # more than one sign in a row would begin and end another way
_JOINER = "\u2060"  # has no width


def plain(text: str) -> str:
    return _SIGNS.sub(r"\\\1", _ICON.sub(f":{_JOINER}", text))


def prose(text: str) -> str:
    """A sentence of core or of a study: shown literally, with its `commands` in code style."""
    return "".join(f"`{part}`" if number % 2 else plain(part) for number, part in enumerate(_COMMAND.split(text)))
