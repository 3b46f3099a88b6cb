"""What TensorBoard's writer writes for the projector, and files by hand."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch.utils.tensorboard import SummaryWriter
from torchvision.transforms.functional import to_tensor

import likeness as lk
from likeness.errors import InputError
from likeness.io import read_image
from numbered_pictures import picture

VECTORS = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)


@pytest.mark.filterwarnings("ignore")
def test_what_tensorboard_writes(tmp_path: Path) -> None:
    tiles = [picture(number).resize((20, 20)) for number in range(5)]
    labels = [[f"n{number}", str(number)] for number in range(5)]
    with SummaryWriter(str(tmp_path)) as writer:
        pictures = torch.stack([to_tensor(tile) for tile in tiles])
        writer.add_embedding(torch.tensor(VECTORS), labels, pictures, tag="mine", metadata_header=["name", "number"])
        writer.add_embedding(torch.tensor(VECTORS), list("abcde"), tag="plain")
    mine, plain = (next(tmp_path.glob(f"*/{tag}/tensors.tsv")) for tag in ("mine", "plain"))
    for source in (mine, mine.parent):
        space = lk.load(source)
        np.testing.assert_allclose(space.vectors, VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True), rtol=1e-5)
        assert space.table.frame.drop(columns="path").to_dict("list") == {"name": [f"n{row}" for row in range(5)], "number": list(range(5))}
        for path, tile in zip(space.table.paths(), tiles, strict=True):
            np.testing.assert_array_equal(np.asarray(read_image(path)), np.asarray(tile))
    bare = lk.load(plain)
    assert (bare.table.has_images, bare.table.frame["label"].tolist()) == (False, list("abcde"))


def test_a_table_between_tabs_is_no_file_of_vectors(tmp_path: Path) -> None:
    picture(0).save(tmp_path / "a.png")
    (tmp_path / "labels.tsv").write_text("path\tlabel\na.png\tx\n")
    assert len(lk.read(tmp_path / "labels.tsv")) == 1
    (tmp_path / "vectors.tsv").write_text("1\t2\n3\t4\n")
    (tmp_path / "metadata.tsv").write_text("a\n")
    with pytest.raises(InputError, match=r"'metadata\.tsv' has 1 lines for 2 vectors, or lines of unequal length"):
        lk.load(tmp_path / "vectors.tsv")
    (tmp_path / "vectors.tsv").write_text("1\t2\n3\n")
    with pytest.raises(InputError, match=r"'vectors\.tsv' cannot be read as vectors of the Embedding Projector"):
        lk.load(tmp_path / "vectors.tsv")
    (tmp_path / "metadata.tsv").unlink()
    (tmp_path / "vectors.tsv").write_text("1\t2\n3\t4\n")
    assert lk.load(tmp_path / "vectors.tsv").table.attributes == []
