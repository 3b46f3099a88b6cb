"""Claims of the papers: every figure comes from runs that ship, and none is typed."""

import re

import pandas as pd
import pytest

from experiments.claims import claims, with_figures
from experiments.results import FOLDER
from likeness.errors import InputError
from likeness.evaluation import correlation_intervals, few_shot_gains, scaled_structure
from likeness.io import yaml_content
from likeness.studies import paired_differences, read_results, read_study

PAPERS = ("indirect", "language guidance", "oodml", "log-ratio")


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_is_short_and_each_place_in_braces_is_filled(paper: str) -> None:
    found = claims(paper)  # type: ignore[arg-type]
    assert len(found) >= 5
    assert found["claim"].is_unique
    assert (found["claim"].str.split().map(len) <= 25).all()
    assert not found.map(lambda text: "{" in text or "}" in text).any(axis=None)


@pytest.mark.parametrize("paper", PAPERS)
def test_a_verdict_has_a_reason_what_the_paper_shows_our_figures_a_control_and_the_command_that_prints_them(paper: str) -> None:
    found = claims(paper)  # type: ignore[arg-type]
    assert (found[["why", "overturn"]].map(len) > 10).all(axis=None)
    assert (found["paper"].map(len) > 5).all()  # "a drawing" at the least
    assert (found["control"].map(len) > 4).all()  # or says that there is none
    assert found["command"].str.match("`.+`").all()
    tested = found[found["verdict"] != "not testable here"]
    assert (tested["here"].map(len) > 20).all()
    assert (tested["seeds"].map(len) > 0).all()


def test_no_figure_of_ours_is_typed() -> None:
    """A decimal figure in what we measured is a parameter of ours or of the paper, not a result."""
    allowed = {".985", "0.5", "0.03"}
    for own in yaml_content(FOLDER / "claims.yaml").values():
        for claim in own:
            ours = " ".join(claim.get(part, "") for part in ("why", "here", "control"))
            prose = re.sub(r"\{[^{}]*\}|section [\d.]+|Eq\. \d", "", ours)
            typed = re.findall(r"(?<![\w.])\d?\.\d+", prose)
            assert set(typed) <= allowed, claim["claim"]


def test_a_place_is_the_mean_of_the_runs_that_it_names() -> None:
    runs = read_results("cars-notions").query("notion == 'car color' and method == 'ae' and dim == 128")["map_at_r"]
    assert len(runs) == 10
    text = with_figures('a {cars-notions | notion == "car color" and method == "ae" and dim == 128 | map_at_r} b')
    assert text == f"a {runs.mean():.3f} b"
    pixels = read_results("lsp-pose").query("row == 'L(Triplet)+M(Binary)'")["mean_label_distance_at_10"].mean()
    assert pixels > 100
    assert with_figures("{lsp-pose | row == 'L(Triplet)+M(Binary)' | mean_label_distance_at_10}") == f"{pixels:.0f}"


def test_a_difference_is_paired_among_the_runs_that_are_chosen() -> None:
    every = read_results("shipped-cars")
    found = paired_differences(every, "Multisimilarity", ["map_at_1000"]).set_index("row").loc["Multisimilarity +ELG"]
    text = with_figures("{shipped-cars | Multisimilarity +ELG - Multisimilarity | map_at_1000}")
    assert text == f"{found['map_at_1000']:+.3f} ± {found['map_at_1000 ±']:.3f}"
    every = read_results("cifar100-shifts")
    hardest = every[every["split"] == "removal 10"]
    found = paired_differences(hardest, "Raw MobileNetV2", ["recall_at_1"]).set_index("row").loc["Margin"]
    text = with_figures('{cifar100-shifts where split == "removal 10" | Margin - Raw MobileNetV2 | recall_at_1}')
    assert text == f"{found['recall_at_1']:+.3f} ± {found['recall_at_1 ±']:.3f}"


def test_a_place_may_take_what_is_derived_from_runs() -> None:
    gains = few_shot_gains(read_results("cifar100-shifts"))
    assert with_figures("{few-shot gains of cifar100-shifts | shots == 5 | gain}") == f"{gains.loc[gains['shots'] == 5, 'gain'].mean():.3f}"
    low = correlation_intervals(scaled_structure(read_results("cifar100-shifts"), "matched_recall_at_1")).set_index("property")["low"]
    assert with_figures('{correlation intervals of cifar100-shifts | property == "ratio" | low}') == f"{low['ratio']:.3f}"
    assert re.fullmatch(r"[\d.]+ s", with_figures("{units of scale | part == 'small' and what == 'fit of a notion, 128-d' | peer_value}"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{nothing | method == 'ae' | map_at_r}", "No results of a study 'nothing' ship"),
        ("{cars-notions | method == 'ae' | map}", None),
        ("{cars-notions | method == 'ae' | maps}", "The results 'cars-notions' have no 'maps'"),
        ("{cars-notions | method == 'none' | map_at_r}", "No run of 'cars-notions' has method == 'none'"),
        ("{sums of cars-notions | dim == 2 | map_at_r}", "'sums' cannot be derived from results; choose from few-shot gains, generalization"),
        ("{shipped-cars | Nothing - Multisimilarity | nmi}", "The results 'shipped-cars' have no row 'Nothing' beside 'Multisimilarity'"),
    ],
)
def test_a_place_that_names_nothing_is_refused(text: str, message: str | None) -> None:
    if message is None:
        assert re.fullmatch(r"0\.\d{3}", with_figures(text))
        return
    with pytest.raises(InputError, match=re.escape(message)):
        with_figures(text)


def test_an_unknown_paper_is_refused() -> None:
    with pytest.raises(InputError, match="There are no claims of 'other'; choose from indirect, language guidance, oodml"):
        claims("other")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["birds-guidance", "birds-frozen", "shipped-cars", "shipped-cars-ablations"])
def test_studies_of_guidance_ship_with_their_controls_and_several_runs(name: str) -> None:
    every = read_results(name)
    rows = pd.Series(every["row"].unique())
    assert rows.str.contains("Raw").sum() == 1
    for control in ("shuffled", "flat"):
        assert rows.str.contains(control).any(), control
    assert (every[every["step"] > 0].groupby("row").size() >= 2).all()


@pytest.mark.parametrize(("name", "trained"), [("cifar100-shifts-blocks", 8), ("cifar100-shifts", 6), ("shipped-cars-shifts", 10)])
def test_studies_of_shift_ship_with_the_raw_network_a_control_and_every_seed_on_every_split(name: str, trained: int) -> None:
    every, study = read_results(name), read_study(name)
    assert list(dict.fromkeys(every["row"])) == list(study.rows)
    untrained = every[every["step"] == 0]
    assert set(untrained["row"]) == {row for row in study.rows if "aw " in row} | {"Random projection"}
    runs = every[every["step"] > 0].groupby(["row", "split"])["seed"].nunique()
    assert len(runs) == trained * every["split"].nunique()
    assert (runs == len(study.seeds)).all()


def test_what_goes_beyond_the_papers_has_a_control_and_says_what_failed() -> None:
    found = claims("beyond")
    assert len(found) >= 12
    assert (found[["why", "here", "control", "failed", "command", "seeds"]].map(len) > 5).all(axis=None)
    assert len((FOLDER.parents[1] / "docs/beyond.md").read_bytes()) <= 10_240
