/* Loading shared objects of the compiler: see load.h. */
#include "kernel/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"
#include "kernel/fibers.h"

/* A path of the open file that was not used before. The loader takes two libraries of one name for one, and file
 * descriptors are reused. So the path has a number of its own, in components that change nothing. */
static void unused_path(int file, char path[200])
{
    static unsigned last;
    unsigned number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    int n = snprintf(path, 200, "/proc/self");
    for (; number; number >>= 1) n += snprintf(path + n, 200 - (size_t)n, number & 1 ? "/." : "//");
    snprintf(path + n, 200 - (size_t)n, "/fd/%d", file);
}

/* The bounds of the loaded object that contains image->start. */
static int find_image(struct dl_phdr_info *info, size_t size, void *memory)
{
    cpi_address_range *image = memory, whole = {UINTPTR_MAX, 0};
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD) continue;
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (start < whole.start) whole.start = start;
        if (start + p->p_memsz > whole.end) whole.end = start + p->p_memsz;
    }
    if (image->start < whole.start || image->start >= whole.end) return 0;
    *image = whole;
    return 1;
}

bool cpi_object_is_whole(const void *object, size_t bytes)
{
    ElfW(Ehdr) e;
    ElfW(Phdr) p;
    if (bytes < sizeof e) return false;
    memcpy(&e, object, sizeof e);
    if (memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 || e.e_phentsize != sizeof p || e.e_phoff > bytes) return false;
    if (e.e_phnum > (bytes - e.e_phoff) / sizeof p) return false;
    for (size_t i = 0; i < e.e_phnum; i++) {
        memcpy(&p, (const char *)object + e.e_phoff + i * sizeof p, sizeof p);
        if (p.p_offset > bytes || p.p_filesz > bytes - p.p_offset) return false;
    }
    return true;
}

/* An unnamed file with the object; -1 and `why`: there is no space for it. */
static int file_of(const void *object, size_t bytes, const char **why)
{
    int f = memfd_create("cuprite-kernel", MFD_CLOEXEC);
    const char *p = object;
    for (size_t left = bytes; f >= 0 && left;) {
        ssize_t n = write(f, p, left);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            int reason = n ? errno : ENOSPC;
            close(f);
            f = -1, errno = reason;
            break;
        }
        p += n, left -= (size_t)n;
    }
    if (f < 0) *why = strerror(errno);
    return f;
}

/* --- constructors --- */

typedef struct start { ElfW(Addr) at; size_t bytes; } start; /* of the table of constructors, in the object */

/* The loader would run them before anybody could guard them: in the file their number becomes 0. */
static void withhold_constructors(int file, const void *object, start *constructors)
{
    ElfW(Ehdr) e;
    ElfW(Phdr) p;
    ElfW(Dyn) d;
    const char *o = object;
    memcpy(&e, o, sizeof e);
    for (size_t i = 0; i < e.e_phnum; i++) {
        memcpy(&p, o + e.e_phoff + i * sizeof p, sizeof p);
        for (size_t at = 0; p.p_type == PT_DYNAMIC && at + sizeof d <= p.p_filesz; at += sizeof d) {
            memcpy(&d, o + p.p_offset + at, sizeof d);
            if (d.d_tag == DT_INIT_ARRAY) constructors->at = d.d_un.d_ptr;
            if (d.d_tag != DT_INIT_ARRAYSZ && d.d_tag != DT_FINI_ARRAYSZ) continue;
            if (d.d_tag == DT_INIT_ARRAYSZ) constructors->bytes = d.d_un.d_val;
            d.d_un.d_val = 0;
            if (pwrite(file, &d, sizeof d, (off_t)(p.p_offset + at)) != sizeof d) constructors->bytes = 0;
        }
    }
}

typedef struct construction { void (**first)(void); size_t n; } construction;

static void run_constructors(void *memory)
{
    const construction *c = memory;
    for (size_t i = 0; i < c->n; i++)
        if (c->first[i]) c->first[i]();
}

static bool construct(const cpi_kernel_library *l, const start *constructors)
{
    struct link_map *map = NULL;
    cpi_fault fault;
    if (!constructors->bytes || dlinfo(l->handle, RTLD_DI_LINKMAP, &map)) return true;
    construction c = {(void (**)(void))(map->l_addr + constructors->at), constructors->bytes / sizeof(ElfW(Addr))};
    cpi_guard_install();
    if (cpi_guarded_separately(run_constructors, &c, &fault)) return true;
    const char *text = fault.text + (*fault.text == 1);
    return cpi_fail(CP_ERROR_COMPILE, "the constructor of a variable failed: %s", text), false;
}

bool cpi_kernel_open(const void *object, size_t bytes, cpi_kernel_library *l)
{
    char path[200];
    const char *why = "the file is not whole";
    start constructors = {0, 0};
    int f = cpi_object_is_whole(object, bytes) ? file_of(object, bytes, &why) : -1;
    if (f >= 0) {
        unused_path(f, path);
        withhold_constructors(f, object, &constructors);
        l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!l->handle) why = dlerror();
    }
    if (!l->handle) cpi_fail(CP_ERROR_COMPILE, "kernel: what was compiled cannot be loaded: %s", why);
    if (f >= 0) close(f);
    if (!l->handle) return false;
    l->kernels = dlsym(l->handle, "__cu_kernels");
    l->variables = dlsym(l->handle, "__cu_variables");
    if (!l->kernels || !l->variables) {
        dlclose(l->handle);
        l->handle = NULL; /* another source may be tried */
        return cpi_fail(CP_ERROR_COMPILE, "kernel: what was compiled has no table of kernels"), false;
    }
    l->image.start = (uintptr_t)l->kernels;
    dl_iterate_phdr(find_image, &l->image);
    const __cu_host **host = dlsym(l->handle, "__cu_library");
    if (host) *host = &cpi_crew_host;
    if (construct(l, &constructors)) return true;
    dlclose(l->handle);
    l->handle = NULL;
    return false;
}

void cpi_kernel_close(cpi_kernel_library *l)
{
    if (l->handle) dlclose(l->handle);
    free(l->text);
    free(l->object);
    free(l->apart);
}

