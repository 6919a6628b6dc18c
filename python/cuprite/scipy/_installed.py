"""SciPy's modules, for what it computes on the host."""
import importlib


def scipy_module(name, why):
    """scipy.NAME.

    Parameters: name: the module below scipy; why: what needs it, which an error begins with.
    Errors: ImportError in a line where SciPy is not installed; of one that cannot be imported its own, which may say
        that there is no memory."""
    try:
        return importlib.import_module("scipy." + name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "scipy":
            raise
        raise ImportError(f"{why}, which is not installed (pip install scipy)") from error
