"""What visitors of a shared server may read: the app's own check of what they write, and core's of every path that comes in."""

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fake_hub import FakeHub
from likeness.data import absolute_source, new_entry, read_dataset, save_uploads
from likeness.errors import InputError
from likeness.io import as_path
from likeness.io.confinement import check_url
from likeness.tagging import export_csv, tag_store
from likeness.training import as_yaml
from likeness.training.config import BackboneConfig, config_from
from parts.config_access import resolve_config
from server import access, query_pictures
from server.access import (
    allowed,
    check_may,
    confine_server,
    owner_of,
    redact,
    resolve_encoder,
    resolve_entry,
    resolve_language,
    resolve_path,
    resolve_source,
    shared_name,
    upload_limits,
)
from server.settings import UPLOADS
from server.visitors import QUERY_PREFIX, own_dir
from small_caltech101 import serve_caltech101
from worlds import ADA, BEN, draw, serve, visit

HERE = "cannot be reached here"  # as the app says it; below, with what core itself says
REFUSED = f"(?:{HERE}|is outside the folders that may be read here)"


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`photos` is a root of the shared server; `secret`, beside it, holds one of everything."""
    for folder in ("photos/inside", "secret", "secret/model"):
        draw(tmp_path / folder, 3, size=8)
    (tmp_path / "photos" / "way_out").symlink_to(tmp_path / "secret")
    (tmp_path / "photos" / "out.png").symlink_to(tmp_path / "secret" / "0.png")
    (tmp_path / "photos" / "t.csv").write_text(f"path,layout\n{tmp_path}/secret/0.png,x\n../secret/1.png,x\ninside/2.png,x\n")
    np.save(tmp_path / "secret" / "m.npy", np.zeros((3, 3)))
    serve(monkeypatch, shared=True, roots=[str(tmp_path / "photos")])
    monkeypatch.setenv("LIKENESS_RUNS", str(tmp_path / "runs"))
    confine_server()
    return tmp_path


def test_a_picture_that_was_searched_with_is_found_by_its_whole_token_alone() -> None:
    token, folder = f"{'a' * 24}-{'0' * 16}", own_dir() / UPLOADS
    for name in (f"{QUERY_PREFIX}{token}", "pets"):
        (folder / name).mkdir(parents=True)
        (folder / name / "1.png").touch()
    assert query_pictures.find(token) == folder / f"{QUERY_PREFIX}{token}" / "1.png"
    for more in ("/../pets", "/.", "0", "\n"):
        with pytest.raises(InputError, match="has been removed"):
            query_pictures.find(f"{token}{more}")


def _ways_out(places: Path) -> list[str]:
    secret = places / "secret"
    relative = "photos/../secret photos/way_out photos/way_out/0.png photos/out.png photos/./../secret"
    relative += " secret uploads uploads/../datasets.json photosx"
    absolute = [secret, secret / "0.png", places / "cache", places / "cache" / "uploads", places, places / "photosx"]
    odd = ["/", "/etc/passwd", "~", "~root", "..", ".", "", "/proc/self/environ", f"photos//..//{secret}", f"{places}/photos/../secret"]
    return [*relative.split(), *map(str, absolute), *odd]


def test_what_lies_below_a_root_is_read_and_no_answer_tells_what_else_is_there(places: Path) -> None:
    inside = places / "photos" / "inside"
    for given in ("photos/inside", str(inside)):
        assert resolve_path(given) == inside
        assert len(read_dataset(resolve_source(given))) == 3
    assert shared_name(absolute_source(str(inside))) == "photos/inside"
    with pytest.raises(InputError, match="cannot be read here: URLs are disabled"):
        check_url("s3://mine/a.png")
    for given in _ways_out(places):
        with pytest.raises(InputError, match=f"{HERE}: this server only shows its own folders; enter a folder or file inside photos"):
            resolve_path(given)
    for given in ("a\0b", "x" * 300, "/".join(["deep"] * 2000), "\ud800"):
        with pytest.raises(InputError, match="Invalid path"):
            resolve_path(given)
    answers = set()
    for name in ("0.png", "9.png"):
        with pytest.raises(InputError) as caught:
            resolve_path(places / "secret" / name)
        answers.add(str(caught.value).replace(name, ""))
    assert len(answers) == 1


def _entries() -> dict[str, Callable[[str], Any]]:
    """Every place of core where a config or a table can name a path; each is called with one outside of the roots."""
    from experiments.captioning.config import read_captioning_config
    from likeness.data import DATASETS, read_folder, read_table
    from likeness.encoders import encoder_identity, load_encoder
    from likeness.labels.matrix import read_matrix
    from likeness.language import class_similarities, language_model, read_captions, read_hierarchy, read_pseudolabels
    from likeness.notions.library import read_notion
    from likeness.shifts import read_splits
    from likeness.studies.study import read_study
    from likeness.training.config import read_config
    from likeness.training.data.run_images import run_images
    from likeness.training.network.backbones import build_network

    def data(path: str, **keys: Any) -> Any:
        return run_images(config_from({"data": keys}).data, 0)

    reads = [read_dataset, read_folder, read_table, read_pseudolabels, read_matrix, read_splits, read_config, read_captioning_config, read_study]
    return {
        **{each.__name__: each for each in reads},
        **{each.__name__: lambda path, each=each: each(Path(path)) for each in (read_hierarchy, read_captions, read_notion)},
        **{f"dataset {each.name}": lambda path, name=each.name: read_dataset(f"{name}:{path}") for each in DATASETS if each.layout},
        **{name: lambda path, name=name: load_encoder(f"{name}:{path}") for name in ("local-dir", "timm:local-dir", "run")},
        "identity": lambda path: encoder_identity(f"local-dir:{path}"),
        "language transformers": lambda path: language_model(f"transformers:{path}"),
        "language vectors": lambda path: language_model(f"vectors:{path}"),
        "language encoder": lambda path: language_model(f"clip:local-dir:{path}").encode_texts(["a"]),
        "language hierarchy": lambda path: class_similarities(["a", "b"], [f"hierarchy:{path}"]),
        "config source": lambda path: data(path, source=path),
        "config paper source": lambda path: data(path, source=f"cub200:{path}"),
        "config label file": lambda path: data(path, source="cars", label_files=[path]),
        "config backbone": lambda path: build_network(BackboneConfig(name=f"clip:local-dir:{path}")),
        "config weights": lambda path: build_network(BackboneConfig(name="resnet18", weights=path)),
    }


def test_core_refuses_whatever_reaches_it_all_the_same(places: Path) -> None:
    for place, read in _entries().items():
        for path in (str(places / "secret"), str(places / "photos" / "way_out"), "~", "..", str(places / "secret" / "m.npy")):
            with pytest.raises(InputError, match=REFUSED):
                pytest.fail(f"{place} reads {path}: {read(path)}")


def _written() -> dict[str, Callable[[str], Any]]:
    """Every place of the app where a visitor can write a path."""
    forms = {
        resolve_source: ("{}", "cub200:{}", "cub200/all:{}", "other:{}"),
        resolve_encoder: ("local-dir:{}", "timm:local-dir:{}", "run:{}"),
        resolve_language: (*("transformers:{}", "transformers:{}@pooler", "vectors:{}", "hierarchy:{}", "clip:local-dir:{}", "local-dir:{}"),),
    }
    configs: dict[str, dict[str, Any]] = {
        "source": {"data": {"source": "{}"}},
        "paper source": {"data": {"source": "cub200:{}"}},
        "label file": {"data": {"label_files": ["{}"]}},
        "splits": {"data": {"split": "file", "splits": "{}", "shift": "a"}},
        "matrix": {"data": {"labels": {"kind": "matrix", "file": "{}"}}},
        "language of labels": {"data": {"labels": {"kind": "captions", "language": "vectors:{}"}}},
        "backbone": {"backbone": {"name": "clip:local-dir:{}"}},
        "weights": {"backbone": {"weights": "{}"}},
        "language": {"guidance": {"language": ["minilm", "vectors:{}"]}},
        "captions": {"guidance": {"text": "captions", "captions": "{}"}},
        "pseudolabels": {"guidance": {"kind": "plg", "pseudolabels": "{}"}},
        "classifier": {"guidance": {"kind": "plg", "classifier": {"name": "resnet18", "weights": "{}"}}},
        "teacher": {"distill": {"teacher": "local-dir:{}"}},
    }
    written: dict[str, Callable[[str], Any]] = {"path": resolve_path}
    for resolve, places in forms.items():
        for form in places:
            written[f"{resolve.__name__} {form}"] = lambda path, resolve=resolve, form=form: resolve(form.format(path))
    for name, parts in configs.items():
        written[f"config {name}"] = lambda path, parts=parts: resolve_config(config_from(_filled(parts, path)))
    return written


def _filled(part: Any, path: str) -> Any:
    if isinstance(part, dict):
        return {key: _filled(value, path) for key, value in part.items()}
    if isinstance(part, list):
        return [_filled(value, path) for value in part]
    return part.format(path) if isinstance(part, str) else part


def _text(resolved: Any) -> str:
    return str(resolved.model_dump_json()) if hasattr(resolved, "model_dump_json") else str(resolved)


def test_whatever_a_visitor_writes_goes_through_the_check_and_what_they_may_read_becomes_a_path(places: Path) -> None:
    for place, resolve in _written().items():
        for path in (str(places / "secret"), "photos/way_out", str(places / "secret" / "m.npy"), "photos/../secret", "~", ".."):
            with pytest.raises(InputError, match=f"{HERE}: this server only shows its own folders"):
                pytest.fail(f"{place} takes {path}: {resolve(path)}")
        text = _text(resolve("photos/inside"))
        assert str(places / "photos" / "inside") in text, place
        assert str(places) not in shared_name(text)
        assert "photos/inside" in shared_name(text)


def test_photos_that_would_be_fetched_are_refused_until_they_are_here(
    places: Path, hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = serve_caltech101(hub, tmp_path / "served here", monkeypatch)
    with pytest.raises(InputError, match="'caltech101' must be downloaded, and you are not allowed to"):
        resolve_source("caltech101")
    assert not hub.ranges
    source.fetch()
    assert resolve_source("caltech101") == "caltech101"
    assert allowed(source.folder / "ant" / "image_0001.jpg")
    assert not allowed(source.folder.parent.parent / "datasets.json")


def test_names_that_are_no_paths_stay_and_no_more_images_are_drawn_than_a_server_bears(places: Path) -> None:
    names = {
        resolve_encoder: ("cars", "ViT-B-32/openai", "hf-hub:laion/x", "timm:resnet50"),
        resolve_language: ("minilm", "clip:ViT-B-32/openai", "transformers:google/reformer-crime-and-punishment", "wordnet", "hierarchy:wordnet"),
        resolve_source: ("cars", "synthetic-poses@500", "captioned-cars", "", "s3://bucket/photos", "cub200:"),
    }
    for resolve, every in names.items():
        assert [resolve(name) for name in every] == list(every)
    config = config_from({"guidance": {"kind": "plg", "pseudolabels": "synthetic-cars"}, "backbone": {"name": "clip:cars"}})
    assert resolve_config(config) == config
    for draw_them in (resolve_source, lambda source: resolve_config(config_from({"data": {"source": source}}))):
        for source in ("synthetic-poses@10001", "synthetic-poses@99999999999"):
            with pytest.raises(InputError, match="too many images for a shared server; use at most 10,000"):
                draw_them(source)


def test_neither_a_table_nor_a_link_in_a_root_opens_what_lies_outside(places: Path) -> None:
    from likeness.data import thumbnail
    from likeness.io.images import read_image
    from likeness.labels import LabelsConfig, label_distances
    from likeness.plots import labeled_image

    table = read_dataset(resolve_source("photos/t.csv"))
    for row in (0, 1):
        for read in (read_image, thumbnail, lambda path, row=row: labeled_image(table, None, row)):
            with pytest.raises(PermissionError):
                read(table.paths()[row])
    assert read_image(table.paths()[2]).size == (8, 8)
    assert not allowed(places / "photos" / "out.png")
    (places / "photos" / "masks.csv").write_text(f"path,layout\ninside/0.png,{places}/secret/0.png\ninside/1.png,{places}/secret/1.png\n")
    with pytest.raises((InputError, PermissionError), match=r"outside|cannot be read"):
        label_distances(read_dataset(resolve_source("photos/masks.csv")), LabelsConfig(kind="layout"))
    assert "way_out/0.png" not in set(read_dataset(resolve_source("photos")).frame["path"])


@pytest.mark.parametrize(("spelled", "prefix"), [(str.upper, "{}"), (str.title, " {}"), (str.lower, "{} "), (str.lower, "{}")])
def test_no_spelling_of_a_prefix_passes_the_fence(places: Path, spelled: Callable[[str], str], prefix: str) -> None:
    """timm, for one, takes its own prefixes in any case."""
    from likeness.encoders import load_encoder
    from likeness.language import language_model

    def refused(resolve: Callable[[str], Any], *names: str, also: str = "") -> None:
        for name in names:
            with pytest.raises(InputError, match=rf"{REFUSED}|has no known form{also}"):
                resolve(f"{prefix.format(spelled(name))}:{places / 'secret' / 'model'}")

    encoders = ("local-dir", "run", "timm:local-dir", "timm:local_dir")
    models = ("transformers", "vectors", "hierarchy", "clip:local-dir", "clip:timm:local-dir")
    refused(resolve_encoder, *encoders)
    refused(load_encoder, *encoders)
    refused(resolve_language, *models)
    refused(lambda name: language_model(name).encode_texts(["a"]), *models, also="|There is no language model|no text side|returns similarities")


def test_every_family_whose_names_hold_a_path_says_so(places: Path) -> None:
    """A family that forgets it would let a visitor name any path; its form, which stands in the help, tells of it."""
    from likeness.encoders import encoder_families
    from likeness.language import LANGUAGE_FAMILIES

    for family in [*encoder_families().values(), *LANGUAGE_FAMILIES.values()]:
        if "FOLDER" in family.form or "FILE" in family.form:
            assert family.map_path("/a/place", str.upper) == "/A/PLACE", family.name
    assert resolve_encoder("Timm:Local_Dir:photos/inside") == f"timm:local-dir:{places / 'photos' / 'inside'}"
    assert resolve_language("CLIP:Timm:Local_Dir:photos/inside") == f"clip:timm:local-dir:{places / 'photos' / 'inside'}"


def test_processes_that_are_started_are_confined_too_and_read_the_language_model_that_is_shown_to_nobody(places: Path) -> None:
    from likeness.encoders import minilm_folder

    script = """
