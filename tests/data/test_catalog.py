"""The list of datasets: kept, and never called damaged for what passes."""

import errno
from pathlib import Path

import pytest

from likeness.data import absolute_source, add_dataset, find_dataset, list_datasets, new_entry, rename_dataset
from likeness.errors import InputError
from likeness.io import TransientError


@pytest.mark.parametrize("error", [OSError(errno.EMFILE, "Too many open files"), MemoryError()])
def test_a_list_that_cannot_be_read_now_is_not_called_damaged(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(*_: object, **__: object) -> str:
        raise error

    add_dataset(new_entry("mine", "cars", "cars"))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", fail)
        with pytest.raises(TransientError, match="The list of datasets cannot be read now"):
            add_dataset(new_entry("another", "cars", "cars-small"))
    assert [entry.name for entry in list_datasets()] == ["Synthetic Cars", "mine"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("", "[{", r"'datasets.json' is damaged .*; delete it and add the datasets again"),
        ('"gps": true', '"gps": "yes"', "0.gps is 'yes': Input should be a valid boolean"),
        *[('"count": 0', f'"count": {count}', "0.count is .*: Input should be") for count in ("-1", "true", '"7"')],
    ],
)
def test_a_damaged_list_is_named(cache: Path, old: str, new: str, said: str) -> None:
    add_dataset(new_entry("mine", "cars", "cars", gps=True))
    text = (cache / "datasets.json").read_text()
    (cache / "datasets.json").write_text(text.replace(old, new, 1) if old else new)
    with pytest.raises(InputError, match=said):
        list_datasets()


def test_a_folder_of_another_user_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a container finds in a volume of somebody else; root, who may run this, can read everything."""

    def fail(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", fail)
        with pytest.raises(InputError, match=r"datasets.json' cannot be read \(permission denied\); name a folder of your own by LIKENESS_CACHE"):
            list_datasets()


def test_a_folder_with_an_odd_name_is_kept(odd_names: Path) -> None:
    add_dataset(new_entry(odd_names.name, absolute_source(str(odd_names)), "cars"))
    assert list_datasets()[1].source.endswith("phot\N{REPLACEMENT CHARACTER}F6s")
    assert list_datasets()[1].name == "phot\N{REPLACEMENT CHARACTER}F6s"


def test_where_photos_were_taken_is_another_dataset_and_only_if_asked_for(cache: Path) -> None:
    plain, placed = new_entry("mine", "photos", "cars"), new_entry("mine", "photos", "cars", gps=True)
    assert plain.id == new_entry("mine", "photos", "cars", gps=False).id != placed.id
    add_dataset(placed)
    assert list_datasets()[1] == placed
    assert not plain.gps
    # a list of before knows no places
    add_dataset(plain)
    (cache / "datasets.json").write_text((cache / "datasets.json").read_text().replace(',\n  "gps": false', ""))
    assert (cache / "datasets.json").read_text().count("gps") == 1
    assert [entry.gps for entry in list_datasets()] == [False, True, False]


def test_another_name_keeps_id_and_place_in_the_list() -> None:
    mine, other = new_entry("mine", "cars", "cars"), new_entry("other", "cars", "cars-small")
    for entry in (mine, other):
        add_dataset(entry)
    assert rename_dataset(mine.id, "  Summer\n2024 ").name == "Summer 2024"
    assert [entry.name for entry in list_datasets()] == ["Synthetic Cars", "Summer 2024", "other"]
    assert find_dataset(mine.id).source == mine.source


@pytest.mark.parametrize(("id", "name", "said"), [("", " ", "1 to 120 characters"), ("", "x" * 121, "has 121"), ("cars", "Mine", "no dataset")])
def test_a_name_that_cannot_be_given(id: str, name: str, said: str) -> None:
    mine = new_entry("mine", "cars", "cars")
    add_dataset(mine)
    with pytest.raises(InputError, match=said):
        rename_dataset(id or mine.id, name)
    assert [entry.name for entry in list_datasets()] == ["Synthetic Cars", "mine"]
