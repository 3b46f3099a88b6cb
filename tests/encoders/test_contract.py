"""Every family of encoders declares all about itself, and one line makes it known everywhere."""

import subprocess
import sys
from importlib.metadata import entry_points

import pytest
from typer.testing import CliRunner

from likeness.commands.cli import command_line
from likeness.encoders import ENCODER_FAMILIES, Encoder, EncoderFamily, encoder_identity, load_encoder, parse_name, reads_text
from likeness.encoders.objects import ObjectEncoder
from likeness.errors import InputError

INSTALLED = [point.load() for point in entry_points(group="likeness.encoders")]


@pytest.mark.parametrize("family", [*ENCODER_FAMILIES.values(), *INSTALLED], ids=lambda each: each.name)
def test_a_family_declares_all_about_itself(family: EncoderFamily) -> None:
    assert ENCODER_FAMILIES.get(family.name, family) is family
    assert family.title
    assert family.help.endswith(".")
    assert family.form.startswith("'")
    assert family.name == "open_clip" or f"'{family.name}:" in family.form


def test_runs_are_found_without_naming_them_here() -> None:
    assert [family.name for family in INSTALLED] == ["run"]
    assert "run" not in ENCODER_FAMILIES
    assert parse_name("run:runs/a") == ("run", "runs/a")
    assert not reads_text("run:runs/a")


def test_names_of_runs_are_told_without_torch() -> None:
    code = (
        "import sys; from likeness.encoders import reads_text; assert not reads_text('run:a'); assert reads_text('cars'); "
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_encoders_do_not_know_of_training() -> None:
    code = "import sys, likeness.encoders; assert not [name for name in sys.modules if name.startswith('likeness.training')]"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_one_line_makes_a_family_known(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nothing:
        def encode_texts(self, texts: list[str]) -> list[list[float]]:
            return [[1.0]] * len(texts)

    def load(name: str, target: str, device: str) -> Encoder:
        return ObjectEncoder(Nothing())

    own = EncoderFamily("none", "Nothing", "Sees nothing.", "'none:WHY'", True, lambda name, target: f"none {target}", load)
    monkeypatch.setitem(ENCODER_FAMILIES, "none", own)
    assert encoder_identity("none:dark") == "none dark"
    assert reads_text("none:dark")
    assert isinstance(load_encoder("none:dark"), Encoder)
    with pytest.raises(InputError, match=r"no known form; write 'photos', 'photos:FOLDER', 'cars', .*'none:WHY' or 'run:"):
        load_encoder("nothing:dark")
    assert "none:WHY" in CliRunner().invoke(command_line(), ["embed", "--help"], terminal_width=200).stdout
    for form in ("table", "markdown"):
        assert "Sees nothing." in CliRunner().invoke(command_line(), ["kinds", "encoders", "--format", form]).stdout
