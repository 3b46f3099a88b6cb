"""Rendered datasets: Synthetic Cars, Poses and Rooms."""
