"""Names in Markdown."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from parts.plain import plain, prose

APP = Path(__file__).resolve().parents[2] / "app"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("birds 2.1-b", "birds 2.1-b"),
        ("tiny_one", "tiny_one"),
        ("_one_", r"\_one\_"),
        ("**of** Ada", r"\*\*of\*\* Ada"),
        ("![x](http://y)", r"\!\[x\]\(http\://y\)"),
        (":material/home: :+1: 12:30:45", "\\:\u2060material/home: \\:\u2060+1: 12\\:30\\:45"),
        ("<b>&amp; `c` :red[d] $e$", r"\<b\>\&amp; \`c\` \:red\[d\] \$e\$"),
    ],
)
def test_signs_that_mean_something_are_escaped(name: str, written: str) -> None:
    assert plain(name) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Run `likeness sweep *` or _x_.", r"Run `likeness sweep *` or \_x\_."),
        ("one ` sign *", r"one \` sign \*"),
        ("plain", "plain"),
        ("```[x](http://y)`", r"\`\`\`\[x\]\(http\://y\)\`"),
    ],
)
def test_commands_in_a_sentence_keep_their_style(text: str, written: str) -> None:
    assert prose(text) == written


_SAY = {"caption", "error", "header", "info", "markdown", "metric", "subheader", "success", "title", "toast", "warning"}
_ASK = {
    *("button", "checkbox", "download_button", "expander", "file_uploader", "form_submit_button", "link_button", "number_input", "page_link"),
    *("pills", "popover", "progress", "radio", "segmented_control", "select_slider", "slider", "spinner", "text_area", "text_input", "toggle"),
}
_NAMES, _WRITTEN = {"readable", "redact"}, {"body", "help", "label", "text"}


def _unescaped(node: ast.AST) -> Iterator[str]:
    """Names and error sentences in an expression that are not in `plain`."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in ("plain", "prose", "shortened"):
            return
        if name in _NAMES:
            yield ast.unparse(node)
    if isinstance(node, ast.Attribute) and node.attr in ("name", "names", "question", "title") and not ast.unparse(node).startswith(_OWN_TITLES):
        yield ast.unparse(node)
    for child in (node.body, node.orelse) if isinstance(node, ast.IfExp) else ast.iter_child_nodes(node):
        yield from _unescaped(child)


# of methods, targets and pages, which the app itself declares
_OWN_TITLES = ("METHODS[", "OBJECTIVES[", "target.", "each.title", "method.title", "choice.title", "self.title", "label_edits.title")


def test_no_call_of_streamlit_writes_a_name_or_an_error_as_markdown() -> None:
    found = []
    for file in sorted(APP.rglob("*.py")):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)) or "getLogger" in ast.unparse(call.func):
                continue
            if call.func.attr in _SAY | _ASK:
                written = [*(call.args if call.func.attr in _SAY else call.args[:1]), *(each.value for each in call.keywords if each.arg in _WRITTEN)]
                found += [(str(file.relative_to(APP)), call.lineno, text) for each in written for text in _unescaped(each)]
    assert found == []
