/* Functions of cuprite.scipy.ndimage whose arguments are read in Python: _interpolation.py, _distances.py and
 * _labelled.py have them under the same names. */
#include "interpolation_rows.h"

/* The call of a module's function with n objects by their names; those that were not given are NULL and left out. */
static PyObject *call(const char *module, const char *function, int n, const char *const *names,
                      PyObject *const *values)
{
    PyObject *found = PyImport_ImportModule(module), *f = found ? PyObject_GetAttrString(found, function) : NULL;
    PyObject *given = f ? PyDict_New() : NULL, *none = given ? PyTuple_New(0) : NULL, *result = NULL;
    bool good = none != NULL;
    for (int i = 0; good && i < n; i++) good = !values[i] || !PyDict_SetItemString(given, names[i], values[i]);
    if (good) result = PyObject_Call(f, none, given);
    Py_XDECREF(none);
    Py_XDECREF(given);
    Py_XDECREF(f);
    Py_XDECREF(found);
    return result;
}
#define CALL(module, function, names, values) \
    call("cuprite." module, function, (int)(sizeof(names) / sizeof *(names)), names, values)

/*: function("spline_filter1d",
             "input: object, order: object = 3, axis: object = -1, output: object = 'float64', mode: object = "
             "'mirror'",
             module="scipy.ndimage", body="ndimage_spline_filter1d",
             about={"input": "an array",
                    "order": "of the splines, 0 to 5",
                    "axis": "an axis; negative ones count from the last",
                    "output": "an array that takes the result, a dtype or its name",
                    "mode": "how the input continues beyond its edges: 'reflect', 'mirror', 'nearest', 'wrap', "
                            "'constant', "
                    "'grid-mirror', 'grid-wrap' or 'grid-constant'"},
             raises={"RuntimeError": "no axes, an order beyond 0 to 5, an unknown mode, an output of another shape, "
                                     "or of real numbers "
                     "for complex ones",
                     "TypeError": "anything but Cuprite's arrays"},
             gives="a new array, or the output",
             doc="The coefficients of splines through the elements along one axis, as order > 1 of the other "
                 "functions needs them.") */
PyObject *py_ndimage_spline_filter1d(const py_ndimage_spline_filter1d_args *v)
{
    const char *const names[] = {
        "input", "order", "axis", "output", "mode"};
    PyObject *const values[] = {
        v->input, v->order, v->axis, v->output, v->mode};
    return CALL("_interpolation", "spline_filter1d", names, values);
}

/*: function("spline_filter",
             "input: object, order: object = 3, output: object = 'float64', mode: object = 'mirror'",
             module="scipy.ndimage", body="ndimage_spline_filter",
             about={"input": "an array",
                    "order": "of the splines, 2 to 5",
                    "output": "an array that takes the result, a dtype or its name",
                    "mode": "how the input continues beyond its edges: 'reflect', 'mirror', 'nearest', 'wrap', "
                            "'constant', "
                    "'grid-mirror', 'grid-wrap' or 'grid-constant'"},
             raises={"RuntimeError": "no axes, an order beyond 0 to 5, an unknown mode, an output of another shape, "
                                     "or of real numbers "
                     "for complex ones",
                     "TypeError": "anything but Cuprite's arrays"},
             gives="a new array, or the output",
             doc="The coefficients of splines through the elements along all axes, as order > 1 of the other "
                 "functions needs them.") */
PyObject *py_ndimage_spline_filter(const py_ndimage_spline_filter_args *v)
{
    const char *const names[] = {
        "input", "order", "output", "mode"};
    PyObject *const values[] = {
        v->input, v->order, v->output, v->mode};
    return CALL("_interpolation", "spline_filter", names, values);
}

