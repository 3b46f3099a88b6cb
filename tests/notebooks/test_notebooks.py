"""The notebooks: what ships is whole and tells nothing of the machine, and a quick run on a copy supports what their text says."""

import ast
import importlib.util
import io
import json
import re
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from tests.data.conftest import write_cars196

if TYPE_CHECKING:
    import pandas as pd
    from nbformat import NotebookNode

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
PLOTLY = "application/vnd.plotly.v1+json"
# places of a machine, and what only stands in the tracebacks and warnings of an installed package
MACHINE = re.compile(r"/home/|/root/|/tmp/|/work/|/Users/|\.cache|\.venv|site-packages|[A-Z]:\\\\")


def formats() -> Any:
    """`nbformat`, whose import takes seconds, which only the process that runs these tests has to spend."""
    import nbformat

    return nbformat


# each paper's notebook, its claims, its page
PAPERS = [
    ("01_indirect.ipynb", "indirect", "indirect.md"),
    ("02_language_guidance.ipynb", "language guidance", "language-guidance.md"),
    ("03_oodml.ipynb", "oodml", "oodml.md"),
    ("04_continuous_labels.ipynb", "log-ratio", "log-ratio.md"),
]
# what a heading names of a paper: "Table S1", "Section 4.5", "Figures 1 and 2 of the appendix"
LABEL = re.compile(r"(?:(?:Table|Figure|Section)s (?:S?\d+, )*S?\d+ and S?\d+|(?:Table|Figure|Section) S?\d+(?:\.\d+)?)(?: of the appendix)?")


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"loaded_{path.stem}", path)
    assert spec
    assert spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def execution() -> ModuleType:
    return module(FOLDER / "execute.py")


def code_cells(notebook: "NotebookNode") -> list["NotebookNode"]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def outputs(notebook: "NotebookNode") -> list["NotebookNode"]:
    return [output for cell in code_cells(notebook) for output in cell.outputs]


def small(path: Path, *sources: str) -> Path:
    cells = [formats().v4.new_code_cell(source) for source in sources]
    cells[0].metadata["tags"] = ["parameters"]
    formats().write(formats().v4.new_notebook(cells=cells), path)
    return path


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def shipped(request: pytest.FixtureRequest) -> "NotebookNode":
    return formats().read(request.param, as_version=4)


def test_every_cell_ran_in_order_and_shows_something_and_nothing_tells_of_errors_or_of_the_machine(shipped: "NotebookNode") -> None:
    cells = code_cells(shipped)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert [cell.source for cell in cells if not cell.outputs and "parameters" not in cell.metadata.get("tags", [])] == []
    texts = [cell.source for cell in shipped.cells if cell.cell_type == "markdown"]
    assert [text for text in texts if len(text) < 20 or re.search("@@|TODO|RESULT:", text)] == []
    kinds = {output.output_type if output.output_type != "stream" else output.name for output in outputs(shipped)}
    assert kinds <= {"execute_result", "display_data", "stdout"}  # neither errors nor warnings
    shown = [json.dumps({mime: text for mime, text in output.get("data", {}).items() if mime != "image/png"}) for output in outputs(shipped)]
    assert [match.group() for text in shown for match in [MACHINE.search(text)] if match] == []
    assert set(shipped.metadata) == {"kernelspec", "language_info"}
    assert shipped.metadata.kernelspec.name == "python3"
    assert not any("execution" in cell.metadata for cell in shipped.cells)


@pytest.mark.parametrize("path", [path for path in NOTEBOOKS if path.stem != "00_quickstart"], ids=lambda path: path.stem)
def test_outputs_of_analyses_are_those_of_the_full_setting_and_small_with_a_picture_of_each_figure(path: Path) -> None:
    assert max(each.stat().st_size for each in NOTEBOOKS) < 1_500_000
    analysis = formats().read(path, as_version=4)
    [parameters] = [cell.source for cell in code_cells(analysis) if "parameters" in cell.metadata.get("tags", [])]
    for line in ('DATASET = "cars"', 'ENCODER = "cars"', 'SETTING = "full"'):
        assert line in parameters
    figures = [output.data for output in outputs(analysis) if PLOTLY in output.get("data", {})]
    assert len(figures) >= 3
    assert all("image/png" in data for data in figures)


