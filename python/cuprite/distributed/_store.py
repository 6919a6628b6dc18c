"""TCPStore: where the ranks of a group meet before they can talk by NCCL. Rank 0 has the server, a thread.

There is one operation: all ranks meet at a key, each with a few bytes, and each gets the bytes of all. That is a
barrier, a broadcast and a comparison. Invariants: who waits is answered when a rank that is missing has died (its
connection ended), has failed (it said so), or has not come in time, with the ranks' numbers; messages are lengths and
bytes, so that nothing that comes from the net is executed; a server ends with its rank, and its threads with it.
"""
import operator
import socket
import struct
import threading
import time

from cuprite.distributed._errors import DistributedError, DistributedTimeout, ranks_in_words

_HEAD = struct.Struct("<BIId")  # operation, bytes of the key, bytes of the value, seconds
_HELLO, _MEET, _FAILED, _WATCH, _GOODBYE = range(5)
_DONE, _LATE, _LOST = range(3)
_MOST = 1 << 20  # bytes of a key or a value
_SECRET = b"cuprite.distributed 1"


def _receive(s, n):
    parts = bytearray()
    while len(parts) < n:
        part = s.recv(n - len(parts))
        if not part:
            raise ConnectionError("the connection ended")
        parts += part
    return bytes(parts)


def _send(s, operation, key=b"", value=b"", seconds=0.0):
    s.sendall(_HEAD.pack(operation, len(key), len(value), seconds) + key + value)


def _read(s):
    operation, k, v, seconds = _HEAD.unpack(_receive(s, _HEAD.size))
    if k > _MOST or v > _MOST:
        raise ConnectionError("that is no message of a store")
    return operation, _receive(s, k), _receive(s, v), seconds


class _Server:
    """The meetings, and a thread for each connection."""

    def __init__(self, size, host, port):
        self.size = size
        self.listener = socket.create_server((host, port), reuse_port=False)
        self.port = self.listener.getsockname()[1]
        self.changed = threading.Condition()
        self.meetings, self.lost, self.gone, self.connections = {}, {}, set(), []
        self.ended = False
        threading.Thread(target=self._accept, daemon=True, name="cuprite store").start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:  # closed
                return
            with self.changed:
                if self.ended:
                    connection.close()
                    return
                self.connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True, name="cuprite store").start()

    def _serve(self, connection):
        rank = None
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            operation, key, value, _ = _read(connection)
            if operation != _HELLO or key != _SECRET or int(value) >= self.size:
                return
            rank = int(value)
            while True:
                operation, key, value, seconds = _read(connection)
                if operation == _MEET:
                    _send(connection, *self._meet(rank, key, value, seconds))
                elif operation == _WATCH:  # a second connection of the rank, whose end says nothing of it
                    watching, rank = rank, None
                    _send(connection, *self._watch(watching))
                elif operation == _FAILED:
                    self._lose(rank, value.decode(errors="replace"))
                elif operation == _GOODBYE:
                    with self.changed:
                        self.gone.add(rank)
                        self.changed.notify_all()
                    rank = None
                    return
        except (OSError, ValueError, struct.error):
            pass
        finally:
            connection.close()
            if rank is not None and not self.ended:
                self._lose(rank, "it has ended or cannot be reached")

    def _lose(self, rank, why):
        with self.changed:
            self.lost.setdefault(rank, why)
            self.changed.notify_all()

    def _meet(self, rank, key, value, seconds):
        """The answer to a rank: all values, or who is missing."""
        until = time.monotonic() + seconds
        with self.changed:
            values, left = self.meetings.setdefault(key, ({}, set()))
            values[rank] = value
            self.changed.notify_all()
            while len(values) < self.size:
                missing = [r for r in range(self.size) if r not in values]
                lost = [r for r in missing if r in self.lost or r in self.gone]
                if lost:
                    return _LOST, b"", "; ".join(f"rank {r}: {self.lost.get(r, 'it has stopped')}"
                                                for r in lost).encode()
                if not self.changed.wait(max(0, until - time.monotonic())) and time.monotonic() >= until:
                    return _LATE, b"", ranks_in_words(missing).encode()
            left.add(rank)
            if len(left) == self.size:
                self.meetings.pop(key, None)
            return _DONE, b"", b"".join(struct.pack("<I", len(values[r])) + values[r] for r in range(self.size))

    def _watch(self, rank):
        """Waits until another rank is lost, or this one or the server goes."""
        with self.changed:
            while not self.ended and rank not in self.gone:
                others = [r for r in self.lost if r != rank]
                if others:
                    return _LOST, b"", f"rank {others[0]}: {self.lost[others[0]]}".encode()
                self.changed.wait()
        return _DONE, b"", b""

    def end(self, seconds):
        """Waits for the other ranks to have stopped, at most so long, and closes everything."""
        until = time.monotonic() + seconds
        with self.changed:
            while not self.ended and len(self.gone | set(self.lost)) < self.size and time.monotonic() < until:
                self.changed.wait(max(0, until - time.monotonic()))
            self.ended = True
            self.changed.notify_all()
            connections = list(self.connections)
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        for c in connections:
            try:
                c.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def _address(host, port):
    if not isinstance(host, str) or not host:
        raise TypeError(f"host must be a name or an address, not {host!r}")
    if not 0 <= operator.index(port) <= 65535:
        raise ValueError(f"port must be between 0 and 65535, not {port}")
    return host, operator.index(port)


