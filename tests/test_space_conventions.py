"""Spaces as NumPy, pandas, Arrow, pickle and joblib take them."""

import copy
import multiprocessing
import pickle
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import likeness as lk
import worlds
from likeness.data import read_dataset
from likeness.errors import InputError
from likeness.notions import AspectProbabilities
from likeness.search import build_index

_COLOR = lk.Notion("color", "a {} car", ["red", "green", "blue"])


def _space(n: int = 6, **columns: Any) -> lk.Space:
    return worlds.few_images(columns or {"shop": list("abcabc")[:n]}, n).replace(encoder=None)


@pytest.mark.parametrize(
    "rows",
    [slice(1, 4), slice(None, None, -2), [3, 1, 1, -1], np.array([4, 0]), np.arange(6) % 2 == 0, [True] * 3 + [False] * 3, pd.Series([5, 2])],
    ids=str,
)
def test_rows_are_chosen_as_numpy_does(rows: Any) -> None:
    space = _space()
    part = space[rows]
    np.testing.assert_array_equal(part.vectors, space.vectors[rows])
    assert part.table.frame["path"].tolist() == space.table.frame["path"].to_numpy()[rows].tolist()
    assert part.table.root == space.table.root
    np.testing.assert_array_equal(np.asarray(part), part.vectors)


def test_a_pandas_mask_is_aligned_by_its_index() -> None:
    space = _space()
    mask = space.table.frame["shop"].sort_values(ascending=False) == "b"
    assert mask.index[0] != 0
    assert space[mask].table.frame["path"].tolist() == ["1.png", "4.png"]
    with pytest.raises(InputError, match="a mask of 6 values"):
        space[mask[:3]]


@pytest.mark.parametrize(
    "rows", [6, -7, [0, 6], [True, False], True, [], [1.5], "shop", [False] * 6, slice(8, 9), np.zeros((2, 2), int), None], ids=str
)
def test_what_chooses_no_rows_is_refused_in_a_sentence_that_is_also_an_index_error(rows: Any) -> None:
    for kind in (InputError, IndexError):
        with pytest.raises(kind, match=r"There are no rows .*; pass numbers from 0 to 5, a slice, or a mask of 6 values"):
            _space()[rows]


def test_iteration_and_arrays_are_those_of_the_vectors() -> None:
    space = _space()
    assert len(list(space)) == len(space) == 6
    np.testing.assert_array_equal(np.stack(list(space)), space.vectors)
    np.testing.assert_array_equal(space[-1], space.vectors[5])
    assert np.asarray(space) is space.vectors
    assert np.asarray(space, np.float64).dtype == np.float64
    changed = np.array(space)
    changed[:] = 0
    assert space.vectors.all(axis=1).all()
    np.testing.assert_allclose(
        space @ space.vectors.T if hasattr(space, "__matmul__") else np.asarray(space) @ space.vectors.T, space.vectors @ space.vectors.T
    )


def test_a_part_keeps_encoder_and_notion_and_is_another_space_to_caches(tmp_path: Path) -> None:
    base = worlds.cars()
    part = base.replace(index=build_index(base.vectors, tmp_path / "index", cells=20))[100:200]
    assert (part.index, part.encoder, part.search) == (None, "cars", None)
    assert len({base.key, part.key, base[100:201].key}) == 3
    assert part.key == base[np.arange(100, 200)].key
    color = base.refit(_COLOR)
    for few in (color[100:200], part.refit(_COLOR)):
        np.testing.assert_allclose(few.vectors, color.vectors[100:200], atol=1e-6)
        assert few.base is not None
        assert few.base.table is few.table
        assert few.nearest("a red car", k=1).table.frame["car_color"].iloc[few.nearest("a red car", k=1).rows[0]] == "red"
    assert color[100:200].refit(lk.Notion("body", "a {}", ["van", "sedan"])).vectors.shape[0] == 100


def test_spaces_are_joined_to_the_space_of_all_their_images(tmp_path: Path) -> None:
    base = worlds.cars()
    for space in (base, base.refit(_COLOR), base.refit(_COLOR, AspectProbabilities())):
        joined = lk.concat([space[:50], space[70:90]])
        np.testing.assert_allclose(joined.vectors, space.vectors[[*range(50), *range(70, 90)]], atol=1e-6)
        assert joined.table.paths() == space.table.paths()[:50] + space.table.paths()[70:90]
        assert joined.nearest("a red car", k=3).rows.shape == (3,)
        assert (joined.encoder, joined.base is None) == ("cars", space.base is None)
    saved = lk.load(base.refit(_COLOR).save(tmp_path / "color.parquet"))
    assert len(lk.concat([saved, saved[:3]])) == 2003


