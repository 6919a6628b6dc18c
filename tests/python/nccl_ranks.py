"""A libnccl.so.2 of our own (tests/clients/mock_nccl.c) whose ranks are threads of the test's process."""
import ctypes
import gc
import os
import subprocess
import threading

import pytest

from cuprite.cuda import _nccl_library as library

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nccl")
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", folder / "libnccl.so.2",
                    os.path.join(ROOT, "tests/clients/mock_nccl.c"), "-pthread"], check=True)
    return folder


@pytest.fixture
def mock(folder, monkeypatch):
    """The mock as what cuprite.cuda.nccl finds."""
    monkeypatch.setenv("CUPRITE_LIBRARY_PATH", str(folder))
    monkeypatch.setattr(library, "_opened", None)
    mock = ctypes.CDLL(str(folder / "libnccl.so.2"))
    mock.mock_calls.restype = ctypes.c_char_p
    mock.mock_clear()
    yield mock
    gc.collect()  # communicators that a test left, while there is the library that made them


def calls(mock):
    return mock.mock_calls().decode().split("\n")[:-1]


def ranks(n, function):
    """function(rank) in n threads: the results, or the first error."""
    results, errors = [None] * n, []

    def call(rank):
        try:
            results[rank] = function(rank)
        except BaseException as e:
            errors.append(e)
    threads = [threading.Thread(target=call, args=(r,), daemon=True) for r in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    assert not any(t.is_alive() for t in threads), "a rank hangs"
    if errors:
        raise errors[0]
    return results
