"""The list of datasets: kept, and never called damaged for what passes."""

import errno
from pathlib import Path

import pytest

from likeness.data import absolute_source, add_dataset, list_datasets, new_entry
from likeness.errors import InputError
from likeness.io import TransientError


@pytest.mark.parametrize("error", [OSError(errno.EMFILE, "Too many open files"), MemoryError()])
def test_a_list_that_cannot_be_read_now_is_not_called_damaged(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(*_: object, **__: object) -> str:
        raise error

    add_dataset(new_entry("mine", "cars", "cars"))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_text", fail)
        with pytest.raises(TransientError, match="The list of datasets cannot be read now"):
            add_dataset(new_entry("another", "cars", "cars-small"))
    assert [entry.name for entry in list_datasets()] == ["Synthetic Cars", "mine"]


def test_a_damaged_list_is_named(cache: Path) -> None:
    add_dataset(new_entry("mine", "cars", "cars"))
    (cache / "datasets.json").write_text("[{")
    with pytest.raises(InputError, match=r"'datasets.json' is damaged .*; delete it and add the datasets again"):
        list_datasets()


def test_a_folder_with_an_odd_name_is_kept(odd_names: Path) -> None:
    add_dataset(new_entry("odd", absolute_source(str(odd_names)), "cars"))
    assert list_datasets()[1].source.endswith("phot\N{REPLACEMENT CHARACTER}F6s")
