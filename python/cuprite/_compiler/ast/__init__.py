"""From the syntax tree of a Python function to CUDA C++: what `cuprite.jit` and `cuprite.numba` share.

types.py defines the types of a kernel's values, rules.py their promotion (as in CUDA C, in NumPy, in Numba), source.py
finds a function's source, unroll.py writes loops over literal_unroll out, scope.py where its variables are declared;
expressions.py and statements.py write the source of a body, compiling.py the function around it, unit.py the whole;
intrinsics.py knows what a kernel may call, launch.py keeps one compiled kernel for each list of argument types."""
