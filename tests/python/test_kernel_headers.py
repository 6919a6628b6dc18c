"""Headers of CUDA's and CCCL's that user kernels include: each one alone, and all of them in one source."""
import re

import pytest

import cuprite as cp

CUDA = """cuComplex.h cuda_fp16.h cuda_bf16.h cuda_awbarrier.h cuda_pipeline.h cuda_pipeline_primitives.h
curand_kernel.h math_constants.h cooperative_groups.h cooperative_groups/reduce.h cooperative_groups/scan.h
cooperative_groups/memcpy_async.h cuda/atomic cuda/barrier cuda/pipeline cuda/latch cuda/semaphore cuda/functional
cuda/cmath
cuda/annotated_ptr cuda/discard_memory""".split()
STD = ["cuda/std/" + name for name in """algorithm array atomic barrier bit bitset cassert ccomplex cfloat chrono
climits cmath complex concepts cstddef cstdint cstdlib cstring ctime expected functional initializer_list
inplace_vector iterator latch limits mdspan memory numbers numeric optional ratio semaphore span tuple type_traits
utility variant version""".split()]
CUB = """cub/cub.cuh cub/block/block_adjacent_difference.cuh cub/block/block_discontinuity.cuh
cub/block/block_exchange.cuh cub/block/block_histogram.cuh cub/block/block_load.cuh cub/block/block_merge_sort.cuh
cub/block/block_radix_sort.cuh cub/block/block_reduce.cuh cub/block/block_scan.cuh cub/block/block_shuffle.cuh
cub/block/block_store.cuh cub/block/block_run_length_decode.cuh cub/warp/warp_exchange.cuh cub/warp/warp_load.cuh
cub/warp/warp_merge_sort.cuh cub/warp/warp_reduce.cuh cub/warp/warp_scan.cuh cub/warp/warp_store.cuh
cub/thread/thread_load.cuh cub/thread/thread_operators.cuh cub/thread/thread_reduce.cuh cub/thread/thread_search.cuh
cub/thread/thread_store.cuh cub/iterator/arg_index_input_iterator.cuh cub/iterator/cache_modified_input_iterator.cuh
cub/util_type.cuh cub/util_ptx.cuh""".split()
THRUST = ["thrust/" + name for name in """adjacent_difference.h binary_search.h complex.h copy.h count.h equal.h
execution_policy.h extrema.h fill.h find.h for_each.h functional.h gather.h generate.h inner_product.h logical.h merge.h
mismatch.h pair.h partition.h reduce.h remove.h replace.h reverse.h scan.h scatter.h sequence.h set_operations.h sort.h
random.h swap.h tabulate.h transform.h transform_reduce.h transform_scan.h tuple.h unique.h iterator/constant_iterator.h
iterator/counting_iterator.h iterator/discard_iterator.h iterator/iterator_traits.h iterator/permutation_iterator.h
iterator/reverse_iterator.h iterator/transform_iterator.h iterator/transform_output_iterator.h
iterator/zip_iterator.h""".split()]
OURS = """cupy/complex.cuh cupy/carray.cuh cupy/float16.cuh cupy/atomics.cuh cupy/math_constants.h stdint.h
cstdint""".split()
# What they declare kernels have without them. Sources that have been nvcc's include them.
TOOLKIT = """cuda_runtime.h cuda.h device_launch_parameters.h vector_types.h vector_functions.h math_functions.h
device_functions.h device_types.h device_double_functions.h driver_types.h host_defines.h common_functions.h
channel_descriptor.h texture_types.h sm_20_intrinsics.h sm_30_intrinsics.h sm_32_intrinsics.h sm_35_intrinsics.h
sm_60_atomic_functions.h sm_61_intrinsics.h crt/device_functions.h crt/math_functions.h crt/host_defines.h time.h
ctime""".split()
ALL = CUDA + STD + CUB + THRUST + OURS
HOSTS = ["cub/cub.cuh"]
NEWER = ["cuda/std/algorithm"]  # not in CCCL 3.0, which CUDA 13.0 has


def works(text):
    y = cp.full(4, 7, "i4")
    cp.RawKernel(text + 'extern "C" __global__ void k(int *y) { y[threadIdx.x] = threadIdx.x; }', "k",
                 options=("--std=c++17",))((1,), (4,), (y,))
    assert y.get().tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("header", ALL)
