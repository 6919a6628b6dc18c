/* Lesson 2: code that does not know its device, in C.
 *
 *     cc 02_devices.c $(pkg-config --cflags --libs cuprite) -o devices && ./devices && ./devices cpu
 *
 * The device belongs to the thread: it is chosen once, and no function after that names it. */
#include "workshop.h"

/* For each point of the plane the step at which z * z + c leaves the circle of radius 2. */
static cp_array *escape_times(cp_array *c, int steps)
{
    cp_scope *s = cp_scope_begin();
    cp_array *z = cp_zeros_like(c, CP_DEFAULT), *times = cp_zeros_like(c, CP_INT64);
    for (int i = 0; i < steps; i++) {
        cp_array *inside = cp_less_equal(cp_absolute(z), cp_float(2));
        z = cp_where(inside, cp_add(cp_multiply(z, z), c), z);
        times = cp_add(times, inside);
    }
    return cp_scope_return(s, times);
}

int main(int argc, char **argv)
{
    int device;
    if (argc > 1 && (cp_device_parse(argv[1], &device) != CP_OK || cp_device_use(device) != CP_OK))
        return workshop_end();
    for (CP_SCOPE) {
        cp_array *x = cp_linspace(cp_float(-2), cp_float(1), 180);
        cp_array *y = cp_expand_dims(cp_linspace(cp_float(-1), cp_float(1), 120), CP_AXES(1));
        cp_array *times = escape_times(cp_add(x, cp_multiply(y, cp_complex(0, 1))), 40);
        printf("the current device: %d\n", cp_device_of(times) == cp_device_current());
        printf("steps: %lld to %lld\n", (long long)cp_item_int(cp_min(times)),
               (long long)cp_item_int(cp_max(times)));

        cp_array *on_host = cp_to_device(times, CP_CPU);
        int64_t corner = -1;
        cp_to_host(cp_slice(on_host, CP_ITEMS(CP_AT(0), CP_AT(0))), &corner, sizeof corner);
        printf("the corner: %lld\n", (long long)corner);
        workshop_show(times, "mandelbrot.png");
    }
    return workshop_end();
}

/* It prints:
 *
 * the current device: 1
 * steps: 1 to 40
 * the corner: 1
 */