/*: function("map_coordinates",
             "input: object, coordinates: object, output: object = None, order: object = 3, mode: object = "
             "'constant', cval: object = 0.0, prefilter: object = True",
             module="scipy.ndimage", body="ndimage_map_coordinates",
             about={"input": "an array",
                    "coordinates": "an array (ndim, ...) of places in the input, or lists",
                    "output": "an array that takes the result, a dtype or its name; None: the input's type",
                    "order": "of the splines, 0 to 5",
                    "mode": "how the input continues beyond its edges: 'reflect', 'mirror', 'nearest', 'wrap', "
                            "'constant', "
                    "'grid-mirror', 'grid-wrap' or 'grid-constant'",
                    "cval": "the input's value beyond its edges, for 'constant' and 'grid-constant'",
                    "prefilter": "False: the elements are coefficients already (spline_filter)"},
             raises={"RuntimeError": "no axes, an order beyond 0 to 5, an unknown mode, an output of another shape, "
                                     "or of real numbers "
                     "for complex ones; coordinates that are not one for each axis",
                     "TypeError": "anything but Cuprite's arrays"},
             gives="a new array, or the output",
             doc="The values of splines through the elements at coordinates.") */
PyObject *py_ndimage_map_coordinates(const py_ndimage_map_coordinates_args *v)
{
    const char *const names[] = {
        "input", "coordinates", "output", "order", "mode", "cval", "prefilter"};
    PyObject *const values[] = {
        v->input, v->coordinates, v->output, v->order, v->mode, v->cval, v->prefilter};
    return CALL("_interpolation", "map_coordinates", names, values);
}

/*: function("affine_transform",
             "input: object, matrix: object, offset: object = 0.0, output_shape: object = None, output: object = "
             "None, order: object = 3, mode: object = 'constant', cval: object = 0.0, prefilter: object = True, *, "
             "texture_memory: object = False, float64_coords: object = False",
             module="scipy.ndimage", body="ndimage_affine_transform",
             about={"input": "an array",
                    "matrix": "(ndim, ndim), a diagonal (ndim), or homogeneous, (ndim, ndim + 1) or (ndim + 1, ndim "
                              "+ 1): an array, or "
                    "numbers",
                    "offset": "a number, or one for each axis",
                    "output_shape": "a shape; None: the output's, else the input's",
                    "output": "an array that takes the result, a dtype or its name; None: the input's type",
                    "order": "of the splines, 0 to 5",
                    "mode": "how the input continues beyond its edges: 'reflect', 'mirror', 'nearest', 'wrap', "
                            "'constant', "
                    "'grid-mirror', 'grid-wrap' or 'grid-constant'",
                    "cval": "the input's value beyond its edges, for 'constant' and 'grid-constant'",
                    "prefilter": "False: the elements are coefficients already (spline_filter)",
                    "texture_memory": "CuPy's; without effect",
                    "float64_coords": "CuPy's; without effect: coordinates are float64"},
             raises={"RuntimeError": "no axes, an order beyond 0 to 5, an unknown mode, an output of another shape, "
                                     "or of real numbers "
                     "for complex ones; a matrix of another shape",
                     "TypeError": "anything but Cuprite's arrays",
                     "ValueError": "a homogeneous matrix whose last row is not 0, ..., 0, 1"},
             gives="a new array, or the output",
             doc="The input's values, by splines, at matrix @ index + offset for each index of the result. A matrix "
                 "that is an array is read, which waits for its device.") */
PyObject *py_ndimage_affine_transform(const py_ndimage_affine_transform_args *v)
{
    const char *const names[] = {
        "input", "matrix", "offset", "output_shape", "output", "order", "mode", "cval", "prefilter",
        "texture_memory", "float64_coords"};
    PyObject *const values[] = {
        v->input, v->matrix, v->offset, v->output_shape, v->output, v->order, v->mode, v->cval,
        v->prefilter, v->texture_memory, v->float64_coords};
    return CALL("_interpolation", "affine_transform", names, values);
}

/*: function("shift",
             "input: object, shift: object, output: object = None, order: object = 3, mode: object = 'constant', "
             "cval: object = 0.0, prefilter: object = True",
             module="scipy.ndimage", body="ndimage_shift",
             about={"input": "an array",
                    "shift": "by how many elements: a number, or one for each axis",
                    "output": "an array that takes the result, a dtype or its name; None: the input's type",
                    "order": "of the splines, 0 to 5",
                    "mode": "how the input continues beyond its edges: 'reflect', 'mirror', 'nearest', 'wrap', "
                            "'constant', "
                    "'grid-mirror', 'grid-wrap' or 'grid-constant'",
                    "cval": "the input's value beyond its edges, for 'constant' and 'grid-constant'",
                    "prefilter": "False: the elements are coefficients already (spline_filter)"},
             raises={"RuntimeError": "no axes, an order beyond 0 to 5, an unknown mode, an output of another shape, "
                                     "or of real numbers "
                     "for complex ones; shifts that are not one for each axis",
                     "TypeError": "anything but Cuprite's arrays"},
             gives="a new array, or the output",
             doc="The input moved along its axes, by splines.") */
