"""cuda::atomic, barriers, pipelines, latches and semaphores, with cooperative groups, in user kernels against what is
counted by hand. Kernels are what NVRTC takes with CCCL's headers."""
import numpy as np
import pytest

import cuprite as cp


def run(text, *arguments, headers, block=(64,), grid=(1,), shared=0):
    head = "".join(f"#include <{h}>\n" for h in headers.split())
    f = cp.RawKernel(head + text, "k", options=("--std=c++17",))
    f(grid, block, arguments, shared_mem=shared)


@pytest.mark.parametrize("t, c", [("i4", "int"), ("u4", "unsigned"), ("u8", "unsigned long long"), ("f4", "float"),
                                  ("f8", "double")])
def test_atomic_ref_adds(t, c):
    y = cp.zeros(2, t)
    run(f"""extern "C" __global__ void k({c} *y)
        {{
            cuda::atomic_ref<{c}, cuda::thread_scope_device> sum(y[0]), shared(y[1]);
            sum.fetch_add(({c})(threadIdx.x % 5), cuda::memory_order_relaxed);
            shared += ({c})1;
        }}""", y, headers="cuda/atomic", grid=(10,), block=(128,))
    assert y.get().tolist() == [10 * sum(i % 5 for i in range(128)), 1280]


def test_atomic_operations():
    y = cp.asarray(np.array([0, 1000, -1000, 0xFF, 0, 0, 7, 0], "i4"))
    run("""extern "C" __global__ void k(int *y)
        {
            using ref = cuda::atomic_ref<int, cuda::thread_scope_system>;
            int t = threadIdx.x;
            ref(y[0]).fetch_sub(t);
            ref(y[1]).fetch_min(t + 3);
            ref(y[2]).fetch_max(t);
            ref(y[3]).fetch_and(~(1 << t % 4), cuda::memory_order_acq_rel);
            ref(y[4]).fetch_or(1 << t % 8);
            ref(y[5]).fetch_xor(t);
            int old = ref(y[6]).load(), now;
            do now = old * 3 % 1009;
            while (!ref(y[6]).compare_exchange_weak(old, now, cuda::memory_order_relaxed));
            ++ref(y[7]);
        }""", y, headers="cuda/atomic")
    xor = 0
    for t in range(64):
        xor ^= t
    assert y.get().tolist() == [-sum(range(64)), 3, 63, 0xF0, 0xFF, xor, 7 * pow(3, 64, 1009) % 1009, 64]


def test_atomics_in_shared_memory_and_of_pointers_and_exchanges():
    y = cp.zeros(67, "i4")
    run("""extern "C" __global__ void k(int *y)
        {
            __shared__ cuda::atomic<int, cuda::thread_scope_block> next;
            __shared__ cuda::atomic<unsigned long long, cuda::thread_scope_block> ticket;
            if (threadIdx.x == 0) next.store(0), ticket = 5;
            __syncthreads();
            y[next.fetch_add(1, cuda::std::memory_order_relaxed)] = 1;
            unsigned long long was = ticket.exchange(threadIdx.x + 6);
            atomicAdd(&y[66], (int)was);
            __syncthreads();
            if (threadIdx.x == 0) y[64] = next.load(), y[65] = (int)ticket;
        }""", y, headers="cuda/atomic")
    r = y.get()
    assert r[:64].tolist() == [1] * 64 and r[64] == 64 and 6 <= r[65] < 70
    assert r[66] + r[65] == 5 + sum(range(6, 70))


def test_a_thread_waits_in_memory_for_a_later_one():
    y = cp.zeros(3, "i4")
    run("""extern "C" __global__ void k(int *y)
        {
            cuda::atomic_ref<int, cuda::thread_scope_device> flag(y[0]);
            if (threadIdx.x == 0) {
                while (flag.load(cuda::memory_order_acquire) == 0) {}
                y[1] = y[2] + 1;
            }
            if (threadIdx.x == 40) {
                y[2] = 41;
                flag.store(1, cuda::memory_order_release);
            }
        }""", y, headers="cuda/atomic")
    assert y.get().tolist() == [1, 42, 41]


