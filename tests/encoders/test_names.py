"""Names and identities of encoders."""

import shutil
from pathlib import Path

import pytest

from likeness.encoders import encoder_identity
from likeness.encoders.models import clip
from likeness.encoders.names import parse_name, reads_text
from likeness.errors import InputError
from likeness.io.paths import assets_dir


@pytest.mark.parametrize(
    ("name", "kind", "target"),
    [
        ("cars", "local-dir", str(assets_dir() / "clip")),
        ("local-dir:models/mine", "local-dir", "models/mine"),
        ("hf-hub:org/model", "hf-hub", "org/model"),
        ("ViT-B-32/openai", "open_clip", "ViT-B-32/openai"),
        ("timm:resnet50.a1_in1k", "timm", "resnet50.a1_in1k"),
        ("timm:local-dir:/models/mine", "timm", "local-dir:/models/mine"),
    ],
)
def test_forms(name: str, kind: str, target: str) -> None:
    parsed = parse_name(name)
    assert (parsed.kind, parsed.target) == (kind, target)


@pytest.mark.parametrize("name", ["", "ViT-B-32", "local-dir:", "/openai", "ViT-B-32/", "http:x", "{" * 300, "a\0b"])
def test_no_known_form(name: str) -> None:
    with pytest.raises(InputError, match=r"has no known form; write 'photos', .*'cars', .*'MODEL/PRETRAINED'.*'run:|looks like a folder"):
        parse_name(name)


def test_a_folder_without_prefix_is_answered_with_the_prefix(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"write 'local-dir:{tmp_path}'"):
        parse_name(str(tmp_path))
    with pytest.raises(InputError, match="there is no folder 'nowhere'"):
        encoder_identity("local-dir:nowhere")


def test_identity_follows_content_not_place(tiny_clip: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(tiny_clip, tmp_path / "copy")
    identity = encoder_identity(f"local-dir:{tiny_clip}")
    assert encoder_identity(f"local-dir:{copy}") == identity
    (copy / "README.md").write_text("a model card")
    assert encoder_identity(f"local-dir:{copy}") == identity


@pytest.mark.parametrize("name", ["open_clip_model.safetensors", "open_clip_config.json", "tokenizer.json"])
def test_identity_changes_with_every_deciding_file(tiny_clip: Path, tmp_path: Path, name: str) -> None:
    copy = shutil.copytree(tiny_clip, tmp_path / "copy")
    before = encoder_identity(f"local-dir:{copy}")
    content = (copy / name).read_bytes()
    (copy / name).write_bytes(content[:-1] + b" ")
    assert encoder_identity(f"local-dir:{copy}") != before


def test_identities_of_published_models_differ() -> None:
    names = ["ViT-B-32/openai", "ViT-B-32/laion400m_e31", "timm:resnet50", "hf-hub:org/resnet50"]
    assert len({encoder_identity(name) for name in names}) == len(names)


def test_the_shipped_model_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clip, "assets_dir", lambda: tmp_path)
    with pytest.raises(InputError, match=r"'cars' is not here: .*; install the package again"):
        encoder_identity("cars")


@pytest.mark.parametrize(
    ("name", "reads"),
    [("cars", True), ("ViT-B-32/openai", True), ("hf-hub:org/name", True), ("timm:resnet50.a1_in1k", False), ("timm-vit/laion", True)],
)
def test_whether_an_encoder_reads_text_is_told_by_its_kind(name: str, reads: bool) -> None:
    assert reads_text(name) is reads
