from likeness.slices.find_slices import Slices as Slices, failing_slices as failing_slices, find_slices as find_slices, slice_columns as slice_columns
