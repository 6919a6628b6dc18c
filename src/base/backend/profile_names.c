/* Names of what is profiled: strings that live as long as the program, and the public function on the stack.
 *
 * The public function is the outermost function cp_* of the library on the stack, as in leaks.c: every function has a
 * name without knowing of profiling. Return addresses are looked up once. */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/profile_sums.h"
#include "core/forks.h"

enum { FRAMES = 24, BUCKETS = 1 << 12, ADDRESSES = 1 << 13, PLACE = 512 };

typedef struct word {
    struct word *next;
    char text[];
} word;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CPI_FORK_GUARD(lock)
static word *words[BUCKETS];
static struct { void *address; const char *name; } seen[ADDRESSES]; /* name: NULL where it is no public function */
static cp_profile_location_fn ask;

/* The one string that equals `text`; NULL: out of memory. With the lock held. */
static const char *word_of(const char *text)
{
    uint64_t key = 14695981039346656037u;
    for (const char *p = text; *p; p++) key = (key ^ (unsigned char)*p) * 1099511628211u;
    word **first = &words[(key >> 32) % BUCKETS], *w = *first;
    while (w && strcmp(w->text, text) != 0) w = w->next;
    const size_t bytes = strlen(text) + 1;
    if (!w && (w = malloc(sizeof *w + bytes))) {
        memcpy(w->text, text, bytes);
        w->next = *first;
        *first = w;
    }
    return w ? w->text : NULL;
}

/* The public function that an address is in, without cp_; NULL: none. With the lock held. */
static const char *function_at(void *address)
{
    Dl_info info;
    size_t at = (size_t)(((uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15)) >> 40) % ADDRESSES;
    for (int tries = 0; tries < 8 && seen[at].address; tries++, at = (at + 1) % ADDRESSES)
        if (seen[at].address == address) return seen[at].name;
    const char *name = NULL;
    if (dladdr((char *)address - 1, &info) && info.dli_sname && strncmp(info.dli_sname, "cp_", 3) == 0)
        name = word_of(info.dli_sname + 3);
    seen[at].address = address;
    seen[at].name = name;
    return name;
}

void cp_profile_location(cp_profile_location_fn place) { __atomic_store_n(&ask, place, __ATOMIC_RELAXED); }

void cpi_profile_name(cpi_profile_call *c, const char *operation)
{
    const cp_profile_location_fn place = __atomic_load_n(&ask, __ATOMIC_RELAXED);
    const bool holds_up = c->kind != CPI_PROFILE_WORK && c->kind != CPI_PROFILE_COPY;
    char text[PLACE] = "";
    void *frame[FRAMES];
    const int depth = backtrace(frame, FRAMES);
    if (holds_up && place) place(text, sizeof text);
    pthread_mutex_lock(&lock);
    for (int i = depth - 1; i >= 0 && !c->function; i--) c->function = function_at(frame[i]);
    c->operation = word_of(operation);
    c->place = text[0] ? word_of(text) : NULL;
    pthread_mutex_unlock(&lock);
    if (!c->operation) c->operation = "an operation"; /* no memory for its name */
    c->thread = (int)syscall(SYS_gettid);
}

