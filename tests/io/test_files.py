"""Files are written whole or not at all."""

from pathlib import Path

import pytest

from likeness.io import open_atomic


@pytest.mark.parametrize("error", [OSError, ValueError, KeyboardInterrupt])
def test_whatever_ends_the_writing_leaves_the_old_file_and_nothing_else(error: type[BaseException], tmp_path: Path) -> None:
    place = tmp_path / "table.csv"
    place.write_bytes(b"old")

    def write() -> None:
        with open_atomic(place) as file:
            file.write(b"half of the new")
            raise error

    with pytest.raises(error):
        write()
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()} == {"table.csv": b"old"}
