"""Synthetic Rooms: rendered furnished rooms, the layout of every one known (for labels that are distances)."""

from experiments.renders.rooms.contact_sheet import SURFACE_RGB as SURFACE_RGB, contact_sheet as contact_sheet
from experiments.renders.rooms.dataset import DATASET as DATASET, RENDER as RENDER, write_dataset as write_dataset
from experiments.renders.rooms.generate import Picture as Picture, draw as draw, render_rooms as render_rooms
from experiments.renders.rooms.room import SURFACES as SURFACES, Room as Room, room_layout as room_layout
from experiments.renders.rooms.scene import (
    ATTRIBUTES as ATTRIBUTES,
    LISTS as LISTS,
    NUMBERS as NUMBERS,
    WORDS as WORDS,
    Scene as Scene,
    sample_rooms as sample_rooms,
)
