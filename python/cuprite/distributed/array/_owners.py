"""Where chunks lie, and how a part of one gets to another: devices of one process, or ranks.

Invariant: all ranks make the same list of transfers in the same order, and each takes part in its own, so that sends
and receives meet.
"""
import cuprite
from cuprite import _device


class Devices:
    """The devices of one process. Without a GPU every number means the CPU."""
    group = None

    def __init__(self):
        current = cuprite.cuda.Device()
        self.is_cpu = current.backend == "cpu" and _device.count() == 0
        self.first = current._number - _device.query(current._number)["number"]

    def owns(self, device) -> bool:
        return True

    def device(self, device):
        """The device that has the number.

        Parameters: device: a number.
        Errors: ValueError for a negative one."""
        if device < 0:
            raise ValueError(f"there is no device {device}")
        if self.is_cpu:
            return cuprite.cuda.Device("cpu")
        return cuprite.cuda.Device._of(self.first + device)

    def send(self, x, source, target):
        """The part of a chunk, on the target's device.

        Parameters: x: an array; source, target: numbers of devices."""
        to = self.device(target)
        return x if x.device == to else cuprite.ascontiguousarray(x).to_device(to)


class Ranks:
    """The ranks of a process group: device i is rank i's.

    Parameters: group: an MPIBackend."""

    def __init__(self, group):
        self.group, self.here = group, cuprite.cuda.Device()

    def owns(self, device) -> bool:
        return device == self.group.rank

    def device(self, device):
        if not 0 <= device < self.group.size:
            raise ValueError(f"there is no device {device}: the group has {self.group.size} ranks")
        return self.here


def current():
    """Devices of this process, or the ranks of the group that it has joined on the CPU."""
    from cuprite.distributed import _groups
    group = _groups.get("ranks")
    if group is not None and group.size > 1 and not group._why and cuprite.cuda.Device().backend != "cuda":
        return Ranks(group)
    return Devices()


def transfer(places, source, target, region, combine=None):
    """A region of one chunk replaces that of another, or is combined with it.

    Parameters: places: Devices or Ranks; source, target: chunks; region: ranges that both have; combine: a ufunc, or
        None."""
    from cuprite.distributed.array._index import lengths, within
    sends, receives = places.owns(source.device), places.owns(target.device)
    if not sends and not receives:
        return
    if sends:
        with places.device(source.device):
            x = source.array[within(region, source.ranges)]
            if places.group is not None and not receives:
                places.group.send(cuprite.ascontiguousarray(x), target.device)
                return
    else:
        x = cuprite.empty(lengths(region), target.dtype)
        places.group.recv(x, source.device)
    with places.device(target.device):
        if places.group is None:
            x = places.send(x, source.device, target.device)
        at = within(region, target.ranges)
        target.array[at] = x if combine is None else combine(target.array[at], x)
