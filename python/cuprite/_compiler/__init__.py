"""What compiles: functions written in Python, and the expressions of kernels.

    ast/          functions of Python to CUDA C++, one language for jit and Numba's interface
    jit/          cuprite.jit, by way of ast
    numba/, numba_cuda/    cuprite.numba and numba.cuda, by way of ast
    fuse/         cuprite.fuse: what a function does to arrays, traced, and the kernel made of it
    kernels.py    ElementwiseKernel and ReductionKernel; loop_source.py writes their loops, c_source.py runs first calls
    jobs.py       the thread that compiles while calls go on

The public names are in cuprite, cuprite.jit and cuprite.numba, which import from here; nothing here imports those.
"""
