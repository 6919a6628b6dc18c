"""What tests of programs use: arrays compared with NumPy's, tests run for many types, results of NumPy and of Cuprite
side by side. numpy.testing does the comparing; nothing here is imported unless it is asked for."""
from cuprite.testing._arrays import (  # noqa: F401
    assert_allclose, assert_array_almost_equal, assert_array_almost_equal_nulp, assert_array_equal, assert_array_less,
    assert_array_list_equal, assert_array_max_ulp)
from cuprite.testing._beside import (  # noqa: F401
    numpy_cupy_allclose, numpy_cupy_array_almost_equal, numpy_cupy_array_almost_equal_nulp, numpy_cupy_array_equal,
    numpy_cupy_array_less, numpy_cupy_array_list_equal, numpy_cupy_array_max_ulp, numpy_cupy_equal, numpy_cupy_raises)
from cuprite.testing._loops import (  # noqa: F401
    for_all_dtypes, for_all_dtypes_combination, for_CF_orders, for_complex_dtypes, for_contiguous_axes, for_dtypes,
    for_dtypes_combination, for_float_dtypes, for_int_dtypes, for_int_dtypes_combination, for_orders,
    for_signed_dtypes, for_signed_dtypes_combination, for_unsigned_dtypes, for_unsigned_dtypes_combination)
from cuprite.testing._made import (  # noqa: F401
    generate_matrix, shaped_arange, shaped_linspace, shaped_random, shaped_reverse_arange, shaped_sparse_random)
from cuprite.testing._runs import (  # noqa: F401
    AssertFunctionIsCalled, NumpyAliasBasicTestBase, NumpyAliasValuesTestBase, assert_warns, fix_random, generate_seed,
    installed, multi_gpu, numpy_satisfies, parameterize, product, product_dict, slow, with_requires)
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)
