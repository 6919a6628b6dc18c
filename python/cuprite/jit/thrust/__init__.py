"""jit.thrust: algorithms over ranges of an array, x.begin() to x.end(), that each thread runs by itself."""
from cuprite._compiler.jit.thrust import (  # noqa: F401
    adjacent_difference, binary_search, copy, count, device, equal, equal_range, exclusive_scan,
    exclusive_scan_by_key, fill, find, gather, host, inclusive_scan, inclusive_scan_by_key, inner_product,
    is_sorted, is_sorted_until, lower_bound, make_constant_iterator, make_counting_iterator, mismatch, reduce,
    reduce_by_key, remove, remove_copy, replace, replace_copy, reverse, reverse_copy, scatter, seq, sequence,
    set_difference, set_difference_by_key, set_intersection, set_intersection_by_key, set_symmetric_difference,
    set_symmetric_difference_by_key, set_union, set_union_by_key, sort, sort_by_key, stable_sort,
    stable_sort_by_key, swap_ranges, unique, unique_by_key, upper_bound)
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)