@pytest.mark.long
def test_the_quickstart_has_ten_short_cells_and_runs_from_top_to_bottom(tmp_path: Path) -> None:
    path = FOLDER / "00_quickstart.ipynb"
    cells = code_cells(formats().read(path, as_version=4))[1:]
    assert len(cells) == 10
    assert max(len([line for line in cell.source.splitlines() if line.strip()]) for cell in cells) <= 5
    executed = execution().execute(path, tmp_path)
    assert [output for output in outputs(executed) if output.output_type == "error"] == []
    widgets = [output.data for output in outputs(executed) if "application/vnd.jupyter.widget-view+json" in output.get("data", {})]
    assert len(widgets) == 2
    assert all("image/png" in data for data in widgets)


def test_parameters_are_replaced_for_the_run_only(tmp_path: Path) -> None:
    path = small(tmp_path / "a.ipynb", 'SETTING = "full"  # or "quick"\nOTHER = 1', "SETTING, OTHER")
    before = path.read_bytes()
    notebook = execution().execute(path, tmp_path, SETTING="quick")
    assert notebook.cells[1].outputs[0].data["text/plain"] == "('quick', 1)"
    assert notebook.cells[0].source.startswith('SETTING = "full"')
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match="The notebook has no parameter 'SPEED'"):
        execution().execute(path, tmp_path, SPEED="high")


def test_a_failing_cell_fails_the_run(tmp_path: Path) -> None:
    from nbclient.exceptions import CellExecutionError

    path = small(tmp_path / "a.ipynb", "SETTING = 1", "1 / 0")
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        execution().execute(path, tmp_path)


def run_with_probe(name: str, folder: Path, probe: str, **parameters: str) -> Any:
    """Runs a copy of the notebook with one more cell at its end, whose last line is a JSON text; returns what that says."""
    notebook = formats().read(FOLDER / name, as_version=4)
    notebook.cells.append(formats().v4.new_code_cell(probe))
    copy = folder / name
    formats().write(notebook, copy)
    executed = execution().execute(copy, folder, **parameters)
    kinds = {output.output_type for output in outputs(executed)}
    assert "error" not in kinds
    return json.loads(executed.cells[-1].outputs[-1].text)


def page_table(name: str) -> "pd.DataFrame":
    """A table of experiments/results/indirect.md by the name of its markers, without bold."""
    import pandas as pd

    text = (FOLDER.parent / "experiments/results/indirect.md").read_text()
    head, _, *lines = re.findall(rf"<!-- {re.escape(name)} -->\n(.+?)\n<!-- end", text, re.DOTALL)[0].splitlines()
    rows = [[cell.strip().strip("*") for cell in line.strip("|").split("|")] for line in [head, *lines]]
    return pd.DataFrame(rows[1:], columns=rows[0])


def shown_tables(notebook: "NotebookNode") -> list["pd.DataFrame"]:
    """Every table that a notebook shows, as texts, its index as columns; heads of two rows are joined."""
    import pandas as pd

    found = []
    for output in outputs(notebook):
        if html := output.get("data", {}).get("text/html"):
            width = pd.read_html(io.StringIO(html))[0].shape[1]
            table = pd.read_html(io.StringIO(html), converters=dict.fromkeys(range(width), str))[0]
            heads = [[str(part) for part in (head if isinstance(head, tuple) else (head,)) if not str(part).startswith("Unnamed")] for head in table]
            table.columns = [parts[-1] if parts else "" for parts in heads]
            found.append(table)
    return found


def test_figures_of_the_first_notebook_are_those_of_the_pages() -> None:
    notebook = formats().read(FOLDER / "01_indirect.ipynb", as_version=4)
    page, compared = page_table("cars").set_index(["notion", "metric"]), 0
    tables = shown_tables(notebook)
    for table in tables:
        if list(table.columns[:2]) == ["notion", "metric"]:
            for _, line in table[table.iloc[:, 2] == "here"].iterrows():
                for method in page.columns:
                    assert line.get(method, "–") == page.loc[(line["notion"], line["metric"]), method], (line["notion"], line["metric"], method)
                    compared += 1
    assert compared == 3 * 7 * len(page.columns)
    page = page_table("suggested").set_index("notion")
    [suggested] = [table for table in tables if len(table.columns) > 8 and table.columns[0] == "notion" and "metric" not in table]
    for _, line in suggested[suggested["notion"].isin(page.index)].iterrows():
        for method in page.columns.drop("dimensions"):
            assert line[method].split(" ± ")[0] == page.loc[line["notion"], method].split(" ± ")[0], (line["notion"], method)
    page = page_table("saliency").set_index("dimensions")
    [saliency] = [table for table in tables if "images" in table]
    for _, line in saliency.iterrows():
        assert line["notion looks more: on car"].split(" ± ")[0] == page.loc[line["dim"], line["notion"]].split(" ± ")[0]
    sizes = page_table("sizes").set_index(["notion", "method"])
    curves = [output.data[PLOTLY]["data"] for output in outputs(notebook) if PLOTLY in output.get("data", {})]
    exact = [trace for trace in curves[0] if trace.get("name") == "InDiReCT (exact)" and trace.get("y")]
    drawn = sorted(round(float(value), 3) for trace in exact for value in trace["y"])
    said = [cell.split(" ± ")[0] for cell in sizes.xs("InDiReCT (exact)", level="method").to_numpy().ravel() if cell != "–"]
    assert drawn == sorted(float(cell) for cell in said)


