import json

import numpy as np
import pytest

from components.gallery import Section, encode_section
from likeness.errors import InputError


def test_numpy_lists_become_json() -> None:
    section = Section(
        "Near", np.array([3, 1]), similarities=np.array([0.5, 0.25], np.float32), same=[np.bool_(True), None], in_both=np.array([True, False])
    )  # type: ignore[arg-type]
    sent = json.loads(json.dumps(encode_section(section)))
    assert sent["rows"] == [3, 1]
    assert sent["similarities"] == [0.5, 0.25]
    assert sent["same"] == [True, None]
    assert sent["in_both"] == [True, False]
    assert sent["captions"] is None


@pytest.mark.parametrize("name", ["similarities", "same", "in_both", "captions"])
def test_a_list_that_does_not_fit_is_named(name: str) -> None:
    with pytest.raises(InputError, match=f"'Near' has 2 rows and 1 {name}"):
        encode_section(Section("Near", [1, 2], **{name: [None]}))  # type: ignore[arg-type]
