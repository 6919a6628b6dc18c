"""What goes wrong between ranks, and how a call is described to the others."""


class DistributedError(RuntimeError):
    """A collective call that cannot be: the ranks' calls differ, or one of them failed."""


class DistributedTimeout(DistributedError, TimeoutError):
    """A rank did not come within the time limit."""


def ranks_in_words(ranks):
    """`rank 1`, `ranks 1 and 2`.

    Parameters: ranks: their numbers."""
    names = [str(r) for r in ranks]
    if len(names) == 1:
        return f"rank {names[0]}"
    return f"ranks {', '.join(names[:-1])} and {names[-1]}"
