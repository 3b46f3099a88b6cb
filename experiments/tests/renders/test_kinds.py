"""What holds for every kind of pictures: rows from a seed, and files that are complete, lossless and the same in any number of processes."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from experiments.renders import cars, poses, rooms
from likeness.errors import InputError


class Kind(NamedTuple):
    """A way to make pictures."""

    what: str
    sample: Callable[..., pd.DataFrame]
    pixels: Callable[[dict[Any, Any], int], np.ndarray]
    render: Callable[..., np.ndarray]
    write: Callable[..., pd.DataFrame]
    columns: Sequence[str]
    words: dict[str, Sequence[str]]
    numbers: Sequence[str]


def _drawn(what: str, module: Any, sample: Callable[..., pd.DataFrame], render: Callable[..., np.ndarray]) -> Kind:
    def pixels(row: dict[Any, Any], size: int) -> np.ndarray:
        return module.draw(row, size).pixels  # type: ignore[no-any-return]

    return Kind(what, sample, pixels, render, module.write_dataset, module.ATTRIBUTES, module.WORDS, module.NUMBERS)


KINDS = [
    Kind("scenes", cars.sample_scenes, cars.render_scene, cars.render_scenes, cars.write_dataset, cars.ATTRIBUTES, {}, ["yaw"]),
    _drawn("poses", poses, poses.sample_poses, poses.render_poses),
    _drawn("rooms", rooms, rooms.sample_rooms, rooms.render_rooms),
]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.what)
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param  # type: ignore[no-any-return]


def test_rows_follow_from_the_seed_and_are_the_same_from_a_file(kind: Kind, tmp_path: Path) -> None:
    frame = kind.sample(50, seed=9)
    assert list(frame.columns) == list(kind.columns)
    assert not frame.isna().any().any()
    pd.testing.assert_frame_equal(kind.sample(5, seed=9), frame.head(5))
    assert not kind.sample(5, seed=10).equals(frame.head(5))
    frame.to_csv(tmp_path / "a.csv", index=False)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "a.csv"), frame, check_exact=True, check_dtype=False)
    for n, seed in ((0, 0), (3, -1)):
        with pytest.raises(InputError, match=f"{n} {kind.what} with seed {seed} cannot be drawn: ask for at least 1"):
            kind.sample(n, seed)


def test_same_rows_give_the_same_pixels_alone_and_together(kind: Kind) -> None:
    frame, seen = kind.sample(3, seed=5), list[tuple[int, int]]()
    together = kind.render(frame, 64, lambda done, n: seen.append((done, n)))
    assert (together.shape, together.dtype) == ((3, 64, 64, 3), np.uint8)
    np.testing.assert_array_equal(together[2], kind.pixels(frame.iloc[2].to_dict(), 64))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_files_hold_the_rendered_pixels(kind: Kind, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    frame = kind.write(tmp_path, 5, seed=2, size=48, progress=lambda done, n: seen.append((done, n)))
    table = pd.read_csv(tmp_path / "attributes.csv")
    assert list(table.columns) == list(frame.columns)
    assert table.columns[0] == "path"
    assert set(kind.columns) <= set(table.columns)
    stored = np.stack([np.asarray(Image.open(tmp_path / path)) for path in table.path])
    np.testing.assert_array_equal(stored, kind.render(table, 48))
    assert seen[-1] == (5, 5)
    assert len(list((tmp_path / "images").iterdir())) == 5


def test_more_images_begin_with_the_same_ones_in_any_number_of_processes(kind: Kind, tmp_path: Path) -> None:
    few = kind.write(tmp_path / "few", 3, seed=2, size=32)
    more = kind.write(tmp_path / "more", 53, seed=2, size=32, workers=2)
    for path in (tmp_path / "few").glob("*/*"):
        assert path.read_bytes() == (tmp_path / "more" / path.relative_to(tmp_path / "few")).read_bytes()
    pd.testing.assert_frame_equal(few, more.head(3))
    assert len(pd.read_csv(tmp_path / "more" / "attributes.csv")) == 53


def test_a_broken_run_leaves_no_table_and_bad_sizes_are_refused(kind: Kind, tmp_path: Path) -> None:
    def stop(done: int, n: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kind.write(tmp_path, 3, size=32, progress=stop)
    assert not (tmp_path / "attributes.csv").exists()
    for options, said in (({"size": 15}, "Images of 15 px by 1 workers cannot be made"), ({"workers": 0}, "by 0 workers")):
        with pytest.raises(InputError, match=said):
            kind.write(tmp_path, 2, **options)


def test_bad_rows_are_refused(kind: Kind) -> None:
    row = kind.sample(1).iloc[0].to_dict()
    for name, known in kind.words.items():
        with pytest.raises(InputError, match=f'The {name} "purplish" is unknown: use one of {known[0]}'):
            kind.pixels(row | {name: "purplish"}, 32)
    for name in kind.numbers:
        with pytest.raises(InputError, match=rf"lacks a number for \['{name}'\]: fill"):
            kind.pixels(row | {name: float("nan")}, 32)
    if "variant" in row:
        with pytest.raises(InputError, match=r"variant -4 is negative: give a whole number"):
            kind.pixels(row | {"variant": -4}, 32)
    with pytest.raises(InputError, match=r"of 0 px"):
        kind.pixels(row, 0)