def test_blocks_that_hand_a_sum_on():
    """Each block waits for the one before it."""
    y, flag = cp.zeros(20, "i4"), cp.zeros(20, "i4")
    run("""extern "C" __global__ void k(int *y, int *flag)
        {
            if (threadIdx.x) return;
            int b = blockIdx.x, before = 0;
            if (b) {
                cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag[b - 1]);
                ready.wait(0, cuda::memory_order_acquire);
                before = y[b - 1];
            }
            y[b] = before + b;
            cuda::atomic_ref<int, cuda::thread_scope_device> done(flag[b]);
            done.store(1, cuda::memory_order_release);
            done.notify_all();
        }""", y, flag, headers="cuda/atomic", grid=(20,), block=(32,))
    np.testing.assert_array_equal(y.get(), np.cumsum(np.arange(20)))


def test_a_lock_of_a_flag():
    y = cp.zeros(2, "i4")
    run("""__device__ cuda::std::atomic_flag lock = {};
        extern "C" __global__ void k(int *y)
        {
            for (int lane = 0; lane < 32; lane++) {
                if (threadIdx.x % 32 != lane) continue;
                while (lock.test_and_set(cuda::std::memory_order_acquire)) {}
                y[0] = y[0] + 1;
                __threadfence();
                lock.clear(cuda::std::memory_order_release);
            }
            cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
        }""", y, headers="cuda/std/atomic cuda/atomic", grid=(4,), block=(64,))
    assert y.get()[0] == 256


BARRIERS = {
    "arrive_and_wait": "bar.arrive_and_wait();",
    "arrive, then wait": "auto token = bar.arrive(); v += 0; bar.wait(cuda::std::move(token));",
    "parity": "(void)bar.arrive(); bar.wait_parity(i & 1);",
}


@pytest.mark.parametrize("how", BARRIERS)
@pytest.mark.parametrize("threads", [32, 96, 256])
def test_barrier(how, threads):
    y = cp.zeros(threads, "i4")
    run(f"""extern "C" __global__ void k(int *y)
        {{
            using barrier = cuda::barrier<cuda::thread_scope_block>;
            __shared__ barrier bar;
            __shared__ int s[{threads}];
            int t = threadIdx.x, v = t;
            if (t == 0) init(&bar, blockDim.x);
            __syncthreads();
            for (int i = 0; i < 10; i++) {{
                s[t] = v;
                {{ {BARRIERS[how]} }}
                v = s[(t + 1) % {threads}] + 1;
                __syncthreads();
            }}
            y[t] = v;
        }}""", y, headers="cuda/barrier cuda/std/utility", block=(threads,))
    np.testing.assert_array_equal(y.get(), (np.arange(threads) + 10) % threads + 10)


def test_threads_leave_a_barrier():
    y = cp.zeros(64, "i4")
    run("""extern "C" __global__ void k(int *y)
        {
            __shared__ cuda::barrier<cuda::thread_scope_block> bar;
            __shared__ int count;
            if (threadIdx.x == 0) init(&bar, blockDim.x), count = 0;
            __syncthreads();
            for (int i = 0; i < 8; i++) {
                if (threadIdx.x >= 64 - 8 * i) {
                    bar.arrive_and_drop();
                    return;
                }
                atomicAdd(&count, 1);
                bar.arrive_and_wait();
                if (threadIdx.x == 0) y[i] = count;
                bar.arrive_and_wait();
            }
        }""", y, headers="cuda/barrier")
    live = [64, 56, 48, 40, 32, 24, 16, 8]
    # thread 64 - 8 * i and those behind it leave in round i
    np.testing.assert_array_equal(y.get()[:8], np.cumsum(live))


def test_producers_and_consumers_at_barriers():
    y = cp.zeros(5 * 32, "i4")
    run("""extern "C" __global__ void k(int *y)
        {
            using barrier = cuda::barrier<cuda::thread_scope_block>;
            __shared__ barrier filled, empty;
            __shared__ int buffer[32];
            int t = threadIdx.x % 32;
            if (threadIdx.x == 0) init(&filled, 64), init(&empty, 64);
            __syncthreads();
            if (threadIdx.x < 32) {
                for (int i = 0; i < 5; i++) {
                    empty.arrive_and_wait();
                    buffer[t] = i * 1000 + t;
                    barrier::arrival_token token = filled.arrive();
                }
            } else {
                barrier::arrival_token token = empty.arrive();
                for (int i = 0; i < 5; i++) {
                    filled.arrive_and_wait();
                    y[i * 32 + t] = buffer[31 - t];
                    if (i < 4) barrier::arrival_token again = empty.arrive();
                }
            }
        }""", y, headers="cuda/barrier")
    i, t = np.divmod(np.arange(160), 32)
    np.testing.assert_array_equal(y.get(), i * 1000 + 31 - t)


