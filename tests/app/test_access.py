"""What visitors of a shared server may read: the app's own check of what they write, and core's of every path that comes in."""

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import access
from access import (
    allowed,
    check_may,
    confine_server,
    owner_of,
    query_picture,
    redact,
    resolve_encoder,
    resolve_entry,
    resolve_language,
    resolve_path,
    resolve_source,
    shared_name,
    upload_limits,
)
from config_access import resolve_config
from fake_hub import FakeHub
from likeness.data import new_entry, read_dataset
from likeness.errors import InputError
from likeness.io.confinement import check_url
from likeness.tagging import export_csv, tag_store
from likeness.training.config import BackboneConfig, config_from
from server_settings import ServerSettings
from small_caltech101 import serve_caltech101
from visitors import QUERY_PREFIX, own_uploads_dir
from worlds import BEN, serve, visit


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`photos` is a root of the shared server; `secret`, beside it, holds one of everything."""
    for folder in ("photos/inside", "secret/model"):
        (tmp_path / folder).mkdir(parents=True)
    for number in range(3):
        for folder in ("photos/inside", "secret"):
            Image.new("RGB", (8, 8), (60 * number, 0, 0)).save(tmp_path / folder / f"{number}.png")
    (tmp_path / "photos" / "way_out").symlink_to(tmp_path / "secret")
    (tmp_path / "photos" / "out.png").symlink_to(tmp_path / "secret" / "0.png")
    (tmp_path / "secret" / "t.csv").write_text("path\n0.png\n")
    (tmp_path / "photos" / "t.csv").write_text(f"path,layout\n{tmp_path}/secret/0.png,x\n../secret/1.png,x\ninside/2.png,x\n")
    np.save(tmp_path / "secret" / "m.npy", np.zeros((3, 3)))
    monkeypatch.setenv("LIKENESS_SERVER", ServerSettings.model_validate({"shared": True, "roots": [str(tmp_path / "photos")]}).as_text())
    monkeypatch.setenv("LIKENESS_RUNS", str(tmp_path / "runs"))
    confine_server()
    return tmp_path


def test_a_picture_that_was_searched_with_is_found_by_its_whole_token_alone() -> None:
    token, folder = f"{'a' * 24}-{'0' * 16}", own_uploads_dir()
    for name in (f"{QUERY_PREFIX}{token}", "pets"):
        (folder / name).mkdir(parents=True)
        (folder / name / "1.png").touch()
    assert query_picture(token) == folder / f"{QUERY_PREFIX}{token}" / "1.png"
    assert [query_picture(f"{token}{more}") for more in ("/../pets", "/.", "0", "\n")] == [None] * 4


def test_what_lies_below_a_root_is_read(places: Path) -> None:
    from likeness.data import absolute_source

    inside = places / "photos" / "inside"
    for given in ("photos/inside", str(inside)):
        assert resolve_path(given) == inside
        assert len(read_dataset(resolve_source(given))) == 3
    assert shared_name(absolute_source(str(inside))) == "photos/inside"


def _ways_out(places: Path) -> list[str]:
    secret = places / "secret"
    relative = "photos/../secret photos/way_out photos/way_out/0.png photos/out.png photos/./../secret"
    relative += " secret uploads uploads/../datasets.json photosx"
    absolute = [secret, secret / "0.png", places / "cache", places / "cache" / "uploads", places, places / "photosx"]
    odd = ["/", "/etc/passwd", "~", "~root", "..", ".", "", "/proc/self/environ", f"photos//..//{secret}", f"{places}/photos/../secret"]
    return [*relative.split(), *map(str, absolute), *odd]


def test_nothing_else_is(places: Path) -> None:
    for given in _ways_out(places):
        with pytest.raises(InputError, match="cannot be reached here: this server only shows its own folders; give a folder or file inside photos"):
            resolve_path(given)
    for given in ("a\0b", "x" * 300, "/".join(["deep"] * 2000), "\ud800"):
        with pytest.raises(InputError, match="is no path"):
            resolve_path(given)


def test_the_answer_does_not_tell_what_is_there(places: Path) -> None:
    answers = set()
    for name in ("0.png", "9.png"):
        with pytest.raises(InputError) as caught:
            resolve_path(places / "secret" / name)
        answers.add(str(caught.value).replace(name, ""))
    assert len(answers) == 1


def _entries() -> dict[str, Callable[[str, Path], Any]]:
    """Every place of core where a config or a table can name a path; each is called with one outside of the roots."""
    from experiments.captioning.config import read_captioning_config
    from likeness.data import DATASETS, read_folder, read_table
    from likeness.encoders import encoder_identity, load_encoder
    from likeness.labels.matrix import read_matrix
    from likeness.language import class_similarities, language_model
    from likeness.language.caption_files import read_captions
    from likeness.language.hierarchy_files import read_hierarchy
    from likeness.language.pseudolabel_files import read_pseudolabels
    from likeness.notions.library import read_notion
    from likeness.shifts import read_splits
    from likeness.studies.study import read_study
    from likeness.training.config import read_config
    from likeness.training.data.run_images import run_images
    from likeness.training.network.backbones import build_network

    def data(**keys: Any) -> Callable[[str, Path], Any]:
        return lambda path, _: run_images(config_from({"data": {name: value.format(path=path) for name, value in keys.items()}}).data, 0)

    return {
        "dataset": lambda path, _: read_dataset(path),
        "folder": lambda path, _: read_folder(path),
        "table": lambda path, _: read_table(path),
        **{f"dataset {name}": lambda path, _, name=name: read_dataset(f"{name}:{path}") for name in (each.name for each in DATASETS if each.layout)},
        "local-dir": lambda path, _: load_encoder(f"local-dir:{path}"),
        "timm local-dir": lambda path, _: load_encoder(f"timm:local-dir:{path}"),
        "run": lambda path, _: load_encoder(f"run:{path}"),
        "identity": lambda path, _: encoder_identity(f"local-dir:{path}"),
        "language transformers": lambda path, _: language_model(f"transformers:{path}"),
        "language vectors": lambda path, _: language_model(f"vectors:{path}"),
        "language encoder": lambda path, _: language_model(f"clip:local-dir:{path}").encode_texts(["a"]),
        "language hierarchy": lambda path, _: class_similarities(["a", "b"], [f"hierarchy:{path}"]),
        "hierarchy": lambda path, _: read_hierarchy(Path(path)),
        "captions": lambda path, _: read_captions(Path(path)),
        "pseudolabels": lambda path, _: read_pseudolabels(path),
        "matrix": lambda path, _: read_matrix(path),
        "notion": lambda path, _: read_notion(Path(path)),
        "splits": lambda path, _: read_splits(path),
        "config": lambda path, _: read_config(path),
        "captioning config": lambda path, _: read_captioning_config(path),
        "study": lambda path, _: read_study(path),
        "config source": data(source="{path}"),
        "config paper source": data(source="cub200:{path}"),
        "config label file": lambda path, _: run_images(config_from({"data": {"source": "cars", "label_files": [path]}}).data, 0),
        "config backbone": lambda path, _: build_network(BackboneConfig(name=f"clip:local-dir:{path}")),
        "config weights": lambda path, _: build_network(BackboneConfig(name="resnet18", weights=path)),
    }


@pytest.mark.parametrize("place", sorted(_entries()))
def test_core_refuses_whatever_reaches_it_all_the_same(places: Path, place: str) -> None:
    for path in (str(places / "secret"), str(places / "photos" / "way_out"), "~", "..", str(places / "secret" / "m.npy")):
        with pytest.raises(InputError, match="cannot be reached here"):
            _entries()[place](path, places)


def _written() -> dict[str, Callable[[str], Any]]:
    """Every place of the app where a visitor can write a path."""

    def config(**parts: Any) -> Callable[[str], Any]:
        return lambda path: resolve_config(config_from(_filled(parts, path)))

    return {
        "path": resolve_path,
        "dataset": resolve_source,
        "paper dataset": lambda path: resolve_source(f"cub200:{path}"),
        "part of a paper dataset": lambda path: resolve_source(f"cub200/all:{path}"),
        "unknown dataset": lambda path: resolve_source(f"other:{path}"),
        "local-dir": lambda path: resolve_encoder(f"local-dir:{path}"),
        "timm local-dir": lambda path: resolve_encoder(f"timm:local-dir:{path}"),
        "run": lambda path: resolve_encoder(f"run:{path}"),
        "language transformers": lambda path: resolve_language(f"transformers:{path}"),
        "language pooler": lambda path: resolve_language(f"transformers:{path}@pooler"),
        "language vectors": lambda path: resolve_language(f"vectors:{path}"),
        "language hierarchy": lambda path: resolve_language(f"hierarchy:{path}"),
        "language encoder": lambda path: resolve_language(f"clip:local-dir:{path}"),
        "language local-dir": lambda path: resolve_language(f"local-dir:{path}"),
        "config source": config(data={"source": "{}"}),
        "config paper source": config(data={"source": "cub200:{}"}),
        "config label file": config(data={"label_files": ["{}"]}),
        "config splits": config(data={"split": "file", "splits": "{}", "shift": "a"}),
        "config matrix": config(data={"labels": {"kind": "matrix", "file": "{}"}}),
        "config language of labels": config(data={"labels": {"kind": "captions", "language": "vectors:{}"}}),
        "config backbone": config(backbone={"name": "clip:local-dir:{}"}),
        "config weights": config(backbone={"weights": "{}"}),
        "config language": config(guidance={"language": ["minilm", "vectors:{}"]}),
        "config captions": config(guidance={"text": "captions", "captions": "{}"}),
        "config pseudolabels": config(guidance={"kind": "plg", "pseudolabels": "{}"}),
        "config classifier": config(guidance={"kind": "plg", "classifier": {"name": "resnet18", "weights": "{}"}}),
    }


def _filled(part: Any, path: str) -> Any:
    if isinstance(part, dict):
        return {key: _filled(value, path) for key, value in part.items()}
    if isinstance(part, list):
        return [_filled(value, path) for value in part]
    return part.format(path) if isinstance(part, str) else part


def _text(resolved: Any) -> str:
    return str(resolved.model_dump_json()) if hasattr(resolved, "model_dump_json") else str(resolved)


@pytest.mark.parametrize("place", sorted(_written()))
def test_whatever_a_visitor_writes_goes_through_the_check_and_what_he_may_read_becomes_a_path(places: Path, place: str) -> None:
    for path in (str(places / "secret"), "photos/way_out", str(places / "secret" / "m.npy"), "photos/../secret", "~", ".."):
        with pytest.raises(InputError, match="cannot be reached here: this server only shows its own folders"):
            _written()[place](path)
    text = _text(_written()[place]("photos/inside"))
    assert str(places / "photos" / "inside") in text
    assert str(places) not in shared_name(text)
    assert "photos/inside" in shared_name(text)


def test_photos_that_would_be_fetched_are_refused_until_they_are_here(
    places: Path, hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = serve_caltech101(hub, tmp_path / "served here", monkeypatch)
    with pytest.raises(InputError, match="'caltech101' would have to be downloaded, which you may not do here; ask whoever runs this server"):
        resolve_source("caltech101")
    assert not hub.ranges
    source.fetch()
    assert resolve_source("caltech101") == "caltech101"
    assert allowed(source.folder / "ant" / "image_0001.jpg")
    assert not allowed(source.folder.parent.parent / "datasets.json")


def test_names_that_are_no_paths_stay(places: Path) -> None:
    for encoder in ("cars", "ViT-B-32/openai", "hf-hub:laion/x", "timm:resnet50"):
        assert resolve_encoder(encoder) == encoder
    for model in ("minilm", "clip:cars", "clip:ViT-B-32/openai", "transformers:google/reformer-crime-and-punishment", "wordnet", "hierarchy:wordnet"):
        assert resolve_language(model) == model
    for source in ("cars", "synthetic-poses@500", "captioned-cars", "", "s3://bucket/photos", "cub200:"):
        assert resolve_source(source) == source
    config = config_from({"guidance": {"kind": "plg", "pseudolabels": "synthetic-cars"}, "backbone": {"name": "clip:cars"}})
    assert resolve_config(config) == config


def test_no_more_images_are_drawn_than_a_server_bears(places: Path) -> None:
    for source in ("synthetic-poses@10001", "synthetic-poses@99999999999"):
        with pytest.raises(InputError, match="more images than a shared server draws; take 10,000 at most"):
            resolve_source(source)
        with pytest.raises(InputError, match="more images than a shared server draws"):
            resolve_config(config_from({"data": {"source": source}}))


def test_neither_a_table_nor_a_link_in_a_root_opens_what_lies_outside(places: Path) -> None:
    from likeness.data import thumbnail
    from likeness.io.images import read_image
    from likeness.plots import labeled_image

    table = read_dataset(resolve_source("photos/t.csv"))
    for row in (0, 1):
        with pytest.raises(PermissionError):
            read_image(table.paths()[row])
        with pytest.raises(PermissionError):
            thumbnail(table.paths()[row])
        with pytest.raises(PermissionError):
            labeled_image(table, None, row)
    assert read_image(table.paths()[2]).size == (8, 8)
    assert not allowed(places / "photos" / "out.png")
    from likeness.labels import LabelsConfig, label_distances

    (places / "photos" / "masks.csv").write_text(f"path,layout\ninside/0.png,{places}/secret/0.png\ninside/1.png,{places}/secret/1.png\n")
    table = read_dataset(resolve_source("photos/masks.csv"))
    with pytest.raises((InputError, PermissionError), match=r"outside of|cannot be read"):
        label_distances(table, LabelsConfig(kind="layout"))

    assert "way_out/0.png" not in set(read_dataset(resolve_source("photos")).frame["path"])


@pytest.mark.parametrize("prefix", ["{}", " {}", "{} "])
@pytest.mark.parametrize("spelled", [str.upper, str.title, str.lower])
def test_no_spelling_of_a_prefix_passes_the_fence(places: Path, spelled: Callable[[str], str], prefix: str) -> None:
    """timm, for one, takes its own prefixes in any case."""
    from likeness.encoders import load_encoder
    from likeness.language import language_model

    for name in ("local-dir", "run", "timm:local-dir", "timm:local_dir"):
        written = f"{prefix.format(spelled(name))}:{places / 'secret' / 'model'}"
        for use in (resolve_encoder, load_encoder):
            with pytest.raises(InputError, match=r"cannot be reached here|has no known form"):
                use(written)
    for name in ("transformers", "vectors", "hierarchy", "clip:local-dir", "clip:timm:local-dir"):
        written = f"{prefix.format(spelled(name))}:{places / 'secret' / 'model'}"
        with pytest.raises(InputError, match=r"cannot be reached here|has no known form"):
            resolve_language(written)
        with pytest.raises(InputError, match=r"cannot be reached here|has no known form|There is no language model|no text side|gives similarities"):
            language_model(written).encode_texts(["a"])


def test_every_family_whose_names_hold_a_path_says_so(places: Path) -> None:
    """A family that forgets it would let a visitor name any path; its form, which stands in the help, tells of it."""
    from likeness.encoders import encoder_families
    from likeness.language import LANGUAGE_FAMILIES

    for family in [*encoder_families().values(), *LANGUAGE_FAMILIES.values()]:
        if "FOLDER" in family.form or "FILE" in family.form:
            assert family.map_path("/a/place", str.upper) == "/A/PLACE", family.name
    assert resolve_encoder("Timm:Local_Dir:photos/inside") == f"timm:local-dir:{places / 'photos' / 'inside'}"
    assert resolve_language("CLIP:Timm:Local_Dir:photos/inside") == f"clip:timm:local-dir:{places / 'photos' / 'inside'}"


def test_options_that_name_files(places: Path) -> None:
    from likeness.training.network.backbones import build_network

    for option in ("checkpoint_path", "pretrained_cfg", "pretrained_cfg_overlay", "cache_dir"):
        with pytest.raises(InputError, match=f"'{option}' of the backbone 'test_resnet' reads other files"):
            build_network(BackboneConfig(name="test_resnet", weights="none", options={option: "/etc/passwd"}))


def test_processes_that_are_started_are_confined_too(places: Path) -> None:
    read = "import sys; from likeness.io.images import read_image; from pathlib import Path; read_image(Path(sys.argv[1]))"
    for file, fits in ((places / "photos" / "inside" / "0.png", True), (places / "secret" / "0.png", False)):
        ended = subprocess.run([sys.executable, "-c", read, str(file)], capture_output=True, text=True, timeout=120, check=False)
        assert (ended.returncode == 0) == fits, ended.stderr
        assert fits or "PermissionError" in ended.stderr


def test_the_language_model_of_an_installed_package_is_read_and_shown_to_nobody(places: Path) -> None:
    from likeness.encoders import minilm_folder

    embed = "from likeness.language import embed_names; print(embed_names(['red van', 'blue bus']).shape)"
    ended = subprocess.run([sys.executable, "-c", embed], capture_output=True, text=True, timeout=600, check=False)
    assert ended.stdout == "(2, 384)\n", ended.stderr
    for place in (minilm_folder(), minilm_folder().parent):
        assert not allowed(place)
        for refuse in (lambda place=place: resolve_path(str(place)), lambda place=place: resolve_language(f"transformers:{place}")):
            with pytest.raises(InputError, match="cannot be reached here"):
                refuse()


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "http://169.254.169.254/latest",
        "s3://other/a.png",
        "local:///etc",
        "s3://mine/../other/a.png",
        "s3://mine/%2e%2e/other/a.png",
    ],
)
def test_addresses(places: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(monkeypatch, shared=True, urls=("s3://mine",))
    confine_server()
    with pytest.raises(InputError, match="cannot be reached here"):
        check_url(url)
    check_url("s3://mine/a.png")


def test_uploads_are_read_by_their_owner_and_by_link_only(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness.data import absolute_source, save_uploads
    from visitors import own_uploads_dir

    visit(monkeypatch)
    table = save_uploads([("a.png", (places / "secret" / "0.png").read_bytes())], "mine", own_uploads_dir(), upload_limits())
    source = shared_name(absolute_source(str(table.root)))
    assert source == f"uploads/{table.root.name}"
    assert len(read_dataset(resolve_source(source))) == 1
    entry = new_entry("mine", source, "cars", owner=owner_of(source))
    for folder in (table.root.parent, table.root.parent.parent):
        with pytest.raises(InputError, match="cannot be reached here"):
            resolve_path(folder)
    visit(monkeypatch, BEN)
    for written in (source, str(table.root)):  # nobody else by its name, wherever he read it
        with pytest.raises(InputError, match=r"cannot be reached here|There is nothing at"):
            read_dataset(resolve_source(written))
    assert len(read_dataset(resolve_entry(entry))) == 1  # whoever was given its link


def test_the_config_of_a_run_tells_nothing_of_anothers_upload(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness.training import as_yaml
    from visitors import own_uploads_dir

    visit(monkeypatch)
    (own_uploads_dir() / "zebras-0123").mkdir(parents=True)
    config = as_yaml(resolve_config(config_from({"data": {"source": "uploads/zebras-0123"}})))
    assert "uploads/zebras-0123" in shared_name(config)
    visit(monkeypatch, BEN)
    for shown in (redact(config), shared_name(config)):
        assert "source: (another visitor's)" in shown
        assert "zebras" not in shown
        assert "a" * 32 not in shown


def test_where_no_visitor_is_set_nothing_of_the_owner_is_read(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread in the background has no visitor; the owner's notions and splits in the cache are his alone."""
    from likeness.io import as_path

    for token in ("", "a" * 32):
        monkeypatch.setattr("visitors._browser", lambda token=token: token)
        for folder in ("notions", "splits", "drafts", "uploads"):
            (places / "cache" / folder).mkdir(parents=True, exist_ok=True)
            assert not allowed(places / "cache" / folder / "mine.yaml")
            with pytest.raises(InputError, match="cannot be reached here"):
                as_path(places / "cache" / folder / "mine.yaml")


