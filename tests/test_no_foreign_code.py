"""No configuration of a model causes code to be run, or other files to be read: every way in which a model can be named, in a folder or the cache."""

import ast
import json
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from likeness.encoders import encoder_families, load_encoder
from likeness.errors import InputError
from likeness.io import assets_dir
from likeness.language import LANGUAGE_FAMILIES, language_model

_ROOT = Path(__file__).resolve().parents[1]
_HUB_ID = "someone/model"


class Trap:
    """A model's folder with a Python file that leaves a mark once it is run."""

    def __init__(self, folder: Path, mark: Path) -> None:
        self.folder, self.mark = folder, mark
        code = f"from pathlib import Path\nPath({str(mark)!r}).touch()\n"
        code += "class Evil:\n    from_pretrained = register_for_auto_class = classmethod(lambda cls, *a, **k: cls())\n"
        (folder / "evil.py").write_text(code)

    def change(self, file: str, change: Callable[[dict[str, Any]], object]) -> None:
        """Edits a configuration; a new one where there is none."""
        path = self.folder / file
        content = json.loads(path.read_text()) if path.is_file() else {}
        change(content)
        path.write_text(json.dumps(content))


def _tokenizer_code(trap: Trap) -> None:
    trap.change("tokenizer_config.json", lambda found: found.update(auto_map={"AutoTokenizer": ["evil.Evil", "evil.Evil"]}, tokenizer_class="Evil"))


def _config_code(trap: Trap) -> None:
    names = dict.fromkeys(("AutoConfig", "AutoModel", "AutoTokenizer"), "evil.Evil")
    trap.change("config.json", lambda found: found.update(model_type="evil", auto_map=names))


def _trusted(trap: Trap) -> None:
    """As the review did it: open_clip hands tokenizer_kwargs on."""
    _tokenizer_code(trap)
    trap.change("open_clip_config.json", lambda found: found["model_cfg"]["text_cfg"].update(tokenizer_kwargs={"trust_remote_code": True}))


def _text_tower(trap: Trap) -> None:
    _config_code(trap)
    trap.change("open_clip_config.json", lambda found: found["model_cfg"]["text_cfg"].update(hf_model_name=str(trap.folder)))


def _text_tower_in_cache(trap: Trap) -> None:
    _config_code(trap)
    trap.change("open_clip_config.json", lambda found: found["model_cfg"]["text_cfg"].update(hf_model_name=_HUB_ID))


def _image_tower(trap: Trap) -> None:
    trap.change("open_clip_config.json", lambda found: found["model_cfg"]["vision_cfg"].update(timm_model_name=f"Local-Dir:{trap.folder}"))


def _timm_code(trap: Trap) -> None:
    trap.change("config.json", lambda found: found.update(auto_map={"AutoModel": "evil.Evil"}))


def _pickled(trap: Trap) -> None:
    weights = next(trap.folder.glob("*.safetensors"))
    weights.unlink()
    name = "open_clip_pytorch_model.bin" if "open_clip" in weights.name else "pytorch_model.bin"
    torch.save({"weights": _Evil(trap.mark)}, trap.folder / name)


class _Evil:
    """Unpickled, it leaves the mark."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (Path.touch, (self.path,))


_OPEN_CLIP = (_trusted, _tokenizer_code, _config_code, _text_tower, _text_tower_in_cache, _image_tower, _pickled)
_TRANSFORMERS = (_tokenizer_code, _config_code, _pickled)
_TIMM = (_timm_code, _pickled)


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "ran"


@pytest.fixture(autouse=True)
def _closed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A hub's cache of its own, without network; a question at the terminal would be answered with yes."""
    from huggingface_hub import constants

    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("builtins.input", lambda *_: "y")


@pytest.fixture
def place(tmp_path: Path, tiny_clip: Path, tiny_bert: Path, tiny_timm: Path) -> Callable[[str, bool], Path]:
    """Copies a sound model to a folder, or into the hub's cache: `place("open_clip", in_cache)`."""

    def copy(kind: str, in_cache: bool) -> Path:
        model = {"open_clip": tiny_clip, "transformers": tiny_bert, "timm": tiny_timm, "photos": assets_dir() / "photos"}[kind]
        if not in_cache:
            return Path(shutil.copytree(model, tmp_path / "model"))
        cache = tmp_path / "hub" / f"models--{_HUB_ID.replace('/', '--')}"
        (cache / "refs").mkdir(parents=True)
        revision = secrets.token_hex(20)
        (cache / "refs" / "main").write_text(revision)
        snapshot = Path(shutil.copytree(model, cache / "snapshots" / revision))
        if kind == "open_clip":
            Trap(snapshot, tmp_path / "ran").change(
                "open_clip_config.json", lambda found: found["model_cfg"]["text_cfg"].update(hf_tokenizer_name=_HUB_ID)
            )
        return snapshot

    return copy


