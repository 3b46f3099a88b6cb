"""A report of forty small pictures whose places are known: four classes in the corners of one map, turned by half in the other."""

from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

from likeness.data import ImageTable
from likeness.reports import Report, ReportOptions
from likeness.reports.figures import FigureTable
from likeness.reports.report import SpaceView

CLASSES = np.arange(40) % 4
CORNERS = np.array([[-1, 1], [1, 1], [-1, -1], [1, -1]], dtype=float)
# rows 0 to 3 lie exactly in the corners, the others a little inside
POSITIONS = CORNERS[CLASSES] * (1 - 0.2 * np.random.default_rng(0).random((40, 2)) * (np.arange(40) > 3)[:, None])


def small_table(folder: Path, **columns: object) -> ImageTable:
    """Forty pictures of one color each, with the columns `kind` and `weight` and those that are passed."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"{row:02}.png" for row in range(40)]
    for row, name in enumerate(names):
        Image.new("RGB", (48, 32), (6 * row, 255 - 6 * row, 100)).save(folder / name)
    frame = pd.DataFrame({"path": names, "kind": np.array(list("abcd"))[CLASSES], "weight": np.arange(40) / 3} | columns)
    return ImageTable("forty", folder, frame)


def small_report(folder: Path, table: ImageTable | None = None, title: str = "corners", options: ReportOptions | None = None) -> Report:
    """The report; an image's neighbors in the first space are the eight rows after it, in the second those before it."""
    after = (np.arange(40)[:, None] + np.arange(1, 9)) % 40
    before = (np.arange(40)[:, None] - np.arange(1, 9)) % 40
    similarities = np.tile(np.linspace(0.9, 0.2, 8, dtype=np.float32), (40, 1))
    views = [
        SpaceView("Raw encoder", "PCA", POSITIONS.astype(np.float32), after, similarities),
        SpaceView(title, "PCA", -POSITIONS.astype(np.float32), before, similarities),
    ]
    figures = FigureTable("Judged by kind", ["", "MAP@R"], [["Raw encoder", "0.100"], [title, "0.900"]], "", [1])
    shown = table or small_table(folder)
    facts = [("Images", f"40 of {shown.name}")]
    return Report("Notion", title, "Alike.", facts, [figures], views, shown, 40, ["kind"], options or ReportOptions())
