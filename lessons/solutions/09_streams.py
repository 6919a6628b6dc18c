"""Solutions of lesson 9, streams and events."""
import cuprite as cp

# 1. A launch makes v to 2 * (v + 1), so after n launches v + 2 is 2 ** n times what it was: v = 2 ** (n + 1) - 2.
v = cp.zeros(3)
stream = cp.cuda.Stream(non_blocking=True)
cp.cuda.Device().synchronize()
with stream:
    stream.begin_capture()
    v += 1
    v *= 2
    graph = stream.end_capture()
for _ in range(10):
    graph.launch(stream)
stream.synchronize()
print(1, v, 2 ** 11 - 2)

# 2. The second stream waits for the event of each k, not for all of the first stream's work.
maker, adder = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
numbers, total = cp.arange(100.0), cp.zeros(100)
cp.cuda.Device().synchronize()
arrays = []                                          # kept until both streams are done
for k in range(5):
    ready = cp.cuda.Event()
    with maker:
        arrays.append(cp.sqrt(k + numbers))
        ready.record()
    with adder:
        adder.wait_event(ready)
        total += arrays[-1]
adder.synchronize()
print(2, cp.allclose(total, sum(cp.sqrt(k + numbers) for k in range(5)), rtol=1e-15))


# 3. The time grows with the number of elements; for few of them the call itself takes most of it.
def milliseconds(work):
    start, stop = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    work()
    stop.record()
    stop.synchronize()
    return cp.cuda.get_elapsed_time(start, stop)


for size in (10_000, 100_000, 1_000_000):
    x = cp.random.default_rng(1).random(size)
    print(3, size, f"{min(milliseconds(lambda: cp.sort(x)) for _ in range(5)):.3f} ms")

# It prints:
#
# 1 [2046. 2046. 2046.] 2046
# 2 True
# 3 10000 ... ms
# 3 100000 ... ms
# 3 1000000 ... ms
