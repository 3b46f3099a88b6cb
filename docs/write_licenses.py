"""Writes docs/licenses.md, from what the packages that `make app` installs say of themselves: `python docs/write_licenses.py`, on Linux."""

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

PAGE = Path(__file__).with_name("licenses.md")
_LOCK = PAGE.parents[1] / "constraints.txt"
# a license of these asks for no more than its text and the names of the authors
_PERMISSIVE = r"(Apache|(\d-Clause )?BSD|MIT|ISC|PSF|Python Software Foundation|0BSD|BSL-1|CC0-1|CNRI-Python|Zlib)\b.*"
# what asks for more, or says less than its files hold, by the beginning of its name: what that means for who passes Likeness on with it
NAMED = {
    "certifi": "MPL-2.0: its own files stay under the MPL; here unchanged",
    "cuda-toolkit": "holds no files; names the packages of NVIDIA",
    "nvidia-": "NVIDIA's own terms: to be passed on only as these allow; on Linux alone, and torch's build for the CPU does without them",
    "opencv-python-headless": "its files for Linux, macOS and Windows hold FFmpeg, LGPL-2.1",
    "pathspec": "MPL-2.0: its own files stay under the MPL; here unchanged",
    "pi-heif": "BSD-3-Clause, and its files hold libheif and libde265, LGPL-3.0",
    "pypdfium2": "its files hold PDFium, BSD-3-Clause and Apache-2.0, with libraries of permissive licenses",
    "rawpy": "its files hold LibRaw, LGPL-2.1 or CDDL-1.0",
    "tqdm": "MPL-2.0 and MIT: its own files stay under the MPL; here unchanged",
}


def locked() -> list[str]:
    """Names of all packages that `make app` installs, on whatever system."""
    return re.findall(r"^([\w.-]+)==", _LOCK.read_text(encoding="utf-8"), re.MULTILINE)


def license_of(name: str) -> str | None:
    """What an installed package says of its license, in one line; "not stated" where it says nothing, None where it is not installed."""
    try:
        known = metadata(name)
    except PackageNotFoundError:
        return None
    classifiers = [each.rpartition(" :: ")[2] for each in known.get_all("Classifier") or () if each.startswith("License ::")]
    listed = ", ".join(each for each in classifiers if each != "OSI Approved")
    return known.get("License-Expression") or listed or (known.get("License") or "not stated").partition("\n")[0]


def is_permissive(license: str) -> bool:
    """Whether all parts of a license are of a kind that asks for no more than to be named."""
    return all(re.fullmatch(_PERMISSIVE, part.strip("() ")) for part in re.split(r" AND | OR |,", license))


def note(name: str) -> str:
    """What NAMED says of a package; "" for the others."""
    return next((text for start, text in NAMED.items() if name.startswith(start)), "")


def page() -> str:
    """The page of the packages as they are installed."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "<!-- generated: `python docs/write_licenses.py` writes this page -->\n"
    yield "# Licenses\n"
    yield "Likeness is under [Apache-2.0](../LICENSE). This page lists the packages that `make app` installs on Linux, with the license that each"
    yield "states. None is under the GPL. Some wheels, such as those of numpy and scipy, contain GCC's libraries, which are: their exception lets you"
    yield "pass them on with programs of any license. `make sbom` writes the packages of all systems, with versions and hashes, as CycloneDX JSON.\n"
    yield "If you pass Likeness on together with its packages, look at these:\n"
    yield "| package | why |\n|---|---|"
    yield from (f"| {start}{'*' * start.endswith('-')} | {text} |" for start, text in NAMED.items())
    yield "\n| package | license |\n|---|---|"
    yield from (f"| {name} | {license} |" for name in locked() if (license := license_of(name)))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
