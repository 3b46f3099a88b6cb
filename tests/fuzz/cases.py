"""Every reader of files, with a sound input that is then damaged."""

import contextlib
import importlib.util
import io
import json
import os
import pickle
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from fuzzing import Case
from PIL import Image

from tiny_models import save_clip, save_timm, save_transformers

_TESTS = Path(__file__).resolve().parents[1]


def _miniatures() -> Any:
    specification = importlib.util.spec_from_file_location("miniatures_of_datasets", _TESTS / "data" / "conftest.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def _of_file(name: str, file: str, content: str | bytes | Callable[[Path], Any], read: Callable[[Path], Any], *covers: str) -> Case:
    """A case of one file: its content, or what writes it, and what reads it; both are called with its path."""

    def write(folder: Path) -> None:
        if callable(content):
            content(folder / file)
        else:
            (folder / file).write_bytes(content.encode() if isinstance(content, str) else content)

    return Case(name, write, lambda folder: read(folder / file), ("*",), covers)


def picture(kind: str, size: tuple[int, int] = (24, 16), **options: Any) -> bytes:
    buffer = io.BytesIO()
    image = Image.new("RGB", size, (200, 30, 60))
    image.putpixel((3, 3), (0, 255, 0))
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def _papers() -> list[Case]:
    from likeness.data import read_dataset

    mini = _miniatures()

    def case(name: str, source: str, write: Callable[[Path], Any], damage: tuple[str, ...], *covers: str) -> Case:
        return Case(name, write, lambda folder: read_dataset(f"{source}:{folder}"), damage, covers)

    return [
        case("Cars196", "cars196/all", mini.write_cars196, ("*.mat",), "data/readers/cars196"),
        case("Cars196 devkit", "cars196/all", mini.write_cars196_devkit, ("*.mat", "devkit/*.mat"), "data/readers/cars196"),
        case("CUB200", "cub200/all", mini.write_cub200, ("*.txt",), "data/readers/cub200", "data/readers/official_layout"),
        case("DeepFashion", "deepfashion/all", mini.write_deepfashion, ("Anno_fine/*.txt",), "data/readers/deepfashion"),
        case("Movie Posters", "movie-posters", mini.write_movie_posters, ("**/*.txt",), "data/readers/movie_posters"),
        case("Online Products", "online-products/all", mini.write_online_products, ("*.txt",), "data/readers/online_products"),
        case("Synthetic Cars of the authors", "synthetic-cars/all", mini.write_synthetic_cars, ("*.csv",), "data/readers/original_synthetic_cars"),
        case("MPII", "mpii-pose", mini.write_mpii_pose, ("*.mat",), "data/readers/mpii_pose"),
        Case("MPII distances", mini.write_mpii_pose, _mpii_labels, ("*.mat", "*.pkl"), ("labels/mpii", "io/plain_pickle")),
        case("LSUN rooms", "lsun-rooms/every", mini.write_lsun_rooms, ("*.mat",), "data/readers/lsun_rooms"),
        case("In-Shop", "in-shop/all", mini.write_in_shop, ("Eval/*.txt",), "data/readers/in_shop"),
        case("iNaturalist 2018", "inaturalist/all", mini.write_inaturalist, ("*.json", "*/*.txt"), "data/readers/inaturalist"),
        case("iNaturalist 2021", "inaturalist/all", mini.write_inaturalist_2021, ("*.json",), "data/readers/inaturalist"),
        case("ILIAS", "ilias/all", mini.write_ilias, ("*.json", "*/*/query/T*.txt"), "data/readers/ilias"),
        case("Landmarks", "google-landmarks/all", mini.write_google_landmarks, ("[!t]*.csv", "train.csv"), "data/readers/google_landmarks"),
        case("Landmarks, clean", "google-landmarks/clean", mini.write_google_landmarks, ("train_*.csv",), "data/readers/google_landmarks"),
        case("COCO captions", "coco-captions", mini.write_coco_captions, ("*.json",), "data/readers/coco_captions"),
    ]


def _mpii_labels(folder: Path) -> None:
    from likeness.data import read_dataset
    from likeness.labels import mpii_labels

    mpii_labels(read_dataset(f"mpii-pose:{folder}"))


def _write_table(folder: Path, name: str, frame: pd.DataFrame) -> None:
    for path in frame["path"]:
        (folder / path).write_bytes(picture("PNG"))
    frame.to_parquet(folder / name) if name.endswith(".parquet") else frame.to_csv(folder / name, index=False)


_LABELED = pd.DataFrame(
    {
        "path": ["a.png", "b.png", "c.png", "007.png"],
        "class": ["x", "y", "x", "ü"],
        "yaw": [1.5, 2.0, -3.0, 400.0],
        "neck_x": [1, 2, 3, 4],
        "neck_y": [1, 2, 3, 4],
        "captions": [json.dumps(["a car", "a red car"])] * 4,
    }
)


def _read_table(folder: Path) -> None:
    from likeness.data import read_table
    from likeness.data.captions_column import read_captions
    from likeness.labels import LabelsConfig, known_labels, label_distances

    table = read_table(next(iter([*folder.glob("*.csv"), *folder.glob("*.parquet")])))
    assert len(table.paths()) == len(table)
    known_labels(table)
    for read in (
        lambda: label_distances(table, LabelsConfig(kind="numbers", columns=("yaw",))),
        lambda: label_distances(table, LabelsConfig(kind="pose")),
        lambda: read_captions(table),
    ):
        _answered(read)


def _answered(read: Callable[[], Any]) -> None:
    from likeness.errors import InputError

    said = ""
    try:
        read()
    except InputError as error:
        said = str(error)
    assert "\n" not in said


def _tables() -> list[Case]:
    covers = ("data/readers/tabular", "io/csv_cells", "data/captions_column", "data/readers/folder")
    return [
        Case("CSV table", lambda folder: _write_table(folder, "t.csv", _LABELED), _read_table, ("t.csv",), covers),
        Case("Parquet table", lambda folder: _write_table(folder, "t.parquet", _LABELED), _read_table, ("t.parquet",), covers),
    ]


def _labels() -> list[Case]:
    from likeness.labels.layouts import read_layouts
    from likeness.labels.matrix import read_matrix

    def layouts(folder: Path) -> None:
        from scipy.io import savemat

        Image.fromarray(np.arange(64, dtype=np.uint8).reshape(8, 8) % 5).save(folder / "a.png")
        savemat(folder / "b.mat", {"layout": np.ones((8, 8))})

    apart = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    return [
        Case("layouts", layouts, lambda folder: read_layouts(sorted(folder.iterdir()), 8), ("*",), ("labels/layouts",)),
        _of_file("matrix", "m.npy", lambda file: np.save(file, apart), lambda file: read_matrix(file, 6), "labels/matrix"),
    ]


def _notions() -> list[Case]:
    from likeness.io.paths import assets_dir
    from likeness.notions.library import read_notion

    own = 'name: car color\ntemplate: "a {} car"\naspects: [red, blue, 300, no]\nquestion: Same color?\nattribute: car_color\n'
    listed = [file.read_bytes() for file in (assets_dir() / "notions").glob("*.yaml") if "aspects_from" in file.read_text()]
    shipped = listed[-1] if listed else (assets_dir() / "notions" / "car-model-names.yaml").read_bytes()[:4000]

    def read(file: Path) -> None:
        notion = read_notion(file)
        assert notion.prompts
        _answered(lambda: notion.slug)

    return [_of_file(name, "n.yaml", content, read, "notions/library") for name, content in (("notion", own), ("shipped notion", shipped))]


_SPLITS = {
    "format": "likeness splits",
    "version": 1,
    "dataset": "cars",
    "splits": [{"name": "start", "distance": 1.5, "train": ["a", "b", "c", "d"], "test": ["e", "f"], "tuning": ["a", "b"]}],
}


def _splits() -> list[Case]:
    from likeness.shifts import read_splits
    from likeness.shifts.official_splits import import_official, read_plain_pickle

    official = {n: {"train": ["a", "b"], "test": ["c", "d"], "fid": 1.0 + n, "split_val": []} for n in (1, 2)}

    def pickled(folder: Path) -> None:
        for protocol in range(6):
            (folder / f"{protocol}.pkl").write_bytes(pickle.dumps(official | {"more": np.arange(5), "o": np.array([1, "a"], object)}, protocol)[:])
        (folder / "s.pkl").write_bytes(pickle.dumps(official, 2))

    def read_pickles(folder: Path) -> None:
        for file in sorted(folder.iterdir()):
            _answered(lambda file=file: read_plain_pickle(file))
        import_official(folder / "s.pkl", "cars")

    return [
        _of_file("splits", "s.json", json.dumps(_SPLITS), read_splits, "shifts/split_files"),
        Case("official splits", pickled, read_pickles, ("*.pkl",), ("shifts/official_splits", "io/plain_pickle")),
    ]


def _configs() -> list[Case]:
    from likeness.studies import read_sweep
    from likeness.studies.study import cells, read_study, studies
    from likeness.training.config import as_yaml, presets, read_config, with_changes
    from server.settings import read_settings

    preset = [name for name in ("shipped-cars-elg", "lg-cub200-plg") if name in presets()][-1]

    def read_run(file: Path) -> None:
        config = read_config(file)
        as_yaml(config)
        config.model_dump_json()
        with_changes(config, {"seed": 1})

    study = min(studies().values(), key=lambda file: file.stat().st_size).read_bytes()
    sweep = (
        "base: shipped-cars-elg\nchanges: {data.validation: 0.2}\ntrials: 3\nseeds: [0]\n"
        "space:\n  optimizer.rate: {low: 1.0e-5, high: 1.0e-2, log: true}\n  objective.name: [margin, contrastive]\n"
    )
    serving = "shared: true\ntraining: false\nmax_upload_mb: 20\nmax_uploads_gb: 1.5\nroots: [/tmp]\n"
    return [
        _of_file("run config", "c.yaml", as_yaml(read_config(preset)), read_run, "training/config", "io/frozen_config", "io/text"),
        _of_file("study", "study.yaml", study, lambda file: cells(read_study(file), file.parent), "studies/study"),
        _of_file("sweep", "sweep.yaml", sweep, read_sweep, "studies/sweeps/config"),
        _of_file("server settings", "s.yaml", serving, read_settings, "app/server/settings"),
    ]


def _language() -> list[Case]:
    from likeness.data import read_label_file
    from likeness.language import read_captions, read_hierarchy, read_pseudolabels
    from likeness.language.word_vectors import WordVectors

    trees = {"t.csv": "child,parent\nbird,animal\ncowbird,bird\n", "t.json": json.dumps({"bird": "animal", "animal": None})}
    vectors = "3 4\nred 1 2 3 4\nBlue 0.5 1 1e-3 4\ncar 1 1 1 1\n"

    def path(file: Path) -> Any:
        return read_hierarchy(file).path_of("bird")

    return [
        *(_of_file(f"hierarchy {name}", name, tree, path, "language/hierarchy") for name, tree in trees.items()),
        _of_file("captions", "c.csv", 'path,caption\na.png,"a, b"\nb.png,c\n', read_captions, "language/captions"),
        _of_file("pseudolabels", "p.csv", "a,x,y\nb,z\n", lambda file: read_pseudolabels(str(file)), "language/pseudolabels"),
        _of_file("labels in a file of their own", "l.csv", "path,label\na.png,red\nb.png,blue\n", read_label_file, "data/label_files"),
        _of_file("word vectors", "v.vec", vectors, lambda file: _word_vectors(WordVectors("v", file)), "language/word_vectors"),
    ]


def _word_vectors(model: Any) -> None:
    assert model.identity
    model.encode_texts(["red car", "blue"])


def _runs() -> list[Case]:
    from safetensors.numpy import save_file

    from likeness.io import CheckpointFile
    from likeness.studies.study_folder import StudyFolder
    from likeness.training.config import as_yaml, read_config
    from likeness.training.runs.run_encoder import load_spherical_map
    from likeness.training.runs.run_folder import RunFolder, list_runs

    status = {"state": "stopped", "step": 3, "total": 10, "message": "", "pid": 0, "seconds": 1.5}

    def run(folder: Path) -> None:
        (folder / "config.yaml").write_text(as_yaml(read_config("shipped-cars-elg")))
        (folder / "status.json").write_text(json.dumps(status))
        (folder / "metrics.jsonl").write_text('{"step": 1, "epoch": 0.5, "recall_at_1": 0.5}\n{"step": 2, "epoch": 1, "recall_at_1": 0.6}\n')
        (folder / "report.json").write_text('{"last": {"recall_at_1": 0.5}, "seconds": 3.5}')

    def read_run(folder: Path) -> None:
        run = RunFolder(folder)
        state = run.status()
        assert f"{state.step:,} {state.total:,} {state.seconds:.1f} {state.state}"
        frame = run.metrics()
        assert len(frame.columns) < 10_000
        run.drop_metrics_after(1)
        list_runs(folder.parent)
        _answered(run.report)
        _answered(run.config)
        run.config()

    def read_lift(file: Path) -> None:
        load_spherical_map(RunFolder(file.parent))

    lift = {"lift.centre": np.zeros(3, np.float32), "lift.radius": np.ones(1, np.float32)}  # codespell:ignore

    def model(weights: str) -> Any:
        from likeness.training.config import BackboneConfig
        from likeness.training.network.backbones import timm_model

        return timm_model(BackboneConfig(name="test_resnet", weights=weights), classes=0)

    def network(file: Path) -> None:
        import torch
        from safetensors.torch import save_file as save_torch

        torch.manual_seed(0)
        save_torch({name: value.contiguous() for name, value in model("none").state_dict().items()}, file)

    def checkpoint(file: Path) -> None:
        import torch

        torch.save({"state": {"a": torch.zeros(3)}, "step": 3, "words": ["a"]}, file)

    def study(folder: Path) -> None:
        (folder / "study.yaml").write_text("name: s\nbase: shipped-cars-elg\nseeds: [0]\nrows: {a: {}, b: {seed: 1}}\n")
        (folder / "status.json").write_text(json.dumps(status))

    return [
        Case("run folder", run, read_run, ("*",), ("training/runs/run_folder",)),
        _of_file("checkpoint", "checkpoint.ckpt", checkpoint, lambda file: _answered(CheckpointFile(file).read), "io/checkpoints"),
        Case("study folder", study, lambda folder: StudyFolder(folder).standing(), ("*",), ("studies/study_folder",)),
        _of_file("weights of a run", "best.safetensors", lambda file: save_file(lift, file), read_lift, "training/runs/run_encoder"),
        _of_file("weights of a network", "w.safetensors", network, lambda file: model(str(file)), "training/network/backbones"),
    ]


def _stores() -> list[Case]:
    from likeness.data import catalog
    from likeness.embedding import load_space
    from likeness.encoders.store.texts import TextCache, _shipped
    from likeness.projection.map_store import _read as read_map
    from likeness.search import build_index, open_index
    from likeness.space import Space
    from likeness.tagging import NewColumn, TagStore, export_csv, import_csv, with_tags

    def cache(folder: Path) -> None:
        TextCache(folder / "t.sqlite").put({"a": np.ones(8, np.float32), "b": np.zeros(8, np.float32)})

    def read_cache(folder: Path) -> None:
        found = TextCache(folder / "t.sqlite")
        found.get(["a", "b", "c"])
        found.put({"c": np.ones(8, np.float32)})
        found.get(["a", "c"])

    def tags(folder: Path) -> None:
        store = TagStore(folder / "tags.sqlite")
        store.set_columns(["a", "b"], [NewColumn("breed", "attribute", ["x", "y"]), NewColumn("note", "note", ["z", ""])], "ada")
        store.add_tag([f"{number}" for number in range(200)], "good", "bob")
        (folder / "labels.csv").write_text("path,breed,tag:good,note\na,x,yes,z\nb,y,,\n")

    def read_tags(folder: Path) -> None:
        from likeness.data import ImageTable

        store, table = TagStore(folder / "tags.sqlite", wait_seconds=0.1), ImageTable("t", folder, pd.DataFrame({"path": ["a", "b"]}))
        reads = (store.version, store.counts, store.log, store.labeled_paths, lambda: with_tags(table, store), lambda: store.can_undo("ada"))
        writes = (lambda: store.add_tag(["a"], "new", "ada"), lambda: store.undo("ada"), lambda: store.undo("bob"), lambda: store.redo("ada"))
        into = TagStore(folder / "new.sqlite")
        for call in (*reads, lambda: import_csv(into, table, folder / "labels.csv", "ada"), *writes, lambda: export_csv(store, folder / "out.csv")):
            _answered(call)

    entry = {"id": "ab12", "name": "x", "source": "/a", "encoder": "cars", "path_column": None}
    entries = json.dumps([entry, entry | {"id": "cd", "owner": "e" * 32}])

    def read_datasets(file: Path) -> None:
        with mock.patch.dict(os.environ, LIKENESS_CACHE=str(file.parent)):
            assert all(isinstance(entry.id, str) for entry in catalog.list_datasets())

    rows = np.random.default_rng(0).standard_normal((300, 8)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    space, texts = (
        Space(np.eye(5, 8), labels={"x": ["a", "b", "c", "d", "e"]}),
        {"texts": np.array(["a", "b"]), "vectors": np.ones((2, 4), np.float16)},
    )
    return [
        _of_file("space", "s.parquet", space.save, load_space, "io/vector_file"),
        Case("text cache", cache, read_cache, ("*.sqlite",), ("encoders/store/texts",), (sqlite3.Warning,)),
        Case("tags", tags, read_tags, ("*.sqlite", "*.csv"), ("tagging/tag_file", "tagging/columns", "tagging/csv_files")),
        _of_file("map", "m.npy", lambda file: np.save(file, np.zeros((5, 2), np.float32)), read_map, "projection/map_store"),
        _of_file("shipped texts", "t.npz", lambda file: np.savez(file, **texts), _shipped.__wrapped__, "encoders/store/texts"),
        _of_file("datasets", "datasets.json", entries, read_datasets, "data/catalog"),
        _shards(),
        Case("index", lambda folder: build_index(rows, folder / "i"), lambda folder: open_index(folder / "i", rows), ("i/*",), ("search/ivf_index",)),
    ]


def _shards() -> Case:
    from likeness.encoders.store.shard_folder import shard_folder
    from likeness.encoders.store.shards import Shard, read_shards, write_shard

    def write(folder: Path) -> None:
        rows = np.random.default_rng(0).standard_normal((3, 8)).astype(np.float32)
        keys = np.frombuffer(b"".join(bytes([number] * 16) for number in range(3)), np.uint8).reshape(3, 16)
        write_shard(shard_folder(folder), Shard(keys, rows, {}))

    return Case("shards", write, lambda folder: list(read_shards(shard_folder(folder), repair=False)), ("*",), ("encoders/store/shards",))


def _images() -> list[Case]:
    from likeness.data.thumbnails import thumbnail
    from likeness.io.foreign_images import foreign_image
    from likeness.io.images import read_image

    def write(folder: Path) -> None:
        exif = Image.Exif()
        exif[0x0112] = 6
        options: dict[str, dict[str, Any]] = {"JPEG": {"exif": exif}, "PNG": {"exif": exif}, "TIFF": {"compression": "tiff_lzw"}}
        for kind in ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"):
            (folder / f"a.{kind.lower()}").write_bytes(picture(kind, **options.get(kind, {})))
        Image.fromarray(np.arange(64, dtype=np.uint16).reshape(8, 8) * 900).save(folder / "deep.png")
        Image.fromarray(np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8)).save(folder / "float.tiff")
        Image.new("P", (8, 8)).save(folder / "palette.png", transparency=0)
        (folder / "scans.jpeg").write_bytes(picture("JPEG", progressive=True))

    def read(folder: Path) -> None:
        for file in sorted(folder.iterdir()):
            _answered(lambda file=file: read_image(file))
            with contextlib.suppress(OSError):
                thumbnail(file)
            _answered(lambda file=file: foreign_image(file.read_bytes(), file.name))

    def read_labeled(folder: Path) -> None:
        from likeness.data import read_folder
        from likeness.plots import labeled_image

        table = read_folder(folder)
        for row in range(len(table)):
            with contextlib.suppress(OSError):
                labeled_image(table, None, row)

    return [
        Case("images", write, read, ("*",), ("io/images", "data/thumbnails", "io/image_check", "io/jpeg_scans", "io/foreign_images")),
        Case("labeled images", write, read_labeled, ("*",), ("plots/labeled_image",)),
        _photos(),
    ]


def _photos() -> Case:
    from foreign_files import HEIC, dng, exif, jpeg, write_pdf, write_video
    from likeness.data import read_folder
    from likeness.io import read_image

    def write(folder: Path) -> None:
        (folder / "a.heic").write_bytes(HEIC)
        (folder / "a.dng").write_bytes(dng(6))
        (folder / "b.jpeg").write_bytes(jpeg(exif=exif(place=True)))
        write_pdf(folder / "a.pdf")
        write_video(folder / "a.mp4", shades=(0, 240))

    def read(folder: Path) -> None:
        for path in read_folder(folder, gps=True).paths()[:20]:
            _answered(lambda path=path: read_image(path))

    parts = ("video_frames", "file_formats", "exif")
    return Case("photos, pages and seconds", write, read, ("*",), (*(f"io/{part}" for part in parts), "data/readers/photo_columns"))


def _uploads() -> list[Case]:
    from likeness.data.uploads import save_uploads

    def write(folder: Path) -> None:
        ways = {"stored": zipfile.ZIP_STORED, "deflated": zipfile.ZIP_DEFLATED, "bz": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}
        for name, way in ways.items():
            with zipfile.ZipFile(folder / f"{name}.zip", "w", way) as archive:
                for number in range(3):
                    archive.writestr(f"class {number}/{number}.png", picture("PNG"))
                archive.writestr("notes.txt", "x" * 100)

    def read(folder: Path) -> None:
        for file in sorted(folder.glob("*.zip")):
            _answered(lambda file=file: save_uploads([(file.name, file.read_bytes())], folder=folder / "kept"))

    return [Case("uploads", write, read, ("*.zip",), ("data/uploads", "data/upload_archive"))]


def _app() -> list[Case]:
    """What the app reads of links and kept drafts."""
    import sys

    app = str(_TESTS.parent / "app")
    if app not in sys.path:
        sys.path.append(app)
    import state
    from parts import drafts

    draft = {"name": "a", "question": "?", "templates": "a {}", "aspects": "b\nc", "attribute": None, "dim": 128, "solver": "exact", "seed": 0}

    def links(folder: Path) -> None:
        (folder / "rows.txt").write_text(state.encode_rows(np.array([1, 5, 1000, 70_000])))
        (folder / "draft.json").write_text(json.dumps([draft, draft | {"aspects": "d\ne"}]))

    def read(folder: Path) -> None:
        rows = state.decode_rows((folder / "rows.txt").read_text(errors="replace"))
        assert rows.dtype == np.int64
        assert len(rows) <= 2_000_000
        for each in drafts.history_of((folder / "draft.json").read_text(errors="replace")):
            _answered(lambda each=each: each.notion)

    return [Case("links and drafts", links, read, ("*",), ("app/parts/selection", "app/parts/drafts"))]


def _models() -> list[Case]:
    from likeness.encoders.models.clean_copy import clean_copy

    def write(folder: Path) -> None:
        for name, save in (("open_clip", save_clip), ("timm", save_timm), ("transformers", save_transformers)):
            save(folder / name)
        (folder / "transformers" / "special_tokens_map.json").write_text('{"unk_token": "<unk>"}')
        (folder / "transformers" / "added_tokens.json").write_text('{"<new>": 12}')
        index = {"metadata": {"total_size": 1}, "weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
        (folder / "transformers" / "model.safetensors.index.json").write_text(json.dumps(index))

    def read(folder: Path) -> None:
        for model in sorted(folder.iterdir()):
            with clean_copy(model) as clean:
                assert not list(clean.glob("*.py"))

    damage = ("*/open_clip_config.json", "*/config.json", "*/*token*.json", "*/*.index.json")
    return [Case("folders of models", write, read, damage, ("encoders/models/clean_copy",))]


def _write_archive(file: Path, others: list[tuple[str, bytes]]) -> None:
    entries = [("x/0.png", picture("PNG")), ("y/1.jpg", picture("JPEG")), *others]
    if file.suffix == ".zip":
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in entries:
                archive.writestr(name, content)
        return
    with tarfile.open(file, "w:gz" if file.suffix == ".tgz" else "w") as shard:
        for name, content in entries:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            shard.addfile(member, io.BytesIO(content))


def _write_inside(file: Path) -> None:
    cells = [{"bytes": picture("PNG"), "path": "a.png"}, {"bytes": None, "path": "a.png"}]
    table = pa.table({"image": cells, "label": ["a", "b"], "n": [1, None], "tags": [["x"], []]})
    if file.suffix == ".parquet":
        pq.write_table(table, file)
    else:
        with pa.ipc.new_stream(str(file), table.schema) as writer:
            writer.write_table(table)


def _read_format(path: Path) -> None:
    """Reads a source of images or vectors, its regions, and its images."""
    import likeness as lk
    from likeness.errors import InputError
    from likeness.io import read_image

    space = path.suffix in (".npy", ".npz") or path.name in ("vectors.tsv", "clip")
    if not space:
        _answered(lambda: lk.read(path, regions=True))
    table = lk.load(path).table if space else lk.read(path)
    for image in table.paths() if table.has_images else ():
        with contextlib.suppress(OSError, InputError):
            read_image(image)


def _formats() -> list[Case]:
    """Files that other programs write."""

    def folder(name: str, files: dict[str, str | bytes | Callable[[Path], Any]], *damage: str, covers: tuple[str, ...] = ()) -> Case:
        def write(place: Path) -> None:
            for file, content in ({"a.png": picture("PNG")} | files).items():
                file = f"{name}/{file}"
                (place / file).parent.mkdir(parents=True, exist_ok=True)
                if callable(content):
                    content(place / file)
                else:
                    (place / file).write_bytes(content.encode() if isinstance(content, str) else content)

        return Case(f"format {name}", write, lambda place: _read_format(place / name), tuple(f"{name}/{each}" for each in damage), covers)

    box = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 10, 8], "attributes": {"x": 1}}
    coco = {
        "images": [{"id": 1, "file_name": "a.png"}],
        "categories": [{"id": 1, "name": "eye"}],
        "annotations": [box, {"image_id": 1, "caption": "a"}],
    }
    rectangle = {"x": 1, "y": 2, "width": 30, "height": 40, "rectanglelabels": ["eye"]}
    results = [{"from_name": "box", "value": rectangle}, {"from_name": "kind", "value": {"choices": ["cat"]}}]
    tasks = [{"id": 1, "data": {"image": "/data/local-files/?d=a.png"}, "annotations": [{"was_cancelled": False, "result": results}]}]
    detections = {"_cls": "Detections", "detections": [{"label": "eye", "bounding_box": [0.1, 0.1, 0.5, 0.5]}]}
    sample = {"filepath": "a.png", "tags": ["x"], "kind": {"_cls": "Classification", "label": "cat"}, "objects": detections}
    vectors = np.eye(3, dtype=np.float32)
    archives = [
        _of_file(f"format {name}", name, partial(_write_archive, others=others), _read_format, "data/formats/archive", "io/archive_entries")
        for name, others in (
            ("x.zip", [("t.csv", b"path,a\nx/0.png,1\ny/1.jpg,2\n")]),
            ("x.tar", [("x/0.json", b'{"a": 1}'), ("x/0.txt", b"a"), ("y/1.cls", b"3")]),
            ("x.tgz", []),
        )
    ]
    return [
        *archives,
        *(
            _of_file(f"format {name}", name, _write_inside, _read_format, "data/readers/parquet_columns", "io/content")
            for name in ("x.parquet", "x.arrow")
        ),
        _of_file("format npy", "x.npy", lambda file: np.save(file, vectors), _read_format, "data/formats/vectors"),
        _of_file("format npz", "x.npz", lambda file: np.savez(file, a=vectors, label=list("abc")), _read_format, "data/formats/vectors"),
        _of_file("format projector", "vectors.tsv", "1.5\t2\n3\t4\n", _read_format, "data/formats/projector"),
        folder("coco", {"_annotations.coco.json": json.dumps(coco)}, "*.json", covers=("data/formats/coco", "data/format")),
        folder("label-studio", {"x.json": json.dumps(tasks)}, "*.json", covers=("data/formats/label_studio",)),
        folder(
            "fiftyone", {"samples.json": json.dumps({"samples": [sample]}), "metadata.json": "{}"}, "samples.json", covers=("data/formats/fiftyone",)
        ),
        folder(
            "yolo",
            {"data.yaml": "names: [eye]", "images/b.png": picture("PNG"), "labels/b.txt": "0 0.5 0.5 0.25 0.25\n0 0.1 0.1 0.5 0.1 0.5 0.5\n"},
            *("data.yaml", "labels/*.txt"),
            covers=("data/formats/yolo",),
        ),
        folder("csv", {"metadata.csv": "file_name,a\na.png,1\n"}, "*.csv", covers=("data/formats/image_folder",)),
        folder("jsonl", {"metadata.jsonl": '{"file_name": "a.png", "a": 1}\n'}, "*.jsonl", covers=("data/formats/image_folder",)),
        folder(
            "clip",
            {
                "img_emb/img_emb_0.npy": lambda file: np.save(file, vectors),
                "metadata/metadata_0.parquet": lambda file: pd.DataFrame({"image_path": ["a.png"] * 3, "n": [1, 2, 3]}).to_parquet(file),
            },
            *("img_emb/*", "metadata/*"),
            covers=("data/formats/clip_retrieval",),
        ),
    ]


def cases() -> list[Case]:
    """All of them."""
    makers = (_papers, _tables, _formats, _labels, _notions, _splits, _configs, _language, _runs, _stores, _images, _uploads, _app, _models)
    return [case for make in makers for case in make()]
