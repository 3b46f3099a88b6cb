"""Runs the notebooks in full and writes their outputs into them: `make notebooks`, or `python notebooks/execute.py 01_indirect.ipynb`.

What is written depends on nothing but the code and its results: no times, no paths, no versions of this machine. Beside every interactive figure
stands a still picture of it, for places that show no plotly (GitHub, nbconvert).
"""

import base64
import io
import re
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

FOLDER = Path(__file__).resolve().parent
PLOTLY = "application/vnd.plotly.v1+json"
_WIDTH, _HEIGHT = 1000, 450
_COLORS = 128
_QUIET = ["--IPKernelApp.log_level=ERROR"]
_BROWSER = ["--no-sandbox", "--disable-gpu"]


def execute(path: Path, folder: Path = FOLDER, on_cell: Callable[[str], None] | None = None, **parameters: str) -> NotebookNode:
    """The notebook with the outputs of a run in a fresh kernel of this Python.

    Args:
        path: the .ipynb file, which stays as it is.
        folder: where the kernel runs.
        on_cell: called with the last line of each cell that has run.
        parameters: values for the variables of its cell tagged "parameters", such as SETTING="quick".

    Raises:
        CellExecutionError: a cell failed.
        ValueError: no such variable.
    """
    from jupyter_client import AsyncKernelManager
    from jupyter_client.kernelspec import KernelSpecManager

    notebook = nbformat.read(path, as_version=4)
    cell = next(cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", []))
    original, cell.source = cell.source, _with_parameters(cell.source, parameters)
    # no folders to look in: the kernel is this Python's, whatever kernels the account has
    kernel = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))
    client = NotebookClient(notebook, km=kernel, timeout=None, startup_timeout=180, extra_arguments=_QUIET)
    client.resources = {"metadata": {"path": str(folder)}}
    if on_cell:
        client.on_cell_executed = lambda cell, **_: on_cell(cell.source.rsplit("\n", 1)[-1])
    client.execute(cleanup_kc=True)
    cell.source = original
    return _without_traces(notebook)


def add_pictures(notebook: NotebookNode) -> int:
    """Adds a PNG to every plotly output, drawn in Chromium; returns how many.

    Raises:
        FileNotFoundError: Chromium is not installed.
    """
    from playwright.sync_api import sync_playwright
    from plotly.offline import get_plotlyjs

    figures = [output.data for cell in notebook.cells for output in cell.get("outputs", []) if PLOTLY in output.get("data", {})]
    with sync_playwright() as play:
        page = play.chromium.launch(executable_path=find_chromium(), args=_BROWSER).new_page()
        page.set_content("<html><body></body></html>")
        page.add_script_tag(content=get_plotlyjs())
        for data in figures:
            data["image/png"] = _picture(page, data[PLOTLY])
    return len(figures)


def find_chromium() -> str:
    """Where Chromium is.

    Raises:
        FileNotFoundError: it is not installed.
    """
    chromium = shutil.which("chromium")
    if chromium is None:
        raise FileNotFoundError("The figures' pictures are drawn in Chromium, which is not installed; install it (apt-get install chromium).")
    return chromium


def _with_parameters(source: str, parameters: dict[str, str]) -> str:
    for name, value in parameters.items():
        source, found = re.subn(rf"^{name} = .*?(?=\s*(#|$))", f"{name} = {value!r}", source, flags=re.MULTILINE)
        if not found:
            raise ValueError(f"The notebook has no parameter '{name}'.")
    return source


def _without_traces(notebook: NotebookNode) -> NotebookNode:
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            _slimmed(output.get("data", {}))
            output.pop("metadata", None) if output.output_type == "stream" else output.update(metadata={})
    return notebook


def _slimmed(data: dict[str, Any]) -> None:
    """PIL shows a picture as JPEG beside the PNG, and a PNG of many colors is large."""
    data.pop("image/jpeg", None)
    if "image/png" in data:
        data["image/png"] = _with_few_colors(data["image/png"])


def _picture(page: Any, figure: dict[str, Any]) -> str:
    """Base64 of the figure as a PNG, on white."""
    layout = {**figure["layout"], "paper_bgcolor": "white"}
    size = {"format": "png", "width": layout.get("width", _WIDTH), "height": layout.get("height", _HEIGHT), "scale": 1}
    url = page.evaluate("([figure, size]) => Plotly.toImage(figure, size)", [{"data": figure["data"], "layout": layout}, size])
    return _with_few_colors(url.partition(",")[2])


def _with_few_colors(png: str) -> str:
    from PIL import Image

    image = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB").quantize(_COLORS, dither=Image.Dither.NONE)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode()


def main(names: list[str]) -> None:
    """Executes the notebooks named, or all, and overwrites them."""
    find_chromium()  # before the minutes that a notebook takes
    for path in [FOLDER / name for name in names] or sorted(FOLDER.glob("*.ipynb")):
        start = time.perf_counter()
        notebook = execute(path, on_cell=lambda line, start=start: print(f"{time.perf_counter() - start:5.0f} s  {line}", flush=True))  # type: ignore[misc]
        seconds = time.perf_counter() - start
        pictures = add_pictures(notebook)
        nbformat.write(notebook, path)
        print(f"{path.name}: {seconds:.0f} s, {pictures} figures, {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
