/* The module state: finding each interpreter's, and its traversal for the garbage collector.
 *
 * Invariant: a state is in the list from the module's execution until its memory is freed. No interpreter has two.
 * A thread remembers the state that it found last; `changes` says whether the list has changed since. */
#include "cpy.h"

#include <pthread.h>

cpy_state *_Atomic cpy_only;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the next two, and changes of cpy_only */
static cpy_state *states;
static bool had_one;
static atomic_uint changes;
static _Thread_local struct { PyInterpreterState *interpreter; unsigned changes; cpy_state *state; } last;

cpy_state *cpy_find_state(void)
{
    PyInterpreterState *now = PyInterpreterState_Get();
    unsigned seen = atomic_load(&changes);
    if (last.interpreter == now && last.changes == seen) return last.state;
    pthread_mutex_lock(&lock);
    cpy_state *s = states;
    while (s && s->interpreter != now) s = s->next;
    pthread_mutex_unlock(&lock);
    last.interpreter = now;
    last.changes = seen;
    return last.state = s;
}

void cpy_state_enter(cpy_state *s)
{
    s->interpreter = PyInterpreterState_Get();
    pthread_mutex_lock(&lock);
    s->next = states;
    states = s;
    atomic_fetch_add(&changes, 1);
    atomic_store(&cpy_only, had_one ? NULL : s); /* for good: what is left of a state that went finds no other's */
    had_one = true;
    pthread_mutex_unlock(&lock);
}

static void leave(cpy_state *s)
{
    pthread_mutex_lock(&lock);
    for (cpy_state **at = &states; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    atomic_fetch_add(&changes, 1);
    atomic_store(&cpy_only, NULL);
    pthread_mutex_unlock(&lock);
}

PyObject *cpy_module(PyObject **slot, const char *name)
{
    PyObject *module = cpy_peek(slot);
    return module ? module : cpy_publish(slot, PyImport_ImportModule(name));
}

/* Every reference that a state owns: where in the state they begin and how many there are, for the two that follow. */
#define OWNED(name) {offsetof(cpy_state, name), sizeof(((cpy_state *)NULL)->name) / sizeof(PyObject *)}
static const struct { size_t offset, count; } owned[] = {
    OWNED(array), OWNED(ufunc), OWNED(kernel), OWNED(kernel_module), OWNED(lazy_kernel), OWNED(loop_kernel),
    OWNED(kernel_struct), OWNED(fused), OWNED(memory_error), OWNED(casting_error), OWNED(device_error),
    OWNED(compile_error), OWNED(driver_error), OWNED(synchronized_error), OWNED(support), OWNED(dispatch),
    OWNED(printing), OWNED(numpy), OWNED(numpy_array), OWNED(numpy_generic), OWNED(numpy_dtype), OWNED(dlpack_method),
    OWNED(dlpack_words), OWNED(dlpack_word), OWNED(dlpack_version), OWNED(numpy_name),
    OWNED(dtypes), OWNED(scalar_types), OWNED(element_types),
};
enum { NOWNED = sizeof owned / sizeof *owned };

static PyObject **references(PyObject *module, int i)
{
    return (PyObject **)(void *)((char *)PyModule_GetState(module) + owned[i].offset);
}

int cpy_state_traverse(PyObject *module, visitproc visit, void *arg)
{
    for (int i = 0; i < NOWNED; i++)
        for (size_t k = 0; k < owned[i].count; k++) Py_VISIT(references(module, i)[k]);
    return 0;
}

int cpy_state_clear(PyObject *module)
{
    for (int i = 0; i < NOWNED; i++)
        for (size_t k = 0; k < owned[i].count; k++) Py_CLEAR(references(module, i)[k]);
    return 0;
}

void cpy_state_free(void *module)
{
    cpy_state *s = PyModule_GetState(module);
    if (!s) return;
    leave(s);
    cpy_state_clear(module);
    for (int i = 0; i <= CPY_LAST_INT - CPY_FIRST_INT; i++) cp_free(s->small_ints[i]);
    while (s->nkept) PyObject_Free(s->kept[--s->nkept]);
}
