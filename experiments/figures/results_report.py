"""Writes what `likeness evaluate` and `likeness study` measured into the pages below, between markers, and the claims into the notebooks.

python -m experiments.figures.results_report           # writes
python -m experiments.figures.results_report --check   # fails where a text holds other figures than assets/results
"""

import argparse
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from experiments.analyses.algebra import algebra_summary
from experiments.analyses.changed_images import changed_summary
from experiments.analyses.clicks import TUNED, clicks_medians, clicks_table
from experiments.analyses.cluster_names import clusters_summary, names_summary
from experiments.analyses.composed_queries import composed_choice, composed_table
from experiments.analyses.copies import copies_table
from experiments.analyses.cut_offs import cut_offs_table
from experiments.analyses.drift import drift_table
from experiments.analyses.fine_tuning import fine_tuning_table
from experiments.analyses.isoclip import isoclip_summary
from experiments.analyses.label_spreading import label_spreading_table
from experiments.analyses.meaning import gains, omega_choices
from experiments.analyses.methods import methods_table, winners_table
from experiments.analyses.reasons import reasons_page
from experiments.analyses.sentences import sentence_table
from experiments.analyses.slices import null_summary, real_summary, slices_summary
from experiments.analyses.trust import flags_table, trust_cases, trust_summary
from experiments.analyses.unnamed import unnamed_summary
from experiments.claims import Paper, claims_overview, claims_sections, claims_text, own_data_text
from experiments.figures.paper_curves import IMAGES
from experiments.figures.paper_tables import gains_by_split, guided_gains, label_distances, label_gains
from experiments.figures.quantization import whole_pixels
from experiments.results import FOLDER, filled, read_results
from experiments.study_tables import continuous_table, guidance_table, methods_paper_table, score_text
from likeness.evaluation import correlation_intervals, few_shot_gains, generalization_scores, scaled_structure, structure_correlations
from likeness.notions import METHOD_TITLES
from likeness.studies import as_markdown, paper_table, shift_table, statistics
from likeness.studies.table_texts import mean_text

ROOT = Path(__file__).parents[2]
METRICS = ("map_at_r", "precision_at_1", "zero_shot")
# Each paper's notebook, whose last cell shows its claims.
NOTEBOOKS: dict[Paper, str] = {
    "indirect": "01_indirect",
    "language guidance": "02_language_guidance",
    "oodml": "03_oodml",
    "log-ratio": "04_continuous_labels",
}
BEYOND: Paper = "beyond"  # docs/beyond.md, which follows no paper
# Where tables may stand; a table stands in one page at least.
PAGES = ("README.md", "docs/beyond.md", "docs/papers/*.md", "experiments/results/*.md")
PRESENCE = (
    *("images", "chosen on", "queries", "accuracy", "alignment", "shown: absent", "absent: absent", "absent: unclear", "1 shown: absent"),
    *("3 shown: absent", "10 shown: absent", "AUC", "AUC of best", "AUC, turned images", "AUC, other names", "flat: shown", "flat: absent"),
)
CONTINUOUS = ("synthetic-poses", "lsp-pose", "lsp-pose-whole", "synthetic-rooms", "shipped-cars-viewpoint", "flickr-captions", "captioned-cars")
SHIFTS = {"photos, last block": "cifar100-shifts-blocks", "photos, frozen": "cifar100-shifts", "cars": "shipped-cars-shifts"}
RAW = ("raw", "raw-code")  # which have one size, the encoder's
PAPER_METRICS = ("map_at_r", "precision_at_1", "r_precision", "ami", "nmi", "map", "mrr")
_PAPER_DIM = 128
CARS_RANK = 128  # directions of the text side of the cars' encoder, below which fewer dimensions leave something out


def notions_table(runs: pd.DataFrame) -> pd.DataFrame:
    """The paper's form: rows of notion, dimensions and metric, a column for each method; the best that sees no labels is bold.

    Heads that were fitted on other photos suggest other numbers of dimensions: they share a row, as "4 to 5".
    """
    return methods_paper_table(_with_sizes(runs), METRICS, bold=True).rename(columns={"dim": "dimensions"})