def test_a_barrier_with_a_completion():
    y = cp.zeros(4, "i4")
    run("""struct Count { int *at; __device__ void operator()() { ++*at; } };
        extern "C" __global__ void k(int *y)
        {
            using barrier = cuda::barrier<cuda::thread_scope_block, Count>;
            __shared__ alignas(barrier) char memory[sizeof(barrier)];
            barrier *bar = reinterpret_cast<barrier *>(memory);
            if (threadIdx.x == 0) new (bar) barrier(blockDim.x, Count{y});
            __syncthreads();
            for (int i = 0; i < 7; i++) bar->arrive_and_wait();
        }""", y, headers="cuda/barrier")
    assert y.get()[0] == 7


def test_copies_that_a_barrier_waits_for():
    x, y = cp.arange(256, dtype="i4"), cp.zeros(256, "i4")
    run("""extern "C" __global__ void k(const int *x, int *y)
        {
            namespace cg = cooperative_groups;
            __shared__ cuda::barrier<cuda::thread_scope_block> bar;
            __shared__ alignas(16) int s[128];
            auto block = cg::this_thread_block();
            if (block.thread_rank() == 0) init(&bar, block.size());
            block.sync();
            cuda::memcpy_async(block, s, x + blockIdx.x * 128, cuda::aligned_size_t<16>(sizeof s), bar);
            bar.arrive_and_wait();
            y[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
            y[blockIdx.x * 128 + 64 + threadIdx.x] = s[63 - threadIdx.x];
        }""", x, y, headers="cuda/barrier cooperative_groups.h", grid=(2,))
    np.testing.assert_array_equal(y.get(), np.arange(256).reshape(2, 128)[:, ::-1].ravel())


def test_pipeline_of_two_stages_of_a_block():
    x, y = cp.arange(640, dtype="i4"), cp.zeros(640, "i4")
    run("""extern "C" __global__ void k(const int *x, int *y, int batches)
        {
            auto block = cooperative_groups::this_thread_block();
            __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
            __shared__ alignas(16) int s[2][64];
            auto pipe = cuda::make_pipeline(block, &state);
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[0], x, sizeof s[0], pipe);
            pipe.producer_commit();
            for (int b = 1; b <= batches; b++) {
                if (b < batches) {
                    pipe.producer_acquire();
                    cuda::memcpy_async(block, s[b % 2], x + b * 64, sizeof s[0], pipe);
                    pipe.producer_commit();
                }
                pipe.consumer_wait();
                y[(b - 1) * 64 + threadIdx.x] = 2 * s[(b - 1) % 2][63 - threadIdx.x];
                pipe.consumer_release();
            }
        }""", x, y, np.int32(10), headers="cuda/pipeline cooperative_groups.h")
    np.testing.assert_array_equal(y.get(), 2 * np.arange(640).reshape(10, 64)[:, ::-1].ravel())


def test_pipeline_with_roles():
    x, y = cp.arange(320, dtype="i4"), cp.zeros(320, "i4")
    run("""extern "C" __global__ void k(const int *x, int *y)
        {
            auto block = cooperative_groups::this_thread_block();
            __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
            __shared__ int s[3][32];
            bool produces = threadIdx.x < 32;
            auto pipe = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer
                                                                    : cuda::pipeline_role::consumer);
            int t = threadIdx.x % 32;
            for (int b = 0; b < 10; b++) {
                if (produces) {
                    pipe.producer_acquire();
                    cuda::memcpy_async(&s[b % 3][t], x + b * 32 + t, sizeof(int), pipe);
                    pipe.producer_commit();
                } else {
                    pipe.consumer_wait();
                    y[b * 32 + t] = s[b % 3][31 - t] + 1;
                    pipe.consumer_release();
                }
            }
        }""", x, y, headers="cuda/pipeline cooperative_groups.h")
    np.testing.assert_array_equal(y.get(), 1 + np.arange(320).reshape(10, 32)[:, ::-1].ravel())


