"""The study of cluster names as two tables: how clusters agree with labels, and how names fit."""

import pandas as pd

from likeness.clusters import MATCHES
from likeness.studies.table_texts import mean_text

_OTHERS = ("nearest word", "words, shuffled", "words, labels shuffled", "class list")


def clusters_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per images, label and depth: how many clusters, and adjusted mutual information of each kind, mean ± deviation over seeds."""
    words = runs[runs["names_of"] == "words"]
    dealt = runs[runs["names_of"] == "words, labels shuffled"].assign(clusters_of="labels shuffled")
    found = _texts(pd.concat([words, dealt]), "clusters_of", "ami")
    sizes = words[words["clusters_of"] == "HDBSCAN"].groupby(["images", "label", "depth"], sort=False, observed=True)[["clusters", "core"]].mean()
    table = sizes.assign(clusters=sizes["clusters"].map("{:.0f}".format), core=sizes["core"].map("{:.2f}".format)).join(found)
    return table.rename(columns={"core": "in dense regions"}).fillna("–").reset_index()


def names_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per images, label and depth: the share of clusters whose name fits, by how, and of other names and clusters the sum."""
    keys = ["images", "label", "depth"]
    own = runs[(runs["clusters_of"] == "HDBSCAN") & (runs["names_of"] == "words")]
    grouped = own.groupby(keys, sort=False, observed=True)
    table = grouped[["named", *MATCHES]].mean().map("{:.2f}".format)
    for column in ("fits", "three"):
        table[column] = grouped[column].agg(mean_text)
    others = runs[(runs["clusters_of"] == "HDBSCAN") & runs["names_of"].isin(_OTHERS)]
    means = runs[(runs["clusters_of"] == "k-means") & (runs["names_of"] == "words")].assign(names_of="k-means, words")
    found = _texts(pd.concat([others, means]), "names_of", "fits")[[*_OTHERS, "k-means, words"]]
    return table.join(found).rename(columns={"three": "one of three words"}).fillna("–").reset_index()


def _texts(runs: pd.DataFrame, by: str, value: str) -> pd.DataFrame:
    keys = ["images", "label", "depth"]
    found = runs.groupby([*keys, by], sort=False, observed=True)[value].agg(mean_text).unstack(by)
    return found[list(dict.fromkeys(runs[by]))].rename_axis(columns=None)
