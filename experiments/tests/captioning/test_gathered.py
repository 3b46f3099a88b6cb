from pathlib import Path

import pandas as pd
import pytest

from experiments.captioning.captioned import gather_captions
from likeness.data import ImageTable, read_captions
from likeness.errors import InputError


def test_rows_of_one_image_are_gathered(tmp_path: Path) -> None:
    frame = pd.DataFrame({"path": ["b", "a", "b", "a"], "caption": ["one", "two", "three", ""], "kind": [1, 2, 3, 4]})
    gathered = gather_captions(ImageTable("Cars", tmp_path, frame))
    assert gathered.frame["path"].tolist() == ["b", "a"]
    assert gathered.frame["kind"].tolist() == [1, 2]
    assert read_captions(gathered) == [["one", "three"], ["two"]]
    assert gather_captions(gathered) is gathered
    with pytest.raises(InputError, match="The image 'b' of 'Cars' has no caption"):
        gather_captions(ImageTable("Cars", tmp_path, frame.assign(caption=["", "two", " ", ""])))
