"""Names that visitors give to files and folders: of runs, benchmarks and splits."""

from collections.abc import Callable

LONGEST = 200  # bytes; file systems take some more
_YEAR = 4  # digits of a number that says something else


def name_problem(name: str) -> str:
    """Why a name is invalid; "" if it is valid."""
    if name.strip() and not any(sign in name for sign in "/\\\0:") and not name.startswith(".") and len(name.encode()) <= LONGEST:
        return ""
    return f"Enter a name of at most {LONGEST} characters, without slashes or colons and not starting with a dot."


def free_name(name: str, is_taken: Callable[[str], bool]) -> str:
    """This name if it is free, else the next one with a number: "run-2"."""
    stem, _, number = name.rpartition("-")
    base, last = (stem, int(number)) if stem and number.isdigit() and len(number) < _YEAR else (name, 1)
    return next(each for each in (name, *(f"{base}-{more}" for more in range(last + 1, last + 10_000))) if not is_taken(each))