def _use(name: str) -> None:
    load_encoder(name, "cpu").encode_texts(["a"]) if not name.startswith(("timm:", "run:")) else load_encoder(name, "cpu")


_WAYS: list[tuple[str, str, bool, Callable[[str], object], tuple[Callable[[Trap], None], ...]]] = [
    ("open_clip", "local-dir:{folder}", False, _use, _OPEN_CLIP),
    ("open_clip", f"hf-hub:{_HUB_ID}", True, _use, _OPEN_CLIP),
    ("open_clip", "clip:local-dir:{folder}", False, lambda name: language_model(name, "cpu").encode_texts(["a"]), _OPEN_CLIP),
    ("timm", "timm:local-dir:{folder}", False, _use, _TIMM),
    ("timm", f"timm:hf-hub:{_HUB_ID}", True, _use, _TIMM),
    ("photos", "photos:{folder}", False, _use, (_pickled,)),
    ("transformers", "transformers:{folder}", False, lambda name: language_model(name, "cpu").encode_texts(["a"]), _TRANSFORMERS),
    ("transformers", f"transformers:{_HUB_ID}", True, lambda name: language_model(name, "cpu").encode_texts(["a"]), _TRANSFORMERS),
]
_CASES = [pytest.param(kind, name, cached, use, trap, id=f"{name}-{trap.__name__}") for kind, name, cached, use, traps in _WAYS for trap in traps]


@pytest.mark.parametrize(("kind", "name", "in_cache", "use"), [pytest.param(*way[:4], id=way[1]) for way in _WAYS])
def test_a_sound_model_loads_in_every_way(place, kind: str, name: str, in_cache: bool, use) -> None:
    use(name.format(folder=place(kind, in_cache)))


@pytest.mark.parametrize(("kind", "name", "in_cache", "use", "trap"), _CASES)
def test_no_model_runs_code(place, mark: Path, kind: str, name: str, in_cache: bool, use, trap: Callable[[Trap], None]) -> None:
    folder = place(kind, in_cache)
    trap(Trap(folder, mark))
    with pytest.raises(InputError) as caught:
        use(name.format(folder=folder))
    assert not mark.exists()
    assert "\n" not in str(caught.value)
    assert not any(word in str(caught.value) for word in ("weights_only", "allow_pickle", "add_safe_globals", "trust_remote_code"))
    if trap is not _pickled:
        assert "its own code" in str(caught.value) or "not an id of the hub" in str(caught.value) or "which timm does not have" in str(caught.value)


def test_every_family_of_models_is_tried() -> None:
    tried = {way[1].split(":")[0] for way in _WAYS}
    without_foreign_files = {"open_clip", "run"}  # below
    assert set(encoder_families()) == {name for name in tried if name in encoder_families()} | without_foreign_files
    assert {"clip", "transformers"} == tried & set(LANGUAGE_FAMILIES)


@pytest.mark.parametrize("trap", [_tokenizer_code, _config_code])
def test_a_published_name_runs_no_code_of_the_cache(trap, tmp_path: Path, mark: Path, tiny_clip: Path) -> None:
    """roberta-ViT-B-32 takes its text side's configuration and its tokenizer from the hub."""
    folder, weights = (_cached(tmp_path / "hub", name) for name in ("roberta-base", "laion--CLIP-ViT-B-32-roberta-base-laion2B-s12B-b32k"))
    for file in ("tokenizer.json", "config.json"):
        (folder / file).write_text("{}")
    shutil.copy(tiny_clip / "open_clip_model.safetensors", weights)
    trap(Trap(folder, mark))
    with pytest.raises(InputError, match="its own code"):
        load_encoder("roberta-ViT-B-32/laion2b_s12b_b32k", "cpu")
    assert not mark.exists()


def _cached(cache: Path, repository: str) -> Path:
    """The folder of a revision of a model in the hub's cache."""
    place = cache / f"models--{repository}"
    (place / "refs").mkdir(parents=True)
    (place / "refs" / "main").write_text("0" * 40)
    (place / "snapshots" / ("0" * 40)).mkdir(parents=True)
    return place / "snapshots" / ("0" * 40)