INDIRECT_PROBE = """
import json
def means(table):
    done = table[table["refused"] == ""].groupby(["notion", "method"])["map_at_r"].mean()
    return {notion: part.droplevel(0).to_dict() for notion, part in done.groupby("notion")}
on_car = {"area": shares["area"].mean(), **shares.groupby("notion")["more"].mean()}
print(json.dumps({"at_128": means(runs), "suggested": means(runs_suggested), "many": means(runs_many), "shares": on_car}))
"""


@pytest.mark.long
def test_indirect_quick_run_supports_the_text(tmp_path: Path) -> None:
    found = run_with_probe("01_indirect.ipynb", tmp_path, INDIRECT_PROBE, SETTING="quick")
    at_128, suggested, many, shares = (found[name] for name in ("at_128", "suggested", "many", "shares"))
    assert set(at_128) == {"car model", "car color", "background color"}
    for notion, of in at_128.items():
        assert of["exact"] > of["lae"] > 1.5 * of["raw"] > 3 * of["random"], notion
        assert 1 - suggested[notion]["exact"] < 0.5 * (1 - of["exact"]), notion
        assert suggested[notion]["pca"] > 2 * of["raw"], notion
    names = many["car model names"]
    for minimum, faded in (("exact", "faded"), ("pca", "pca-faded")):
        assert names[minimum] < 1.2 * names["raw"]
        assert names[faded] > 2 * names["raw"]
    assert names["exact"] == pytest.approx(names["pca"], abs=0.02)
    assert shares["car color"] > shares["area"] > shares["background color"]


@pytest.mark.long
def test_indirect_runs_on_another_dataset(tmp_path: Path) -> None:
    source = f"cars196:{write_cars196(tmp_path / 'cars', classes=[number % 6 + 1 for number in range(120)])}"  # three test classes of 20
    probe = (
        "import json; print(json.dumps([images.name, sorted(set(runs['notion'])), sorted(set(paper['dataset'])), many.name, 'shares' in globals()]))"
    )
    name, notions, datasets, many, checked = run_with_probe("01_indirect.ipynb", tmp_path, probe, SETTING="quick", DATASET=source)
    assert (name, datasets, many, checked) == ("Cars196", ["Cars196"], "Cars196 car model", False)
    assert notions == ["Cars196 car model", "Cars196 car type", "Cars196 manufacturer"]


GUIDANCE_PROBE = """
import json
from experiments.claims import claims
from likeness.studies import paired_differences
def gain(name, row, against, figure):
    return float(paired_differences(read_results(name), against, [figure]).set_index("row").loc[row, figure])
CONTROLS = ("", ", names shuffled", ", flat target")
cars = {row: gain("shipped-cars", f"Multisimilarity +ELG{row}", "Multisimilarity", "map_at_1000") for row in CONTROLS}
s2sd = [gain("shipped-cars", f"Multisimilarity + S2SD +ELG{row}", "Multisimilarity + S2SD", "map_at_1000") for row in ("", ", flat target")]
birds = {row: gain("birds-frozen", row, "+ELG, gamma 0, omega 50", "recall_at_1")
         for row in ("Raw MobileNetV2", "flat target, gamma 0, omega 50", "names shuffled, gamma 0, omega 50")}
print(json.dumps([list(cars.values()), s2sd, list(birds.values()), len(found), len(claims("language guidance"))]))
"""


@pytest.mark.long
def test_guidance_quick_run_supports_the_text(tmp_path: Path) -> None:
    (right, shuffled, flat), (names, flat_names), (raw, flat_target, wrong), spaces, noted = run_with_probe(
        "02_language_guidance.ipynb", tmp_path, GUIDANCE_PROBE, SETTING="quick"
    )
    assert right > 0 > max(shuffled, flat)
    assert min(names, flat_names) > 5 * abs(names - flat_names)
    assert raw > flat_target > 0 > wrong
    assert spaces == 5
    assert noted >= 7


