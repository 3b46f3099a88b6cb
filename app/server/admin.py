"""What `likeness admin` does; it calls this file with the words of its command line as JSON."""

import json
import os
import sys
from dataclasses import asdict
from getpass import getuser
from pathlib import Path

from likeness.commands import answered
from server.backup import back_up, restore

# what these do is written into the server's log
os.environ.setdefault("LIKENESS_SERVER", "{shared: true}")


def main(action: str, *words: str) -> None:
    """Does one of list, export, delete, backup and restore.

    Raises:
        InputError: no such visitor, or files that cannot be read or written.
    """
    from server import visitor_data

    if action == "list":
        _print([asdict(each) for each in visitor_data.all_visitors()])
    elif action == "export":
        visitor_data.export_visitor(words[0], Path(words[1]))
        print(f"All that is kept of '{words[0]}' is in {words[1]}.")
    elif action == "delete":
        visitor_data.remove_visitor(words[0], _who())
        print(f"All that was kept of '{words[0]}' is deleted.")
    elif action == "backup":
        print(f"{back_up(Path(words[0])):,} files are in {words[0]}.")
    else:
        print(f"{restore(Path(words[0])):,} files are restored.")


def _print(rows: list[dict[str, object]]) -> None:
    if not rows:
        print("No visitor keeps anything here.")
        return
    table = [list(rows[0]), *([str(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _who() -> str:
    try:
        return f"likeness admin ({getuser()})"
    except OSError:
        return "likeness admin"


if __name__ == "__main__":
    with answered():
        main(*json.loads(sys.argv[1]))
