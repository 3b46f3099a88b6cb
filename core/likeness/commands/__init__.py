"""The command line's larger commands, one a file, and what they share."""
