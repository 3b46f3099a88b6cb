"""Sizes in foreign configurations: what no model has is refused by its name before anything is built, and what published models have is not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from likeness.encoders import load_encoder, native_size, timm_named
from likeness.encoders.models.config_sizes import check_sizes
from likeness.errors import InputError
from likeness.language import language_model
from tiny_models import save_clip, save_timm, save_transformers


def _change(file: Path, key: str, value: Any) -> None:
    content = json.loads(file.read_text())
    *way, last = key.split(".")
    place = content
    for step in way:
        place = place.setdefault(step, {})
    place[last] = value
    file.write_text(json.dumps(content))


WRONG = (0, -1, 10**6, "224", [], [0, 224], {}, [[224, 224]], True, 1.5)
CLIP = [
    *(("model_cfg.vision_cfg.image_size", value) for value in WRONG),
    *((f"model_cfg.{part}.layers", 10_000) for part in ("vision_cfg", "text_cfg")),
    *((f"model_cfg.{part}.width", 10**6) for part in ("vision_cfg", "text_cfg")),
    *(("model_cfg.vision_cfg.patch_size", value) for value in (0, -8, 10**6, "8")),
    *(("model_cfg.vision_cfg.head_width", value) for value in (0, 10**6)),
    *(("model_cfg.vision_cfg.mlp_ratio", value) for value in (1e9, "x")),
    *(("model_cfg.embed_dim", value) for value in (0, 10**9)),
    ("model_cfg.text_cfg.heads", 10**5),
    ("model_cfg.text_cfg.vocab_size", 10**9),
    *(("model_cfg.text_cfg.context_length", value) for value in (0, 10**5)),
    *(("preprocess_cfg.size", value) for value in (0, 10**6, "x")),
]
TIMM = [
    *(("pretrained_cfg.input_size", value) for value in ([3, 0, 0], [3, 10**6, 10**6], [], "x", 10**6)),
    *(("pretrained_cfg.crop_pct", value) for value in (0, 1e-9, "x")),
    *(("model_args.layers", value) for value in ([10_000] * 4, "x")),
    ("num_classes", 10**9),
]
TEXT = [
    *(("num_hidden_layers", value) for value in (10_000, -1, "x", 1.5)),
    *(("hidden_size", value) for value in (10**6, 0, "x")),
    *(("vocab_size", value) for value in (10**9,)),
    *(("max_position_embeddings", value) for value in (10**9,)),
    *(("type_vocab_size", value) for value in (10**9,)),
    ("intermediate_size", 10**7),
    ("num_attention_heads", 10**6),
]


def _clip(folder: Path) -> tuple[Path, list[Callable[[], Any]]]:
    name = f"local-dir:{save_clip(folder)}"
    return folder / "open_clip_config.json", [lambda: load_encoder(name), lambda: native_size(name)]


def _timm(folder: Path) -> tuple[Path, list[Callable[[], Any]]]:
    name = f"timm:local-dir:{save_timm(folder)}"
    return folder / "config.json", [lambda: load_encoder(name), lambda: native_size(name)]


@pytest.mark.parametrize(("save", "changes"), [(_clip, CLIP), (_timm, TIMM)], ids=["open_clip", "timm"])
def test_what_no_model_has_is_refused_by_name(tmp_path: Path, save: Any, changes: list[tuple[str, Any]]) -> None:
    file, calls = save(tmp_path)
    before = file.read_text()
    for key, value in changes:
        _change(file, key, value)
        for call in calls:
            with pytest.raises(InputError, match=rf"'{file.name}' has the {key.rpartition('.')[2]} "):
                call()
        file.write_text(before)
    for call in calls:
        call()


def test_and_so_it_is_in_a_text_model(tmp_path: Path) -> None:
    save_transformers(tmp_path)
    file = tmp_path / "config.json"
    before = file.read_text()
    for key, value in TEXT:
        _change(file, key, value)
        with pytest.raises(InputError, match=rf"'config.json' has the {key} "):
            language_model(f"transformers:{tmp_path}").encode_texts(["a"])
        file.write_text(before)


def test_each_size_may_be_usual_and_all_together_too_much(tmp_path: Path) -> None:
    file, (load, _) = _clip(tmp_path)
    _change(file, "model_cfg.vision_cfg.layers", 100)
    _change(file, "model_cfg.vision_cfg.width", 16_384)
    with pytest.raises(InputError, match=r"describes a model of about 322 billion parameters \(width 16,384, 100 layers\), but the limit is 20"):
        load()


def test_a_backbones_options_and_their_names() -> None:
    for options, message in (
        ({"layers": [10_000] * 4}, "The backbone 'test_resnet' has the layers"),
        ({"num_classes": 10**9}, "The backbone 'test_resnet' has the num_classes 1000000000, but the limit is 2,000,000"),
        ({"a=1); import os; os.system('x') #": None}, "has no option 'a=1"),
    ):
        with pytest.raises(InputError, match=message):
            timm_named("test_resnet", False, **options)


@pytest.mark.parametrize(
    ("save", "key", "value"),
    [
        (_clip, "preprocess_cfg.std", [0, 0, 0]),
        (_clip, "preprocess_cfg.mean", ["a", "b", "c"]),
        (_clip, "preprocess_cfg.interpolation", "none"),
        (_clip, "preprocess_cfg.resize_mode", "none"),
        (_timm, "pretrained_cfg.std", [0, 0, 0]),
        (_timm, "pretrained_cfg.mean", "abc"),
        (_timm, "pretrained_cfg.interpolation", "none"),
        (_timm, "pretrained_cfg.mean", [0.5]),
    ],
)
def test_preprocessing_that_no_image_passes_is_refused_with_the_model(tmp_path: Path, save: Any, key: str, value: Any) -> None:
    file, (load, _) = save(tmp_path)
    _change(file, key, value)
    with pytest.raises(InputError, match=r"The model in '.*' cannot be loaded: "):
        load()


def test_published_models_are_let_through() -> None:
    import open_clip

    for name in open_clip.list_models():
        check_sizes(open_clip.get_model_config(name), name)
    largest = {"hidden_size": 5_120, "num_hidden_layers": 48, "intermediate_size": 25_600, "num_attention_heads": 40, "image_size": 448}
    check_sizes({"num_hidden_layers": {"vision": 5, "language": 9}, "id2label": {0: "a"}, 1: 10}, "LXMERT")  # type: ignore[dict-item]
    check_sizes({"vision_config": largest | {"patch_size": 14}, "rope_theta": 5_000_000, "text_config": {"vocab_size": 262_144}}, "EVA-CLIP-18B")