def test_pipeline_of_a_thread():
    x, y = cp.arange(256, dtype="f4"), cp.zeros(256, "f4")
    run("""extern "C" __global__ void k(const float *x, float *y)
        {
            __shared__ float s[2][64];
            cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
            int t = threadIdx.x;
            for (int b = 0; b < 2; b++) {
                pipe.producer_acquire();
                cuda::memcpy_async(&s[b][t], &x[b * 64 + t], sizeof(float), pipe);
                pipe.producer_commit();
            }
            cuda::pipeline_consumer_wait_prior<1>(pipe);
            __syncthreads();
            y[t] = s[0][63 - t];
            pipe.consumer_release();
            cuda::pipeline_consumer_wait_prior<0>(pipe);
            __syncthreads();
            y[64 + t] = s[1][63 - t];
            pipe.consumer_release();
        }""", x, y, headers="cuda/pipeline")
    np.testing.assert_array_equal(y.get()[:128], np.arange(128).reshape(2, 64)[:, ::-1].ravel())


def test_primitives_of_pipelines():
    x, y = cp.arange(64, dtype="i4") + 1, cp.zeros(64, "i4")
    run("""extern "C" __global__ void k(const int *x, int *y)
        {
            __shared__ int s[64];
            __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], 4, threadIdx.x < 32 ? 0 : 4);
            __pipeline_commit();
            __pipeline_wait_prior(0);
            __syncthreads();
            y[threadIdx.x] = s[63 - threadIdx.x];
        }""", x, y, headers="cuda_pipeline.h")
    np.testing.assert_array_equal(y.get(), np.r_[np.zeros(32), np.arange(32, 0, -1)])


def test_latch_and_semaphore():
    y = cp.zeros(4, "i4")
    run("""extern "C" __global__ void k(int *y)
        {
            __shared__ alignas(cuda::latch<cuda::thread_scope_block>) char memory[64];
            __shared__ alignas(16) char more[64];
            using latch = cuda::latch<cuda::thread_scope_block>;
            using semaphore = cuda::counting_semaphore<cuda::thread_scope_block>;
            latch *done = reinterpret_cast<latch *>(memory);
            semaphore *left = reinterpret_cast<semaphore *>(more);
            if (threadIdx.x == 0) new (done) latch(63), new (left) semaphore(0);
            __syncthreads();
            if (threadIdx.x == 0) {
                done->wait();
                y[0] = y[1];
                left->release(3);
            } else {
                atomicAdd(&y[1], 1);
                __threadfence();
                done->count_down();
                if (threadIdx.x % 21 == 1) left->acquire(), atomicAdd(&y[2], y[0]);
            }
            __syncthreads();
            if (threadIdx.x == 5) y[3] = left->try_acquire();
        }""", y, headers="cuda/latch cuda/semaphore")
    assert y.get().tolist() == [63, 63, 189, 0]


def test_groups_reduce_and_scan_into_atomics():
    y = cp.zeros((3, 64), "i4")
    total = cp.asarray(np.array([1000, 0, 5, 0], "i4"))
    run("""extern "C" __global__ void k(int *y, int *total)
        {
            namespace cg = cooperative_groups;
            auto tile = cg::tiled_partition<16>(cg::this_thread_block());
            int t = threadIdx.x;
            using ref = cuda::atomic_ref<int, cuda::thread_scope_device>;
            ref sum(total[0]), most(total[1]), place(total[2]), last(total[3]);
            cg::reduce_update_async(tile, sum, t, cg::plus<int>());
            cg::reduce_update_async(tile, most, t, cg::greater<int>());
            y[t] = cg::exclusive_scan_update(tile, place, 2, cg::plus<int>());
            y[64 + t] = cg::inclusive_scan_update(tile, last, 1, cg::plus<int>());
            cg::reduce_store_async(tile, &y[128 + t / 16], t, cg::plus<int>());
        }""", y, total,
        headers="cuda/atomic cooperative_groups.h cooperative_groups/reduce.h cooperative_groups/scan.h")
    r, lane = y.get(), np.arange(16)
    assert total.get().tolist() == [1000 + sum(range(64)), 63, 5 + 128, 64]
    assert sorted(r[0].tolist()) == list(range(5, 133, 2)) and sorted(r[1].tolist()) == list(range(1, 65))
    np.testing.assert_array_equal(np.diff(r[0].reshape(4, 16)), 2)
    np.testing.assert_array_equal(np.diff(r[1].reshape(4, 16)), 1)
    np.testing.assert_array_equal(r[2][:4], np.arange(64).reshape(4, 16).sum(1))