PyObject *py_ndimage_shift(const py_ndimage_shift_args *v)
{
    const char *const names[] = {
        "input", "shift", "output", "order", "mode", "cval", "prefilter"};
    PyObject *const values[] = {
        v->input, v->shift, v->output, v->order, v->mode, v->cval, v->prefilter};
    return CALL("_interpolation", "shift", names, values);
}

/*: function("zoom",
             "input: object, zoom: object, output: object = None, order: object = 3, mode: object = 'constant', "
             "cval: object = 0.0, prefilter: object = True, *, grid_mode: object = False",
             module="scipy.ndimage", body="ndimage_zoom",
             about={"input": "an array",
                    "zoom": "a factor, or one for each axis",
                    "output": "an array that takes the result, a dtype or its name; None: the input's type",
                    "order": "of the splines, 0 to 5",
                    "mode": "how the input continues beyond its edges: 'reflect', 'mirror', 'nearest', 'wrap', "
                            "'constant', "
                    "'grid-mirror', 'grid-wrap' or 'grid-constant'",
                    "cval": "the input's value beyond its edges, for 'constant' and 'grid-constant'",
                    "prefilter": "False: the elements are coefficients already (spline_filter)",
                    "grid_mode": "True: edges lie over edges; False: the centres of the first elements over each "
                                 "other, and those of the "
                    "last"},
             raises={"RuntimeError": "no axes, an order beyond 0 to 5, an unknown mode, an output of another shape, "
                                     "or of real numbers "
                     "for complex ones; factors that are not one for each axis",
                     "TypeError": "anything but Cuprite's arrays",
                     "ValueError": "a factor below 0, or NaN",
                     "OverflowError": "an infinite factor"},
             gives="a new array, or the output",
             doc="The input with more or fewer elements along its axes, by splines.") */
PyObject *py_ndimage_zoom(const py_ndimage_zoom_args *v)
{
    const char *const names[] = {
        "input", "zoom", "output", "order", "mode", "cval", "prefilter", "grid_mode"};
    PyObject *const values[] = {
        v->input, v->zoom, v->output, v->order, v->mode, v->cval, v->prefilter, v->grid_mode};
    return CALL("_interpolation", "zoom", names, values);
}

/*: function("rotate",
             "input: object, angle: object, axes: object = (1, 0), reshape: object = True, output: object = None, "
             "order: object = 3, mode: object = 'constant', cval: object = 0.0, prefilter: object = True",
             module="scipy.ndimage", body="ndimage_rotate",
             about={"input": "an array",
                    "angle": "in degrees",
                    "axes": "the two axes of the plane",
                    "reshape": "True: the result holds all of the input; False: it has the input's shape",
                    "output": "an array that takes the result, a dtype or its name; None: the input's type",
                    "order": "of the splines, 0 to 5",
                    "mode": "how the input continues beyond its edges: 'reflect', 'mirror', 'nearest', 'wrap', "
                            "'constant', "
                    "'grid-mirror', 'grid-wrap' or 'grid-constant'",
                    "cval": "the input's value beyond its edges, for 'constant' and 'grid-constant'",
                    "prefilter": "False: the elements are coefficients already (spline_filter)"},
             raises={"RuntimeError": "no axes, an order beyond 0 to 5, an unknown mode, an output of another shape, "
                                     "or of real numbers "
                     "for complex ones",
                     "TypeError": "anything but Cuprite's arrays",
                     "ValueError": "fewer than two axes, other than two of a plane, an angle that is not finite"},
             gives="a new array, or the output",
             doc="The input turned in the plane of two axes, by splines.") */
PyObject *py_ndimage_rotate(const py_ndimage_rotate_args *v)
{
    const char *const names[] = {
        "input", "angle", "axes", "reshape", "output", "order", "mode", "cval", "prefilter"};
    PyObject *const values[] = {
        v->input, v->angle, v->axes, v->reshape, v->output, v->order, v->mode, v->cval, v->prefilter};
    return CALL("_interpolation", "rotate", names, values);
}

