/* Windows by their names: what a name or a tuple means is read in Python (python/cuprite/_windows.py), where Slepian's
 * are, too. */
#include "window_names_rows.h"

/*: function("get_window", "window: object, Nx: object, fftbins: object = True", module="scipy.signal.windows",
             about={"window": "a name, a tuple of a name and the window's parameters, or a number: beta of Kaiser's",
                    "Nx": "the number of samples", "fftbins": "True: for spectra; False: symmetric"},
             raises={"ValueError": "an unknown window, parameters that are missing or not taken, an Nx that is no "
                     "positive integer, an fftbins that is no bool", "ImportError": "dpss without SciPy"},
             gives="a new array",
             doc="The window of a name. `_periodic` or `_symmetric` behind the name stands for fftbins.") */
PyObject *py_windows_get_window(const py_windows_get_window_args *v)
{
    PyObject *module = PyImport_ImportModule("cuprite._windows"), *result = NULL;
    if (module)
        result = PyObject_CallMethod(module, "get_window", "OOO", v->window, v->Nx, v->fftbins ? v->fftbins : Py_True);
    Py_XDECREF(module);
    return result;
}

/*: function("dpss", "M: object, NW: object, Kmax: object = None, sym: object = True, norm: object = None, "
             "return_ratios: object = False", module="scipy.signal.windows",
             about={"M": "the number of samples", "NW": "half the bandwidth, times the length",
                    "Kmax": "how many windows; None: one, (M,)", "sym": "False: for spectra",
                    "norm": "2, 'approximate' or 'subsample'; None: 2 with Kmax, else 'approximate'",
                    "return_ratios": "whether the windows' concentrations are returned too"},
             raises={"ValueError": "another length, bandwidth or norm", "ImportError": "no SciPy"},
             gives="a new array (Kmax, M), or (M,); with return_ratios also the ratios",
             doc="Slepian's windows (discrete prolate spheroidal sequences), computed by SciPy on the host.") */
PyObject *py_windows_dpss(const py_windows_dpss_args *v)
{
    PyObject *module = PyImport_ImportModule("cuprite._windows"), *result = NULL;
    if (module)
        result = PyObject_CallMethod(module, "dpss", "OOOOOO", v->M, v->NW, v->Kmax ? v->Kmax : Py_None,
                                     v->sym ? v->sym : Py_True, v->norm ? v->norm : Py_None,
                                     v->return_ratios ? v->return_ratios : Py_False);
    Py_XDECREF(module);
    return result;
}
