"""What a run is shown: which images, their pixels, batches and labels."""
