"""The rooms, from the rows of src/rooms.def: include/cuprite/rooms.h, which cuprite.h includes, and CPI_ROOMS,
in src/backend/rooms.h.

Invariant: every folder of src is a room (or a layer of them: module_folders.py) and every room a folder; the rows are in the
order of layers; every public header is a room's, but those that others
include or that tests alone need (APART).
"""
import pathlib

import module_folders
from table import read

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCE = "src/rooms.def"
APART = {"calls", "testing"}
MADE = {"distributions"}  # by a generator of their own


class Room:
    """A row, read: `headers` are the names of public headers, made or written."""

    def __init__(self, row):
        row.need(["name"], ["layer", "doc"], ["slots", "headers", "opening", "uses"])
        self.row, self.name, self.doc, self.layer = row, row.args[0], row.doc, row.layer
        if self.layer not in module_folders.LAYERS:
            raise row.error(f"{self.layer} is no layer; there are {', '.join(module_folders.LAYERS)}")
        self.slots, self.opening, self.uses = row.get("slots", False), row.get("opening"), row.get("uses", "").split()
        written = (ROOT / f"include/cuprite/{self.name}.h").exists()
        self.headers = row.get("headers", self.name if written or self.opening else "").split()

    @property
    def made_header(self):
        return bool(self.opening)


def rooms():
    """All rooms in their order; what contradicts the folders is an error."""
    found = [Room(row) for row in read((ROOT / SOURCE).read_text(), SOURCE)]
    claimed = {h: room for room in found for h in room.headers}
    for room in found:
        if not module_folders.folder(room.name, ROOT).is_dir():
            raise room.row.error(f"there is no folder src/{room.name}")
        if room.slots and not module_folders.file(f"{room.name}/{room.name}.h", ROOT).exists():
            raise room.row.error(f"{room.name} has slots: src/{room.name}/{room.name}.h, which says them, is not there")
        for name in room.headers:
            if room.made_header and (ROOT / f"include/cuprite/{name}.h").exists():
                raise room.row.error(f"include/cuprite/{name}.h stands where one is made of the rows; `opening` says "
                                     "so")
            if not room.made_header and name not in MADE and not (ROOT / f"include/cuprite/{name}.h").exists():
                raise room.row.error(f"there is no header include/cuprite/{name}.h")
    ranks = [module_folders.LAYERS.index(room.layer) for room in found]
    for room, rank, before in zip(found[1:], ranks[1:], ranks):
        if rank < before:
            raise room.row.error(f"{room.name} is of the layer {room.layer} and stands after one of a later layer")
    for folder in module_folders.unlisted(ROOT):
        raise found[-1].row.error(f"the folder {folder.relative_to(ROOT)} is no room: it needs a row here")
    for path in sorted((ROOT / "include/cuprite").glob("*.h")):
        if path.stem not in claimed and path.stem not in APART:
            raise found[-1].row.error(f"include/cuprite/{path.name} is no room's: name it in the `headers` of one")
    return found


def write(tables, out):
    found = rooms()
    includes = "".join(f'#include "cuprite/{name}.h"\n' for room in found for name in room.headers)
    out.write("include/cuprite/rooms.h", SOURCE, "/* The public headers of all rooms. */\n"
              f"#ifndef CUPRITE_ROOMS_H\n#define CUPRITE_ROOMS_H\n\n{includes}\n#endif\n")
    listed = " \\\n    ".join(f"ROOM({room.name})" for room in found if room.slots)
    out.write("src/backend/rooms.h", SOURCE,
              "/* The rooms whose slots a backend fills: for each of them struct cpi_ROOM_ops, of"
              " which a backend NAME has one, called\n * cpi_ROOM_NAME. */\n"
              "#ifndef CPI_BACKEND_ROOMS_H\n#define CPI_BACKEND_ROOMS_H\n\n"
              f"#define CPI_ROOMS(ROOM) \\\n    {listed}\n\n#endif\n")
