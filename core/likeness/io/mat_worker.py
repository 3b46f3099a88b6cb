"""Program started by `likeness.io.mat_process`: reads one MATLAB file per line of JSON, until its input ends."""

import json
import sys
from typing import Any


def main() -> None:
    """Answers each line of standard input with a line on standard output."""
    for line in sys.stdin:
        try:
            answer = json.dumps(_answer(json.loads(line)))
        except Exception as error:  # SciPy's parser raises anything on foreign content
            answer = json.dumps({"error": " ".join(str(error).split())[:100] or type(error).__name__})
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    """The shapes of all variables; or the requested variable, None if there is none, which is written to the file `out` if it is an array of plain
    values.
    """
    import numpy as np
    from scipy.io import loadmat, whosmat

    if request["variable"] is None:
        return {"shapes": {str(name): [int(side) for side in shape] for name, shape, _ in whosmat(request["file"])}}
    content = loadmat(request["file"], variable_names=[request["variable"]], squeeze_me=request["squeeze"])
    value = content.get(request["variable"])
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        np.save(request["out"], value, allow_pickle=False)
        return {}
    return {"content": _plain(value)}


def _plain(value: Any) -> Any:
    """Arrays of cells as lists, and of structs as a dict of a list per field."""
    import numpy as np

    if isinstance(value, np.ndarray) and value.dtype.names:
        return {name: [_plain(each) for each in np.ravel(value[name])] for name in value.dtype.names}
    if isinstance(value, np.ndarray) and value.dtype == object:
        return [_plain(each) for each in np.atleast_1d(value)]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


if __name__ == "__main__":
    main()
