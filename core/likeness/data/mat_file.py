"""Variables of MATLAB files."""

from pathlib import Path
from typing import Any

import numpy as np

from likeness.data.official_layout import OfficialLayout
from likeness.errors import InputError


def read_variable(layout: OfficialLayout, file: Path, variable: str) -> Any:
    """A variable of a .mat file (versions up to 7.2), a 1-D array.

    Raises:
        InputError: if the file cannot be read as such, or lacks the variable.
    """
    from scipy.io import loadmat

    try:
        content = loadmat(file, variable_names=[variable], squeeze_me=True)
    except Exception as error:  # SciPy's parser raises anything on foreign content
        reason = " ".join(str(error).split())[:100]
        raise InputError(f"'{file.name}' of {layout.name} cannot be read as a MATLAB file ({reason}); take it anew from {layout.page}.") from error
    if variable not in content:
        raise InputError(f"'{file.name}' of {layout.name} has no variable '{variable}'; take the file anew from {layout.page}.")
    return np.atleast_1d(content[variable])


def field(layout: OfficialLayout, file: Path, records: Any, name: str) -> list[Any]:
    """One field of an array of MATLAB structs, an entry per struct.

    Raises:
        InputError: if the structs have no such field.
    """
    if name not in (records.dtype.names or ()):
        raise InputError(f"The annotations in '{file.name}' of {layout.name} have no field '{name}'; take the file anew from {layout.page}.")
    return list(np.atleast_1d(records[name]))
