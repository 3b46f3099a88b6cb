"""Real cars as further words for the body types."""

import pandas as pd

from likeness.io import assets_dir


def car_names(with_short_names: bool = True) -> dict[str, list[str]]:
    """Names by body type: "Volvo S60" and, if asked for, "S60" alone."""
    table = pd.read_csv(assets_dir() / "car_models.csv", dtype=str)
    names = {}
    for body, rows in table.groupby("body_type"):
        full = list(rows["manufacturer"] + " " + rows["model"])
        names[str(body)] = [*full, *rows["model"]] if with_short_names else full
    return names
