/* ndarray.cstruct and ndarray.mdspan: objects that a kernel takes by value. They keep a reference to their array. */
#include "structs_rows.h"

#include "kernel.h"
#include "state.h"

typedef struct struct_object {
    PyObject_HEAD
    PyObject *array;
    cp_array *x; /* the array's record when it was made: another shape later is not this one's */
    cp_struct bytes;
} struct_object;

static void struct_dealloc(PyObject *self)
{
    struct_object *o = (struct_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(o->array);
    cpy_free(o->x);
    type->tp_free(self);
    Py_DECREF(type);
}

static struct_object *new_struct(PyObject *array)
{
    PyTypeObject *type = cpy_now()->kernel_struct;
    struct_object *o = (struct_object *)type->tp_alloc(type, 0);
    if (!o) return NULL;
    o->array = Py_NewRef(array);
    o->x = cp_retain(cpy_x(array));
    return o;
}

static PyObject *made(struct_object *o, cp_code code)
{
    if (code == CP_OK) return (PyObject *)o;
    Py_DECREF(o);
    return cpy_raise();
}

PyObject *cpy_cstruct(PyObject *array)
{
    struct_object *o = new_struct(array);
    return o ? made(o, cp_cstruct(o->x, &o->bytes)) : NULL;
}

/*: method("mdspan", "a: array, *, index_type: dtype, allow_unsafe: bool = False",
           about={"index_type": "int32 or int64: the type of lengths and strides",
                  "allow_unsafe": "True: also with strides below 1 and lengths of 0"},
           raises={"ValueError": "another index_type, more elements than it counts, strides that are no multiple of an \
element, and those that allow_unsafe is for"},
           gives="an object for a kernel's arguments",
           doc="""The array as a kernel takes it by value for a parameter of type
cuda::std::mdspan<T, cuda::std::dextents<index_type, ndim>, layout>, where layout is layout_stride, or layout_right or
layout_left where the array lies so; #include <cuda/std/mdspan>.""") */
PyObject *py_mdspan_method(const py_mdspan_method_args *v)
{
    struct_object *o = new_struct(v->self);
    return o ? made(o, cp_mdspan(o->x, v->index_type, &o->bytes, .allow_unsafe = v->allow_unsafe)) : NULL;
}

bool cpy_take_struct(PyObject *o, cp_argument *a)
{
    if (Py_TYPE(o) != cpy_now()->kernel_struct) return false;
    const cp_struct *s = &((struct_object *)o)->bytes;
    *a = cp_struct_argument(s);
    cp_retain(s->array); /* as of every argument that is no array's object */
    return true;
}

static PyObject *get_ptr(PyObject *o, void *u)
{
    (void)u;
    return PyLong_FromVoidPtr(((struct_object *)o)->bytes.value);
}

static PyObject *struct_bytes(PyObject *o, PyObject *u)
{
    (void)u;
    const cp_struct *s = &((struct_object *)o)->bytes;
    return PyBytes_FromStringAndSize((const char *)s->value, (Py_ssize_t)s->bytes);
}

bool cpy_structs_init(cpy_state *s)
{
    static PyGetSetDef attributes[] = {{"ptr", get_ptr, NULL, "Where the struct lies in the host's memory.", NULL},
                                       {NULL}};
    static PyMethodDef methods[] = {{"__bytes__", struct_bytes, METH_NOARGS, "The struct's bytes."}, {NULL}};
    static PyType_Slot slots[] = {{Py_tp_doc, "An array as a struct that a kernel takes by value."},
                                  {Py_tp_dealloc, struct_dealloc},
                                  {Py_tp_getset, attributes},
                                  {Py_tp_methods, methods},
                                  {0, NULL}};
    static PyType_Spec spec = {"cuprite._Struct", sizeof(struct_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               slots};
    s->kernel_struct = (PyTypeObject *)PyType_FromModuleAndSpec(s->module, &spec, NULL);
    return s->kernel_struct != NULL;
}
