"""Damage done to files, from a seed: bytes, numbers and structure."""

import json
import random
import re
from typing import Any

_NUMBER = re.compile(rb"-?\d+(\.\d+)?")
_STRANGE_NUMBERS = (
    *(b"-1", b"0", b"99999999999999999999", b"1e400", b"-1e-400", b"nan", b"inf", b"9" * 5000, b"0x10", b"1_000", "٣".encode(), "²".encode()),
)
_TOKENS = (
    *(b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\r", b"\n\n", b'"', b"'", b",", b";", b"\t", b":", b"{", b"}", b"[", b"]", b"&a ", b"*a", b"!!"),
    *(b"---\n", b"../../../../etc/passwd", b"/dev/zero", b"nan", b"null", b"true", b"~", b"{}", b"a" * 10_000, b"<script>", "é\u202e\u2028".encode()),
    *(b"[" * 2000, b'{"a":' * 1500, b"(" * 500, b"- " * 800, b"\xef\xbb\xbf", b"!!python/object/apply:os.system ['true']", b"!!timestamp 1"),
)
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, float("nan"), float("inf"), 10**40, "", " ", "\0", "x" * 5000, "\ud800", "٣", [], {}, [[]], [None], {"a": {}}),
    *([[[[[[[[]]]]]]]], {"": ""}, "../../etc/passwd", "/dev/zero", "2020-99-99", ["a", "a"], [1, "a", None], -(10**6), 1e308),
)


def damaged(content: bytes, draw: random.Random) -> bytes:
    """The content after one to four kinds of damage."""
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        content = draw.choice(_WAYS)(content, draw)
    return content


def _truncate(content: bytes, draw: random.Random) -> bytes:
    return content[: draw.randrange(len(content) + 1)]


def _flip(content: bytes, draw: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 8, 64))):
        if changed:
            changed[draw.randrange(len(changed))] = draw.choice((0, 0xFF, 0x7F, 0x80, draw.randrange(256)))
    return bytes(changed)


def _splice(content: bytes, draw: random.Random) -> bytes:
    """A piece moves elsewhere, or is repeated, or taken out."""
    if not content:
        return content
    begin = draw.randrange(len(content))
    end = min(len(content), begin + draw.choice((1, 4, 16, 256)))
    piece, rest = content[begin:end], content[:begin] + content[end:]
    place = draw.randrange(len(rest) + 1)
    return rest[:place] + piece * draw.choice((0, 1, 2, 50)) + rest[place:]


def _insert(content: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(content) + 1)
    return content[:place] + draw.choice(_TOKENS) + content[place + draw.choice((0, 0, 1, 8)) :]


def _number(content: bytes, draw: random.Random) -> bytes:
    found = list(_NUMBER.finditer(content[:100_000]))
    if not found:
        return _flip(content, draw)
    chosen = draw.choice(found)
    return content[: chosen.start()] + draw.choice(_STRANGE_NUMBERS) + content[chosen.end() :]


def _lines(content: bytes, draw: random.Random) -> bytes:
    lines = content.split(b"\n")
    if len(lines) < 3:
        return _insert(content, draw)
    way = draw.randrange(4)
    place = draw.randrange(len(lines))
    if way == 0:
        del lines[place]
    elif way == 1:
        lines.insert(place, draw.choice(lines))
    elif way == 2:
        draw.shuffle(lines)
    else:
        lines[place] = draw.choice(_TOKENS)
    return b"\n".join(lines)


def _structure(content: bytes, draw: random.Random) -> bytes:
    """A value in JSON or YAML becomes another one, of another type or out of range."""
    tree, dump = _parsed(content)
    if dump is None:
        return _number(content, draw)
    changed = _replaced(tree, draw)
    try:
        return dump(changed).encode("utf-8", "surrogatepass")  # type: ignore[no-any-return]
    except (ValueError, TypeError, RecursionError):
        return _flip(content, draw)


def _parsed(content: bytes) -> tuple[Any, Any]:
    if len(content) > 100_000:
        return None, None
    try:
        return json.loads(content), json.dumps
    except (ValueError, RecursionError):
        pass
    import yaml

    try:
        tree = yaml.safe_load(content.decode())
    except Exception:
        return None, None
    return (tree, lambda value: yaml.safe_dump(value, sort_keys=False)) if isinstance(tree, dict) else (None, None)


def _replaced(tree: Any, draw: random.Random) -> Any:
    """A copy with one value, somewhere, replaced, removed, or under another key."""
    if not isinstance(tree, dict | list) or not tree or draw.random() < 0.15:
        return draw.choice(_VALUES)
    if isinstance(tree, list):
        place = draw.randrange(len(tree))
        if draw.random() < 0.1:
            return [*tree[:place], *tree[place + 1 :]]
        return [*tree[:place], _replaced(tree[place], draw), *tree[place + 1 :]]
    key = draw.choice(list(tree))
    if draw.random() < 0.1:
        return {name: value for name, value in tree.items() if name != key}
    if draw.random() < 0.1:
        return {(str(draw.choice(_VALUES)) if name == key else name): value for name, value in tree.items()}
    return tree | {key: _replaced(tree[key], draw)}


_WAYS = (_truncate, _flip, _flip, _splice, _insert, _insert, _number, _lines, _structure, _structure, _structure)
