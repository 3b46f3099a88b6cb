import pandas as pd

from likeness.studies import refusals


def _runs(*rows: tuple[object, ...], along: str = "dim") -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["notion", "method", along, "refused"])


def test_nothing_refused_gives_no_sentence() -> None:
    assert refusals(_runs(("color", "pca", 2, ""))) == []
    assert refusals(pd.DataFrame({"notion": ["color"]})) == []
    assert refusals(_runs()) == []


def test_a_method_is_named_with_all_its_sizes_and_the_first_reason() -> None:
    runs = _runs(
        ("color", "pca", 2, ""), ("color", "pca", 16, "too few for 16."), ("color", "pca", 32, "too few for 32."), ("color", "exact", 32, "")
    )
    assert refusals(runs) == ["color, PCA at 16, 32 dimensions: too few for 16."]
    assert refusals(_runs(("color", "pca", 5, "too few."), along="prompts").assign(dim=128)) == ["color, PCA at 5 prompts: too few."]


def test_an_encoder_without_weights_is_named_once() -> None:
    runs = pd.concat(
        [
            _runs(("color", "raw", 4, "No network."), ("shape", "exact", 4, "No network.")).assign(encoder="large"),
            _runs(("color", "raw", 4, ""), ("color", "pca", 4, "Too few prompts.")).assign(encoder="small"),
        ]
    )
    assert refusals(runs) == ["large: No network.", "small, color, PCA at 4 dimensions: Too few prompts."]
