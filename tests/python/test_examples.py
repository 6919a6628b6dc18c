"""The examples of docstrings run as they stand. Which functions have one is asked here, and that their parameters are
described."""
import doctest
import inspect

import pytest

import cuprite as cp
from test_docstrings import DOCUMENTED, document, parameters

pytestmark = pytest.mark.once

EXAMPLES = {name: x for name, x in DOCUMENTED.items() if "\nExample:\n" in document(x)}
# what programs for NumPy and CuPy use most
USED = """ElementwiseKernel RawKernel RawModule ReductionKernel absolute add all allclose any append
    apply_along_axis arange arccos arcsin arctan arctan2 argmax argmin argsort argwhere around array
    array_equal array_split asarray ascontiguousarray asfortranarray asnumpy atleast_1d atleast_2d atleast_3d
    average bincount bitwise_and bitwise_or bitwise_xor broadcast_arrays broadcast_to cbrt ceil clip
    column_stack compress concatenate convolve copy copysign copyto corrcoef correlate cos cosh count_nonzero
    cov cross cumprod cumsum deg2rad degrees delete diag diagonal diff digitize divide divmod dot dsplit
    dstack einsum empty empty_like equal exp exp2 expand_dims expm1 extract eye fabs fill_diagonal flatnonzero
    flip fliplr flipud floor floor_divide fmax fmin fmod full full_like fuse get_array_module gradient greater
    greater_equal hanning histogram histogram2d hsplit hstack hypot identity imag indices inner insert interp
    intersect1d invert isclose isfinite isin isinf isnan ix_ kron less less_equal lexsort linspace load
    loadtxt log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor logspace matmul max
    maximum mean median meshgrid min minimum mod moveaxis multiply nan_to_num nanargmax nanargmin nanmax
    nanmean nanmedian nanmin nanstd nansum nanvar negative nonzero not_equal ones ones_like outer packbits pad
    partition percentile piecewise polyfit polyval power prod ptp put quantile rad2deg radians ravel real
    reciprocal remainder repeat reshape resize rint roll rollaxis rot90 round save savetxt savez searchsorted
    select setdiff1d shape sign sin sinc sinh sort split sqrt square squeeze stack std subtract sum swapaxes
    take take_along_axis tan tanh tensordot tile trace transpose trapezoid tri tril tril_indices triu
    triu_indices trunc unique unravel_index unwrap vander var vdot vsplit vstack where zeros zeros_like
    cuda.Device cuda.Event cuda.Stream cuda.get_current_stream fft.fft fft.fft2 fft.fftfreq fft.fftn
    fft.fftshift fft.ifft fft.ifft2 fft.ifftn fft.irfft fft.rfft fft.rfft2 fft.rfftfreq linalg.cholesky
    linalg.det linalg.eig linalg.eigh linalg.eigvalsh linalg.inv linalg.lstsq linalg.matrix_power
    linalg.matrix_rank linalg.norm linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd random.choice
    random.default_rng random.normal random.permutation random.poisson random.rand random.randint random.randn
    random.random random.shuffle random.standard_normal random.uniform scipy.linalg.lu_factor
    scipy.linalg.solve_triangular scipy.ndimage.center_of_mass scipy.ndimage.label scipy.ndimage.sum_labels
    scipy.signal.convolve2d scipy.special.erf scipy.fft.dct cuda.alloc_pinned_memory ndarray.all ndarray.any
    ndarray.argmax ndarray.argmin ndarray.argpartition ndarray.argsort ndarray.astype ndarray.byteswap ndarray.choose
    ndarray.clip ndarray.compress ndarray.copy ndarray.cumprod ndarray.cumsum ndarray.diagonal ndarray.dot ndarray.fill
    ndarray.flatten ndarray.get ndarray.item ndarray.max ndarray.mean ndarray.min ndarray.nonzero ndarray.partition
    ndarray.prod ndarray.ptp ndarray.put ndarray.ravel ndarray.repeat ndarray.reshape ndarray.round
    ndarray.searchsorted ndarray.set ndarray.sort ndarray.squeeze ndarray.std ndarray.sum ndarray.swapaxes
    ndarray.take ndarray.tobytes ndarray.tolist ndarray.trace ndarray.transpose ndarray.var ndarray.view""".split()


# whose parameters are many, and stand in sentences
IN_SENTENCES = {"fuse", "ElementwiseKernel", "ReductionKernel"}
# which raise nothing of their own: what is no array is a TypeError everywhere
NOT_THEIRS = set("""atleast_1d atleast_2d atleast_3d dstack get_array_module histogram identity imag polyval real save
    shape tri tril_indices cuda.get_current_stream linalg.lstsq linalg.svd random.default_rng random.shuffle
    scipy.linalg.lu_factor ndarray.tolist""".split())


def found(name):
    x = cp
    for part in name.split("."):
        x = getattr(x, part)
    return x


def test_enough_have_one():
    assert len(EXAMPLES) >= 370 and len(USED) >= 330
    assert [n for n in USED if "\nExample:\n" not in document(found(n))] == []


@pytest.mark.parametrize("name", USED)
def test_the_most_used_are_described(name):
    """Parameters, and what is wrong with them, stand in the docstring."""
    text = document(found(name))
    assert "Parameters:" in text or name in IN_SENTENCES or not parameters(found(name)), name
    assert "Error" in text or name in NOT_THEIRS, name


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
    poor = [n for n, x in EXAMPLES.items() if parameters(x) and "Parameters:" not in document(x)
            and n.removeprefix("cuprite.") not in IN_SENTENCES]
    assert not poor, poor
