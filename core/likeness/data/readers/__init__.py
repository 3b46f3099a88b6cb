"""Readers: one file for each kind of dataset."""
