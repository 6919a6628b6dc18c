"""cuprite.fuse: tracing functions of arrays, and the kernels that are made of them."""
