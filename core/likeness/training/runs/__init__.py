"""Runs on disk, in background processes, and as encoders."""
