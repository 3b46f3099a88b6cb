"""Datasets that are rendered once, by name."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from experiments.renders import find_render
from likeness.data import absolute_source, read_dataset
from likeness.data.captions_column import read_captions
from likeness.errors import InputError
from likeness.labels import known_labels, label_distances


@pytest.mark.parametrize(("name", "label"), [("synthetic-poses", "Pose"), ("synthetic-rooms", "Layout")])
def test_pictures_are_drawn_once_and_have_labels(name: str, label: str, cache: Path) -> None:
    table = read_dataset(f"{name}@6")
    assert len(table) == 6
    assert all(path.is_file() for path in table.paths())
    written = [path.stat().st_mtime_ns for path in table.paths()]
    again = read_dataset(f"{name}@6")
    pd.testing.assert_frame_equal(again.frame, table.frame)
    assert [path.stat().st_mtime_ns for path in again.paths()] == written
    distances = label_distances(table, known_labels(table)[label])
    apart = distances.between(*[table.frame.index.to_numpy()] * 2)
    assert (apart.diagonal() == 0).all()
    assert apart.max() > 0.1
    assert str(cache) in str(table.root)


def test_fewer_are_the_first_of_more() -> None:
    few, more = read_dataset("synthetic-poses@3"), read_dataset("synthetic-poses@5")
    pd.testing.assert_frame_equal(few.frame, more.frame.iloc[:3])
    assert [path.read_bytes() for path in few.paths()] == [path.read_bytes() for path in more.paths()[:3]]


def test_cars_with_five_sentences_each() -> None:
    table = read_dataset("captioned-cars@4")
    captions = read_captions(table)
    assert [len(each) for each in captions] == [5] * 4
    assert "Captions" in known_labels(table)
    assert read_dataset("captioned-cars@20").frame["split"].tolist() == ["train"] * 14 + ["validation"] * 3 + ["test"] * 3
    assert read_captions(read_dataset("captioned-cars@4")) == captions


def test_half_drawn_pictures_are_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    import experiments.renders.poses.dataset as module

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(module, "write_atomic", fail)
        with pytest.raises(OSError, match="No space left"):
            read_dataset("synthetic-poses@2")
    assert len(read_dataset("synthetic-poses@2")) == 2


def test_names_stay_names_and_only_what_is_known_is_rendered() -> None:
    assert absolute_source("synthetic-rooms@9") == "synthetic-rooms@9"
    with pytest.raises(InputError, match="nothing to render called 'houses'; choose from synthetic-cars, synthetic-poses, synthetic-rooms"):
        find_render("houses")
    for source in ("synthetic-poses@many", "synthetic-poses@0"):
        with pytest.raises(InputError, match=f"no generated images '{source}'; choose one of captioned-cars, synthetic-poses, synthetic-rooms, opt"):
            read_dataset(source)


def test_the_command_renders_each_kind(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    for what, column in (("synthetic-cars", "yaw"), ("synthetic-poses", "neck_x"), ("synthetic-rooms", "layout")):
        status, out, _ = run("renders", str(tmp_path / what), "-n", "2", "--what", what)
        assert (status, out.strip()) == (0, f"2 images in {tmp_path / what}")
        assert column in read_dataset(tmp_path / what / "attributes.csv").frame
    status, _, err = run("renders", str(tmp_path / "x"), "--what", "houses")
    assert status == 2
    assert "nothing to render called 'houses'" in err