@pytest.mark.parametrize(("name", "paper", "page"), PAPERS)
def test_claims_stand_in_the_notebook_word_for_word_as_on_the_page_of_the_paper(name: str, paper: str, page: str) -> None:
    from experiments.claims import claims_sections, claims_text

    shown = outputs(formats().read(FOLDER / name, as_version=4))[-1].data["text/markdown"]
    assert shown == claims_text(paper)  # type: ignore[arg-type]
    sections = claims_sections(paper)  # type: ignore[arg-type]
    text = (FOLDER.parent / "docs/papers" / page).read_text()
    for place, section in sections.items():
        assert f"# {place}\n" in text
        assert section in text


@pytest.mark.parametrize(("name", "paper", "page"), PAPERS)
def test_notebook_and_page_have_the_tables_figures_and_sections_of_the_paper_in_one_order(name: str, paper: str, page: str) -> None:
    from experiments.claims import claims_sections

    headings = re.findall(r"^## (.+)$", (FOLDER.parent / "docs/papers" / page).read_text(), re.MULTILINE)
    places = list(claims_sections(paper))  # type: ignore[arg-type]
    assert [heading for heading in headings if heading in places] == places
    labels = [label for heading in headings for label in LABEL.findall(heading)]
    assert len(labels) >= 5
    texts = [cell.source for cell in formats().read(FOLDER / name, as_version=4).cells if cell.cell_type == "markdown"]
    shown = [label for heading in re.findall(r"^##+ (.+)$", "\n".join(texts), re.MULTILINE) for label in LABEL.findall(heading)]
    assert [label for label in shown if label in labels] == labels


@pytest.mark.parametrize(("name", "tables"), [("02_language_guidance.ipynb", 10), ("03_oodml.ipynb", 14), ("04_continuous_labels.ipynb", 8)])
def test_tables_of_runs_that_ship_are_those_that_they_give(name: str, tables: int) -> None:
    """Cells with the tag "shipped" run again, but for their figures, with the notebook's parameters and what its setup imports and defines."""
    import pandas as pd

    notebook = formats().read(FOLDER / name, as_version=4)
    parameters, setup = (cell.source for cell in code_cells(notebook)[:2])
    kept = [node for node in ast.parse(setup).body if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef)]
    names: dict[str, Any] = {"FULL": True}
    exec(compile(ast.Module([*ast.parse(parameters).body, *kept], []), "setup", "exec"), names)
    options = re.search(r"pd\.set_option\((.+)\)", setup)
    assert options
    compared = 0
    with pd.option_context(*ast.literal_eval(f"[{options[1]}]")):
        for cell in (cell for cell in code_cells(notebook) if "shipped" in cell.metadata.get("tags", [])):
            *steps, last = ast.parse(cell.source).body
            exec(compile(ast.Module(steps, []), "cell", "exec"), names)
            if not isinstance(last, ast.Expr):
                exec(compile(ast.Module([last], []), "cell", "exec"), names)
            elif "text/html" in cell.outputs[0].data:
                shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
                assert cell.outputs[0].data["text/html"] == shown._repr_html_(), cell.source
                compared += 1
    assert compared >= tables


CONTINUOUS_PROBE = """
import json
def at_10(table):
    return [sorted(table["row"]), (table["mean_label_distance_at_10"] - table["oracle_mean_label_distance_at_10"]).min()]
off = (found["autograd"] - found["Eq. 6 to 8"]).abs().max()
pulls = [float(each) for each in (off, found["autograd"].abs().max(), found["triplet"].abs().max())]
distances = {name: at_10(table) for name, table in {"pose": by_pose, "room": by_room, "view": by_view, "caption": by_caption}.items()}
groups = quantized[["first", "last", "within", "missed"]].values.tolist()
print(json.dumps([pulls, sums.T.values.tolist(), groups, distances, sorted(set(by_size["dim"])), list(scored)]))
"""


@pytest.mark.long
def test_continuous_quick_run_supports_the_text(tmp_path: Path) -> None:
    from likeness.studies import read_study

    (off, pulled, triplet), sums, quantized, distances, sizes, sentences = run_with_probe(
        "04_continuous_labels.ipynb", tmp_path, CONTINUOUS_PROBE, SETTING="quick"
    )
    assert off < 1e-4 < 1 < pulled
    assert triplet == 0
    for column in sums:
        assert column == pytest.approx([column[0]] * 3)
    (first, last, within, _), (_, _, usual, _), (rare_first, rare_last, rare_within, _) = quantized
    assert first < rare_first
    assert last < rare_last
    assert rare_within < usual < within
    studies = {"pose": "synthetic-poses", "room": "synthetic-rooms", "view": "shipped-cars-viewpoint", "caption": "captioned-cars"}
    assert list(distances) == list(studies)
    for name, (rows, above) in distances.items():
        assert rows == sorted(read_study(studies[name]).rows)
        assert above > 0
    assert (sizes, len(sentences)) == ([16, 128], 3)


