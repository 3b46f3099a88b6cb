"""The pages of the site beside those of docs/: README.md as its home, what pages link to outside of docs/, and the API. A hook of MkDocs.

A page is known by its path in the repository, such as "docs/cli.md" or "CONTRIBUTING.md", and by its path in the site, "cli.md". Links are written
for the repository, where GitHub shows them; here they are turned to the site. A link to code of a package leads to its page of the API.
"""

import ast
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import griffe
from mkdocs.structure.files import File, Files, InclusionLevel

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "core" / "likeness"
_NOT_IN_API = {"commands", "io"}
_IMAGES = (".webp", ".png", ".svg", ".jpg")
_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s]+)\)")


def site_path(path: str) -> str:
    """Where a page or picture of the repository lies in the site."""
    return "index.md" if path == "README.md" else path.removeprefix("docs/")


def _repository_path(path: str) -> str:
    return "README.md" if path == "index.md" else path if (ROOT / path).is_file() else f"docs/{path}"


def _linked(page: str) -> Iterator[tuple[str, str]]:
    """The paths in the repository that a page links to, without anchors, as written and from the root."""
    for text in _FENCED.split((ROOT / page).read_text(encoding="utf-8"))[::2]:
        for _, _, link in _LINK.findall(text):
            path = link.partition("#")[0]
            yield link, posixpath.normpath(posixpath.join(posixpath.dirname(page), path))


def outside() -> list[str]:
    """README.md, and all pages and pictures outside of docs/ that pages of the site link to."""
    found, todo = {"README.md"}, ["README.md", *(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))]
    while todo:
        for _, path in _linked(todo.pop()):
            if path not in found and not path.startswith("docs/") and path.endswith((".md", *_IMAGES)) and (ROOT / path).is_file():
                found.add(path)
                todo += [path] if path.endswith(".md") else []
    return sorted(found)


def packages() -> list[str]:
    """Names of the packages of the API, the door first: "", "clusters" ..."""
    return ["", *sorted(file.parent.name for file in PACKAGE.glob("*/__init__.py") if file.parent.name not in _NOT_IN_API)]


def public_names(package: str) -> list[str]:
    """The functions and classes that a package lists in its `__init__`, each by the module that it comes from: "likeness.space.Space"."""
    folder, name = PACKAGE / package, f"likeness.{package}".rstrip(".")
    stub = folder / "__init__.pyi"
    tree = ast.parse((stub if stub.is_file() else folder / "__init__.py").read_text(encoding="utf-8"))
    found = [(node, alias.asname) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names if alias.asname]
    return sorted(
        (f"{name}.{node.module}.{each}" if node.level else f"{node.module}.{each}" for node, each in found if not each.isupper()),
        key=lambda path: path.rpartition(".")[2].lower(),
    )


def _api_page(package: str) -> str:
    about = ast.get_docstring(ast.parse((PACKAGE / package / "__init__.py").read_text(encoding="utf-8"))) or ""
    return "\n\n".join(
        (f"# likeness.{package}".rstrip("."), about.partition(" Each name, listed")[0], *(f"::: {each}" for each in public_names(package)))
    )


def _api_path(package: str) -> str:
    return f"reference/{package or 'likeness'}.md"


def on_config(config: Any) -> Any:
    """Lists the pages of the API where the navigation says `reference`."""
    pages = [{f"likeness.{each}".rstrip("."): _api_path(each)} for each in packages()]
    for section in config.nav:
        for entries in section.values():
            entries[:] = [{title: pages} if path == "reference" else {title: path} for title, path in map(_entry, entries)]
    return config


def _entry(entry: Any) -> tuple[Any, Any]:
    return next(iter(entry.items())) if isinstance(entry, dict) else (None, entry)


def on_files(files: Files, config: Any) -> Files:
    """Adds what lies outside of docs/."""
    for path in outside():
        files.append(File.generated(config, site_path(path), abs_src_path=str(ROOT / path), inclusion=InclusionLevel.NOT_IN_NAV))
    for package in packages():
        files.append(File.generated(config, _api_path(package), content=_api_page(package)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Turns links of the repository to the site."""
    own = page.file.src_uri
    if own.startswith("reference/"):
        return markdown
    parts = _FENCED.split(re.sub(r"^```(\w+) .*$", r"```\1", markdown, flags=re.MULTILINE))  # marks of the tests, as in "python no-run"
    parts[::2] = [_LINK.sub(lambda found: _turned(found, own, files, config.extra["code_url"]), text) for text in parts[::2]]
    return "".join(parts)


def _turned(found: re.Match[str], own: str, files: Files, code_url: str) -> str:
    mark, text, link = found.groups()
    path, hash_, anchor = link.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(_repository_path(own)), path))
    package = re.match(r"core/likeness(?:/(?!__init__)(\w+))?", target)
    place = site_path(target)
    if package and (package[1] or "") in packages():
        place = _api_path(package[1] or "")
    if files.get_file_from_path(place):
        return f"{mark}[{text}]({posixpath.relpath(place, posixpath.dirname(own) or '.')}{hash_}{anchor})"
    if not (ROOT / target).exists():
        return found[0]  # MkDocs says that it leads nowhere
    if code_url:
        return f"[{text}]({code_url}{target})"
    return f"`{target}`" if text.strip("`") in target else f"{text} (`{target}`)"


class Sections(griffe.Extension):
    """Lets mkdocstrings see sections that it knows by another name: "Example:", and "InputError: ..." at the end of a paragraph."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring:
            text = re.sub(r"^(\s*)Example:$", r"\1Examples:", obj.docstring.value, flags=re.MULTILINE)
            obj.docstring.value = re.sub(r"(?:^|(?<=[.:;)] ))InputError: ((?:.+\n?)+)", _raises, text, flags=re.MULTILINE)


def _raises(found: re.Match[str]) -> str:
    return "\n\nRaises:\n    InputError: " + found[1].replace("\n", "\n        ").rstrip() + "\n"
