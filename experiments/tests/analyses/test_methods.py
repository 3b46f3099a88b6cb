import pandas as pd
import pytest

from experiments.analyses.methods import cases_table, chosen_methods, methods_table, winners_table


@pytest.fixture
def runs() -> pd.DataFrame:
    """Two notions of cars and one of photos, seen by two heads; the control knows one notion alone."""
    rows = []
    for images, notion, raw, exact, paper, probabilities in (
        ("cars", "x", 0.1, 0.5, 0.3, 0.7),
        ("cars", "y", 0.2, 0.6, 0.4, 0.9),
        ("photos 0", "z", 0.3, 0.28, 0.2, 0.1),
        ("photos 1", "z", 0.5, 0.4, 0.2, 0.1),
    ):
        rows += [(images, notion, "raw", 512, 0, raw), (images, notion, "exact", 7, 0, exact), (images, notion, "exact", 128, 0, paper)]
        rows += [(images, notion, "probabilities", 9, 0, probabilities)]
    rows += [("cars", "x", "other-words", 7, seed, 0.1 * seed) for seed in range(3)]
    return pd.DataFrame(rows, columns=["images", "notion", "method", "dim", "seed", "map_at_r"])


def test_means_over_notions_and_heads_and_two_encoders_as_one_set(runs: pd.DataFrame) -> None:
    table = methods_table(runs).set_index("method")
    assert list(table.index) == ["Aspect probabilities", "InDiReCT (exact)", "Raw encoder", "InDiReCT (exact), 128", "Other words, where known"]
    # by hand: (0.7 + 0.9) / 2, and images count alike whatever the number of their notions and heads: (0.8 + 0.1) / 2
    assert list(table.loc["Aspect probabilities"]) == ["0.800", "0.100", "0.450"]
    assert list(table.loc["Raw encoder"]) == ["0.150", "0.400", "0.275"]
    bold = methods_table(runs, bold=True).set_index("method")
    assert (bold.loc["Aspect probabilities", "cars"], bold.loc["Raw encoder", "photos"]) == ("**0.800**", "**0.400**")
    smaller = runs[runs["images"].eq("cars")].assign(images="cars-small", map_at_r=lambda own: own["map_at_r"] - 0.1)
    table = methods_table(pd.concat([runs, smaller], ignore_index=True)).set_index("method")
    # (0.8 + 0.7) / 2 of cars and 0.1 of photos
    assert list(table.loc["Aspect probabilities"]) == ["0.800", "0.100", "0.700", "0.425"]
    table = cases_table(runs, ["Raw encoder", "Other words", "Aspect probabilities"]).set_index(["images", "notion"])
    assert table.loc[("cars", "x")].tolist() == ["0.100", "0.100 ± 0.100", "0.700"]
    assert table.loc[("photos", "z")].tolist() == ["0.400 ± 0.141", "–", "0.100"]


def test_the_method_is_chosen_by_the_other_notions(runs: pd.DataFrame) -> None:
    found = chosen_methods(runs).set_index("notion")
    # without z: probabilities by far; without x and y, photos and the other notion of cars alike:
    # they are ahead of InDiReCT by (0.9 + 0.1) to (0.6 + 0.34), and behind by (0.7 + 0.1) to (0.5 + 0.34)
    assert found["chosen"].to_dict() == {"x": "Aspect probabilities", "y": "InDiReCT (exact)", "z": "Aspect probabilities"}
    assert found["best"].to_dict() == {"x": "Aspect probabilities", "y": "Aspect probabilities", "z": "Raw encoder"}
    table = winners_table(runs).set_index("notion")
    assert list(table.loc["z", ["MAP@R here", "InDiReCT", "raw encoder", "best here", "its MAP@R"]]) == [
        "0.100",
        "0.340",
        "0.400",
        "Raw encoder",
        "0.400",
    ]