class TCPStore:
    """A rank's connection to the store; rank 0 has the server too.

    Parameters: size: ranks; rank: this one's number; host, port: where the server is; timeout: seconds in which all
        ranks have to come.
    Errors: TypeError, ValueError for what is no address; DistributedError where the port is taken; DistributedTimeout
        where the server does not answer."""

    def __init__(self, size, rank, host, port, timeout):
        self.size, self.rank, self._server, self._connection = size, rank, None, None
        self._lock, self._address = threading.Lock(), _address(host, port)
        if rank == 0:
            try:
                self._server = _Server(size, host, port)
            except OSError as e:
                raise DistributedError(f"init_process_group on rank 0 of {size}: the store cannot listen at "
                                       f"{host}:{port}: {e}") from None
            self._address = (host, self._server.port)
        self._connection = self._connect(timeout)

    def _connect(self, timeout):
        until = time.monotonic() + timeout
        while True:
            try:
                s = socket.create_connection(self._address, timeout=max(0.1, until - time.monotonic()))
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                _send(s, _HELLO, _SECRET, b"%d" % self.rank)
                s.settimeout(None)
                return s
            except OSError as e:
                if time.monotonic() > until:
                    raise DistributedTimeout(f"init_process_group on rank {self.rank} of {self.size}: the store of "
                                             f"rank 0 at {self._address[0]}:{self._address[1]} did not answer in "
                                             f"{timeout:g} s: {e}") from None
                time.sleep(0.02)

    def meet(self, key, value, timeout, call) -> "list[bytes]":
        """Waits for all ranks; the bytes of each.

        Parameters: key: a name that no other meeting has; value: this rank's bytes; timeout: seconds; call: what the
            rank is doing, for the error.
        Errors: DistributedTimeout, DistributedError, which name the ranks that did not come."""
        where = f"{call} on rank {self.rank} of {self.size}: "
        with self._lock:
            try:
                self._connection.settimeout(timeout + 5)  # the server answers before that, if there is one
                _send(self._connection, _MEET, key.encode(), value, timeout)
                answer, _, values, _ = _read(self._connection)
            except (OSError, AttributeError) as e:
                raise DistributedError(f"{where}rank 0, which has the store, has ended or cannot be reached "
                                       f"({e})") from None
        if answer == _LATE:
            raise DistributedTimeout(f"{where}{values.decode()} did not come within {timeout:g} s")
        if answer == _LOST:
            raise DistributedError(where + values.decode())
        found, at = [], 0
        while at < len(values):
            n, = struct.unpack_from("<I", values, at)
            found.append(values[at + 4:at + 4 + n])
            at += 4 + n
        return found

    def failed(self, why):
        """Says to the others that this rank will not come any more.

        Parameters: why: the words that they get."""
        with self._lock:
            try:
                _send(self._connection, _FAILED, b"", why.encode()[:4000])
            except (OSError, AttributeError):
                pass

    def watch(self, lost):
        """Calls lost(why) from a thread, once, when another rank has died or failed.

        Parameters: lost: a function of one string."""
        def wait():
            try:
                s = self._connect(5)
                with self._lock:
                    self._watching = s
                _send(s, _WATCH)
                answer, _, why, _ = _read(s)
            except (OSError, DistributedError):
                if self._connection is not None:
                    lost("rank 0, which has the store, has ended or cannot be reached")
                return
            if answer == _LOST:
                lost(why.decode())
        threading.Thread(target=wait, daemon=True, name="cuprite watch").start()

    def stop(self, seconds=5.0):
        """Ends the connection; at rank 0 the server too, when the other ranks have stopped or after so many seconds.

        Parameters: seconds: how long to wait for the others."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is None:
                return
            try:
                _send(connection, _GOODBYE)
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            connection.close()
        if self._server is not None:
            self._server.end(seconds)
