"""The small tables of the papers' pages hold what the studies' own tables hold."""

from experiments.claims import with_figures
from experiments.figures.paper_tables import gains_by_split, guided_gains, label_distances, label_gains
from experiments.results import read_results
from experiments.study_tables import continuous_table


def test_guidance_stands_beside_both_controls_in_every_setting() -> None:
    table = guided_gains().set_index("gain")
    assert (table != "").all(axis=None)
    own = table.loc["birds, embedding layer, γ 0, R@1"]
    rows = {"right names": "+ELG", "shuffled names": "names shuffled", "flat target": "flat target"}
    for title, row in rows.items():
        assert own[title] == with_figures(f"{{birds-frozen | {row}, gamma 0, omega 50 - Multisimilarity | recall_at_1}}")
    place = "{shipped-cars | Margin, β = 1.2 +ELG, flat target - Margin, β = 1.2 | map_at_1000}"
    assert table.loc["cars, margin loss, mAP@1000", "flat target"] == with_figures(place)


def test_splits_stand_in_the_order_of_their_distance_and_what_is_measured_once_has_no_error() -> None:
    table = gains_by_split("cifar100-shifts-blocks", "Raw MobileNetV2").set_index("method")
    assert list(table) == ["easier 5 (62.9)", "start (79.7)", "swap 10 (159)", "random 10 (179)", "removal 4 (192)", "removal 10 (259)"]
    place = '{cifar100-shifts-blocks where split == "removal 10" | S2SD - Raw MobileNetV2 | matched_recall_at_1}'
    assert table.loc["S2SD", "removal 10 (259)"] == with_figures(place)
    assert not table.loc[["Random projection"]].map(lambda text: "±" in text).any(axis=None)


def test_label_distances_are_those_of_each_study() -> None:
    table = label_distances().set_index("loss")
    rooms = continuous_table(read_results("synthetic-rooms")).set_index("row")["distance at 10"]
    assert table.loc["log-ratio", "rooms"] == rooms["L(Log-ratio)+M(Dense)"]
    assert table.loc["raw encoder", "rooms"] == rooms["Raw encoder"]
    assert table.loc["log-ratio, shuffled labels", "rooms"] == rooms["L(Log-ratio)+M(Dense), labels shuffled"]
    assert table.loc["margin loss", "captions"] == "–"


def test_the_loss_the_mining_and_the_margin_gain_what_claims_say() -> None:
    table = label_gains().set_index("label distance gained")
    score = "mean_label_distance_at_10"
    for study, title in (("synthetic-rooms", "rooms"), ("lsp-pose-whole", "pose photos, px"), ("captioned-cars", "captioned cars")):
        loss = with_figures(f"{{{study} | L(Log-ratio)+M(Dense) - L(Triplet)+M(Dense), δ = 0.5 | {score}}}")
        assert table.loc["the loss: log-ratio minus dense triplets, δ 0.5", title] == loss
        margin = with_figures(f"{{{study} | L(Triplet)+M(Dense), δ = 0.5 - L(Triplet)+M(Dense) | {score}}}")
        assert table.loc["the margin: dense triplets, δ 0.5 minus 0.03", title] == margin
