"""The programs of examples/dask on up to 1,000 workers, by Dask's scheduler with simulated workers.

    python bench/dask_simulate.py [--job sources|reconstruct] [--workers 1 10 100 1000] [--chunks 8] [--side 5000]

The graph is the program's own, with `--chunks` chunks for each worker. distributed's Scheduler decides; what it sends
to workers goes to a queue of events with a clock of its own. A task takes the time of its elements, data that lie on
another worker come at the link's rate. The scheduler is one more machine in the simulation: an event takes the CPU time
that it took here, or so many microseconds, and what comes meanwhile waits. `model s` is docs/scaling.md's formula."""
import argparse
import asyncio
import heapq
import logging
import time

import cuprite as cp
import dask.array as da
from cuprite.dask import map_overlap
from cuprite.dask._chunks import Chunks
from dask._expr import LLGExpr
from dask._task_spec import List, Task, TaskRef
from dask.highlevelgraph import HighLevelGraph
from dask.utils import ensure_dict
from distributed import Scheduler
from distributed.protocol import serialize
from distributed.protocol.serialize import Serialized
from distributed.scheduler import ClientState

# share of the job's time, and bytes of the result for each element (docs/scaling.md: measured on one device)
STEPS = {"read": (0.0, 4.0), "rims": (0.0, 0.02), "overlap": (0.57, 4.0), "sampled": (0.0, 0.001), "plan": (0.0, 0.0),
         "parts": (0.33, 0.03), "clipped": (0.0, 0.0), "gt": (0.02, 1.0), "measured": (0.08, 0.001),
         "gathered": (0.0, 0.0),
         "pictures": (0.0, 8.0), "rebuild": (1.0, 8.0), "error": (0.0, 0.0), "mean": (0.0, 0.0)}
NS = {"sources": 6.2, "reconstruct": 270.0}  # of two cores, for an element
TASKS = {"sources": 7, "reconstruct": 3}     # for each chunk
GATHERED = {"sources": 0.03, "reconstruct": 0.0}  # bytes for each element that come to one process

METRICS = {"cpu": 0, "memory": 0, "managed_bytes": 0, "spilled_bytes": {"memory": 0, "disk": 0},
           "bandwidth": {"total": 1e9, "workers": {}, "types": {}}, "executing": {}, "task_counts": {},
           "transfer": {"incoming_bytes": 0}, "event_loop_interval": 0, "digests_total_since_heartbeat": {}}


def nothing(*_):
    return None


def job(chunks, side):
    """The program's graph, in one: an array of lines of chunks."""
    x = da.map_blocks(nothing, chunks=((side,) * chunks, (side,)), meta=cp.empty((0, 0), "f4"), name="read")
    smoothed = map_overlap(nothing, x, (7, 0))
    pixels = Chunks(smoothed)
    tasks = pixels.tasks("sampled", nothing)
    tasks["plan"] = Task("plan", nothing, List(*[TaskRef(k) for k in tasks]))
    parts = pixels.tasks("parts", nothing, TaskRef("plan"))
    tasks |= parts
    tasks["clipped"] = Task("clipped", nothing, List(*[TaskRef(k) for k in parts]))
    tasks |= {("gt", *k[1:]): Task(("gt", *k[1:]), nothing, TaskRef(k), TaskRef("clipped")) for (k,) in pixels.keys}
    measured = {("measured", i): Task(("measured", i), nothing, TaskRef(k), TaskRef(("gt", *k[1:])), TaskRef("clipped"))
                for i, (k,) in enumerate(pixels.keys)}
    tasks |= measured
    tasks["gathered"] = Task("gathered", nothing, List(*[TaskRef(k) for k in measured]))
    graph = HighLevelGraph.from_collections("job", tasks, dependencies=[smoothed])
    return da.Array.__dask_optimize__(graph, ["gathered", *(k for k, in pixels.keys)])


def reconstruction(chunks, side):
    """The same of the other program: each chunk alone, and the mean of the errors."""
    x = da.map_blocks(nothing, chunks=((1,) * chunks, (side,), (side,)), meta=cp.empty((0, 0, 0)), name="pictures")
    images = Chunks(x)
    tasks = images.tasks("rebuild", nothing)
    errors = {("error", i): Task(("error", i), nothing, TaskRef(k), TaskRef(("rebuild", i)))
              for i, (k,) in enumerate(images.keys)}
    tasks |= errors | {"mean": Task("mean", nothing, List(*[TaskRef(k) for k in errors]))}
    return da.Array.__dask_optimize__(HighLevelGraph.from_collections("job", tasks, dependencies=[x]),
                                      ["mean", *(k for k in tasks if k[0] == "rebuild")])


JOBS = {"sources": (job, "gathered", "overlap"), "reconstruct": (reconstruction, "mean", "rebuild")}


def model(n, o, event):
    """Seconds of the job by the formula of docs/scaling.md; event: the scheduler's seconds for a task."""
    tasks, pixels = TASKS[o.job] * o.chunks, o.pixels * o.chunks
    return max(pixels * o.ns * 1e-9 + tasks * o.overhead, tasks * n * event) + GATHERED[o.job] * pixels * n / o.link