def test_joined_tables_of_other_folders_have_absolute_paths_and_missing_values(tmp_path: Path) -> None:
    spaces = []
    for name, columns in (("a", {"size": [1, 2], "good": [True, False]}), ("b", {"shop": ["x", "y"]})):
        table = read_dataset(worlds.draw(tmp_path / name, 2))
        spaces.append(lk.Space(np.eye(2) + len(spaces), table, labels=columns))
    joined = lk.concat(spaces)
    assert joined.table.paths() == spaces[0].table.paths() + spaces[1].table.paths()
    assert all(path.is_file() for path in joined.table.paths())
    assert joined.table.frame["size"].tolist() == [1, 2, pd.NA, pd.NA]
    assert joined.table.frame["good"].tolist() == [True, False, pd.NA, pd.NA]
    assert joined.table.frame["shop"].isna().tolist() == [True, True, False, False]
    # an image that is in both counts once
    twice = lk.concat([spaces[0], spaces[0]])
    assert twice.image_numbers is not None
    assert twice.image_numbers.tolist() == [0, 1, 0, 1]
    with pytest.raises(InputError, match="Some of the spaces have images and others only vectors"):
        lk.concat([spaces[0], lk.Space(np.eye(2))])


def test_spaces_of_other_encoders_or_notions_are_not_joined() -> None:
    base = worlds.cars()[:30]
    small = lk.embed(base.table, "cars-small")
    color, body = base.refit(_COLOR), base.refit(lk.Notion("body", "a {}", ["van", "sedan", "pickup"]))
    for pair in ([base, small], [base, color], [color, body], [base, base.replace(encoder=None)], [lk.Space(np.eye(3)), lk.Space(np.eye(4))]):
        with pytest.raises(InputError, match="are not of one encoder or notion"):
            lk.concat(pair)
    with pytest.raises(InputError, match="There is no space to join"):
        lk.concat([])


def _frame() -> pd.DataFrame:
    return pd.DataFrame({"path": ["4.png", "0.png", "9.png"], "stars": [5, 3, 1], "open": [True, False, True]})


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, lambda frame: pa.Table.from_pandas(frame)], ids=["pandas", "polars", "arrow"])
def test_attributes_are_joined_by_path(kind: Any) -> None:
    space = _space()
    joined = space.join(kind(_frame()))
    assert joined.table.frame["stars"].tolist() == [3, pd.NA, pd.NA, pd.NA, 5, pd.NA]
    assert joined.table.frame["open"].tolist() == [False, pd.NA, pd.NA, pd.NA, True, pd.NA]
    assert joined.vectors is space.vectors
    assert space.table.attributes == ["shop"]
    absolute = _frame().assign(path=[str((space.table.root / path).absolute()) for path in _frame()["path"]])
    pd.testing.assert_frame_equal(space.join(absolute).table.frame, joined.table.frame)


def test_attributes_are_joined_by_an_attribute_or_by_row() -> None:
    space = _space()
    shops = pd.DataFrame({"shop": ["a", "b", None], "town": ["Ulm", "Bonn", "Jena"]})
    assert space.join(shops, on="shop").table.frame["town"].fillna("-").tolist() == ["Ulm", "Bonn", "-"] * 2
    rows = pd.DataFrame({"town": ["x", "y"]}, index=[5, 2])
    assert space.join(rows, on=None).table.frame["town"].fillna("-").tolist() == ["-", "-", "y", "-", "-", "x"]
    assert space.join(pl.DataFrame({"n": range(6)}), on=None).table.frame["n"].tolist() == list(range(6))
    color = worlds.cars().refit(_COLOR)
    hits = color.nearest("a red car", k=4)
    joined = color.join(hits.frame[["row", "similarity"]].set_index("row"), on=None)
    assert joined.base is not None
    assert joined.base.table is joined.table
    np.testing.assert_array_equal(joined.table.frame["similarity"].to_numpy()[hits.rows], hits.similarities)


