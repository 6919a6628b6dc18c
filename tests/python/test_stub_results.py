"""Results of public functions and methods that the stubs call Any: each has a reason."""
import ast
import importlib
import inspect
import pathlib
import pkgutil

import pytest

import cuprite as cp

pytestmark = pytest.mark.once
ROOT = pathlib.Path(cp.__file__).parents[1]
#: reason -> names, each below cuprite's modules
REASONS = {
    "NumPy's stubs say Any too: a number of the elements' type, or nested lists of them":
        "ndarray.item ndarray.tolist",
    "an object of a protocol, opaque to its user":
        """ndarray.__dlpack__ ndarray.toDlpack ndarray.cstruct ndarray.mdspan ndarray.__array_function__
        ndarray.__array_ufunc__ ndarray.__class_getitem__ ndarray.__array_namespace__ ufunc.__signature__
        get_array_wrap MemoryAsync.stream_ref BitGenerator.lock""",
    "one array, or a tuple of as many as the function or the kernel has":
        """_LoopKernel.__call__ ufunc.outer vectorize.__call__ GeneralizedUFunc.__call__ gradient indices lu polyfit
        ABCPolyBase.fit load breadth_first_order depth_first_order dijkstra shortest_path connected_components
        laplacian eigs eigsh svds lobpcg onenormest dpss
        chebfit hermefit hermfit lagfit legfit""",
    "an array or a polynomial, or an array or a number, as the argument is":
        """poly1d.__call__ poly1d.__getitem__ poly1d.__truediv__ poly1d.__rtruediv__ ABCPolyBase.__call__
        BitGenerator.random_raw assert_array_max_ulp""",
    "an array of the module that is passed, NumPy's or Cuprite's":
        """shaped_arange shaped_linspace shaped_random shaped_reverse_arange shaped_sparse_random generate_matrix
        _Alias.cupy_func _Alias.numpy_func""",
    "what the argument says: a type, a value, a class of Numba's":
        """Type.__call__ Type.__getitem__ Number.__call__ Tuple.__getitem__
        from_dtype typeof obj2sctype safe_eval stencil
        memPoolGetAttribute pointerGetAttributes ReductionKernel.reduce_ctype""",
    "another library's object: pytest's, unittest.mock's, the user's":
        """slow assert_warns AssertFunctionIsCalled.__enter__ AssertFunctionIsCalled.__exit__ Graph.host_funcargs
        using_allocator.__call__ PinnedMemoryPointer.mem Module.get_global_var MemoryFrame.child
        _spbase.get _cs.get _coo.get _dia.get _bsr.get _host.get _lil.data _lil.rows""",
    "what a dictionary of SciPy's holds, and what it gives for a place":
        "_dok.get _dok.items _dok.keys _dok.pop _dok.popitem _dok.setdefault _dok.values",
    "Dask's: its arrays, what its tables hold, what distributed measures":
        """Backend.RandomState Backend.arange Backend.default_bit_generator Backend.empty Backend.full Backend.ones
        Backend.to_backend Backend.to_backend_dispatch Backend.zeros DeviceMemory.__getitem__
        DeviceMemory.disk DeviceMemory.fast DeviceMemory.memory
        LocalCluster map_overlap measure sigma_clip_stats""",
    "what a function of the user's gives, or NumPy's array of that, or of histograms":
        "labeled_comprehension histogram",
    "what the protocol of NumPy asks for":
        """DistributedArray.__array__ DistributedArray.__array_function__ DistributedArray.__array_ufunc__
        DistributedArray.__cupy_override_elementwise_kernel__""",
    "the class of the backend": "init_process_group",
    "a decorator with or without parentheses": "register_jitable intrinsic",
    "one of several classes that share no base, or None": "get_current_plan",
    "raises, or does nothing": "set_cufft_gpus SuperLU.__reduce__",
    "a sparse matrix, SciPy's where there is none of ours":
        "BSpline.design_matrix NdBSpline.design_matrix KDTree.sparse_distance_matrix",
    "an array, a sparse matrix or an operator, as the arguments are":
        """LinearOperator.H LinearOperator.T LinearOperator.__add__ LinearOperator.__call__ LinearOperator.__matmul__
        LinearOperator.__mul__ LinearOperator.__neg__ LinearOperator.__pow__ LinearOperator.__rmatmul__
        LinearOperator.__rmul__ LinearOperator.__sub__ LinearOperator.__truediv__ LinearOperator.dot
        LinearOperator.matmat LinearOperator.rmatmat expm inv matrix_power spsolve breadth_first_tree
        depth_first_tree""",
    "what SuperLU's object has under the name, on the device":
        "SuperLU.L SuperLU.U SuperLU.nnz SuperLU.perm_c SuperLU.perm_r SuperLU.shape",
    "a function of the user's, or one that is made": "factorized",
    "what stands for a block, and what benchmark gives": "optimize repeat",
    "what Qhull's object has under the name": "_Plane.__getattr__ _Qhull.__getattr__",
    "the values outside, as they were given": "interp1d.fill_value",
    "a state that CUDA numbers": "streamIsCapturing",
}
GIVEN = {name for names in REASONS.values() for name in names.split()}
#: modules whose functions are the package's own, seen because a public module imports them
INTERNAL = {"cuprite.cuda._absent", "cuprite.selftest._record", "cuprite._support", "cuprite.cuda._calls",
            "cuprite.cuda._memories", "cuprite.cuda.device"}


def modules(name="cuprite"):
    yield importlib.import_module(name)
    for found in pkgutil.iter_modules(getattr(importlib.import_module(name), "__path__", [])):
        if not found.name.startswith("_"):
            yield from modules(f"{name}.{found.name}")


def declared():
    """(module, name or Class.name) -> results of its overloads, of all stubs."""
    found = {}

    def walk(module, body, prefix):
        for node in body:
            if isinstance(node, ast.FunctionDef):
                found.setdefault((module, prefix + node.name), []).append(ast.unparse(node.returns))
            elif isinstance(node, ast.ClassDef):
                walk(module, node.body, f"{prefix}{node.name}.")
    for path in ROOT.rglob("*.pyi"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        walk(module, ast.parse(path.read_text()).body, "")
    return found


def public_any():
    """Names of public functions, and of methods of public classes, one of whose results is Any."""
    every, classes, found = declared(), {("cuprite._core", "ndarray"), ("cuprite._core", "ufunc")}, set()
    for module in modules():
        for name in dir(module):  # what is imported when it is first used, too
            x = getattr(module, name)
            home = getattr(x, "__module__", None)
            if name.startswith("_") or inspect.ismodule(x) or not str(home).startswith("cuprite"):
                continue
            if inspect.isclass(x):
                classes |= {(b.__module__, b.__name__) for b in x.__mro__ if b.__module__.startswith("cuprite")}
            elif home not in INTERNAL and "Any" in every.get((home, getattr(x, "__qualname__", name)), []):
                found.add(name)
    for (module, name), results in every.items():
        owner, _, member = name.rpartition(".")
        if (module, owner) in classes and "Any" in results and (member[0] != "_" or member[:2] == "__"):
            found.add(name)
    return found


def test_a_result_that_is_any_has_a_reason():
    found = public_any()
    assert len(found) > 30 and "ndarray.item" in found
    assert not found - GIVEN, sorted(found - GIVEN)
    assert not GIVEN - found, sorted(GIVEN - found)  # no reason without its name


def test_most_results_have_a_type():
    """Of all stubs, those of the package's own modules too."""
    results = [r for kinds in declared().values() for r in kinds]
    assert len(results) > 2000 and results.count("Any") < 0.23 * len(results), (results.count("Any"), len(results))
