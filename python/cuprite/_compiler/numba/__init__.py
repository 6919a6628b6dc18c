"""The names of Numba that compile; cuprite.numba is the public module."""
