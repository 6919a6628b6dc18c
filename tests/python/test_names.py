"""Every public name of NumPy's is here, or stands below with its reason; so do functions that no C function of their
name is behind."""
import importlib
import inspect
import os
import pathlib
import re

import numpy as np
import pytest

import cuprite as cp

once = pytest.mark.once

ABSENT = {
    "types that arrays cannot have": """
        bytes_ str_ object_ void character flexible datetime64 timedelta64 longdouble clongdouble float128
        complex256 record recarray rec char strings""",
    "dates": "busday_count busday_offset busdaycalendar datetime_as_string datetime_data is_busday isnat",
    "other classes of arrays, and what makes them": "ma matrix asmatrix bmat memmap fromregex",
    "element by element on the host": "nditer nested_iters frompyfunc",
    "NumPy's own build, files and errors": """
        core ctypeslib f2py get_include show_runtime test info getbufsize setbufsize geterrcall seterrcall""",
}
REASONS = {name: reason for reason, names in ABSENT.items() for name in names.split()}


@once
def test_every_name_of_numpy():
    missing = {n for n in dir(np) if not n.startswith("_") and not hasattr(cp, n)}
    assert missing - set(REASONS) == set()
    assert {n for n in REASONS if hasattr(cp, n)} == set()


@once
def test_the_page_says_which_are_missing():
    page = (pathlib.Path(__file__).parents[2] / "docs/from-numpy.md").read_text()
    said = set(re.findall(r"`(\w+)`", page[page.index("## Names that are not here"):]))
    assert set(REASONS) - said == set()


# --- C ---
BUILD = pathlib.Path(os.environ.get("CUPRITE_BUILD", "build"))
ROOT = pathlib.Path(__file__).resolve().parents[2]
OF_OBJECTS = "makes arrays of Python's objects, asks such objects, or gives them"
VIEWS = "arranges views"
CALLS = "calls functions of Python's"
ANOTHER = "another name of a C function, or of a call of it"
TYPES = "asks types"
SETTINGS = "Python's settings, files and words"
NO_C = {
    OF_OBJECTS: """
        array2string array_repr array_str asanyarray asarray asarray_chkfinite asnumpy require iterable isscalar
        iscomplexobj isrealobj isfortran get_array_module get_array_wrap einsum_path broadcast_shapes shares_memory
        may_share_memory byte_bounds ix_ block unique_all unique_counts unique_inverse unique_values
        normalize_axis_index normalize_axis_tuple as_series fromDlpack bandwidth""",
    VIEWS: """
        array_split split hsplit vsplit dsplit unstack sliding_window_view row_stack""",
    CALLS: "apply_along_axis apply_over_axes piecewise fromfunction fromiter fuse memoize clear_memo mask_indices",
    ANOTHER: """
        alltrue sometrue amax amin around round_ concat cumproduct product trapz asfarray ascontiguousarray
        asfortranarray fliplr flipud identity matrix_norm matrix_transpose permute_dims real imag scatter_add
        scatter_max scatter_min tril_indices_from triu_indices_from diag_indices diag_indices_from
        standard_deviation variance lu promote_types savez_compressed standard_normal
        standard_gamma standard_exponential medfilt2d btdtr btdtri sph_harm assoc_laguerre""",
    "series with the lowest power first: C's polynomials of turned coefficients, or sums of their values": """
        polycompanion polyfromroots polyline polymulx polypow polyroots polytrim polyval2d polyval3d
        polyvalfromroots polyvander trimcoef trimseq polyvander2d polyvander3d polyvalnd polygrid2d polygrid3d getdomain
        mapdomain mapparms""",
    "least squares (cp_lstsq) of a table of powers (cp_vander)": "polyfit",
    "C has cp_sqrt and its like of complex numbers": "logn",
    TYPES: """
        common_type find_common_type isdtype issctype issubclass_ issubdtype issubsctype make_aligned_dtype
        min_scalar_type mintypecode obj2sctype result_type sctype2char typename""",
    "NumPy reads and writes texts": "frombuffer fromfile fromstring genfromtxt loadtxt savetxt",
    SETTINGS: """
        allow_synchronize base_repr binary_repr disp errstate format_float_positional format_float_scientific
        get_default_memory_pool get_default_pinned_memory_pool get_printoptions get_runtime_info geterr
        install_as_cupy install_as_numba is_available load_ipython_extension printoptions safe_eval set_printoptions
        set_string_function seterr show_config who empty_pinned empty_like_pinned zeros_pinned zeros_like_pinned
        get_fft_plan""",
    "a window by its name, which in C is its function": "get_window",
    "designs filters and systems: SciPy, on the host": """
        closest_STFT_dual_window dpss
        abcd_normalize band_stop_obj bessel besselap bilinear bilinear_zpk bode buttap butter buttord cheb1ap
        cheb1ord cheb2ap cheb2ord cheby1 cheby2 cont2discrete dbode dfreqresp dimpulse dlsim dstep ellip ellipap
        ellipord findfreqs firls firwin firwin2 firwin_2d freqresp freqs freqs_zpk freqz freqz_sos freqz_zpk
        gammatone group_delay iircomb iirdesign iirfilter iirnotch iirpeak impulse invres invresz kaiser_atten
        kaiser_beta kaiserord lp2bp lp2bp_zpk lp2bs lp2bs_zpk lp2hp lp2hp_zpk lp2lp lp2lp_zpk lsim max_len_seq
        minimum_phase normalize place_poles remez residue residuez savgol_coeffs sos2tf sos2zpk sosfreqz ss2tf
        ss2zpk step tf2sos tf2ss tf2zpk unique_roots zpk2sos zpk2ss zpk2tf""",
    "zeros, quadratures, polynomials and sequences of few numbers: SciPy, on the host": """
        ai_zeros bei_zeros beip_zeros ber_zeros berp_zeros bi_zeros c_roots cg_roots chebyc chebys chebyt chebyu
        erf_zeros fresnel_zeros fresnelc_zeros fresnels_zeros gegenbauer
        genlaguerre h_roots he_roots hermite hermitenorm j_roots jacobi jn_zeros jnjnp_zeros jnp_zeros
        jnyn_zeros js_roots kei_zeros keip_zeros kelvin_zeros ker_zeros kerp_zeros l_roots la_roots laguerre
        legendre p_roots ps_roots roots_chebyc roots_chebys roots_chebyt roots_chebyu
        roots_gegenbauer roots_genlaguerre roots_hermite roots_hermitenorm roots_jacobi roots_laguerre
        roots_legendre roots_sh_chebyt roots_sh_chebyu roots_sh_jacobi roots_sh_legendre s_roots sh_chebyt
        sh_chebyu sh_jacobi sh_legendre t_roots ts_roots u_roots us_roots y0_zeros y1_zeros y1p_zeros yn_zeros
        ynp_zeros""",
    "the generators' laws are cp_rng_NAME; these are Python's generators, their states and old names": """
        default_rng get_random_state set_random_state reset_states seed rand randn randint random_integers
        random_sample ranf sample bytes""",
}
ALLOWED = {name: reason for reason, names in NO_C.items() for name in names.split()}
MODULES = """linalg fft random scipy.ndimage scipy.signal scipy.special scipy.linalg scipy.fft scipy.fftpack lib.scimath
    scipy.signal.windows lib.stride_tricks lib.array_utils polynomial.polynomial polynomial.polyutils""".split()


