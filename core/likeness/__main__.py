"""`python -m likeness`: the command line."""

import os
import sys

if sys.path[0] in ("", os.getcwd()) and not sys.flags.safe_path:
    del sys.path[0]  # `python -m` looks for modules in the current folder, which is whose images they are

from likeness.commands.cli import main

main()
