/* Lesson 11: profiling, in C.
 *
 *     cc 11_profiling.c $(pkg-config --cflags --libs cuprite) -o profiling && ./profiling
 *
 * CUPRITE_PROFILE=1 ./program prints the table of any program. Here a part of a program is recorded. */
#include "workshop.h"

#include <string.h>

/* Looks for the brightest pixel and paints it over, twenty times. */
static void peaks_slowly(cp_array *sky)
{
    cp_array *image = cp_copy(sky);
    for (int i = 0; i < 20; i++) {
        int64_t at = cp_item_int(cp_argmax(image)); /* waits */
        int64_t row = at / WIDTH, column = at % WIDTH;
        int64_t top = row > 4 ? row - 4 : 0, left = column > 4 ? column - 4 : 0;
        cp_assign(cp_slice(image, CP_ITEMS(CP_RANGE(top, row + 5), CP_RANGE(left, column + 5))), cp_float(0));
    }
}

int main(void)
{
    for (CP_SCOPE) {
        cp_array *sky = workshop_sky();
        if (cp_profile_start() != CP_OK) break;
        peaks_slowly(sky);
        cp_profile_stop();
        char *table = cp_profile_string(CP_PROFILE_TABLE);
        if (!table) break;
        printf("%s", table); /* a line for each operation, the longest first */
        cp_string_free(table);
    }
    return workshop_end();
}

/* It prints:
 *
 *      calls           ms   share    us a call           MB      GB/s  device     operation
 * ...20 ... argmax
 * ...
 */
