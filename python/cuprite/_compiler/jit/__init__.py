"""The names of cupyx.jit; cuprite.jit is its public module."""