BEYOND_PROBE = """
import json
from experiments.analyses.trust import flags_table
print(json.dumps({
    "chosen": winners["chosen"].value_counts(normalize=True).to_dict(), "lost": sorted(lost.index), "why": bool(lost.index.isin(list(WHY)).all()),
    "share": shares, "algebra": algebra.T.to_dict(), "answers": {name: int(wanted[hits.rows].sum()) for name, hits in answers.items()},
    "fusions": means.to_dict(), "ratios": ratios.to_dict(), "view": list(view.notion.aspects),
    "sentence": [scored(sentence.notion), scored(color)],
    "said": {f"{each['encoder']} {each['notion']}": each["verdict"].startswith("The encoder reads") for each in said},
    "gains": verdicts.groupby("verdict")["gain"].agg(["min", "max"]).T.to_dict(),
    "flagged": sorted(set(verdicts[verdicts["verdict"] == "flagged"]["notion"])), "unnamed": unnamed.iloc[:, 2:].T.to_dict(),
    "left": unnamed_directions(space, [each.notion for each in library if each.trust.reads], count=1)[0].share,
    "changed": {row: own["map"].mean() for row, own in read_results("changed-images").query("space != 'raw encoder'").groupby("row")},
}))
"""


@pytest.mark.long
def test_beyond_quick_run_supports_the_text(tmp_path: Path) -> None:
    found = run_with_probe("05_beyond.ipynb", tmp_path, BEYOND_PROBE, SETTING="quick")
    assert sorted(found["chosen"]) == ["Aspect probabilities", "Contrastive PCA (BASIC), 128", "Null space alone (OD-CRL)"]
    assert found["chosen"]["Aspect probabilities"] > 0.5
    assert found["lost"] == ["CUB200 family names", "CUB200 species names", "Flickr number of people", "Flickr setting"]
    assert found["why"]
    assert set(found["lost"]) - set(found["flagged"]) == {"Flickr setting"}  # read, but by another method than the one that is chosen
    assert found["share"]["viewpoint"]["Aspect probabilities"] > 2 * found["share"]["viewpoint"]["Raw encoder"]
    assert found["share"]["sun side"]["Aspect probabilities"] < 0.4

    algebra = found["algebra"]
    joined = algebra["car color + car model"]["color and model"]
    assert joined > 5 * max(algebra[one]["color and model"] for one in ("raw encoder", "car color", "car model"))
    assert algebra["car color + car model"]["color"] < algebra["car color"]["color"]
    assert algebra["raw encoder - background color"]["background"] < 0.5 * algebra["raw encoder"]["background"]
    assert algebra["car model - background color"] == pytest.approx(algebra["car model"], abs=0.02)

    changed = found["answers"]["Color + model, changed_place"]
    assert changed == max(found["answers"].values()) > found["answers"]["Raw encoder, the image alone"]
    assert found["changed"]["image + text - own / 2"] > found["changed"]["product"] > found["changed"]["image + text"]
    fusions = found["fusions"]
    for case in fusions["all hold"]:
        assert fusions["all hold"][case] > fusions["wrong words"][case], case
    for where in ("cars-small", "photos"):
        assert fusions["texts alone"][f"{where}: two words added"] > fusions["all hold"][f"{where}: two words added"]

    short = [case for case, ratio in found["ratios"]["sentence"].items() if ratio < 0.9]
    assert short == ["cars: sun side", "cars: viewpoint", "cars-small: viewpoint"]
    assert {"above", "below"} <= set(found["view"])
    assert found["sentence"][0] == pytest.approx(found["sentence"][1], abs=0.02)

    assert found["said"] == {"cars car color": True, "cars sun side": True, "cars-small car color": True, "cars-small sun side": False}
    assert found["gains"]["reads it"]["min"] > found["gains"]["flagged"]["max"]

    missed = [case for case, own in found["unnamed"].items() if own["first unnamed direction"] < 0.5]
    assert missed == ["cars, without background color", "cars-small, without sun height", "cars-small, without sun side"]
    assert found["left"] < 0.05
