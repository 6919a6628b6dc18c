"""The kernels of tests/kernels: how tests compile and launch them, and the tier that is to serve each on the CPU.

A test asks for `kernel("file", "name")`, or with several instances of a template for one of `names`. On the CPU the
tier that a kernel is run in must be the one recorded here: one that falls back from loops to fibers fails its test."""
import functools
import os
import pathlib
import re

import numpy as np

import cuprite as cp

FOLDER = pathlib.Path(__file__).parent.parent / "kernels"

# By file: kernels in regions, and those in fibers; all others are loops.
REGIONS = {
    "stencils": "stencil_1d_shared laplace_step_shared heat_3d_marching",
    "transposes": "transpose_tiled transpose_padded transpose_in_place",
    "reductions": "reduce_interleaved reduce_strided reduce_sequential reduce_first_add reduce_last_block arg_max "
                  "dot reduce_unrolled_syncwarp reduce_template reduce_shuffle reduce_warp_atomic",
    "scans": "scan_hillis_steele scan_inclusive_in_place scan_blelloch scan_segmented scan_shuffle",
    "histograms": "histogram_shared histogram_private_coarse histogram_per_warp histogram_match",
    "matrices": "matmul_tiled matmul_guarded matmul_dynamic_shared matmul_register_tiled matvec_shared solve_lower "
                "matvec_warp",
    "sorts": "bitonic_shared odd_even_sort radix_count radix_scatter compact_scan radix_sort_block compact_ballot",
    "simulations": "nbody_shared pi_lcg shared_bitmap",
    "images": "convolution_tiled convolution_rows dither_diffusion",
    "graphs": "bfs_step_queued floyd_warshall edit_distance spmv_csr_vector caesar label_components",
    "learning": "softmax layer_norm kmeans_update fft_shared softmax_online",
    "cooperative": "tile_sums",
    "applications": "xtea pathfinder needleman_wunsch count_change totients morphology equalize dct_8x8 haar_1d "
                    "nearest attention",
    "objects": "softmax_by_lambdas moments_by_lambda compact_by_votes scan_by_class product_by_tiles sort_by_objects",
    "networks": "gemm_dp4a gemv_half2 gemv_4 cross_entropy welford_rows flash_attention",
    "searches": "bitonic_warp radix_select run_heads smith_waterman spmv_segments spmv_dia",
    "fields": "fdtd_3d srad_coefficients tridiagonal_pcr verlet walsh_shared fft_stockham nms_masks mersenne "
              "binomial_options",
    "language": "dynamic_arrays early_return data_dependent_trips odd_loops macros votes "
                "shuffles warp_reduce",
}
FIBERS = {
    "reductions": "reduce_unrolled_volatile largest_volatile",
    "scans": "scan_warp_volatile",
    "sorts": "compact_aggregated",
    "cooperative": "grid_reduce jacobi filter_coalesced",
    "networks": "quantise_4 quantise_rows rms_norm batch_moments top_k",
    "searches": "look_back unite roots",
    "idioms": "labelled_sums split_by_sign wide_tiles pipeline_of_warps",
    "language": "locked",
}


def tier(file, name):
    """The tier that is to run the kernel on the CPU."""
    plain = re.split("[<:]+", name.partition("<")[0])[-1]
    return ("regions" if plain in REGIONS.get(file, "").split() else
            "fibers" if plain in FIBERS.get(file, "").split() else "loop")


@functools.lru_cache(maxsize=None)
def module(file, names, options, cooperative):
    return cp.RawModule(code=(FOLDER / f"{file}.cu").read_text(), name_expressions=names or None,
                        options=("--std=c++17", *options), enable_cooperative_groups=cooperative)


def kernel(file, name, names=(), options=(), cooperative=False):
    """The kernel; on the CPU it is in its tier, but where accesses are checked: then all are fibers."""
    k = module(file, tuple(names), tuple(options), cooperative).get_function(name)
    wanted = tier(file, name) if os.environ.get("CUPRITE_CHECK", "0") == "0" else "fibers"
    assert k.kernel.tier in ("gpu", wanted), f"{file}.cu: {name} is run as {k.kernel.tier}"
    return k


def blocks(n, size):
    """How many blocks of that size cover n."""
    return max(1, -(-n // size))


def grid(block, *shape):
    """A grid of such blocks over a shape, its last axis first."""
    return tuple(blocks(n, b) for n, b in zip(reversed(shape), block))


def variable(file, name, shape, dtype):
    """A variable of the module that `kernel` takes its kernels from, as an array."""
    return cp.ndarray(shape, dtype, memptr=module(file, (), (), False).get_global(name))


def close(got, wanted, relative=1e-5, absolute=0.0):
    np.testing.assert_allclose(got.get() if hasattr(got, "get") else got, wanted, relative, absolute)


def same(got, wanted):
    np.testing.assert_array_equal(got.get() if hasattr(got, "get") else got, wanted)


def written():
    """All kernels of the folder: pairs of a file and a name. A macro that makes them has the end of the name as its
    first argument."""
    for path in sorted(FOLDER.glob("*.cu")):
        text = re.sub(r"//.*", "", path.read_text())
        for name, made in re.findall(r"__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s+)?(\w+)(##)?", text):
            if not made:
                yield path.stem, name
                continue
            macro = re.search(rf"#define (\w+)\((?:[^\n]*\\\n)*[^\n]*{name}##", text)[1]
            for end in re.findall(rf"(?m)^{macro}\((\w+)", text):
                yield path.stem, name + end
