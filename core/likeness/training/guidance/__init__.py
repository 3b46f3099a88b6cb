"""Language guidance: language similarities of a run's classes, and the losses that use them."""