def test_what_is_a_visitors_own_is_no_other_visitors(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, other, all_of_them = "a" * 32, "b" * 32, places / "cache" / "visitors"
    for token in (own, other):
        (all_of_them / token / "notions").mkdir(parents=True)
    monkeypatch.setattr("visitors._browser", lambda: own)
    assert allowed(all_of_them / own / "notions" / "mine.yaml")
    for place in (all_of_them / other / "notions" / "theirs.yaml", all_of_them, all_of_them / own, places / "cache" / "notions"):
        assert not allowed(place)


def test_training_and_downloads_are_off(places: Path) -> None:
    from likeness.encoders.models.hub import load_from_hub

    with pytest.raises(InputError, match="Training is turned off on this server"):
        check_may("train")

    def missing(local_files_only: bool) -> None:
        raise OSError("not here")

    with pytest.raises(InputError, match=r"not on this machine, and downloads are switched off \(HF_HUB_OFFLINE\)"):
        load_from_hub("ViT-B-32/openai", missing, tuple)


def test_no_path_of_the_server_is_told(places: Path) -> None:
    error = InputError(
        f"The run in '{places}/runs/my run' and {places}/photos/a b/c.png, /usr/lib/x.so and https://host/a/b, 3/4, and/or broke; "
        f"see '{places}/photos', {places}/photosx/d and {places}/secret/x."
    )
    assert str(places) in str(error)
    shown = redact(error)
    assert str(places) not in shown
    assert shown == "The run in 'my run' and photos/a b/c.png, x.so and https://host/a/b, 3/4, and/or broke; see 'photos', d and x."


def test_errors_of_labels_tell_no_folder_of_the_server(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIKENESS_CACHE", str(places / "my cache"))
    table = read_dataset(str(places / "photos" / "inside"))
    store = tag_store(str(places / "photos" / "inside"), table)
    store.add_tag(table.frame["path"], "good", "ada")
    with pytest.raises(InputError) as unwritable:
        export_csv(store, places / "photos" / "t.csv" / "x.csv")
    store.path.write_bytes(b"SQLite format 3\0" + bytes(90))
    with pytest.raises(InputError) as damaged:
        store.counts()
    for error in (unwritable, damaged):
        assert str(places) in str(error.value)
        assert str(places) not in redact(error.value)
    assert redact(damaged.value).startswith(f"The tags in '{store.path.name}' ")


def test_a_person_alone_sees_and_reads_all(tmp_path: Path) -> None:
    confine_server()
    assert resolve_path(tmp_path) == tmp_path
    assert resolve_path("~") == Path.home()
    assert redact(InputError(f"in '{tmp_path}'")) == f"in '{tmp_path}'"
    assert allowed(Path("/etc/passwd"))
    check_url("s3://anything/a.png")
    check_may("train")
    for resolve in _written().values():
        assert "some/folder" in _text(resolve("some/folder"))


def test_every_error_that_the_app_shows_is_redacted() -> None:
    """A caught error goes through `redact` or into another error, or only the system's number and words are taken; so do those of jobs."""
    app = Path(access.__file__).parent
    for file in app.rglob("*.py"):
        if (
            file.name not in ("access.py", "background.py", "password.py", "serve.py", "admin.py", "server_settings.py")
            and "components" not in file.parts
        ):
            nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
            for use in _errors_used(nodes):
                assert use in _redacted(nodes), f"{file.relative_to(app)}:{use.lineno} shows an error as it is"


def _errors_used(nodes: list[ast.AST]) -> list[ast.expr]:
    handlers = [node for node in nodes if isinstance(node, ast.ExceptHandler) and node.name and "Error" in ast.dump(node.type or node)]
    caught = [use for handler in handlers for use in ast.walk(handler) if isinstance(use, ast.Name) and use.id == handler.name]
    handed = [argument for node in nodes if isinstance(node, ast.Call) for argument in node.args]
    handed += [node.value for node in nodes if isinstance(node, ast.FormattedValue)]
    return [*caught, *(each for each in handed if isinstance(each, ast.Attribute) and each.attr == "error" and not _of_streamlit(each))]


def _of_streamlit(each: ast.Attribute) -> bool:
    return isinstance(each.value, ast.Name) and each.value.id == "st"


def _redacted(nodes: list[ast.AST]) -> set[ast.AST]:
    safe: set[ast.AST] = set()
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("redact", "problem_of", "InputError"):
            safe.update(each for argument in node.args for each in ast.walk(argument))
        elif isinstance(node, ast.Raise) and node.cause is not None:
            safe.update(ast.walk(node.cause))
        elif isinstance(node, ast.Attribute) and node.attr in ("strerror", "errno"):
            safe.add(node.value)
    return safe