@pytest.mark.parametrize(
    ("frame", "on", "message"),
    [
        (pd.DataFrame({"path": ["1.png", "1.png"], "x": [1, 2]}), "path", "The frame lists '1.png' twice"),
        (pd.DataFrame({"path": ["1.png"], "shop": [1]}), "path", "has an attribute 'shop' already"),
        (pd.DataFrame({"path": ["other.png"], "x": [1]}), "path", r"No 'path' of the frame, such as \['other.png'\], is in 'few'"),
        (pd.DataFrame({"file": ["1.png"]}), "path", "There is no column 'path' in the frame"),
        (pd.DataFrame({"town": ["1.png"]}), "town", "There is no column 'town' in the table"),
        (pd.DataFrame({"x": [1, 2]}, index=[0, 0]), None, "The frame lists 0 twice"),
        (pd.DataFrame({"x": [1]}, index=[77]), None, r"No 'row' of the frame, such as \[77\]"),
    ],
)
def test_what_cannot_be_joined_is_said(frame: pd.DataFrame, on: str | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        _space().join(frame, on=on)


def test_hits_are_a_frame() -> None:
    space = _space(row=list("uvwxyz"), shop=list("abcabc"))
    one, several = space.nearest(0, k=2), space.nearest(space.vectors[:3], k=2)
    assert one.frame.columns.tolist() == ["row", "similarity", "path", "row (attribute)", "shop"]
    assert one.frame["row"].tolist() == one.rows.tolist()
    assert one.frame["path"].tolist() == [f"{row}.png" for row in one.rows]
    assert several.frame["query"].tolist() == [0, 0, 1, 1, 2, 2]
    assert several.frame["row"].tolist() == several.rows.ravel().tolist()
    assert lk.Hits(np.array([1, -1]), np.array([0.5, np.nan], np.float32), space.table).frame["row"].tolist() == [1]
    assert lk.Space(np.eye(3)).nearest(0, k=2).frame.columns.tolist() == ["row", "similarity"]
    assert "likeness:sha256" not in worlds.cars().nearest(0).frame
    assert pl.DataFrame(several).shape == (6, 6)


def test_polars_and_arrow_take_spaces_and_tables_and_their_files_are_loaded(tmp_path: Path) -> None:
    space = _space()
    for frame in (pl.DataFrame(space), pl.from_arrow(pa.table(space)), pl.DataFrame(pa.table(space))):
        assert frame.columns == ["path", "shop", "vector"]
        np.testing.assert_array_equal(frame["vector"].to_numpy(), space.vectors)
    assert pl.DataFrame(space.table)["path"].to_list() == [f"{row}.png" for row in range(6)]
    assert pl.DataFrame(lk.Space(np.eye(3))).shape == (3, 1)
    with pytest.raises(InputError, match="'vector' has the reserved name"):
        pl.DataFrame(_space(vector=range(6)))
    parquet.write_table(pa.table(space), tmp_path / "own.parquet")
    assert lk.load(tmp_path / "own.parquet").table.paths() == [path.absolute() for path in space.table.paths()]
    pl.DataFrame(space).write_parquet(tmp_path / "foreign.parquet")
    foreign = lk.load(tmp_path / "foreign.parquet")
    assert repr(foreign) == "Space('foreign', 6 images, 4-d)"
    assert foreign.table.paths()[0] == tmp_path / "0.png"
    np.testing.assert_array_equal(foreign.vectors, space.vectors)


def _best(space: lk.Space, text: str) -> list[int]:
    return [int(row) for row in space.nearest(text, k=3).rows]


def _spaces() -> list[lk.Space]:
    base = worlds.cars()[:200]
    return [base, base.refit(_COLOR), base.refit(_COLOR, "probabilities"), lk.Space(base.vectors, base.table, encoder="cars")]


def test_spaces_are_pickled_and_copied_without_their_model() -> None:
    for space in _spaces():
        assert space.search is None
        content = pickle.dumps(space)
        assert len(content) < 2.5e6
        for again in (pickle.loads(content), copy.deepcopy(space), copy.copy(space)):
            assert _best(again, "a red car") == _best(space, "a red car")
            assert again.key == space.key
            assert again.differentiable is not None
            np.testing.assert_allclose(again.embed_images(space.table.paths()[:1]), space.vectors[:1], atol=1e-5)
        assert copy.deepcopy(space).vectors is not space.vectors
    encoder = lk.load("bf16:cars-small")
    hits = pickle.loads(content := pickle.dumps(space.nearest("a red car", k=3)))
    assert len(content) < space.vectors.nbytes / 2  # without the vectors, by which reasons and presence are found
    assert (len(hits), hits.presence) == (3, None)
    with pytest.raises(lk.InputError, match="These results have no reasons"):
        hits.why()
    assert len(pickle.dumps(encoder)) < 200
    assert pickle.loads(pickle.dumps(encoder)).identity == encoder.identity


def test_an_index_is_pickled_and_its_search_made_again(tmp_path: Path) -> None:
    base = worlds.cars()
    indexed = base.replace(index=build_index(base.vectors, tmp_path / "index", cells=20))
    assert indexed.search is not None
    again = pickle.loads(pickle.dumps(indexed))
    assert again.nearest(0).rows.tolist() == indexed.nearest(0).rows.tolist()
    assert again.with_table(base.table).search is again.search


def test_processes_of_joblib_and_of_spawn_search_in_spaces() -> None:
    spaces = _spaces()[:2]
    expected = [_best(space, "a red car") for space in spaces]
    assert joblib.Parallel(n_jobs=2)(joblib.delayed(_best)(space, "a red car") for space in spaces) == expected
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.starmap_async(_best, [(space, "a red car") for space in spaces]).get(600) == expected
