"""The array backend `cuprite` of Dask: with `dask.config.set({"array.backend": "cuprite"})` arrays that Dask makes have
chunks of Cuprite's."""
import dask.array
from dask import config
from dask.array.backends import ArrayBackendEntrypoint
from dask.utils import Dispatch

import cuprite

to_cuprite = Dispatch("to_cuprite")
to_cuprite.register(object, lambda x, **_: cuprite.asarray(x))


def _made(function, /, *args, **options):
    """Dask's own function, with a meta of ours. Among the options there may be `name`."""
    if options.get("meta") is None:
        options["meta"] = cuprite.empty(())
    with config.set({"array.backend": "numpy"}):
        return getattr(dask.array, function)(*args, **options)


class Backend(ArrayBackendEntrypoint):
    """What dask.array asks the backend `cuprite` for: creation, random numbers, conversion."""

    RandomState = property(lambda self: cuprite.random.RandomState, doc="The class of random states.")
    default_bit_generator = property(lambda self: cuprite.random.XORWOW, doc="The class of bit generators.")

    @classmethod
    def to_backend_dispatch(cls):
        """The table of functions that make Cuprite's arrays of others."""
        return to_cuprite

    @classmethod
    def to_backend(cls, data, **options):
        """Parameters: data: an array of Dask's, whose chunks become Cuprite's."""
        if isinstance(data._meta, cuprite.ndarray):
            return data
        return data.map_blocks(to_cuprite, meta=cuprite.asarray(data._meta), **options)

    @staticmethod
    def ones(*args, **options):
        return _made("ones", *args, **options)

    @staticmethod
    def zeros(*args, **options):
        return _made("zeros", *args, **options)

    @staticmethod
    def empty(*args, **options):
        return _made("empty", *args, **options)

    @staticmethod
    def full(*args, **options):
        return _made("full", *args, **options)

    @staticmethod
    def arange(*args, like=None, meta=None, **options):
        """Parameters: like: an array of the kind that is wanted, or None: Cuprite's; meta: taken as Dask's."""
        with config.set({"array.backend": "numpy"}):
            return dask.array.arange(*args, like=cuprite.empty(()) if like is None else like, **options)