/*: function("geometric_transform",
             "input: object, mapping: object, output_shape: object = None, output: object = None, order: object = 3, "
             "mode: object = 'constant', cval: object = 0.0, prefilter: object = True, extra_arguments: object = (), "
             "extra_keywords: object = None",
             module="scipy.ndimage", body="ndimage_geometric_transform",
             about={"input": "an array",
                    "mapping": "a function of an index of the result, a tuple, and the extra arguments: it gives the "
                               "place in the input; or a scipy.LowLevelCallable of the signature "
                               "'int (intptr_t *index, double *place, int ndim, int input_ndim, void *)'",
                    "output_shape": "a shape; None: the input's",
                    "output": "an array that takes the result, a dtype or its name; None: the input's type",
                    "order": "of the splines, 0 to 5",
                    "mode": "how the input continues beyond its edges: 'reflect', 'mirror', 'nearest', 'wrap', "
                            "'constant', "
                    "'grid-mirror', 'grid-wrap' or 'grid-constant'",
                    "cval": "the input's value beyond its edges, for 'constant' and 'grid-constant'",
                    "prefilter": "False: the elements are coefficients already (spline_filter)",
                    "extra_arguments": "further arguments of the function",
                    "extra_keywords": "further named ones"},
             raises={"RuntimeError": "no axes, an order beyond 0 to 5, an unknown mode, an output of another shape, "
                                     "or of real numbers "
                     "for complex ones, a function of C that fails",
                     "ValueError": "what cannot be called, a function of C of another signature",
                     "TypeError": "coordinates of another number, and anything but Cuprite's arrays"},
             gives="a new array, or the output",
             doc="The input's values, by splines, where a function says. It is called for every element.") */
PyObject *py_ndimage_geometric_transform(const py_ndimage_geometric_transform_args *v)
{
    const char *const names[] = {
        "input", "mapping", "output_shape", "output", "order", "mode", "cval", "prefilter",
        "extra_arguments", "extra_keywords"};
    PyObject *const values[] = {
        v->input, v->mapping, v->output_shape, v->output, v->order, v->mode, v->cval, v->prefilter,
        v->extra_arguments, v->extra_keywords};
    return CALL("_interpolation", "geometric_transform", names, values);
}

/*: function("distance_transform_edt",
             "image: object = None, sampling: object = None, return_distances: object = True, return_indices: object = "
             "False, distances: object = None, indices: object = None, *, block_params: object = None, "
             "float64_distances: object = True, input: object = None",
             module="scipy.ndimage", body="ndimage_distance_transform_edt",
             about={"image": "an array",
                    "sampling": "the distance of neighbours: a number, or one for each axis; None: 1",
                    "return_distances": "whether distances are wanted",
                    "return_indices": "whether the places of the nearest zeros are wanted",
                    "distances": "an array that takes the distances; None: a new one",
                    "indices": "an array of int32 (ndim, ...) that takes the places; None: a new one",
                    "block_params": "CuPy's; without effect",
                    "float64_distances": "False: distances are float32",
                    "input": "SciPy's name of the array, which is image in CuPy"},
             raises={"RuntimeError": "nothing that is wanted, outputs that do not fit, sampling that is not one for "
                                     "each axis",
                     "TypeError": "anything but Cuprite's arrays, and both names of one"},
             gives="what is wanted and has no output: a tuple of two, one array, or None",
             doc="The Euclidean distances of elements to the nearest zero.") */
PyObject *py_ndimage_distance_transform_edt(const py_ndimage_distance_transform_edt_args *v)
{
    const char *const names[] = {
        "image", "sampling", "return_distances", "return_indices", "distances", "indices", "block_params",
        "float64_distances"};
    const bool by_scipy = v->input && v->input != Py_None;
    if (by_scipy && v->image && v->image != Py_None) {
        PyErr_SetString(PyExc_TypeError, "distance_transform_edt: image and input are names of one array");
        return NULL;
    }
    PyObject *const values[] = {
        by_scipy ? v->input : v->image, v->sampling, v->return_distances, v->return_indices, v->distances, v->indices,
        v->block_params, v->float64_distances};
    return CALL("_distances", "distance_transform_edt", names, values);
}

