/* Lesson 9: streams and events, in C.
 *
 *     cc 09_streams.c $(pkg-config --cflags --libs cuprite) -o streams && ./streams
 *
 * A stream is a queue of work. cp_stream_use says to which one the calls of this thread go. */
#include "workshop.h"

/* Two streams, ordered by an event. */
static void pipeline(int device, cp_stream *one, cp_stream *two)
{
    cp_event *ready = cp_event_create(device);
    cp_stream_use(one);
    cp_array *table = cp_cumsum(cp_arange(0, 1000000, 1, CP_FLOAT64), CP_FLAT);
    cp_event_record(ready, one);
    cp_stream_use(two);
    cp_stream_wait(two, ready); /* what follows in `two` comes after the event */
    cp_array *last = cp_add(cp_slice(table, CP_ITEMS(CP_AT(-1))), cp_float(1));
    printf("%.0f\n", cp_item_float(last));
    printf("done: %d\n", cp_event_done(ready));
    cp_event_free(ready);
}

/* Time on the device, between two events. */
static void timed(int device, cp_stream *s)
{
    cp_event *start = cp_event_create(device), *stop = cp_event_create(device);
    double ms = -1;
    cp_stream_use(s);
    cp_array *x = cp_ones(CP_SHAPE(400, 400), CP_FLOAT32);
    cp_event_record(start, s);
    cp_matmul(x, x);
    cp_event_record(stop, s);
    cp_event_synchronize(stop);
    cp_event_elapsed(start, stop, &ms);
    printf("time is at least 0: %d\n", ms >= 0);
    cp_event_free(start);
    cp_event_free(stop);
}

/* Two operations, recorded once and repeated five times. */
static void repeated(cp_stream *s)
{
    cp_stream_use(s);
    cp_array *v = cp_zeros(CP_SHAPE(3), CP_FLOAT64);
    cp_stream_capture(s, CP_CAPTURE_RELAXED);
    cp_assign(v, cp_multiply(cp_add(v, cp_float(1)), cp_float(2))); /* recorded, not done */
    cp_graph *graph = cp_stream_capture_end(s);
    for (int i = 0; i < 5; i++) cp_graph_launch(graph, s);
    cp_stream_synchronize(s);
    cp_print(v);
    cp_graph_free(graph);
}

int main(void)
{
    int device = cp_device_current();
    cp_stream *one = cp_stream_create(device), *two = cp_stream_create(device);
    for (CP_SCOPE) {
        pipeline(device, one, two);
        timed(device, one);
        repeated(one);
        cp_stream_use(NULL); /* the default stream again */
    }
    cp_stream_free(one);
    cp_stream_free(two);
    return workshop_end();
}

/* It prints:
 *
 * 499999500001
 * done: 1
 * time is at least 0: 1
 * [62. 62. 62.]
 */
