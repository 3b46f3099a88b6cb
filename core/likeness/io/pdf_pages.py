"""Render pages of PDF files with PDFium, without running scripts.

Only in the process that decodes foreign images.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from likeness.io.confinement import check_readable
from likeness.io.unreadable import RefusedImageError

if TYPE_CHECKING:
    from PIL import Image
    from pypdfium2 import PdfDocument

_LONG_SIDE = 1_024  # pixels of a page's longer side; no encoder looks at more


def count_pages(path: Path) -> int:
    """Number of pages of a PDF file; raises any PDFium error for damaged or encrypted content."""
    with _document(path) as document:
        return len(document)


def pdf_page(path: Path, number: int) -> "Image.Image":
    """Page `number` (from 1) on white, RGB, with a longer side of 1,024 pixels. Raises RefusedImageError if there is no such page, and any PDFium
    error for damaged or encrypted content.
    """
    with _document(path) as document:
        if not 1 <= number <= len(document):
            raise RefusedImageError(path.name, f"has no page {number}; it has {len(document)}.")
        page = document[number - 1]
        try:
            image: Image.Image = page.render(scale=_LONG_SIDE / max(page.get_size())).to_pil()
            return image.convert("RGB")
        finally:
            page.close()


@contextmanager
def _document(path: Path) -> Iterator["PdfDocument"]:
    import pypdfium2

    with check_readable(path).open("rb") as file:
        document = pypdfium2.PdfDocument(file)
        try:
            yield document
        finally:
            document.close()