def test_header_alone(header, device):
    if device != "cpu" and header in HOSTS:
        pytest.skip("with NVRTC its functions of the host do not compile")
    try:
        works(f"#include <{header}>\n")
    except cp.cuda.compiler.CompileException as e:  # NVRTC has no C++ library; much of CCCL's thrust needs it
        assert device.startswith("cuda") and (header.startswith("thrust/") or header in NEWER)
        assert re.search('namespace "std"|there is no header|__host__ function', str(e))


@pytest.mark.once
def test_headers_of_the_toolkit_are_there_anyway():
    """Whatever toolkit is installed: its own ones speak of textures, which are refused, and of nvcc."""
    works("".join(f"#include <{h}>\n" for h in TOOLKIT))


@pytest.mark.parametrize("step", [1, -1])
def test_all_headers_in_one_source(step, device):
    without = () if device == "cpu" else (*HOSTS, *THRUST, *NEWER)
    works("".join(f"#include <{h}>\n" for h in ALL[::step] if h not in without))


def test_a_header_that_is_not_there_is_named():
    with pytest.raises(Exception, match="cub/device/no_such_header.cuh"):
        works("#include <cub/device/no_such_header.cuh>\n")


def test_kernels_beside_collectives_stay_loops(device):
    """Only kernels that may reach a collective are fibers on the CPU."""
    if device != "cpu":
        pytest.skip("tiers are the CPU's")
    m = cp.RawModule(code="""#include <cub/cub.cuh>
        #include <cuda/std/tuple>
        #include <thrust/sort.h>
        typedef cub::BlockReduce<int, 32> Reduce;
        extern "C" __global__ void sums(int *y)
        {
            __shared__ Reduce::TempStorage temp;
            int sum = Reduce(temp).Sum(1);
            if (threadIdx.x == 0) *y = sum;
        }
        extern "C" __global__ void plain(int *y) { y[threadIdx.x] = cuda::std::get<0>(cuda::std::make_tuple(3, 4.0)); }
        extern "C" __global__ void shared(int *y)
        {
            __shared__ int s[32];
            s[threadIdx.x] = y[threadIdx.x];
            __syncthreads();
            y[threadIdx.x] = s[31 - threadIdx.x];
        }""", options=("--std=c++17",))
    tiers = {name: m.get_function(name).kernel.tier for name in ("sums", "plain", "shared")}
    assert tiers == {"sums": "fibers", "plain": "loop", "shared": "regions"}


@pytest.mark.once
@pytest.mark.parametrize("check", ["test_kernel_headers_cub.py", "test_kernel_headers_cuda.py"])
def test_collectives_give_no_false_alarm(check, tmp_path):
    """Under CUPRITE_CHECK=1 some of the collectives' own tests pass too."""
    import os
    import pathlib
    import subprocess
    import sys
    few = "of_items or storage or merge_sort or run_length or waits or a_lock or leave or roles"
    test = pathlib.Path(__file__).parent / check
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-k", few, str(test)]
    r = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "CUPRITE_CHECK": "1"})
    assert r.returncode == 0, r.stdout[-3000:]


def test_headers_of_the_cpp_library_beside_ours(device):
    """NVRTC has none of these; sources that bring them for the host's compiler work on the CPU."""
    if device != "cpu":
        pytest.skip("NVRTC lacks them")
    names = ("vector map algorithm functional numeric span type_traits tuple array limits utility cmath cstdint cstdio "
             "cstring")
    heads = "".join(f"#include <{h}>\n" for h in names.split())
    y = cp.zeros(2, "i4")
    cp.RawKernel(heads + """#include <cub/cub.cuh>
        #include <thrust/sort.h>
        extern "C" int atoi(const char *) noexcept __asm__("atoi");
        extern "C" __global__ void k(int *y)
        {
            int v[4] = {3, 1, 2, 0};
            std::sort(v, v + 4);
            y[0] = v[0] * 1000 + v[1] * 100 + v[2] * 10 + v[3];
            y[1] = std::accumulate(v, v + 4, 0, std::plus<int>()) + std::get<0>(std::make_tuple(5, 6.0));
        }""", "k")((1,), (1,), (y,))
    assert y.get().tolist() == [123, 11]


@pytest.mark.parametrize("name", ["string", "iostream", "complex"])
def test_headers_of_the_host_are_refused(name):
    with pytest.raises(Exception, match=name):
        works(f"#include <{name}>\n")
