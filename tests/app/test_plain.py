"""Names in Markdown."""

import pytest

from shared.plain import plain


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
