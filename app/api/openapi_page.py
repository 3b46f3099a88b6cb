"""The OpenAPI document as a page for people: one HTML file without scripts, which loads nothing."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from addresses import address
from api.openapi import document

_EXAMPLE = 'curl -H "Authorization: Bearer $TOKEN" "$SERVER/api/v1/datasets/cars/images/3/neighbors?k=5&notion=car-color"'
_STYLE = (Path(__file__).parent / "openapi_page.css").read_text(encoding="utf-8")
_LOGO = (Path(__file__).parent.parent / "wordmark.svg").read_text(encoding="utf-8").strip()
_DIGEST = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_DIGEST}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cache-Control": "no-store",
}


@cache
def page(path: str) -> str:
    """The page at this path, in HTML."""
    content = document()
    topics = [tag["name"] for tag in content["tags"]]
    links = "".join(f'<a href="#topic-{escape(topic)}">{escape(topic)}</a>' for topic in topics)
    sections = "".join(_topic(topic, content) for topic in topics)
    schemas = "".join(_schema(name, schema) for name, schema in sorted(content["components"]["schemas"].items()))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>API · Likeness</title><style>{_STYLE}</style></head><body>'
        f"<header>{_LOGO}<h1>API for programs</h1><p>{_words(content['info']['description'])} "
        f'The same as a document for tools: <a href="{address("/api/openapi.json", path)}">openapi.json</a>.</p>'
        f'<pre><code>{escape(_EXAMPLE)}</code></pre><nav>{links}<a href="#topic-schemas">Schemas</a></nav></header><main>{sections}'
        f'<h2 id="topic-schemas">Schemas</h2>{schemas}</main></body></html>'
    )


def _topic(topic: str, content: dict[str, Any]) -> str:
    found = [
        _operation(method, path, operation)
        for path, methods in content["paths"].items()
        for method, operation in methods.items()
        if topic in operation["tags"]
    ]
    return f'<h2 id="topic-{escape(topic)}">{escape(topic)}</h2>{"".join(found)}'


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    body = operation.get("requestBody", {}).get("content", {})
    rows = [(each["name"], each["in"], each["schema"], each["required"], each["description"]) for each in operation["parameters"]]
    fields = body.get("application/json", {}).get("schema", {})
    rows += [
        (name, "body", schema, name in fields.get("required", ()), schema.get("description", ""))
        for name, schema in fields.get("properties", {}).items()
    ]
    table = _table(("Argument", "In", "Type", "Meaning"), [(_name(n, r), escape(place), _type(s), _words(d)) for n, place, s, r, d in rows])
    picture = "<p>The body is the file of a picture, such as a JPEG.</p>" if "image/*" in body else ""
    rest = operation["description"].removeprefix(operation["summary"]).removeprefix(".").strip()
    more = f"<p>{_words(rest)}</p>" if rest else ""
    answer = operation["responses"]["200"]["content"]
    gives = _type(answer["application/json"]["schema"]) if "application/json" in answer else escape(", ".join(answer))
    return (
        f'<details id="{escape(operation["operationId"])}"><summary><b class="{method}">{method.upper()}</b> <code>{escape(path)}</code>'
        f"<span>{_words(operation['summary'])}</span></summary>{more}{picture}{table}"
        f"<p>Answers with {gives}.</p></details>"
    )


def _schema(name: str, schema: dict[str, Any]) -> str:
    required = schema.get("required", ())
    rows = [(_name(key, key in required), _type(each), _words(each.get("description", ""))) for key, each in schema.get("properties", {}).items()]
    description = _words(schema.get("description", ""))
    return f'<section id="{escape(name)}"><h3>{escape(name)}</h3><p>{description}</p>{_table(("Key", "Type", "Meaning"), rows)}</section>'


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    if not rows:
        return ""
    top = "".join(f"<th>{name}</th>" for name in head)
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>'


def _name(name: str, required: bool) -> str:
    return f"<code>{escape(name)}</code>{' <i>required</i>' if required else ''}"


def _type(schema: dict[str, Any]) -> str:
    """The type of a value in a few words, with its bounds and default."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rsplit("/", 1)[-1])
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema:
        text = " or ".join(dict.fromkeys(_type(each) for each in schema["anyOf"] if each.get("type") != "null")) or "nothing"
    elif "enum" in schema:
        text = " or ".join(escape(str(each)) for each in schema["enum"])
    elif schema.get("type") == "array":
        text = f"list of {_type(schema.get('items', {}))}"
    elif isinstance(schema.get("additionalProperties"), dict):
        text = f"object of {_type(schema['additionalProperties'])}"
    else:
        text = escape(str(schema.get("type", "any")))
    limits = [f"{word} {schema[key]:,}" for key, word in _BOUNDS.items() if isinstance(schema.get(key), int | float)]
    if schema.get("default") not in (None, "", [], {}):
        limits.append(f"default {escape(json.dumps(schema['default']))}")
    bounds = ", ".join(limits)
    return f"{text} <small>({bounds})</small>" if bounds else text


_BOUNDS = {
    "minimum": "from",
    "maximum": "to",
    "minItems": "at least",
    "maxItems": "at most",
    "maxLength": "letters up to",
}


def _words(text: str) -> str:
    """Text with `code` in it, in HTML."""
    parts = escape(text, quote=False).split("`")
    return "".join(f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts))
