"""embedding-atlas and FiftyOne: the files have the form that these programs document. By hand, both were opened by the programs themselves."""

import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import likeness as lk
from likeness.data import UNLABELED, ImageTable
from likeness.errors import InputError
from likeness.exports.fiftyone import field_names
from likeness.space import Space


def test_embedding_atlas_gets_a_map_neighbors_texts_and_pictures(space: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likeness.exports.material.MOST_PART_ROWS", 5)
    places = np.random.default_rng(1).normal(size=(12, 2)).astype(np.float32)
    monkeypatch.setattr("likeness.exports.embedding_atlas._positions", lambda *_: places)
    written = lk.export(space, "embedding-atlas", tmp_path / "out.parquet", label="breed,good", neighbors=3)
    assert written.note == f"Open with: embedding-atlas {tmp_path}/out.parquet --x x --y y --neighbors neighbors --text text --image image"
    found = pd.read_parquet(tmp_path / "out.parquet")
    np.testing.assert_array_equal(found[["x", "y"]], places)
    products = space.vectors @ space.vectors.T
    np.fill_diagonal(products, -np.inf)
    for row, near in enumerate(found["neighbors"]):
        assert near["ids"].tolist() == np.argsort(-products[row])[:3].tolist()
        np.testing.assert_allclose(near["distances"], 1 - np.sort(products[row])[::-1][:3], atol=1e-6)
    assert found["text"].tolist()[:3] == ["breed: cat/dog, good", "breed: ..", "breed: cat/dog, good"]
    for row, picture in enumerate(found["image"]):
        with Image.open(io.BytesIO(picture["bytes"])) as opened:
            assert opened.width / opened.height == pytest.approx((10 + row) / 8, abs=0.05)
    assert found["count"].tolist() == list(range(12))
    assert lk.read(tmp_path / "photos", name="x").name == "x"


def test_classes_of_number_0_are_named_and_images_without_one_are_of_none(space: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likeness.exports.embedding_atlas._positions", lambda material, progress: np.zeros((len(material), 2), np.float32))
    lk.export(space, "embedding-atlas", tmp_path / "counts.parquet", label="count", rows=[0, 1])
    assert pd.read_parquet(tmp_path / "counts.parquet")["text"].tolist() == ["0", "1"]
    empty = space.table.frame.assign(breed=["pug", "", " ", "(unlabeled)", None] + ["pug"] * 7)
    unlabeled = space.replace(images=ImageTable("photos", space.table.root, empty))
    lk.export(unlabeled, "embedding-atlas", tmp_path / "out.parquet", label="breed", rows=range(5))
    assert pd.read_parquet(tmp_path / "out.parquet")["text"].tolist() == ["pug", "", "", "", ""]
    lk.export(unlabeled, "coco", tmp_path / "out.json", label="breed", rows=range(5))
    content = json.loads((tmp_path / "out.json").read_text())
    assert [each["name"] for each in content["categories"]] == ["pug"]
    assert len(content["annotations"]) == 1
    lk.export(unlabeled, "fiftyone", tmp_path / "out", label="breed", rows=range(5))
    samples = json.loads((tmp_path / "out" / "samples.json").read_text())["samples"]
    assert [each["breed"] and each["breed"]["label"] for each in samples] == ["pug", None, None, None, None]


def test_a_map_is_laid_out(space: Space, tmp_path: Path) -> None:
    lk.export(space, "embedding-atlas", tmp_path / "few.parquet", rows=[1, 2, 3])
    assert np.isfinite(pd.read_parquet(tmp_path / "few.parquet")[["x", "y"]].to_numpy()).all()
    bare = lk.Space(space.vectors, labels=list("aabbccaabbcc"))
    lk.export(bare, "embedding-atlas", tmp_path / "bare.parquet")
    found = pd.read_parquet(tmp_path / "bare.parquet")
    assert (list(found.columns), found["text"].tolist()[0]) == (["label", "x", "y", "text", "neighbors"], "a")
    assert found[["x", "y"]].drop_duplicates().shape == (12, 2)


def test_a_damaged_picture_and_a_taken_name_are_answered(space: Space, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="The attribute 'X' has the name of an added column"):
        lk.export(Space(space.vectors, space.table, {"X": range(12)}), "embedding-atlas", tmp_path / "out.parquet")
    space.table.file(3).write_bytes(b"no picture")
    with pytest.raises(InputError, match=r"3.png' cannot be read as an image"):
        lk.export(space, "embedding-atlas", tmp_path / "out.parquet")
    with pytest.raises(InputError, match=r"The image '3.png' cannot be read"):
        lk.export(space, "coco", tmp_path / "out.json")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["cache", "photos"] or sorted(each.name for each in tmp_path.iterdir()) == ["photos"]


def _check_document(sample: dict[str, object], types: dict[str, str]) -> None:
    """What FiftyOne's fields hold as MongoDB's extended JSON."""
    assert set(types) - {"id"} <= set(sample)
    assert re.fullmatch("[0-9a-f]{24}", sample["_id"]["$oid"])  # type: ignore[index]
    kinds = {"StringField": str, "IntField": int, "FloatField": float, "BooleanField": bool, "ListField": list, "EmbeddedDocumentField": dict}
    for name, type in types.items():
        if name not in ("id", "created_at", "last_modified_at") and sample[name] is not None:
            assert isinstance(sample[name], kinds[type]), name


def test_fiftyone_gets_documents_with_their_types(space: Space, tmp_path: Path) -> None:
    lk.export(space, "fiftyone", tmp_path / "out", vectors=True)
    about = json.loads((tmp_path / "out" / "metadata.json").read_text())
    types = {field["name"]: field["ftype"].rpartition(".")[2] for field in about["sample_fields"]}
    assert types["breed"] == "EmbeddedDocumentField"
    assert (types["weight"], types["count"], types["note"], types["taken"]) == ("FloatField", "IntField", "StringField", "StringField")
    assert "good" not in types
    samples = json.loads((tmp_path / "out" / "samples.json").read_text())["samples"]
    for row, sample in enumerate(samples):
        _check_document(sample, types)
        assert Path(sample["filepath"]) == space.table.file(row)
        assert sample["tags"] == (["good"] if row % 2 == 0 else [])
        breed = space.table.frame["breed"].astype(object).iloc[row]
        assert (sample["breed"] or {}).get("label") == (None if pd.isna(breed) or breed == UNLABELED else breed)
        np.testing.assert_allclose(sample["embedding"], space.vectors[row], atol=1e-7)
    assert len({sample["_id"]["$oid"] for sample in samples}) == 12


def test_fiftyone_folders_with_copies_can_be_moved(table: ImageTable, files: dict[str, bytes], tmp_path: Path) -> None:
    lk.export(table, "fiftyone", tmp_path / "out", link="copy", label="breed")
    (tmp_path / "out").rename(tmp_path / "moved")
    samples = json.loads((tmp_path / "moved" / "samples.json").read_text())["samples"]
    assert [(tmp_path / "moved" / sample["filepath"]).read_bytes() for sample in samples] == list(files.values())


def test_names_of_fields_are_ones_that_fiftyone_takes() -> None:
    names = ["a.b", "_private", "id", "ID", "$x", "tags", "a b", "", "é", "filepath", "id_2"]
    found = field_names(names)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_]*", name) for name in found.values())
    assert not {"id", "tags", "filepath", "metadata"} & set(found.values())
