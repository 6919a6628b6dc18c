"""scipy.ndimage's geometric transformations, coefficients of splines, distance transforms."""
import numpy as np

from common import Case


def libraries(b):
    """(array library, its scipy.ndimage) of the peer."""
    if b.gpu and not b.cupy:
        return None, None
    if b.gpu:
        from cupyx.scipy import ndimage
        return b.cupy, ndimage
    from scipy import ndimage
    return np, ndimage


def cases(b):
    cp = b.cp
    from cuprite.scipy import ndimage as ours
    xp, theirs = libraries(b)
    rng = np.random.default_rng(1)
    n = 2048
    image = rng.normal(0, 1, (n, n)).astype("float32")
    mask, sparse = rng.random((n, n)) < 0.6, np.ones((n, n), bool)
    sparse[rng.integers(0, n, 40), rng.integers(0, n, 40)] = False
    places = rng.uniform(0, n // 2 - 1, (2, n // 2, n // 2))
    matrix = np.array([[0.97, 0.1], [-0.08, 1.02]])

    # floors: the input and the result once, and for order > 1 the coefficients, float64, written and read for each
    # axis; operations of a point's taps
    def case(name, function, x, *args, bytes_=0, operations=0, **options):
        here = cp.asarray(x)
        mine = [cp.asarray(a) if a is places else a for a in args]
        others = {}
        if xp is not None:
            there = xp.asarray(x)
            given = [xp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
            others = b.array_peer(lambda: getattr(theirs, function)(there, *given, **options))
        return Case(name, lambda: getattr(ours, function)(here, *mine, **options), others, bytes=bytes_,
                    operations=operations, bar=3 if b.gpu else 5, against="cupy" if b.gpu else "numpy")

    points = n * n
    filtered = 4 * points + 4 * 8 * points
    yield case("rotate, order 3, float32 2048x2048", "rotate", image, 17, bytes_=filtered + 12 * points,
               operations=2 * 16 * points)
    yield case("zoom by 1.5, order 3", "zoom", image, 1.5, bytes_=filtered + 17 * points, operations=2 * 18 * points)
    yield case("shift, order 1", "shift", image, (3.3, -2.7), order=1, bytes_=8 * points, operations=2 * 4 * points)
    yield case("shift, order 3", "shift", image, (3.3, -2.7), bytes_=filtered + 12 * points, operations=2 * 8 * points)
    yield case("affine, order 1", "affine_transform", image, matrix, order=1, bytes_=8 * points,
               operations=2 * 4 * points)
    yield case("spline_filter, order 3", "spline_filter", image, bytes_=filtered, operations=8 * points)
    yield case("map_coordinates, order 3, 1024x1024", "map_coordinates", image[:n // 2, :n // 2], places,
               bytes_=(filtered + 32 * points) // 4, operations=2 * 16 * points // 4)
    yield case("distance_transform_edt, 60 % ones", "distance_transform_edt", mask, bytes_=(1 + 3 * 8) * points)
    yield case("distance_transform_edt, 40 zeros", "distance_transform_edt", sparse, bytes_=(1 + 3 * 8) * points)
    yield case("distance_transform_edt with indices", "distance_transform_edt", mask, return_indices=True,
               bytes_=(1 + 3 * 8 + 12) * points)
