"""The commands of the command line, one per file, and their shared options."""

from likeness.commands.terminal import answered as answered