import sys
from pathlib import Path
from likeness.io.images import read_image
from likeness.language import embed_names
print(embed_names(["red van", "blue bus"]).shape, read_image(Path(sys.argv[1])).size)
read_image(Path(sys.argv[2]))
"""
    files = [str(places / folder / "0.png") for folder in ("photos/inside", "secret")]
    ended = subprocess.run([sys.executable, "-c", script, *files], capture_output=True, text=True, timeout=600, check=False)
    assert ended.stdout == "(2, 384) (8, 8)\n", ended.stderr
    assert "PermissionError" in ended.stderr
    for place in (minilm_folder(), minilm_folder().parent):
        assert not allowed(place)
        for resolve, name in ((resolve_path, str(place)), (resolve_language, f"transformers:{place}")):
            with pytest.raises(InputError, match=REFUSED):
                resolve(name)


def test_uploads_are_read_by_their_owner_and_by_link_only_and_no_config_of_a_run_tells_of_anothers(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit(monkeypatch)
    table = save_uploads([("a.png", (places / "secret" / "0.png").read_bytes())], "zebras", own_dir() / UPLOADS, upload_limits())
    source = shared_name(absolute_source(str(table.root)))
    assert source == f"uploads/{table.root.name}"
    assert len(read_dataset(resolve_source(source))) == 1
    entry = new_entry("mine", source, "cars", owner=owner_of(source))
    for folder in (table.root.parent, table.root.parent.parent):
        with pytest.raises(InputError, match=REFUSED):
            resolve_path(folder)
    config = as_yaml(resolve_config(config_from({"data": {"source": source}})))
    assert source in shared_name(config)
    visit(monkeypatch, BEN)
    for written in (source, str(table.root)):  # nobody else by its name, wherever they read it
        with pytest.raises(InputError, match=rf"{REFUSED}|There is nothing at"):
            read_dataset(resolve_source(written))
    assert len(read_dataset(resolve_entry(entry))) == 1  # whoever was given its link
    for shown in (redact(config), shared_name(config)):
        assert "source: (another visitor's)" in shown
        assert "zebras" not in shown
        assert ADA not in shown


def test_a_visitor_reads_what_is_their_own_and_nothing_of_the_owner(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread in the background has no visitor; the owner's notions and splits in the cache are theirs alone."""
    every = places / "cache" / "visitors"
    for token in ("", ADA):
        visit(monkeypatch, token)
        for folder in ("notions", "splits", "drafts", "uploads"):
            (places / "cache" / folder).mkdir(parents=True, exist_ok=True)
            assert not allowed(places / "cache" / folder / "mine.yaml")
            with pytest.raises(InputError, match=REFUSED):
                as_path(places / "cache" / folder / "mine.yaml")
    for token in (ADA, BEN):
        (every / token / "notions").mkdir(parents=True)
    assert allowed(every / ADA / "notions" / "mine.yaml")
    assert not any(map(allowed, (every / BEN / "notions" / "theirs.yaml", every, every / ADA, places / "cache" / "notions")))