def test_other_keys_of_a_configuration_reach_no_library(tmp_path: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import transformers

    folder = Path(shutil.copytree(tiny_bert, tmp_path / "model"))
    trap = Trap(folder, tmp_path / "ran")
    foreign = {"_attn_implementation": "someone/kernel", "attn_implementation": "someone/kernel", "quantization_config": {"quant_method": "x"}}
    trap.change("config.json", lambda found: found.update(foreign))
    trap.change("tokenizer_config.json", lambda found: found.update(vocab_file="/etc/passwd", tokenizer_file="/etc/passwd", chat_template="{{ x }}"))
    trap.change("special_tokens_map.json", lambda found: found.update(vocab_file="/etc/passwd", unk_token="<unk>"))
    seen: list[dict[str, Any]] = []
    real = transformers.AutoModel.from_pretrained

    def look(place: str, **options: Any) -> Any:
        seen.extend(json.loads(file.read_text()) for file in Path(place).glob("*config.json"))
        seen.append(json.loads((Path(place) / "special_tokens_map.json").read_text()))
        assert not list(Path(place).glob("*.py"))
        return real(place, **options)

    expected = language_model(f"transformers:{tiny_bert}", "cpu").encode_texts(["a car"])
    monkeypatch.setattr(transformers.AutoModel, "from_pretrained", look)
    rows = language_model(f"transformers:{folder}", "cpu").encode_texts(["a car"])
    assert (rows == expected).all()
    assert len(seen) == 3
    assert not {*foreign, "vocab_file", "tokenizer_file", "chat_template"} & {key for content in seen for key in content}


@pytest.mark.parametrize("key", ["vision_cfg", "text_cfg"])
def test_an_open_clip_configuration_is_read_by_its_fields(key: str, tmp_path: Path, tiny_clip: Path) -> None:
    """Unknown keys were handed on, and answered with a TypeError or worse."""
    folder = Path(shutil.copytree(tiny_clip, tmp_path / "model"))
    Trap(folder, tmp_path / "ran").change("open_clip_config.json", lambda found: found["model_cfg"][key].update(pretrained_path="/etc/passwd"))
    load_encoder(f"local-dir:{folder}", "cpu")


@pytest.mark.parametrize("file", ["../../elsewhere.safetensors", "/etc/passwd", "..\\x.safetensors", ""])
def test_an_index_of_weights_names_files_of_its_folder_only(file: str, tmp_path: Path, tiny_bert: Path) -> None:
    folder = Path(shutil.copytree(tiny_bert, tmp_path / "model"))
    (folder / "model.safetensors").rename(folder / "model-1.safetensors")
    index = {"metadata": {"total_size": 1}, "weight_map": {"embeddings.word_embeddings.weight": file}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(InputError, match="which is not a file of the same folder"):
        language_model(f"transformers:{folder}", "cpu").encode_texts(["a"])


def test_a_timm_folder_names_no_other_weights(tmp_path: Path, tiny_timm: Path) -> None:
    folder = Path(shutil.copytree(tiny_timm, tmp_path / "model"))
    other = {"url": "http://127.0.0.1:9/x", "file": "/etc/passwd", "hf_hub_id": "someone/other", "custom_load": True}
    trap = Trap(folder, tmp_path / "ran")
    trap.change("config.json", lambda found: found["pretrained_cfg"].update(other))
    trap.change("config.json", lambda found: found.update(model_args={"checkpoint_path": "/etc/passwd", "features_only": True, "in_chans": 3}))
    load_encoder(f"timm:local-dir:{folder}", "cpu")


@pytest.mark.parametrize("option", ["checkpoint_path", "pretrained_cfg", "pretrained_cfg_overlay", "cache_dir", "pretrained_custom_load"])
@pytest.mark.parametrize("weights", ["none", "pretrained"])
def test_the_options_of_a_runs_backbone_read_no_other_file(option: str, weights: str) -> None:
    from likeness.training.config import BackboneConfig
    from likeness.training.network.backbones import build_network

    with pytest.raises(InputError, match=f"option '{option}' of the backbone 'test_resnet' reads other files"):
        build_network(BackboneConfig(name="test_resnet", weights=weights, dim=4, options={option: "/etc/passwd"}))


def test_a_run_loads_its_clip_through_the_same_door(place, mark: Path) -> None:
    from likeness.training.config import BackboneConfig
    from likeness.training.network.backbones import build_network

    folder = place("open_clip", False)
    _trusted(Trap(folder, mark))
    with pytest.raises(InputError, match="its own code"):
        build_network(BackboneConfig(name=f"clip:local-dir:{folder}", dim=4))
    assert not mark.exists()


def test_models_are_loaded_in_one_place() -> None:
    """Elsewhere none of the libraries' loaders may be called; `from_pretrained` alone would be enough to run a stranger's code."""
    loaders = {"from_pretrained", "create_model", "create_model_from_pretrained", "create_model_and_transforms", "get_tokenizer"}
    loaders |= {"AutoModel", "AutoTokenizer", "AutoConfig", "AutoProcessor", "HFTokenizer", "pipeline"}
    found = set()
    for file in [*(_ROOT / "core").rglob("*.py"), *(_ROOT / "app").rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text())):
            called = node.func if isinstance(node, ast.Call) else node if isinstance(node, ast.Attribute) else None
            name = getattr(called, "attr", None) or getattr(called, "id", None)
            imported = {alias.name for alias in node.names} if isinstance(node, ast.ImportFrom) else set()
            if name in loaders or imported & loaders:
                found.add(file.relative_to(_ROOT).as_posix())
    assert found == {"core/likeness/encoders/models/load_model.py", "app/api/tools.py"}  # which has pydantic's create_model
