"""What was refused in a table of runs, in sentences."""

import pandas as pd

from likeness.notions import METHOD_TITLES


def refusals(runs: pd.DataFrame) -> list[str]:
    """One sentence for each method that did not apply to a notion, and one for each encoder that could not be used; none: an empty list.

    Args:
        runs: of `compare`, `embedding_sizes`, `encoder_sizes` or `prompt_counts`. Where a method was refused at several dimensions or numbers
            of prompts, they are listed, with the reason given at the first.
    """
    if "refused" not in runs.columns:
        return []
    sentences = []
    for encoder, of_encoder in runs.groupby("encoder", sort=False) if "encoder" in runs.columns else ():
        reasons = of_encoder["refused"].unique()
        if len(reasons) == 1 and reasons[0]:
            sentences.append(f"{encoder}: {reasons[0]}")
            runs = runs[runs["encoder"] != encoder]
    refused = runs[runs["refused"] != ""]
    places = [column for column in ("encoder", "notion", "method") if column in runs.columns]
    along, what = ("prompts", "prompts") if "prompts" in runs.columns else ("dim", "dimensions")
    for place, rows in refused.groupby(places, sort=False):
        values = ", ".join(str(value) for value in dict.fromkeys(rows[along]))
        *where, method = map(str, place)
        sentences.append(f"{', '.join(where)}, {METHOD_TITLES.get(method, method)} at {values} {what}: {rows['refused'].iloc[0]}")
    return sentences
