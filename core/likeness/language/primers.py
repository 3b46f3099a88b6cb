"""Primers: the sentence that a class name is put into before a language model reads it."""

from collections.abc import Sequence

from likeness.errors import InputError

DEFAULT_PRIMER = "A photo of a {}"

# The first is the paper's, "a photo of a {}" the one in the authors' code, "{}" Table 5's "Classname only". Which "other primers" Table 5
# averages over is not printed; the rest are ours.
PRIMERS = (
    DEFAULT_PRIMER,
    "a photo of a {}",
    "{}",
    "A photo of the {}",
    "A close-up photo of a {}",
    "A picture of a {}",
    "An image showing a {}",
    "This is a {}",
)


def prime(names: Sequence[str], primer: str = DEFAULT_PRIMER) -> list[str]:
    """The names put into the primer, in order: the sentences c_i of Sec. 3.2 of "Integrating Language Guidance" (Roth et al. 2022).

    Braces within a name stay as they are.

    Raises:
        InputError: if the primer does not hold exactly one "{}", or a name is no string.
    """
    check_primer(primer)
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise InputError(f"Expected a list of names, got {names!r}; give the names as a list of strings.")
    before, _, after = primer.partition("{}")
    return [f"{before}{name}{after}" for name in names]


def check_primer(primer: str) -> None:
    """Raises InputError unless the primer is a string with exactly one "{}"."""
    if not isinstance(primer, str) or primer.count("{}") != 1:
        raise InputError(f"The primer {primer!r} must hold exactly one '{{}}' where the class name goes, as in '{DEFAULT_PRIMER}'.")
