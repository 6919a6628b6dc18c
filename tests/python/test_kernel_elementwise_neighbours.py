"""ElementwiseKernel where a thread takes neighbours at once (on GPUs): rests, rows, what is not aligned, outputs that
are read or only sometimes written, in place. The oracle is NumPy; every case runs on every device."""
import numpy as np
import pytest

import cuprite as cp
from cuprite._compiler import loop_source

TYPES = ["bool", "int8", "int16", "float16", "int32", "float32", "int64", "float64", "complex64", "complex128"]


def values(shape, dtype, seed=0):
    r = np.random.default_rng(seed)
    x = r.integers(0, 2 if dtype == "bool" else 9, shape).astype(dtype)
    return (x + 1j * r.integers(0, 9, shape)).astype(dtype) if dtype.startswith("complex") else x


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 9, 127, 128, 129, 511, 512, 513, 1023, 4096, 4099])
@pytest.mark.parametrize("dtype", TYPES)
def test_rests(n, dtype):
    k = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "rests")
    x, y = values(n, dtype), values(n, dtype, 1)
    after = cp.asarray(values(n + 8, dtype, 2))
    kept = after.get()
    k(cp.asarray(x), cp.asarray(y), after[:n])
    kept[:n] = x + y
    np.testing.assert_array_equal(after.get(), kept)


@pytest.mark.parametrize("start", [*range(9), 15, 16, 17])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64"])
def test_starts(start, dtype):
    k = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y", "starts")
    x, y = values(300, dtype), values(300, dtype, 1)
    z = k(cp.asarray(x)[start:start + 256], cp.asarray(y)[:256])
    np.testing.assert_array_equal(z.get(), x[start:start + 256] * y[:256])
    out = cp.zeros(300, dtype)
    k(cp.asarray(x)[:256], cp.asarray(y)[:256], out[start:start + 256])
    expected = np.zeros(300, dtype)
    expected[start:start + 256] = x[:256] * y[:256]
    np.testing.assert_array_equal(out.get(), expected)


SHAPES = [((6, 8), (8,)), ((6, 1), (1, 8)), ((5, 7), (7,)), ((3, 1, 16), (1, 4, 16)), ((3, 4, 1), (4, 12)),
          ((1,), (3, 40)), ((2, 3, 4, 8), (3, 1, 8)), ((9, 6), (9, 1))]


@pytest.mark.parametrize("text", ["z = x + 1; w = x", "z = x + 1; z += x; w = 0", "w = x; z = x * 2; w += x"])
def test_what_is_written_is_read(text):
    """An input is a reference, as in C++: where its memory is an output's, it has what was written."""
    x = values((40, 16), "float32")
    k = cp.ElementwiseKernel("float32 x", "float32 z, float32 w", text, "written")
    a, b = cp.asarray(x), cp.empty((40, 16), "f4")
    for _ in range(2):
        k(a, a, b)
    for _ in range(2):
        x, w = {"z = x + 1; w = x": (x + 1, x + 1), "z = x + 1; z += x; w = 0": (2 * (x + 1), 0 * x),
                "w = x; z = x * 2; w += x": (2 * x, 3 * x)}[text]
    np.testing.assert_array_equal(a.get(), x)
    np.testing.assert_array_equal(b.get(), w)
    single = cp.ElementwiseKernel("float32 x", "float32 z", "z = x * 3;", "single")
    single(a, a)
    np.testing.assert_array_equal(a.get(), 3 * x)


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("types", [("float32", "float32"), ("int8", "float64"), ("float16", "complex64"),
                                   ("float64", "int16")])
def test_rows(shapes, types):
    out, text = ("complex128", "complex<double>") if types[1].startswith("complex") else ("float64", "double")
    k = cp.ElementwiseKernel("A x, B y", f"{out} z", f"z = {text}((double)x) * {text}(y)", "rows")
    x, y = values(shapes[0], types[0]), values(shapes[1], types[1], 1)
    expected = x.astype("f8") * y.astype(types[1] if types[1].startswith("complex") else "f8")
    z = k(cp.asarray(x), cp.asarray(y))
    np.testing.assert_array_equal(z.get(), expected)


@pytest.mark.parametrize("turn", [lambda x: x.T, lambda x: x[::-1], lambda x: x[:, ::-1], lambda x: x[1:, 4:12],
                                  lambda x: x[::2, :8], lambda x: x[:, 1:9], lambda x: x[:, ::2]])
