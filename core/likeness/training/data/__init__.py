"""Data of a run: images, pixels, batches and labels."""
