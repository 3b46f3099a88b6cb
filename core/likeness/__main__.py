"""`python -m likeness`: the command line."""

from likeness.commands.cli import main

main()