def test_training_and_downloads_are_off_and_a_person_alone_sees_and_reads_all(places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness.encoders.models.hub import load_from_hub

    with pytest.raises(InputError, match="Training is turned off on this server"):
        check_may("train")

    def missing() -> None:
        raise OSError("not here")

    with pytest.raises(InputError, match=r"not on this machine, and downloads are switched off \(HF_HUB_OFFLINE\)"):
        load_from_hub("ViT-B-32/openai", missing, tuple)
    serve(monkeypatch)
    monkeypatch.setenv("LIKENESS_CONFINED", "")
    confine_server()
    assert resolve_path(tmp_path) == tmp_path
    assert resolve_path("~") == Path.home()
    assert redact(InputError(f"in '{tmp_path}'")) == f"in '{tmp_path}'"
    assert allowed(Path("/etc/passwd"))
    check_url("s3://anything/a.png")
    check_may("train")
    for resolve in _written().values():
        assert "some/folder" in _text(resolve("some/folder"))


def test_no_path_of_the_server_is_told_also_not_by_errors_of_labels(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = InputError(
        f"The run in '{places}/runs/my run' and {places}/photos/a b/c.png, /usr/lib/x.so and https://host/a/b, 3/4, and/or broke; "
        f"see '{places}/photos', {places}/photosx/d and {places}/secret/x."
    )
    assert str(places) in str(error)
    assert redact(error) == "The run in 'my run' and photos/a b/c.png, x.so and https://host/a/b, 3/4, and/or broke; see 'photos', d and x."
    monkeypatch.setenv("LIKENESS_CACHE", str(places / "my cache"))
    table = read_dataset(str(places / "photos" / "inside"))
    store = tag_store(str(places / "photos" / "inside"), table)
    store.add_tag(table.frame["path"], "good", "ada")
    with pytest.raises(InputError) as unwritable:
        export_csv(store, places / "photos" / "t.csv" / "x.csv")
    store.path.write_bytes(b"SQLite format 3\0" + bytes(90))
    with pytest.raises(InputError) as damaged:
        store.counts()
    for told in (unwritable.value, damaged.value):
        assert str(places) in str(told)
        assert str(places) not in redact(told)
    assert redact(damaged.value).startswith(f"The tags in '{store.path.name}' ")


COMMANDS = ("access.py", "jobs.py", "serve.py", "admin.py", "settings.py")


def test_every_error_that_the_app_shows_is_redacted() -> None:
    """A caught error goes through `redact` or into another error, or only the system's number and words are taken; so do those of jobs."""
    app = Path(access.__file__).parents[1]
    for file in app.rglob("*.py"):
        if file.name not in COMMANDS:
            nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
            for use in _errors_used(nodes):
                assert use in _redacted(nodes), f"{file.relative_to(app)}:{use.lineno} shows an error as it is"


def _errors_used(nodes: list[ast.AST]) -> list[ast.expr]:
    handlers = [node for node in nodes if isinstance(node, ast.ExceptHandler) and node.name and "Error" in ast.dump(node.type or node)]
    caught = [use for handler in handlers for use in ast.walk(handler) if isinstance(use, ast.Name) and use.id == handler.name]
    handed = [argument for node in nodes if isinstance(node, ast.Call) for argument in node.args]
    handed += [node.value for node in nodes if isinstance(node, ast.FormattedValue)]
    return [*caught, *(each for each in handed if isinstance(each, ast.Attribute) and each.attr == "error" and ast.unparse(each.value) != "st")]


def _redacted(nodes: list[ast.AST]) -> set[ast.AST]:
    safe: set[ast.AST] = set()
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("redact", "refused", "InputError"):
            safe.update(each for argument in node.args for each in ast.walk(argument))
        elif isinstance(node, ast.Raise) and node.cause is not None:
            safe.update(ast.walk(node.cause))
        elif isinstance(node, ast.Attribute) and node.attr in ("strerror", "errno"):
            safe.add(node.value)
    return safe
