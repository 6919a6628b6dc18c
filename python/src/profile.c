/* Profiling for Python: the calls, and the place in the program that they come from.
 *
 * A place is asked for with the GIL, or without: then the thread's place is the one noted before it let go of the GIL
 * (CPY_RUN in cpy.h), which it does only while profiling is on. */
#include "profile_rows.h"

#include "cuprite/profile.h"

enum { PLACE = 512 };

int cpy_locations_wanted;
static _Thread_local char noted[PLACE];
static char package[PLACE]; /* files that begin so are ours */

/* The innermost frame outside of the package, as FILE:LINE; "" where there is none. With the GIL. */
static void find_location(char *text, size_t bytes)
{
    text[0] = 0;
    PyFrameObject *f = PyEval_GetFrame();
    Py_XINCREF(f);
    while (f) {
        PyCodeObject *code = PyFrame_GetCode(f);
        PyObject *bytes_of = PyUnicode_EncodeFSDefault(code->co_filename);
        const char *file = bytes_of ? PyBytes_AS_STRING(bytes_of) : "";
        const bool ours = package[0] && strncmp(file, package, strlen(package)) == 0;
        if (!ours && file[0]) snprintf(text, bytes, "%s:%d", file, PyFrame_GetLineNumber(f));
        if (!bytes_of) PyErr_Clear();
        Py_XDECREF(bytes_of);
        Py_DECREF(code);
        PyFrameObject *back = text[0] ? NULL : PyFrame_GetBack(f);
        Py_DECREF(f);
        f = back;
    }
}

void cpy_note_location(void) { find_location(noted, sizeof noted); }

static void location(char *text, size_t bytes)
{
    if (cpy_has_gil()) find_location(text, bytes);
    else snprintf(text, bytes, "%s", noted);
}

/*: python_module("_profile", doc="The primitives of profiling, below cuprite.profiler.") */

/*: function("start", "folder: string", module="_profile", unlock="never",
             doc="Begins to record; files in the folder are not the program's.") */
PyObject *py_profile_start(const py_profile_start_args *v)
{
    snprintf(package, sizeof package, "%s", v->folder);
    cp_profile_location(location);
    if (cp_profile_start()) return cpy_raise();
    __atomic_store_n(&cpy_locations_wanted, 1, __ATOMIC_RELAXED);
    Py_RETURN_NONE;
}

/*: function("stop", "", module="_profile", unlock="never", doc="Stops recording.") */
PyObject *py_profile_stop(const py_profile_stop_args *v)
{
    (void)v;
    __atomic_store_n(&cpy_locations_wanted, 0, __ATOMIC_RELAXED);
    cp_profile_stop();
    Py_RETURN_NONE;
}

/*: function("clear", "", module="_profile", unlock="never", doc="Forgets what was recorded; waits for the devices.") */
PyObject *py_profile_clear(const py_profile_clear_args *v)
{
    (void)v;
    CPY_UNLOCKED(cp_profile_clear());
    Py_RETURN_NONE;
}

/*: function("string", "view: int", module="_profile", unlock="never",
             doc="What was recorded: 0: a table, 1: a report of copies to the host and waits, 2: a trace (JSON).") */
PyObject *py_profile_string(const py_profile_string_args *v)
{
    char *text;
    CPY_UNLOCKED(text = cp_profile_string((cp_profile_view)v->view));
    if (!text) return cpy_raise();
    PyObject *r = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    cp_string_free(text);
    return r;
}
