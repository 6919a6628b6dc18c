"""What the parts of fuse hand to each other: arrays without their memory, and what calls become."""


class Described(tuple):
    """What a kernel must know of an array, without it: (type, shape, strides, device, address modulo 16)."""
    __slots__ = ()

    def __new__(cls, array):
        return super().__new__(cls, (array._type, array.shape, array.strides, array._device, array.data.ptr % 16))


class Entry:
    """What a call with such arguments becomes, for _core._Fusion, which reads it by these names.

    `kinds`: what the arguments must be, (type, device) of arrays, values, and classes of other objects. `operands`: of
    each operand the argument's index, or the operand itself in a tuple of one, which is the engine's alone. `kernel`, a
    _LoopKernel, or `engine`, a _Fused, does it; where operands have fewer bytes than `below`, the engine. `whole`: the
    engine is a function that does everything, and its errors are the call's. The rest is what the function saw besides
    its arguments: ((dict, name, value), ...), ((cell, value), ...), ((argument, name, value), ...) and
    ((argument, shape), ...)."""
    __slots__ = ("kinds", "operands", "kernel", "engine", "below", "whole", "names", "cells", "attributes", "shapes")

    def __init__(self, kinds, operands, kernel=None, engine=None, below=-1, whole=False, names=(), cells=(),
                 attributes=(), shapes=()):
        self.kinds, self.operands, self.kernel, self.engine, self.below = kinds, operands, kernel, engine, below
        self.whole, self.names, self.cells, self.attributes, self.shapes = whole, names, cells, attributes, shapes