class Worker:
    """What the scheduler thinks is one: takes tasks by their priority, one at a time."""

    def __init__(self, clock, address, options):
        self.clock, self.address, self.o = clock, address, options
        self.ready, self.busy, self.held = [], False, set()

    def send(self, *messages):
        for m in messages:
            if m["op"] == "compute-task":
                self.clock.sent.append((self, m))
            elif m["op"] == "free-keys":
                self.held.difference_update(m["keys"])

    def closed(self):
        return True

    def take(self, m):
        absent = sum(m["nbytes"][k] for k in m["who_has"] if k not in self.held)
        self.clock.moved += absent
        self.held.update(m["who_has"])
        wait = absent / self.o.link + (2 * self.o.latency if absent else 0)
        self.clock.at(self.clock.now + wait, self.can_start, m)

    def can_start(self, m):
        heapq.heappush(self.ready, (m["priority"], m["run_id"], m))
        self.start()

    def start(self):
        if self.busy or not self.ready:
            return
        self.busy, m = True, heapq.heappop(self.ready)[2]
        share = STEPS[self.clock.step(m["key"])][0]
        lasts = share * self.o.pixels * self.o.ns * 1e-9 + self.o.overhead
        self.clock.at(self.clock.now + lasts, self.done, m, lasts)

    def done(self, m, lasts):
        self.busy = False
        self.held.add(m["key"])
        self.clock.at(self.clock.now + self.o.latency, self.clock.finished, self, m, lasts)
        self.start()


class Clock:
    """Events in the order of their time; the scheduler is one that is busy while it works."""

    def __init__(self, scheduler, options):
        self.scheduler, self.o = scheduler, options
        self.events, self.number, self.now = [], 0, 0.0
        self.scheduler_free = self.scheduler_time = self.moved = 0.0
        self.sent = []  # by the scheduler's present event

    def at(self, when, function, *args):
        self.number += 1
        heapq.heappush(self.events, (when, self.number, function, args))

    def step(self, key):
        name = key if isinstance(key, str) else key[0]
        return name.split("-")[0]

    def finished(self, worker, m, lasts):
        """The scheduler hears of a task's end, when it has time for it."""
        begin = max(self.now, self.scheduler_free)
        step = self.step(m["key"])
        t = time.process_time()
        self.scheduler.handle_task_finished(
            key=m["key"], worker=worker.address, stimulus_id="simulated", status="OK", run_id=m["run_id"], metadata={},
            nbytes=int(STEPS[step][1] * self.o.pixels) + 64, type=b"", typename="ndarray", thread=1,
            startstops=({"action": "compute", "start": self.now - lasts, "stop": self.now},))
        cost = time.process_time() - t if self.o.scheduler == "measured" else float(self.o.scheduler) * 1e-6
        cost += self.o.message
        self.scheduler_time += cost
        self.scheduler_free = begin + cost
        self.deliver()

    def deliver(self):
        for worker, m in self.sent:
            self.at(self.scheduler_free + self.o.latency, worker.take, m)
        self.sent = []

    def run(self):
        self.deliver()
        while self.events:
            self.now, _, function, args = heapq.heappop(self.events)
            function(*args)


class Comm:
    """A connection on which nothing comes."""
    name = peer_address = local_address = "simulated"

    async def write(self, *_, **__):
        return 0

    async def read(self, *_, **__):
        await asyncio.Event().wait()

    def closed(self):
        return True

    async def close(self):
        pass

    def abort(self):
        pass


async def simulate(n, o):
    """The clock after the job on n workers."""
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False, dashboard_address=":0", validate=False) as s:
        clock = Clock(s, o)
        waiting = []
        for i in range(n):
            address = f"tcp://127.0.0.1:{10000 + i}"
            waiting.append(asyncio.ensure_future(s.add_worker(
                Comm(), address=address, status="running", server_id=str(i), nthreads=1, name=i, now=time.time(),
                resources={}, memory_limit=2**40, metrics=dict(METRICS), services={},
                local_directory="", versions={}, nanny="", extra={}, stimulus_id="simulated")))
            await asyncio.sleep(0)
            s.stream_comms[address] = Worker(clock, address, o)
        s.clients["c"] = ClientState("c", versions={})
        function, last, kept = JOBS[o.job]
        graph = ensure_dict(function(n * o.chunks, o.side))
        t = time.process_time()
        header, frames = serialize(LLGExpr(graph), serializers=["pickle"])
        await s.update_graph(client="c", expr_ser=Serialized(header, frames), span_metadata={},
                             keys={k for k in graph if clock.step(k) in (last, kept)},
                             internal_priority=None, submitting_task=None)
        built = time.process_time() - t
        clock.run()
        assert s.tasks[last].state == "memory", s.tasks[last]
        for w in waiting:
            w.cancel()
        return clock, len(graph), built


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--job", choices=JOBS, default="sources")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--chunks", type=int, default=4, help="for each worker (4)")
    parser.add_argument("--side", type=int, default=5000, help="of a chunk, elements (5000)")
    parser.add_argument("--ns", type=float, help="of a worker for an element (two cores')")
    parser.add_argument("--link", type=float, default=1.25e9, help="bytes/s between two workers (1.25e9: 10 Gbit/s)")
    parser.add_argument("--latency", type=float, default=1e-4, help="of a message, seconds")
    parser.add_argument("--overhead", type=float, default=1e-3, help="of a worker for a task, seconds")
    parser.add_argument("--scheduler", default="measured", help="microseconds for an event, or 'measured'")
    parser.add_argument("--message", type=float, default=1e-4, help="seconds of an event's messages")
    o = parser.parse_args()
    o.pixels, o.ns = o.side**2, o.ns or NS[o.job]
    logging.disable(logging.CRITICAL)
    print("workers  tasks  graph s   job s  model s  efficiency  scheduler busy  us an event  moved GB")
    first = None
    for n in o.workers:
        clock, tasks, built = asyncio.run(simulate(n, o))
        first = first or clock.now
        event = clock.scheduler_time / tasks
        print(f"{n:7d} {tasks:6d} {built:8.2f} {clock.now:7.2f} {model(n, o, event):8.2f} {first / clock.now:11.1%} "
              f"{clock.scheduler_time / clock.now:15.1%} {event * 1e6:12.0f} {clock.moved / 1e9:9.2f}", flush=True)


if __name__ == "__main__":
    main()