def suggested_table(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per notion: MAP@R of each method at the dimensions that its prompts suggest."""
    own = runs[(runs["dim"] != _PAPER_DIM) & ~runs["method"].isin(["random", "random-transform"])]
    table = methods_paper_table(own, METRICS[:1], bold=True).drop(columns="metric")
    table.insert(1, "dimensions", table["notion"].map(own[own["method"] == "exact"].groupby("notion")["dim"].first()))
    return table


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per notion: MAP@R of the raw encoder and, at the suggested dimensions, of InDiReCT, and of the same with other words."""
    means = statistics(_with_sizes(runs), ("map_at_r", "zero_shot"))
    rows = []
    for notion, own in means.groupby("notion", sort=False):
        suggested = own[own["dim"] != str(_PAPER_DIM)]
        found = {(row.metric, row.method): f"{row.mean_:.3f}" for row in suggested.rename(columns={"mean": "mean_"}).itertuples() if row.runs}
        rows.append(
            {
                "notion": notion,
                "raw encoder": found["map_at_r", "raw"],
                "InDiReCT": found["map_at_r", "exact"],
                "other words": found["map_at_r", "other-words"],
                "zero-shot": found["zero_shot", "raw"],
            }
        )
    return pd.DataFrame(rows)


def _with_sizes(runs: pd.DataFrame) -> pd.DataFrame:
    fitted = runs[~runs["method"].isin(RAW) & (runs["dim"] != _PAPER_DIM)].groupby("notion")["dim"].agg(["min", "max"])
    texts = {notion: f"{low} to {high}" if low != high else f"{low}" for notion, low, high in fitted.itertuples(name=None)}
    sizes = [str(dim) if dim == _PAPER_DIM else texts[notion] for notion, dim in zip(runs["notion"], runs["dim"], strict=True)]
    return runs.assign(dim=sizes)


def saliency_table(shares: pd.DataFrame) -> pd.DataFrame:
    """The share of what each notion adds that lies on the car, a row for each number of dimensions."""
    found = shares.groupby(["dim", "notion"], sort=False)["more"].agg(["mean", "std"])
    texts = found["mean"].map("{:.3f}".format) + " ± " + found["std"].map("{:.3f}".format)
    return texts.unstack("notion")[list(dict.fromkeys(shares["notion"]))].reset_index().rename(columns={"dim": "dimensions"})


def by_size(runs: pd.DataFrame, size: str) -> pd.DataFrame:
    """MAP@R of each notion and method, a column for each size, or where there is one the figures by its name; what no size changes has one figure
    for all: the raw encoder, and, where prompts are counted, what learns nothing from them.
    """
    titles = {**METHOD_TITLES, "suggested": "InDiReCT (exact), suggested dimensions"}
    known = runs[runs["map_at_r"].notna()].groupby(["notion", "method", size], sort=False)["map_at_r"]
    found = pd.DataFrame([(*place, score_text(own, str(place[1]))) for place, own in known], columns=["notion", "method", size, "text"])
    same = [*RAW, *(["random-transform"] if size == "prompts" else [])]
    sizes = sorted(set(found.loc[~found["method"].isin(same), size]))
    lines = []
    for (notion, method), own in found.groupby(["notion", "method"], sort=False):
        texts = dict.fromkeys(sizes, own["text"].iloc[0]) if method in same else dict(zip(own[size], own["text"], strict=True))
        lines.append({"notion": notion, "method": titles[str(method)]} | {str(each): texts.get(each, "–") for each in sizes})
    return pd.DataFrame(lines)


def of_photos(part: str) -> pd.DataFrame:
    """The runs of `experiments.figures.paper_curves` on those images that have been measured."""
    return pd.concat([read_results(f"{images}-{part}") for images in IMAGES if (FOLDER / f"{images}-{part}.csv").is_file()], ignore_index=True)


def cars_prompts() -> pd.DataFrame:
    """The runs on cars with fewer prompts than their encoder's text side has directions, of the methods of the paper's figure."""
    methods = ("raw", "random-transform", "exact", "adam", "faded")
    every, suggested = read_results("cars-prompts"), read_results("cars-prompts-suggested").assign(method="suggested")
    return pd.concat([every[every["method"].isin(methods)], suggested], ignore_index=True).query("prompts < @CARS_RANK")


def gains_table(every: pd.DataFrame) -> pd.DataFrame:
    """What few-shot adaptation gains, in percent of R@1 before: a row per method and number of shots, a column per distance."""
    found = few_shot_gains(every)
    found["text"] = (100 * found["gain"]).map("{:+.1f} %".format)
    table = found.pivot(index=["row", "shots"], columns="distance", values="text").rename(columns=lambda distance: f"{distance:.4g}")
    return table.loc[list(dict.fromkeys(every["row"][every["row"].isin(found["row"])]))].rename_axis(columns=None).reset_index()


def scores_table(studies: dict[str, str]) -> pd.DataFrame:
    """AGS by R@1 among equally many classes and by mAP@1000, a row for each method of each study (title to name), best by R@1 first."""
    tables = []
    for title, name in studies.items():
        every = read_results(name)
        found = generalization_scores(every, "matched_recall_at_1").set_index("row")["ags"].rename("R@1").to_frame()
        found["mAP@1000"] = generalization_scores(every, "map_at_1000").set_index("row")["ags"]
        tables.append(found.rename_axis("row").reset_index().assign(study=title))
    return pd.concat(tables, ignore_index=True)[["study", "row", "R@1", "mAP@1000"]]


def structure_table(every: pd.DataFrame) -> pd.DataFrame:
    """Correlations of structure with R@1 among equally many classes: over all splits, with 95 % intervals over methods, and on single splits."""
    scaled = scaled_structure(every, "matched_recall_at_1")
    splits = structure_correlations(scaled).query("split != 'all'").groupby("property")["correlation"].agg(["min", "max"])
    table = correlation_intervals(scaled).join(splits, on="property")
    titles = {"min": "a split, least", "max": "largest"}
    return table.map(lambda value: value if isinstance(value, str) else f"{value:+.2f}").rename(columns=titles)


def fit_table(every: pd.DataFrame) -> pd.DataFrame:
    """How well runs fit the labels of the images that they learn from, and of others (`benchmarks/label_fit.py`)."""
    titles = {
        "train_at_10": "distance at 10, training images",
        "test_at_10": "test images",
        "train_correlation": "rank correlation, training images",
        "test_correlation": "of test images",
        "dimensions": "dimensions that vary",
    }
    return every.groupby("row", sort=False)[list(titles)].agg(mean_text).rename(columns=titles).reset_index()


def rare_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean label distance at 10 of all and of rare queries, by row; below them chance."""
    score = "mean_label_distance_at_10"
    found = runs.groupby(["row", "queries"], sort=False)[score].agg(mean_text).unstack("queries")
    found.loc["Chance"] = runs.groupby("queries")["chance"].first().map("{:.0f}".format)
    return found.rename_axis(columns=None).reset_index()


def quantization_table(medians: pd.DataFrame) -> pd.DataFrame:
    """What binary labels from nearest neighbors and from a threshold do to common and rare images."""
    titles = {"first": "first positive, px", "last": "last positive, px", "within": "within the threshold", "missed": "negatives within"}
    return whole_pixels(medians)[["images", "group", *titles]].rename(columns=titles)


def pose_sizes_table(study: str) -> pd.DataFrame:
    """Mean label distance at 10 by size of the embedding, of a study and of its part with smaller sizes."""
    titles = {"L(Log-ratio)+M(Dense)": "Log-ratio", "L(Triplet)+M(Dense)": "Dense triplet", "L(Triplet)+M(Dense), δ = 0.5": "Dense triplet, δ = 0.5"}
    smaller, full = read_results(f"{study}-sizes"), read_results(study)
    parts = smaller["row"].str.extract(r"^(.*), (\d+)-d$")
    full = full[full["row"].isin(titles)]
    sizes = [smaller.assign(row=parts[0], dim=parts[1].astype(int)), full.assign(row=full["row"].map(titles), dim=128)]
    every = pd.concat(sizes, ignore_index=True)
    found = every.groupby(["row", "dim"], sort=False)["mean_label_distance_at_10"].agg(mean_text).unstack("dim").sort_index(axis=1)
    return found.loc[[title for title in titles.values() if title in set(parts[0])]].rename(columns=str).reset_index()


def captioning_table(every: pd.DataFrame) -> pd.DataFrame:
    """Scores of captions by model, features and stage, mean ± deviation over seeds."""
    titles = {"bleu_4": "BLEU-4", "cider_d": "CIDEr-D", "meteor_like": "METEOR-like", "rouge_l": "ROUGE-L"}
    return every.groupby(["model", "features", "stage"], sort=False)[list(titles)].agg(mean_text).rename(columns=titles).reset_index()


def sentences_table(runs: pd.DataFrame) -> pd.DataFrame:
    """MAP@R by notion of words by hand, of a sentence and of controls; the last row has the medians."""
    table = sentence_table(runs)
    medians = table.median(numeric_only=True).to_frame().T.assign(images="median", notion="")
    texts = pd.concat([table, medians], ignore_index=True)[table.columns]
    return with_texts(texts)


def by_set(runs: pd.DataFrame, table: Callable[[pd.DataFrame], pd.DataFrame]) -> pd.DataFrame:
    """The table of each set of images, one below the other."""
    tables = [table(own).assign(images=images) for images, own in runs.groupby("images", sort=False)]
    found = pd.concat(tables, ignore_index=True)
    return found[["images", *found.columns.drop("images")]]


def known_rows(runs: pd.DataFrame) -> pd.DataFrame:
    """Without other scores of the controls, and the rate of 10 %."""
    return runs[((runs["space"] == "encoder") | (runs["score"] == "best less half the second")) & (runs["far"] < 0.1)]


def fingerprints_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Per change of vectors the lowest cosine, and the least and largest share of samples that are accepted, over the sets of images."""
    groups = runs.groupby(["kind", "change"], sort=False)
    found = groups.agg(lowest=("lowest", "min"), least=("fits", "min"), most=("fits", "max")).reset_index()
    return found.rename(columns={"lowest": "lowest cosine", "least": "accepted, least", "most": "accepted, most"})


def with_texts(table: pd.DataFrame) -> pd.DataFrame:
    """Its figures with three decimals."""
    return table.map(lambda value: value if isinstance(value, str) else "–" if pd.isna(value) else f"{value:.3f}")


def clicks_without(runs: pd.DataFrame) -> pd.DataFrame:
    """Medians over notions and images, without those on which constants were settled: which these are can be read in several ways."""
    left_out = (TUNED, (*TUNED, "cars"), (*TUNED, "photos"))
    tables = [clicks_medians(runs, without).assign(without=", ".join(without)) for without in left_out]
    every = pd.concat(tables, ignore_index=True)
    return every[["without", *every.columns.drop("without")]]


def choice_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Per set of images and kind of query the score that is best on all others, beside the best there."""
    found = composed_choice(runs).rename(columns={"notion": "judged by", "score": "mAP", "best": "best there", "best_score": "its mAP"})
    found["judged by"] = found["judged by"].str.split(": ").str[1]
    return found.assign(mAP=found["mAP"].map("{:.3f}".format), **{"its mAP": found["its mAP"].map("{:.3f}".format)})


def cut_offs_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """By images, space, method and answers; of the control, after the most answers alone."""
    table = cut_offs_table(runs)
    table = table[(table["method"] != "another query") | (table["answers"] == table["answers"].max())]
    table = table.assign(answers=table["answers"].astype(str), queries=table["queries"].astype(str))
    titles = {"ratio": "F1 / best F1", "within": "within 5 %", "promise": "with a promise", "promised_fdr": "wrong in these", "broken": "broken"}
    titles |= {"promised_recall": "recall of these", "precision_held": "precision held", "recall_held": "recall held"}
    return with_texts(table).rename(columns=titles)


def all_tables() -> dict[str, str]:
    """What stands between the markers of each name, in Markdown."""
    birds, captioned, cars = (read_results(f"{name}-notions") for name in ("birds", "captioned", "cars"))
    cars = cars[cars["method"] != "other-words"]  # the encoder knows few of them
    tables = {
        "birds": notions_table(birds),
        "captioned": notions_table(captioned),
        "cars": methods_paper_table(cars[cars["dim"].eq(_PAPER_DIM) | cars["method"].isin(RAW)], PAPER_METRICS, bold=True),
        "suggested": suggested_table(cars),
        **{name: guidance_table(read_results(name)) for name in ("birds-guidance", "birds-frozen", "shipped-cars")},
        **{name: guidance_table(read_results(name), "Baseline") for name in ("shipped-cars-ablations", "birds-methods")},
        "names": paper_table(read_results("cars-names-notions"), METRICS[:1]),
        "saliency": saliency_table(read_results("cars-saliency")),
        "names to 128 dimensions": by_size(of_photos("sizes").query("dim == 128 or method == 'raw'"), "dim"),
        "sizes": by_size(pd.concat([of_photos("sizes"), read_results("cars-sizes").query("dim < @CARS_RANK or method == 'raw'")]), "dim"),
        "prompts": by_size(pd.concat([of_photos("prompts"), cars_prompts()], ignore_index=True), "prompts"),
        "photos": summary(pd.concat([captioned, birds], ignore_index=True)),
        "shifts blocks": shift_table(read_results("cifar100-shifts-blocks"), "matched_recall_at_1"),
        "shifts sizes": shift_table(read_results("cifar100-shifts-sizes"), "matched_recall_at_1"),
        "shifts at one rate": shift_table(read_results("cifar100-shifts-rate"), "matched_recall_at_1").drop(columns="AGS"),
        "shifts frozen": shift_table(read_results("cifar100-shifts"), "matched_recall_at_1"),
        "shifts cars": shift_table(read_results("shipped-cars-shifts"), "matched_recall_at_1"),
        "shifts by mAP": with_texts(scores_table(SHIFTS)),
        "gains": gains_table(read_results("cifar100-shifts")),
        "gains cars": gains_table(read_results("shipped-cars-shifts")),
        **{name: continuous_table(read_results(name)) for name in CONTINUOUS},
        "cifar100-names": continuous_table(read_results("cifar100-names"), ("recall_at_1",)),
        "lsp-pose-fit": fit_table(read_results("lsp-pose-fit")),
        "pose sizes": pose_sizes_table("synthetic-poses"),
        "pose sizes on photos": pose_sizes_table("lsp-pose"),
        "algebra": with_texts(algebra_summary(read_results("notion-algebra"))),
        "clicks": with_texts(clicks_table(read_results("clicked-notions"))),
        "clicks in the median": with_texts(clicks_without(read_results("clicked-notions")).astype({"with a gap": str})),
        "label spreading": with_texts(label_spreading_table(read_results("label-spreading"))),
        "clusters": clusters_summary(read_results("cluster-names")),
        "cluster names": names_summary(read_results("cluster-names")),
        "methods": methods_table(read_results("notion-methods"), bold=True),
        "winners": winners_table(read_results("notion-methods")),
        **reasons_page(read_results("reasons")),
        "trust": trust_summary(read_results("notion-trust")),
        "flags": flags_table(read_results("notion-trust")),
        "trust on other images": with_texts(trust_cases(read_results("unseen-trust"))),
        "flags on other images": flags_table(read_results("unseen-trust")),
        "isoclip": with_texts(isoclip_summary(read_results("isoclip"))),
        "copies": with_texts(copies_table(read_results("planted-copies"))),
        "slices planted": with_texts(slices_summary(read_results("slices-planted"))),
        "slices shuffled": with_texts(null_summary(read_results("slices-shuffled"))),
        "slices real": with_texts(real_summary(read_results("slices-real"))),
        "drift": with_texts(by_set(read_results("drift"), drift_table)),
        "known": with_texts(
            known_rows(read_results("known")).rename(columns={"dir": "DIR", "best_dir": "best DIR", "auroc": "AUROC", "aurc": "AURC"})
        ),
        "known items": with_texts(read_results("known-counts").drop(columns="space")),
        **{
            name: with_texts(gains(read_results("guidance-meaning"), figure).astype({"divisions": str, "runs": str}))
            for name, figure in (("meaning", "recall_at_1"), ("meaning in mAP", "map_at_1000"))
        },
        "meaning omegas": with_texts(omega_choices(read_results("guidance-meaning"))),
        "fine-tuning": fine_tuning_table(read_results("fine-tuning")),
        "encoder fingerprints": with_texts(fingerprints_table(read_results("encoder-fingerprints"))),
        "changed": changed_summary(read_results("changed-images")),
        "unnamed": with_texts(unnamed_summary(read_results("unnamed-directions"))),
        "sentences": sentences_table(read_results("sentence-notions")),
        "cut-offs": cut_offs_summary(read_results("cut-offs")),
        "presence": with_texts(read_results("presence")[list(PRESENCE)]),
        "presence parts": with_texts(read_results("presence-parts").astype({"queries": str})),
        "presence scores": with_texts(read_results("presence-scores").astype({"queries": str})),
        "captioning": captioning_table(read_results("captioning-flickr")),
        "composed queries": composed_table(read_results("composed-queries")),
        "composed choice": choice_table(read_results("composed-queries")),
        "guidance and its controls": guided_gains(),
        "shifts beside the raw network": gains_by_split("cifar100-shifts-blocks", "Raw MobileNetV2"),
        "label distances": label_distances(),
        "label gains": label_gains(),
        "rare queries": rare_table(read_results("rare-queries")),
        "quantization": quantization_table(read_results("quantization")),
        "structure": structure_table(read_results("cifar100-shifts").query("row != 'Random projection'")),
        "structure blocks": structure_table(read_results("cifar100-shifts-blocks").query("row != 'Random projection'")),
    }
    texts = {name: as_markdown(table) for name, table in tables.items()}
    texts |= {f"claims of {paper}": claims_overview(paper) for paper in NOTEBOOKS}
    texts |= {f"own data of {paper}": own_data_text(paper.replace(" ", "-")) for paper in NOTEBOOKS}
    for paper in (*NOTEBOOKS, BEYOND):
        texts |= {f"{paper}: {place}": section for place, section in claims_sections(paper).items()}
    return texts


def read_pages() -> dict[Path, str]:
    """All pages where tables may stand, and the notebooks that show claims."""
    paths = [page for pattern in PAGES for page in sorted(ROOT.glob(pattern))]
    return {path: path.read_text() for path in [*paths, *(ROOT / f"notebooks/{name}.ipynb" for name in NOTEBOOKS.values())]}


def filled_pages(pages: dict[Path, str], texts: dict[str, str]) -> dict[Path, str]:
    """The pages with every text between its markers, and the notebooks with their claims.

    Raises:
        ValueError: a page has markers of an unknown name, or no page has those of a text.
    """
    names = {page: re.findall(r"^<!-- end of (.+) -->$", text, re.MULTILINE) for page, text in pages.items()}
    for page, found in names.items():
        if unknown := sorted(set(found) - set(texts)):
            raise ValueError(f"{page.name} has markers of '{unknown[0]}', which no table fills.")
    if missing := sorted(set(texts) - {name for found in names.values() for name in found}):
        raise ValueError(f"No page has the markers of '{missing[0]}'.")
    return {page: _filled_page(page, text, {name: texts[name] for name in names[page]}) for page, text in pages.items()}


def _filled_page(page: Path, text: str, contents: dict[str, str]) -> str:
    for paper, notebook in NOTEBOOKS.items():
        if page.name == f"{notebook}.ipynb":
            return notebook_with_claims(text, claims_text(paper))
    for name, content in contents.items():
        text = filled(text, name, content)
    return text


def notebook_with_claims(text: str, claims: str) -> str:
    """The notebook's JSON with the claims as the output of the cell that shows them, as a run would write it."""
    notebook = json.loads(text)
    [cell] = [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and "claims_text(" in "".join(cell["source"])]
    data = {"text/markdown": claims.splitlines(keepends=True), "text/plain": ["<IPython.core.display.Markdown object>"]}
    cell["outputs"] = [{"data": data, "metadata": {}, "output_type": "display_data"}]
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    pages = read_pages()
    for path, text in filled_pages(pages, all_tables()).items():
        if not check:
            path.write_text(text)
        elif text != pages[path]:
            sys.exit(f"{path.relative_to(ROOT)} holds other figures than assets/results; run python -m experiments.figures.results_report")


if __name__ == "__main__":
    main()
