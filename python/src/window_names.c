/* Windows by their names: what a name or a tuple means is read in Python (python/cuprite/_windows.py). */
#include "window_names_rows.h"

/*: function("get_window", "window: object, Nx: object, fftbins: object = True", module="scipy.signal.windows",
             about={"window": "a name, a tuple of a name and the window's parameters, or a number: beta of Kaiser's",
                    "Nx": "the number of samples", "fftbins": "True: for spectra; False: symmetric"},
             raises={"ValueError": "an unknown window, parameters that are missing or not taken, an Nx that is no "
                     "positive integer, an fftbins that is no bool", "NotImplementedError": "dpss"},
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
