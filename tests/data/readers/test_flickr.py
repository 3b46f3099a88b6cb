"""Flickr8k and Flickr30k on miniature copies of their layouts."""

from pathlib import Path

import pytest

from likeness.data import UNLABELED, read_captions, read_dataset
from likeness.data.readers.flickr import read_flickr
from likeness.errors import InputError

DATASET = "flickr"


def test_captions_and_the_labels_that_follow(root: Path) -> None:
    table = read_dataset(f"flickr:{root}")
    assert table.name == "Flickr captions (all)"
    assert table.frame["path"][2] == "Flicker8k_Dataset/1003_é3.jpg"
    assert read_captions(table)[1] == ["Two men in the snow", "Two people ski", "A couple skiing .", "two skiers", "Snow and a man"]
    assert list(table.frame["setting"]) == ["beach", "snow", "street", UNLABELED, UNLABELED]
    assert list(table.frame["dog_color"]) == ["brown", *[UNLABELED] * 4]
    assert list(table.frame["activity"]) == ["running", *[UNLABELED] * 4]
    assert list(table.frame["number_of_people"]) == ["no people", "two people", "no people", "one person", "no people"]
    # Flickr30k's names
    (root / "Flickr8k.token.txt").rename(root / "results_20130124.token")
    (root / "Flicker8k_Dataset").rename(root / "flickr30k-images")
    assert read_flickr(root).frame["path"][0] == "flickr30k-images/1001_a1.jpg"


def test_a_table_of_captions_gives_the_same_labels_and_one_without_is_told(root: Path) -> None:
    expected = read_flickr(root).frame
    captions = zip(expected["path"], read_captions(read_flickr(root)), strict=True)
    rows = [f'{path},"{sentence}"\n' for path, sentences in captions for sentence in sentences]
    (root / "captions.csv").write_text("path,caption\n" + "".join(rows), encoding="utf-8")
    (root / "Flickr8k.token.txt").unlink()
    assert read_flickr(root).frame.equals(expected)
    (root / "captions.csv").write_text("path,text\nFlicker8k_Dataset/1001_a1.jpg,a dog\n")
    with pytest.raises(InputError, match=r"'captions\.csv' of Flickr captions .* cannot be used: .* has no captions"):
        read_flickr(root)


def test_real_captions_are_labeled_for_the_most_part_of_what_they_show(shared: Path) -> None:
    """The 700 photos: how many have each label, so that a change of the rule is seen."""
    import io
    import zipfile

    import pandas as pd

    from likeness.data.readers.caption_labels import caption_labels

    with zipfile.ZipFile(shared / "data" / "flickr8k_700.zip") as archive:
        frame = pd.read_csv(io.BytesIO(archive.read("flickr8k_700/captions.csv")))
    columns = pd.DataFrame(caption_labels(frame.groupby("path", sort=False)["caption"].agg(list).tolist()))
    labeled = {attribute: int((columns[attribute] != UNLABELED).sum()) for attribute in columns}
    assert labeled == {"setting": 279, "activity": 366, "dog_color": 87, "number_of_people": 686}