def names_in_c():
    headers = [*(ROOT / "include/cuprite").glob("*.h"), *(BUILD / "generated/include/cuprite").glob("*.h")]
    found = {n for h in headers for n in re.findall(r"\bcp_(\w+)", h.read_text())}
    return found | {n[4:] for n in found if n.startswith("rng_")} | {n[7:] for n in found if n.startswith("window_")}


def functions_of(module):
    for name in dir(module):
        f = getattr(module, name)
        if not name.startswith("_") and callable(f) and not inspect.isclass(f) and not isinstance(f, cp.ufunc):
            yield name, getattr(f, "__name__", name)


@once
def test_every_function_that_computes_is_in_c():
    c, without = names_in_c(), set()
    for module in [cp, *(importlib.import_module("cuprite." + m) for m in MODULES)]:
        without |= {name for name, own in functions_of(module) if name not in c and own not in c}
    assert without - set(ALLOWED) == set()
    assert set(ALLOWED) - without == set()  # no reason for what needs none


# --- the names that NumPy has and CuPy lacks ---

@pytest.mark.parametrize("name", ["sqrt", "log", "log10", "log2", "arccos", "arcsin", "arctanh"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i1", "c8"])
def test_emath(name, dtype):
    for values in ([1, 2, 3], [-1, 2, -3], [0.5, 1.5, -2.5]):
        x = np.array(values).astype(dtype)
        with np.errstate(all="ignore"):
            theirs = getattr(np.emath, name)(x)
        ours = getattr(cp.emath, name)(cp.asarray(x))
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-2 if theirs.dtype == "f2" else 1e-6)


def test_emath_of_two():
    for x, p in (([2, 4], 2), ([-2.0, 4], 0.5), ([2, 4], -2), ([-2, 4], [-2, 2])):
        ours, theirs = cp.emath.power(cp.array(x), cp.array(p)), np.emath.power(x, p)
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-12)
    ours, theirs = cp.emath.logn(2, cp.array([-4, -8, 8.0])), np.emath.logn(2, [-4, -8, 8.0])
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-12)


def test_ndenumerate():
    x = np.arange(6).reshape(2, 3)
    assert [(k, int(v)) for k, v in cp.ndenumerate(cp.asarray(x))] == [(k, int(v)) for k, v in np.ndenumerate(x)]
    assert [(k, int(v)) for k, v in cp.ndenumerate(cp.array(5))] == [((), 5)]
