/* Generators in Python: capsules, and their state as bytes. */
#include "random_rows.h"

#include <string.h>

static void free_rng(PyObject *c) { cp_rng_free(PyCapsule_GetPointer(c, "rng")); }

static PyObject *own_rng(cp_rng *g)
{
    if (!g) return cpy_raise();
    PyObject *c = PyCapsule_New(g, "rng", free_rng);
    if (!c) cp_rng_free(g);
    return c;
}

/* A bytes object as 32-bit words. */
static const uint32_t *words(PyObject *o, int *n)
{
    char *at;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(o, &at, &size) < 0) return NULL;
    if (size % 4 || size > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "words of 32 bits are needed");
        return NULL;
    }
    *n = (int)(size / 4);
    return (const uint32_t *)at;
}

/*: function("rng_new_kind", "kind: int, entropy: object", c="", module="_random",
             doc="A generator of that kind, seeded by entropy, 32-bit words as bytes.") */
PyObject *py_random_rng_new_kind(const py_random_rng_new_kind_args *v)
{
    int n;
    const uint32_t *at = words(v->entropy, &n);
    return at ? own_rng(cp_rng_new_kind((cp_rng_kind)v->kind, n, at)) : NULL;
}

/*: function("rng_copy", "g: rng", c="", module="_random", doc="Another generator at the same position.") */
PyObject *py_random_rng_copy(const py_random_rng_copy_args *v) { return own_rng(cp_rng_copy(v->g)); }

/*: function("rng_jumped", "g: rng, times: int64", c="", module="_random", doc="Another generator, jumps ahead.") */
PyObject *py_random_rng_jumped(const py_random_rng_jumped_args *v)
{
    return own_rng(cp_rng_jumped(v->g, (uint64_t)v->times));
}

/*: function("rng_advance", "g: rng, n: object", c="", module="_random", doc="Goes on by n, 32 bytes.") */
PyObject *py_random_rng_advance(const py_random_rng_advance_args *v)
{
    uint64_t n[4];
    int count;
    const uint32_t *at = words(v->n, &count);
    if (!at) return NULL;
    if (count != 8) return PyErr_Format(PyExc_ValueError, "a number of 256 bits is needed");
    memcpy(n, at, sizeof n);
    return cpy_none(cp_rng_advance(v->g, n));
}

/*: function("rng_get_state", "g: rng", c="", module="_random", doc="The generator's cp_rng_state, as bytes.") */
PyObject *py_random_rng_get_state(const py_random_rng_get_state_args *v)
{
    cp_rng_state s;
    if (cp_rng_get_state(v->g, &s)) return cpy_raise();
    return PyBytes_FromStringAndSize((const char *)&s, sizeof s);
}

/*: function("rng_set_state", "g: rng, state: object", c="", module="_random", doc="The other way round.") */
PyObject *py_random_rng_set_state(const py_random_rng_set_state_args *v)
{
    cp_rng_state s;
    if (!PyBytes_Check(v->state) || PyBytes_GET_SIZE(v->state) != sizeof s)
        return PyErr_Format(PyExc_ValueError, "a state of %zu bytes is needed", sizeof s);
    memcpy(&s, PyBytes_AS_STRING(v->state), sizeof s);
    return cpy_none(cp_rng_set_state(v->g, &s));
}
