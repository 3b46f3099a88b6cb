"""Datasets of the Hugging Face Hub: the Parquet files of one are downloaded, into the cache of `huggingface_hub`."""

import re
from dataclasses import replace
from pathlib import Path

from likeness.data.format import Format, ReadOptions
from likeness.data.formats.shards import read_shards
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io import cause_of, reason_of

PREFIX = "hf://"
_SOURCE = re.compile(r"hf:/datasets/([\w.-]+/[\w.-]+)(?:@([^/]+))?(?:/(.+))?")
_CONVERTED = "refs/convert/parquet"  # the branch into which the Hub converts datasets of other files


def read_hub(path: Path, options: ReadOptions) -> ImageTable:
    """The Parquet files of a dataset of the Hub, of one revision (ORG/NAME@REVISION), or of a folder or pattern in it, downloaded once."""
    from huggingface_hub import snapshot_download

    match = _SOURCE.fullmatch(str(path))
    if match is None:
        raise InputError(f"'{path}' names no dataset of the Hub; write {PREFIX}datasets/ORG/NAME.")
    name, revision, inside = match.groups()
    patterns = [inside, f"{inside}/*.parquet"] if inside else ["*.parquet"]
    try:
        for each in [revision] if revision else [None, _CONVERTED]:
            folder = Path(snapshot_download(name, repo_type="dataset", revision=each, allow_patterns=patterns))
            if any(folder.rglob("*.parquet")):
                break
    except Exception as error:  # a dozen types, by what is missing
        reason = reason_of(error)
        raise InputError(f"'{name}' is not on this machine, and cannot be fetched ({reason}); check the name and the network.") from cause_of(error)
    if not any(folder.rglob("*.parquet")):
        raise InputError(f"'{name}' has no Parquet files '{inside or '*.parquet'}'; download the dataset, and pass its folder.")
    return replace(read_shards(folder, options), name=options.name or name)


FORMAT = Format("hub", "a dataset of the Hub", f"`{PREFIX}datasets/ORG/NAME`", lambda path: path.parts[:1] == ("hf:",), read_hub, takes="columns")
