"""Data frames as Parquet: every column can be written, and comes back as it was where its values have one type."""

import io
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings, strategies as st

from likeness.io import from_arrow, to_arrow


class _Shade(Enum):
    DARK = 1


def _again(frame: pd.DataFrame, metadata: bool = True) -> pd.DataFrame:
    out = io.BytesIO()
    table = to_arrow(frame)
    parquet.write_table(table if metadata else table.replace_schema_metadata(None), out)
    out.seek(0)
    return from_arrow(parquet.read_table(out))


MIXED: dict[str, Any] = {
    "int and str": [1, "1", "a", 2],
    "late str": [*[1] * 3, "x"],
    "intervals": pd.cut(np.arange(4), 2),
    "interval objects": list(pd.cut(np.arange(4), 2)),
    "long numbers": [10**30, 1, 2, 3],
    "complex": [1j] * 4,
    "complex and str": [1j, "a", 1, None],
    "lists and str": [["a"], "b", ["c"], "d"],
    "paths": [Path("x")] * 4,
    "dicts": [{"a": 1}, {"a": "x"}, {}, {}],
    "empty dicts": [{}] * 4,
    "enums": [_Shade.DARK] * 4,
    "halves of pairs": ["\ud800", "a", "caf\udce9", None],
    "bytes and str": [b"a", "b", None, 1],
    "matrices": [np.eye(2)] * 4,
    "sparse": pd.arrays.SparseArray([1.0, 0, 0, 2]),
    "booleans and numbers": [True, 2, None, 0.5],
}
PLAIN: dict[str, Any] = {
    "int": [1, 2, 3, 4],
    "int with missing": pd.array([7706992903151817196, None, 3, 4], dtype="Int64"),
    "float": [1.5, np.nan, np.inf, -0.0],
    "bool": [True, False, True, True],
    "text": ["a", None, "NA", ""],
    "category": pd.Categorical(["b", "a", None, "b"], categories=["b", "a", "c"]),
    "time": pd.date_range("2024-05-01", periods=4, tz="Europe/Berlin"),
    "duration": pd.to_timedelta([1, 2, 3, 4], unit="h"),
    "unsigned": np.array([2**64 - 1, 1, 2, 3], dtype=np.uint64),
    "decimal": [Decimal("1.10"), Decimal("2.00"), None, Decimal("0.01")],
    "bytes": [b"a", b"", None, b"\xff"],
}


@pytest.mark.parametrize("name", MIXED)
def test_columns_of_mixed_values_become_texts_or_numbers(name: str) -> None:
    column = pd.Series(MIXED[name], dtype=object if isinstance(MIXED[name], list) else None)
    found = _again(pd.DataFrame({"path": list("abcd"), "value": column, "n": [1, 2, 3, 4]}))
    assert found[["path", "n"]].to_dict("list") == {"path": list("abcd"), "n": [1, 2, 3, 4]}
    assert found["value"].isna().tolist() == column.isna().tolist()
    if name != "sparse":
        texts = [str(value).encode("utf-8", "backslashreplace").decode() for value in column[column.notna()].astype(object)]
        assert found["value"].dropna().tolist() == texts


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("beside", [False, True])
def test_other_columns_keep_their_type_also_beside_mixed_ones(name: str, beside: bool) -> None:
    frame = pd.DataFrame({"value": PLAIN[name], **({"mixed": [1, "a", 2, 3]} if beside else {})})
    pd.testing.assert_series_equal(_again(frame)["value"], frame["value"])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.none(), min_size=1))
def test_whole_numbers_stay_whole_without_what_pandas_says_of_them(values: list[int | None]) -> None:
    frame = pd.DataFrame({"value": pd.array(values, dtype="Int64")})
    found = _again(frame, metadata=False)["value"].astype(object)
    assert [None if pd.isna(value) else value for value in found] == values


def test_a_table_without_columns() -> None:
    assert to_arrow(pd.DataFrame(index=range(3))).equals(pa.table({}))