/*: function("distance_transform_cdt",
             "input: object, metric: object = 'chessboard', return_distances: object = True, return_indices: object "
             "= False, distances: object = None, indices: object = None",
             module="scipy.ndimage", body="ndimage_distance_transform_cdt",
             about={"input": "an array",
                    "metric": "'chessboard', 'taxicab' ('cityblock', 'manhattan'), or a structure of 3 along every "
                              "axis",
                    "return_distances": "whether distances are wanted",
                    "return_indices": "whether the places of the nearest zeros are wanted",
                    "distances": "an array that takes the distances; None: a new one",
                    "indices": "an array of int32 (ndim, ...) that takes the places; None: a new one"},
             raises={"RuntimeError": "nothing that is wanted",
                     "ValueError": "an unknown metric, a structure of another shape, outputs that do not fit",
                     "TypeError": "anything but Cuprite's arrays"},
             gives="what is wanted and has no output: a tuple of two, one array, or None",
             doc="The numbers of steps of elements to the nearest zero, int32; -1 where there is none. Computed on "
                 "the host.") */
PyObject *py_ndimage_distance_transform_cdt(const py_ndimage_distance_transform_cdt_args *v)
{
    const char *const names[] = {
        "input", "metric", "return_distances", "return_indices", "distances", "indices"};
    PyObject *const values[] = {
        v->input, v->metric, v->return_distances, v->return_indices, v->distances, v->indices};
    return CALL("_distances", "distance_transform_cdt", names, values);
}

/*: function("distance_transform_bf",
             "input: object, metric: object = 'euclidean', sampling: object = None, return_distances: object = True, "
             "return_indices: object = False, distances: object = None, indices: object = None",
             module="scipy.ndimage", body="ndimage_distance_transform_bf",
             about={"input": "an array",
                    "metric": "'euclidean', 'taxicab' ('cityblock', 'manhattan') or 'chessboard'",
                    "sampling": "the distance of neighbours: a number, or one for each axis; None: 1",
                    "return_distances": "whether distances are wanted",
                    "return_indices": "whether the places of the nearest zeros are wanted",
                    "distances": "an array that takes the distances; None: a new one",
                    "indices": "an array of int32 (ndim, ...) that takes the places; None: a new one"},
             raises={"RuntimeError": "nothing that is wanted, outputs that do not fit, sampling that is not one for "
                                     "each axis; an unknown "
                     "metric",
                     "TypeError": "anything but Cuprite's arrays"},
             gives="what is wanted and has no output: a tuple of two, one array, or None",
             doc="The distances of elements to the nearest zero by trying all of them that lie at an edge. Computed "
                 "on the host.") */
PyObject *py_ndimage_distance_transform_bf(const py_ndimage_distance_transform_bf_args *v)
{
    const char *const names[] = {
        "input", "metric", "sampling", "return_distances", "return_indices", "distances", "indices"};
    PyObject *const values[] = {
        v->input, v->metric, v->sampling, v->return_distances, v->return_indices, v->distances, v->indices};
    return CALL("_distances", "distance_transform_bf", names, values);
}

/*: function("watershed_ift",
             "input: object, markers: object, structure: object = None, output: object = None",
             module="scipy.ndimage", body="ndimage_watershed_ift",
             about={"input": "an array of uint8 or uint16",
                    "markers": "an array of signed integers of that shape: labels, not 0, where flooding begins; "
                               "those below 0 are "
                    "background",
                    "structure": "3 along every axis, not 0 where neighbours connect; None: a cross",
                    "output": "an array that takes the result, a dtype or its name; None: the markers' type"},
             raises={"TypeError": "an input of another type, and anything but Cuprite's arrays",
                     "RuntimeError": "markers, a structure or an output that do not fit"},
             gives="a new array, or the output",
             doc="Watersheds by the image foresting transform: each element gets a marker's label. Computed on the "
                 "host.") */
PyObject *py_ndimage_watershed_ift(const py_ndimage_watershed_ift_args *v)
{
    const char *const names[] = {
        "input", "markers", "structure", "output"};
    PyObject *const values[] = {
        v->input, v->markers, v->structure, v->output};
    return CALL("_distances", "watershed_ift", names, values);
}

