"""flags.writeable and setflags: what may be written to, and everything that writes."""
import numpy as np
import pytest

from oracle import as_numpy_does

WRITES = {
    "item": lambda x, xp: x.__setitem__((0, 1), 5), "all": lambda x, xp: x.__setitem__(Ellipsis, 5),
    "slice": lambda x, xp: x[:, ::2].__setitem__(Ellipsis, 5), "mask": lambda x, xp: x.__setitem__(x > 2, 5),
    "array": lambda x, xp: x.__setitem__(Ellipsis, xp.zeros((2, 3))), "fill": lambda x, xp: x.fill(5),
    "+=": lambda x, xp: x.__iadd__(1), "/=": lambda x, xp: x.__itruediv__(2), "sort": lambda x, xp: x.sort(),
    "sort 0": lambda x, xp: x.sort(axis=0), "partition": lambda x, xp: x.partition(1), "add": lambda x, xp:
    xp.add(x, 1, out=x), "add where": lambda x, xp: xp.add(x, 1, out=x, where=x > 2), "sum": lambda x, xp:
    xp.sum(xp.zeros((2, 2, 3)), axis=0, out=x), "median": lambda x, xp: xp.median(xp.zeros((2, 2, 3)), axis=0, out=x),
    "mean": lambda x, xp: xp.mean(xp.zeros((2, 2, 3)), axis=0, out=x), "modf": lambda x, xp:
    xp.modf(xp.zeros((2, 3)), out=(x, xp.zeros((2, 3)))), "clip": lambda x, xp: xp.clip(x, 1, 2, out=x),
    "x.clip": lambda x, xp: x.clip(1, 2, out=x), "copyto": lambda x, xp: xp.copyto(x, 1), "copyto where":
    lambda x, xp: xp.copyto(x, 1, where=x > 2), "round": lambda x, xp: xp.round(x, 1, out=x), "ptp": lambda x, xp:
    xp.ptp(xp.zeros((2, 2, 3)), axis=0, out=x), "concatenate": lambda x, xp: xp.concatenate([x[:1], x[:1]], out=x),
    "stack": lambda x, xp: xp.stack([x[0], x[0]], out=x), "nan_to_num": lambda x, xp: xp.nan_to_num(x, copy=False),
    "compress": lambda x, xp: xp.compress([True, True], x.copy(), axis=0, out=x), "flat": lambda x, xp:
    setattr(x, "flat", 5), "flat item": lambda x, xp: x.flat.__setitem__(1, 5), "real": lambda x, xp:
    setattr(x, "real", 5), "reduce": lambda x, xp: xp.add.reduce(xp.zeros((2, 2, 3)), out=x),
}
VIEWS = {
    "itself": lambda x, xp: x, "slice": lambda x, xp: x[:, :], "T": lambda x, xp: x.T.T, "reshape": lambda x, xp:
    x.reshape(3, 2).reshape(2, 3), "view": lambda x, xp: x.view(), "as i8": lambda x, xp: x.view("i8").view("f8"),
    "real": lambda x, xp: x.real, "flip": lambda x, xp: xp.flip(x), "copy": lambda x, xp: x.copy(), "+x": lambda x, xp:
    +x, "squeeze": lambda x, xp: x.squeeze(), "asarray": lambda x, xp: xp.asarray(x), "array": lambda x, xp:
    xp.array(x), "swapaxes": lambda x, xp: xp.swapaxes(x, 0, 1).T, "broadcast": lambda x, xp:
    xp.broadcast_to(x, (2, 3)), "astype": lambda x, xp: x.astype("f8", copy=False), "like": lambda x, xp:
    xp.zeros_like(x), "part": lambda x, xp: xp.expand_dims(x, 0)[0], "ravel": lambda x, xp: x.ravel().reshape(2, 3),
}


def made(xp):
    return xp.arange(6.).reshape(2, 3).copy()


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
def test_views_have_it(view):
    for write in WRITES.values():
        def tried(xp):
            x = made(xp)
            x.flags.writeable = False
            write(view(x, xp), xp)
            return x
        as_numpy_does(tried)

    def states(xp):
        x, seen = made(xp), []
        before = view(x, xp)
        x.setflags(write=False)
        after = view(x, xp)
        seen += [before.flags.writeable, after.flags.writeable, after[:1].flags["W"], after.T.flags.num >> 10]
        for a in (after, before):
            try:
                a.flags.writeable = True
                seen.append(True)
            except ValueError:
                seen.append(False)
            a.setflags(write=False)
        try:
            before.flags.writeable = True
            seen.append(True)
        except ValueError:
            seen.append(False)
        x.flags.writeable = True
        after.flags.writeable = True
        seen += [x.flags.writeable, after.flags.writeable]
        after[...] = 7
        return seen + [float(x[0, 0]), float(after[0, 0])]
    as_numpy_does(states)


def test_what_was_read_only_can_be_unlocked():
    for write in WRITES.values():
        def unlocked(xp):
            x = made(xp)
            x.setflags(write=False)
            x.setflags(write=True)
            write(x, xp)
            return x
        as_numpy_does(unlocked)


def test_complex_parts_and_broadcasts():
    def parts(xp):
        x = xp.ones((2, 3), "D")
        x.flags.writeable = False
        return x.real.flags.writeable, x.imag.flags.writeable, xp.ones(3).imag.flags.writeable
    as_numpy_does(parts)
    for part in ("real", "imag"):
        as_numpy_does(lambda xp: (lambda x: (x.setflags(False), setattr(x, part, 3)))(xp.ones(3, "D")))

    def spread(xp, locked):
        x = xp.ones(3)
        x.flags.writeable = not locked
        b = xp.broadcast_to(x, (2, 3))
        seen = b.flags.writeable
        b.flags.writeable = True
        b[0] = 5
        return seen, x, b
    for locked in (False, True):
        as_numpy_does(lambda xp: spread(xp, locked))


def test_setting():
    for value in (True, False, 0, 1, [], "a", None, np.bool_(False), 2.5):
        def set_(xp):
            x = xp.ones(3)
            x.flags.writeable = value
            return x.flags.writeable
        as_numpy_does(set_)
    for key in ("W", "WRITEABLE", "A", "ALIGNED", "X", "WRITEBACKIFCOPY", "writeable", "C", "O", "FNC", "wrong"):
        for value in (True, False):
            def set_(xp):
                x = xp.ones(3)
                x.flags[key] = value
                return x.flags.writeable
            as_numpy_does(set_)
    for given in ((), (False,), (None,), (True, True, False), (None, None, True), (None, False), (0,), (1, 2, 3, 4)):
        def set_(xp):
            x = xp.ones(3)
            return x.setflags(*given), x.flags.writeable
        as_numpy_does(set_)
    as_numpy_does(lambda xp: delattr(xp.ones(3).flags, "writeable"))

    def kept(xp):  # flags are a snapshot
        x = xp.ones(3)
        f = x.flags
        f.writeable = False
        x.shape = (3, 1)
        return f.writeable, x.flags.writeable
    as_numpy_does(kept)
