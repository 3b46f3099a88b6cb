"""Program started by `likeness.io.mat_process`: reads one MATLAB file per line of JSON, until its input ends."""

import json
import pickle
import sys
from typing import Any

RECORDS = "shape of records"


def main() -> None:
    """Answers each line of standard input with a line on standard output."""
    for line in sys.stdin:
        try:
            answer = _answer(json.loads(line))
        except Exception as error:  # SciPy's parser raises anything on foreign content
            answer = {"error": " ".join(str(error).split())[:100] or type(error).__name__}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    """The shapes of all variables; or writes the requested variable to the file `out`, as an array if its values are plain."""
    import numpy as np
    from scipy.io import loadmat, whosmat

    if request["variable"] is None:
        return {"shapes": {str(name): [int(side) for side in shape] for name, shape, _ in whosmat(request["file"])}}
    content = loadmat(request["file"], variable_names=[request["variable"]], squeeze_me=request["squeeze"])
    if request["variable"] not in content:
        return {"missing": True}
    value = content[request["variable"]]
    plain = isinstance(value, np.ndarray) and not value.dtype.hasobject
    with open(request["out"], "wb") as file:
        if plain:
            np.save(file, value, allow_pickle=False)
        else:
            pickle.dump(_without_records(value), file, protocol=4)
    return {"plain": plain}


def _without_records(value: Any) -> Any:
    """Arrays of MATLAB structs as `{RECORDS: shape, field: values ...}`, because the reader of the answer only rebuilds plain values."""
    import numpy as np

    if isinstance(value, np.void):
        value = np.array(value)
    if isinstance(value, np.ndarray) and value.dtype.names:
        columns = {name: [_without_records(each) for each in value[name].ravel()] for name in value.dtype.names}
        return {RECORDS: list(value.shape), "columns": columns}
    if isinstance(value, np.ndarray) and value.dtype == object:
        found = np.empty(value.size, dtype=object)
        for place, each in enumerate(value.ravel()):
            found[place] = _without_records(each)
        return found.reshape(value.shape)
    return value


if __name__ == "__main__":
    main()
