"""The decisive rows of several studies in one small table, for the papers' pages (`results_report`)."""

import pandas as pd

from experiments.results import read_results
from likeness.studies import decimals, paired_differences
from likeness.studies.table_texts import NONE, mean_text

# Setting, study, score, the row without guidance; then the rows with the right names, with shuffled ones and with a flat target.
_GUIDED = (
    ("birds, every layer, γ 1", "birds-guidance", "recall_at_1", "Multisimilarity", "{}, gamma 1, omega 7.5"),
    ("birds, every layer, γ 0", "birds-guidance", "recall_at_1", "Multisimilarity", "{}, gamma 0, omega 50"),
    ("birds, embedding layer, γ 1", "birds-frozen", "recall_at_1", "Multisimilarity", "{}, gamma 1, omega 7.5"),
    ("birds, embedding layer, γ 0", "birds-frozen", "recall_at_1", "Multisimilarity", "{}, gamma 0, omega 50"),
    ("cars, multisimilarity", "shipped-cars", "map_at_1000", "Multisimilarity", "Multisimilarity +ELG{}"),
    ("cars, S2SD", "shipped-cars", "map_at_1000", "Multisimilarity + S2SD", "Multisimilarity + S2SD +ELG{}"),
    ("cars, margin loss", "shipped-cars", "map_at_1000", "Margin, β = 1.2", "Margin, β = 1.2 +ELG{}"),
)
_TARGETS = ("right names", "shuffled names", "flat target")
_SCORES = {"recall_at_1": "R@1", "map_at_1000": "mAP@1000"}
# Label distances by study: the title of its column.
_LABELS = {
    "synthetic-poses": "poses, px",
    "lsp-pose-whole": "pose photos, px",
    "lsp-pose": "pose photos, embedding layer alone, px",
    "synthetic-rooms": "rooms",
    "shipped-cars-viewpoint": "viewpoint, °",
    "flickr-captions": "captions",
}
_LOSSES = {
    "L(Log-ratio)+M(Dense)": "log-ratio",
    "L(Triplet)+M(Dense), δ = 0.5": "dense triplets, δ 0.5",
    "L(Triplet)+M(Dense)": "dense triplets, δ 0.03",
    "L(Triplet)+M(Binary)": "binary triplets",
    "Margin + DW": "margin loss",
    "Rank-N-Contrast": "Rank-N-Contrast",
    "shuffled": "log-ratio, shuffled labels",
    "Raw encoder": "raw encoder",
}
_CAPTIONED = {"captioned-cars": "captioned cars"}
# What is gained: the row with it, and the one without.
_STEPS = {
    "both: log-ratio minus binary triplets": ("L(Log-ratio)+M(Dense)", "L(Triplet)+M(Binary)"),
    "the loss: log-ratio minus dense triplets, δ 0.5": ("L(Log-ratio)+M(Dense)", "L(Triplet)+M(Dense), δ = 0.5"),
    "mining: dense triplets, δ 0.5, minus binary": ("L(Triplet)+M(Dense), δ = 0.5", "L(Triplet)+M(Binary)"),
    "mining with the paper's margin: dense triplets, δ 0.03, minus binary": ("L(Triplet)+M(Dense)", "L(Triplet)+M(Binary)"),
    "the margin: dense triplets, δ 0.5 minus 0.03": ("L(Triplet)+M(Dense), δ = 0.5", "L(Triplet)+M(Dense)"),
}


def guided_gains() -> pd.DataFrame:
    """What guidance gains over the same objective without it, by setting: with the right names and with both controls."""
    lines = []
    for setting, study, score, without, pattern in _GUIDED:
        ends = ("", ", names shuffled", ", flat target") if study == "shipped-cars" else ("+ELG", "names shuffled", "flat target")
        gains = paired_differences(read_results(study), without, [score]).set_index("row")
        texts = (_gain(gains, row, score) for row in map(pattern.format, ends))
        lines.append({"gain": f"{setting}, {_SCORES[score]}"} | dict(zip(_TARGETS, texts, strict=True)))
    return pd.DataFrame(lines)


def gains_by_split(study: str, raw: str, score: str = "matched_recall_at_1") -> pd.DataFrame:
    """What each method gains over the raw network on each split."""
    every = read_results(study)
    splits = {f"{split} ({distance:.3g})": own for (distance, split), own in every.groupby(["distance", "split"])}
    lines = []
    gains = {title: paired_differences(own, raw, [score]).set_index("row") for title, own in splits.items()}
    for row in [name for name in dict.fromkeys(every["row"]) if name != raw]:
        lines.append({"method": str(row)} | {title: _gain(own, str(row), score) for title, own in gains.items()})
    return pd.DataFrame(lines)


def label_distances() -> pd.DataFrame:
    """The mean label distance of the ten nearest images, by loss and label."""
    columns = {}
    for study, title in _LABELS.items():
        every = read_results(study)
        names = every["row"].where(~every["row"].str.endswith("shuffled"), "shuffled")
        means = every.groupby(names)["mean_label_distance_at_10"].agg(mean_text)
        columns[title] = {_LOSSES[name]: means.get(name, NONE) for name in _LOSSES}
    return pd.DataFrame(columns).rename_axis("loss").reset_index()


def label_gains() -> pd.DataFrame:
    """What the log-ratio loss, dense mining and the wider margin gain in label distance at ten images, by label, as paired differences: smaller is
    better.
    """
    score, columns = "mean_label_distance_at_10", dict[str, dict[str, str]]()
    for study, title in (_LABELS | _CAPTIONED).items():
        every, columns[title] = read_results(study), {}
        places = decimals(every[score].mean())
        for name, (row, against) in _STEPS.items():
            found = paired_differences(every, against, [score]).set_index("row").loc[row]
            columns[title][name] = f"{found[score]:+.{places}f} ± {found[f'{score} ±']:.{places}f}"
    return pd.DataFrame(columns).rename_axis("label distance gained").reset_index()


def _gain(gains: pd.DataFrame, row: str, score: str) -> str:
    """ "+0.033 ± 0.005"; without an error what was measured once."""
    gain, error = (float(gains[name].loc[row]) for name in (score, f"{score} ±"))
    return f"{gain:+.3f} ± {error:.3f}" if error > 0 else f"{gain:+.3f}"
