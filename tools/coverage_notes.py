"""What docs/coverage.md says of CuPy's names beside that they are there: why some are not, how some are different.

make_coverage.py reads the tables. Invariant: each missing name has one row of ABSENT, and each row of DIFFERENT begins
one line of a page, whose words the coverage repeats.
"""

# namespace (with `*`: and what is below it), names as patterns, why they are not there and what serves meanwhile
ABSENT = []

# namespace, names as patterns, page, and how the line on it begins
DIFFERENT = [
    ("cupy", "take put choose ndarray.take ndarray.put ndarray.choose", "from-cupy.md", "An index beyond its axis"),
    ("cupy", "put place putmask ndarray.put", "from-cupy.md", "Of several values for one element"),
    ("cupy", "power", "from-cupy.md", "An integer array to the power"),
    ("cupy", "percentile", "from-cupy.md", "`cp.percentile` of an empty array"),
    ("cupy.linalg", "cholesky eigh eigvalsh inv lstsq pinv solve svd tensorinv tensorsolve", "from-cupy.md",
     "Linear algebra's errors"),
    ("cupyx.scipy.ndimage", "affine_transform map_coordinates rotate shift zoom", "from-cupy.md",
     "`scipy.ndimage`'s transformations take"),
    ("cupyx", "seterr geterr errstate", "from-cupy.md", "Linear algebra's errors"),
    ("cupy", "is_available", "from-cupy.md", "`cupy.is_available()` and"),
    ("cupy.cuda", "is_available", "from-cupy.md", "`cupy.is_available()` and"),
    ("cupy.random", "default_rng RandomState RandomState.*", "from-cupy.md", "`default_rng` draws"),
    ("cupy.random", "get_random_state", "from-cupy.md", "`get_random_state` is one"),
    ("cupy", "RawKernel RawModule", "from-cupy.md", '`RawKernel` takes `backend="nvcc"`'),
    ("cupy", "ElementwiseKernel", "from-cupy.md", "`ElementwiseKernel`s of exact operations"),
    ("cupyx.jit.thrust", "*", "from-cupy.md", "`jit.thrust` and `jit.cub` are our own"),
    ("cupyx.jit.cub", "*", "from-cupy.md", "`jit.thrust` and `jit.cub` are our own"),
    ("cupy.cuda.texture", "*", "from-cupy.md", "There are no textures"),
    ("cupy", "nanargmin nanargmax digitize", "from-numpy.md", "**`nanargmin` and `nanargmax`** where all"),
    ("cupy", "sort argsort partition argpartition ndarray.sort ndarray.argsort ndarray.partition ndarray.argpartition",
     "from-numpy.md", "**Sorting.**"),
    ("cupy", "cumsum nancumsum ndarray.cumsum", "from-numpy.md", "**Cumulative sums**"),
    ("cupy", "quantile percentile", "from-numpy.md", "**Quantiles of integers**"),
    ("cupy", "maximum minimum fmax fmin clip ndarray.clip", "from-numpy.md", "**Zeros of both signs**"),
    ("cupy", "max min ptp nanmax nanmin mean median", "from-numpy.md", "**`out=` of another type.**"),
    ("cupy.lib.stride_tricks", "as_strided", "from-numpy.md", "**`as_strided`** refuses"),
    ("cupy", "ndarray.view", "from-numpy.md", "**Misaligned views**"),
    ("cupy.fft", "ifft ifft2 ifftn irfft irfft2 irfftn", "from-numpy.md", "**Fourier transforms**"),
    ("cupyx.scipy.fft", "dct dctn dst dstn idct idctn idst idstn", "from-numpy.md", "`dct` and its like apply"),
    ("cupy", "roll tri tril triu", "from-numpy.md", "**Integers.**"),
    ("cupy", "load", "from-numpy.md", "**Files.**"),
]
