"""The dtype of bfloat16 arrays: ml_dtypes' where that is installed, else a stand-in with its name and size."""
try:
    import ml_dtypes
    import numpy
    dtype = numpy.dtype(ml_dtypes.bfloat16)
except ImportError:
    class bfloat16:
        """The element type bfloat16; NumPy has none, so there are no scalars of it."""

        def __new__(cls, *args):
            raise TypeError("bfloat16 scalars need the package ml_dtypes")

    class _Dtype:
        name, kind, char, str, itemsize, alignment, type = "bfloat16", "f", "E", "<V2", 2, 2, bfloat16
        byteorder, isnative, fields, names, subdtype, shape = "=", True, None, None, None, ()
        standin = True

        def __repr__(self):
            return "dtype(bfloat16)"

        def __str__(self):
            return "bfloat16"

        def __eq__(self, other):
            return other is self or other is bfloat16 or other == "bfloat16"

        def __hash__(self):
            return hash("bfloat16")

        def __reduce__(self):
            return "dtype"

    dtype = _Dtype()
