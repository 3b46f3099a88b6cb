"""Names, identities and families of encoders: each family declares all about itself, and one line makes it known everywhere."""

import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from typer.testing import CliRunner

from likeness.commands.cli import command_line
from likeness.encoders import ENCODER_FAMILIES, Encoder, EncoderFamily, encoder_identity, load_encoder, parse_name, reads_text
from likeness.encoders.models import clip
from likeness.encoders.objects import ObjectEncoder
from likeness.errors import InputError
from likeness.io.paths import assets_dir


@pytest.mark.parametrize(
    ("name", "kind", "target", "reads"),
    [
        ("cars", "local-dir", str(assets_dir() / "clip"), True),
        ("local-dir:models/mine", "local-dir", "models/mine", True),
        ("hf-hub:org/model", "hf-hub", "org/model", True),
        ("ViT-B-32/openai", "open_clip", "ViT-B-32/openai", True),
        ("timm-vit/laion", "open_clip", "timm-vit/laion", True),
        ("timm:resnet50.a1_in1k", "timm", "resnet50.a1_in1k", False),
        ("timm:local-dir:/models/mine", "timm", "local-dir:/models/mine", False),
    ],
)
def test_forms(name: str, kind: str, target: str, reads: bool) -> None:
    assert parse_name(name) == (kind, target)
    assert reads_text(name) is reads


@pytest.mark.parametrize("name", ["", "ViT-B-32", "local-dir:", "/openai", "ViT-B-32/", "http:x", "{" * 300, "a\0b"])
def test_no_known_form(name: str) -> None:
    with pytest.raises(InputError, match=r"has no known form; write 'photos', .*'cars', .*'MODEL/PRETRAINED'.*'run:|looks like a folder"):
        parse_name(name)


def test_identity_follows_every_deciding_file_not_place(tiny_clip: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(tiny_clip, tmp_path / "copy")
    names = ["ViT-B-32/openai", "ViT-B-32/laion400m_e31", "timm:resnet50", "hf-hub:org/resnet50"]
    identity = encoder_identity(f"local-dir:{tiny_clip}")
    assert len({identity, *map(encoder_identity, names)}) == 1 + len(names)
    assert encoder_identity(f"local-dir:{copy}") == identity
    (copy / "README.md").write_text("a model card")
    assert encoder_identity(f"local-dir:{copy}") == identity
    for name in ("open_clip_model.safetensors", "open_clip_config.json", "tokenizer.json"):
        content = (copy / name).read_bytes()
        (copy / name).write_bytes(content[:-1] + b" ")
        assert encoder_identity(f"local-dir:{copy}") != identity
        (copy / name).write_bytes(content)


def test_what_is_not_here_is_told_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=f"write 'local-dir:{tmp_path}'"):
        parse_name(str(tmp_path))
    with pytest.raises(InputError, match="there is no folder 'nowhere'"):
        encoder_identity("local-dir:nowhere")
    monkeypatch.setattr(clip, "assets_dir", lambda: tmp_path)
    with pytest.raises(InputError, match=r"'cars' was not found: .*; install the package again"):
        encoder_identity("cars")


INSTALLED = [point.load() for point in entry_points(group="likeness.encoders")]


@pytest.mark.parametrize("family", [*ENCODER_FAMILIES.values(), *INSTALLED], ids=lambda each: each.name)
def test_a_family_declares_all_about_itself(family: EncoderFamily) -> None:
    assert ENCODER_FAMILIES.get(family.name, family) is family
    assert family.title
    assert family.help.endswith(".")
    assert family.form.startswith("'")
    assert family.name == "open_clip" or f"'{family.name}:" in family.form


def test_runs_are_found_without_naming_them_here_and_told_without_torch() -> None:
    assert [family.name for family in INSTALLED] == ["run"]
    assert "run" not in ENCODER_FAMILIES
    assert parse_name("run:runs/a") == ("run", "runs/a")
    assert not reads_text("run:runs/a")
    code = (
        "import sys; from likeness.encoders import reads_text; assert not [name for name in sys.modules if name.startswith('likeness.training')]; "
        "assert not reads_text('run:a'); assert reads_text('cars'); import likeness.language; "
        "assert not {'torch', 'transformers', 'nltk', 'timm', 'sentence_transformers'} & set(sys.modules)"
    )
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
