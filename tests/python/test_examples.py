"""The examples of docstrings run as they stand. Which functions have one is asked here, and that their parameters are
described."""
import doctest
import inspect

import pytest

import cuprite as cp
from test_docstrings import DOCUMENTED, document, parameters

pytestmark = pytest.mark.once

EXAMPLES = {name: x for name, x in DOCUMENTED.items() if "\nExample:\n" in document(x)}
# what programs for NumPy and CuPy use most, by the examples and programs at hand
USED = """arange array ones zeros asarray allclose sqrt median asnumpy array_equal std exp linspace get_array_module
    mean sin where sum sort cos average square min empty unique dot convolve max maximum take full add clip
    eye matmul ascontiguousarray meshgrid log argsort cumsum quantile roll percentile argmax hanning bincount
    asfortranarray log1p concatenate vstack digitize insert sign fmod empty_like multiply ones_like outer
    einsum linalg.inv linalg.svd linalg.qr linalg.slogdet linalg.solve linalg.det linalg.eigh linalg.cholesky
    linalg.lstsq linalg.norm fft.fft fft.rfft fft.irfft fft.fftn fft.fftfreq random.default_rng random.rand
    random.uniform random.randn random.randint split pad histogram scipy.signal.convolve2d scipy.ndimage.label
    reshape transpose stack nonzero minimum absolute""".split()


def found(name):
    x = cp
    for part in name.split("."):
        x = getattr(x, part)
    return x


def test_enough_have_one():
    assert len(EXAMPLES) >= 200
    assert [n for n in USED if "\nExample:\n" not in document(found(n))] == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    text = inspect.cleandoc(document(EXAMPLES[name]))
    test = doctest.DocTestParser().get_doctest(text, {"cp": cp}, name, None, 0)
    assert test.examples, text
    said = []
    failed, tried = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert tried and not failed, "".join(said)


def test_parameters_are_described():
    """Each has its parameters, one by one or in a line."""
    poor = [n for n, x in EXAMPLES.items() if parameters(x) and "Parameters:" not in document(x)]
    assert not poor, poor
