"""Variables of MATLAB files."""

from pathlib import Path
from typing import Any

import numpy as np

from likeness.data.readers.official_layout import OfficialLayout
from likeness.errors import InputError
from likeness.io import MatError, mat_variable


def read_variable(layout: OfficialLayout, file: Path, variable: str) -> Any:
    """A variable of a .mat file (versions up to 7.2), a 1-D array.

    Raises:
        InputError: if the file cannot be read as such, or lacks the variable.
    """
    try:
        content = mat_variable(file, variable)
    except MatError as error:
        raise InputError(f"'{file.name}' of {layout.name} cannot be read as a MATLAB file ({error}); take it anew from {layout.page}.") from error
    if content is None:
        raise InputError(f"'{file.name}' of {layout.name} has no variable '{variable}'; take the file anew from {layout.page}.")
    return np.atleast_1d(content)


def field(layout: OfficialLayout, file: Path, records: Any, name: str) -> list[Any]:
    """One field of an array of MATLAB structs, an entry per struct.

    Raises:
        InputError: if the structs have no such field.
    """
    if name not in (records.dtype.names or ()):
        raise InputError(f"The annotations in '{file.name}' of {layout.name} have no field '{name}'; take the file anew from {layout.page}.")
    return list(np.atleast_1d(records[name]))
