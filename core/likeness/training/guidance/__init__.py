"""Language guidance: what language says of the classes of a run, and the losses that follow it."""
