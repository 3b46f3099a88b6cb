"""Names of files and folders that visitors give: of runs, benchmarks and splits."""

from collections.abc import Callable

LONGEST = 200  # bytes; file systems take some more
_YEAR = 4  # digits of a number that says something else


def name_problem(name: str) -> str:
    """What is wrong with a name, in a sentence; empty where nothing is."""
    if name.strip() and not any(sign in name for sign in "/\\\0:") and not name.startswith(".") and len(name.encode()) <= LONGEST:
        return ""
    return f"Enter a name of at most {LONGEST} characters, without slashes or colons and not starting with a dot."


def free_name(name: str, is_taken: Callable[[str], bool]) -> str:
    """This name where it is free, or else the next one with a number: "run-2"."""
    stem, _, number = name.rpartition("-")
    base, last = (stem, int(number)) if stem and number.isdigit() and len(number) < _YEAR else (name, 1)
    return next(each for each in (name, *(f"{base}-{more}" for more in range(last + 1, last + 10_000))) if not is_taken(each))
