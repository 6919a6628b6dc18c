"""NamedTuple, as typing has it, for results: typing takes longer to import than most first calls take.

Invariant: fields are the annotations of a class body, which `from __future__ import annotations` keeps as text."""
import collections


class _Making(type):
    """Makes a class whose base is NamedTuple a named tuple, which is no instance of this."""

    def __new__(cls, name, bases, body):
        if not bases:
            return super().__new__(cls, name, bases, body)
        fields = body.pop("__annotations__", {})
        made = collections.namedtuple(name, fields, defaults=[body.pop(f) for f in fields if f in body],
                                      module=body.pop("__module__"))
        made.__annotations__ = fields
        for key, value in body.items():
            setattr(made, key, value)
        return made


class NamedTuple(metaclass=_Making):
    """The base of named tuples: `class Result(NamedTuple)`, with a line `name: type` for each field."""
