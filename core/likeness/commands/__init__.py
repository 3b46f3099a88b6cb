"""The command line's larger commands, one a file, and what they share."""

from likeness.commands.terminal import answered as answered
