"""Synthetic Rooms: rendered furnished rooms, the layout of every one known (for labels that are distances)."""

from experiments.renders.rooms.contact_sheet import SURFACE_RGB, contact_sheet
from experiments.renders.rooms.dataset import DATASET, RENDER, write_dataset
from experiments.renders.rooms.generate import Picture, draw, render_rooms
from experiments.renders.rooms.room import SURFACES, Room, room_layout
from experiments.renders.rooms.scene import ATTRIBUTES, LISTS, NUMBERS, WORDS, Scene, sample_rooms

__all__ = [
    "ATTRIBUTES",
    "DATASET",
    "LISTS",
    "NUMBERS",
    "RENDER",
    "SURFACES",
    "SURFACE_RGB",
    "WORDS",
    "Picture",
    "Room",
    "Scene",
    "contact_sheet",
    "draw",
    "render_rooms",
    "room_layout",
    "sample_rooms",
    "write_dataset",
]