def test_layouts_of_inputs_and_outputs(turn):
    k = cp.ElementwiseKernel("T x, T y", "T z, int32 at", "z = x - y; at = i", "layouts")
    host = values((16, 16), "float32")
    x, y = turn(host), np.ascontiguousarray(turn(host)) * 3
    for out in (np.zeros_like(host), np.zeros((16, 16), "f4", order="F")):
        z, at = turn(cp.asarray(out)), cp.zeros(x.shape, "i4")
        k(turn(cp.asarray(host)), cp.asarray(y), z, at)
        np.testing.assert_array_equal(z.get(), x - y)
        np.testing.assert_array_equal(at.get(), np.arange(x.size).reshape(x.shape))


@pytest.mark.parametrize("n", [5, 64, 1027])
def test_outputs_that_are_read(n):
    x, z = values(n, "float32"), values(n, "float32", 1)
    for operation, expected in [("z += x", z + x), ("if (x > 4) z = x", np.where(x > 4, x, z)),
                                ("z = z * x", z * x), ("if (x < 3) return; z = x", np.where(x < 3, z, x)),
                                ("if (x < 3) continue; z = x", np.where(x < 3, z, x)),
                                ("if (x < 3) break; z = x", np.where(x < 3, z, x)),
                                ("if (x < 3) { /* return */ break; } z = x // break", np.where(x < 3, z, x)),
                                ("if (x < 3) return; if (x > 5) break; z = x", np.where((x < 3) | (x > 5), z, x)),
                                ("for (int j = 0; j < 9; j++) { if (j == 2) break; z += x; }", z + x + x),
                                ("T *p = &z; *p = *p - x", z - x), ("z = x; z = z + z", x + x)]:
        k = cp.ElementwiseKernel("T x", "T z", operation, "reading")
        out = cp.asarray(z)
        k(cp.asarray(x), out)
        np.testing.assert_array_equal(out.get(), expected, err_msg=operation)


@pytest.mark.parametrize("n", [4, 6, 1025])
def test_in_place_and_addresses(n):
    k = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y + x", "squares")
    host = values(n, "float64")
    x = cp.asarray(host)
    k(x, x, x)
    np.testing.assert_array_equal(x.get(), host * host + host)
    k = cp.ElementwiseKernel("T x", "T z", "z = i + 1 < n ? (&x)[1] : x", "next")
    np.testing.assert_array_equal(k(cp.asarray(host)).get(), np.append(host[1:], host[-1]))


def test_raw_beside_neighbours_and_indexer():
    k = cp.ElementwiseKernel("T x, raw T t", "T z", "z = x + t[i % 3] * _ind.get()[1]", "table",
                             reduce_dims=False)
    x, t = values((6, 8), "float32"), values(3, "float32", 1)
    expected = x + (t[np.arange(48) % 3]).reshape(6, 8) * np.arange(8)
    np.testing.assert_array_equal(k(cp.asarray(x), cp.asarray(t)).get(), expected)


def test_nothing_but_raw():
    k = cp.ElementwiseKernel("raw T x, raw T z", "", "z[i] = x[n - 1 - i]", "turn")
    x, z = values(37, "float32"), cp.zeros(37, "f4")
    k(cp.asarray(x), z, size=37)
    np.testing.assert_array_equal(z.get(), x[::-1])


def test_the_index_is_signed():
    k = cp.ElementwiseKernel("T x", "T z", "z = i - 5 < 0 ? -x : x", "signs")
    x = values(64, "float32") + 1
    np.testing.assert_array_equal(k(cp.asarray(x)).get(), np.where(np.arange(64) < 5, -x, x))


def test_every_element_is_visited_once():
    k = cp.ElementwiseKernel("T x, raw int32 count", "T z", "atomicAdd(&count[i], 1); z = x", "visits")
    for n in (1, 4, 130, 2050):
        count = cp.zeros(n, "i4")
        k(cp.ones(n, "f4"), count)
        assert (count.get() == 1).all()


@pytest.mark.parametrize("operation, names", [
    ("z = x", {"z"}), ("{ z = x; w = z; }", {"z", "w"}), ("z += x", set()), ("if (x) z = x", set()),
    ("w = z; z = x", {"w"}), ("z = z + x", set()), ("const T v = x; z = v", {"z"}), ("f(z); z = x", set()),
    ("z = w = x", {"z"}), ("z == x; z = x", set()), ("z = x /* w */; // z\nw = 1", {"z", "w"}),
    ("x ? z = 1 : 2", set()), ("z = (w = 1)", {"z"}), ("for (;;) z = 1", set())])
def test_assigned(operation, names):
    assert loop_source.assigned(operation) == names