/*: function("labeled_comprehension",
             "input: object, labels: object, index: object, func: object, out_dtype: object, default: object, "
             "pass_positions: object = False",
             module="scipy.ndimage", body="ndimage_labeled_comprehension",
             about={"input": "an array",
                    "labels": "an array that broadcasts with the input; None: all elements are one region",
                    "index": "the labels, a number or several; None: all above 0 are one region",
                    "func": "a function of the elements of a label, a 1-d array",
                    "out_dtype": "the type of the results; object: what the calls give, in NumPy's array",
                    "default": "the result of labels without elements",
                    "pass_positions": "True: the function has the elements' linear indices as its second argument"},
             raises={"ValueError": "an index without labels, labels of another shape, an index that labels cannot have",
                     "TypeError": "anything but Cuprite's arrays"},
             gives="an array of the index' shape; for one label, or without an index, one result",
             doc="A function of the elements of each label. It is called once for each.") */
PyObject *py_ndimage_labeled_comprehension(const py_ndimage_labeled_comprehension_args *v)
{
    const char *const names[] = {
        "input", "labels", "index", "func", "out_dtype", "default", "pass_positions"};
    PyObject *const values[] = {
        v->input, v->labels, v->index, v->func, v->out_dtype, v->default_, v->pass_positions};
    return CALL("_labelled", "labeled_comprehension", names, values);
}

/*: function("histogram",
             "input: object, min: object, max: object, bins: object, labels: object = None, index: object = None",
             module="scipy.ndimage", body="ndimage_histogram", c="",
             about={"input": "an array",
                    "min": "the first edge",
                    "max": "the last edge",
                    "bins": "the number of bins",
                    "labels": "an array that broadcasts with the input; None: all elements are one region",
                    "index": "the labels, a number or several; None: all above 0 are one region"},
             raises={"ValueError": "an index without labels, labels of another shape, an index that labels cannot have",
                     "TypeError": "anything but Cuprite's arrays"},
             gives="an array of counts; for several labels NumPy's array of such, None for labels without elements",
             doc="The histogram of the elements of each label.") */
PyObject *py_ndimage_histogram(const py_ndimage_histogram_args *v)
{
    const char *const names[] = {
        "input", "min", "max", "bins", "labels", "index"};
    PyObject *const values[] = {
        v->input, v->min, v->max, v->bins, v->labels, v->index};
    return CALL("_labelled", "histogram", names, values);
}

/*: function("median",
             "input: object, labels: object = None, index: object = None",
             module="scipy.ndimage", body="ndimage_median", c="",
             about={"input": "an array",
                    "labels": "an array that broadcasts with the input; None: all elements are one region",
                    "index": "the labels, a number or several; None: all above 0 are one region"},
             raises={"ValueError": "labels of another shape",
                     "TypeError": "anything but Cuprite's arrays"},
             gives="an array of the index' shape",
             doc="The median of the elements of each label.") */
PyObject *py_ndimage_median(const py_ndimage_median_args *v)
{
    const char *const names[] = {
        "input", "labels", "index"};
    PyObject *const values[] = {
        v->input, v->labels, v->index};
    return CALL("_labelled", "median", names, values);
}

/*: function("value_indices",
             "arr: object, *, ignore_value: object = None, adaptive_index_dtype: object = False",
             module="scipy.ndimage", body="ndimage_value_indices",
             about={"arr": "an array of integers",
                    "ignore_value": "a value that is left out; None: none",
                    "adaptive_index_dtype": "True: indices of the least type that holds them"},
             raises={"ValueError": "anything but integers",
                     "TypeError": "anything but Cuprite's arrays"},
             gives="a dict from values to tuples of arrays, one for each axis",
             doc="Where each value of the array lies.") */
PyObject *py_ndimage_value_indices(const py_ndimage_value_indices_args *v)
{
    const char *const names[] = {
        "arr", "ignore_value", "adaptive_index_dtype"};
    PyObject *const values[] = {
        v->arr, v->ignore_value, v->adaptive_index_dtype};
    return CALL("_labelled", "value_indices", names, values);
}
