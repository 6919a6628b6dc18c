/* The module's slots on a GPU: NVRTC compiles, the driver loads and launches.
 *
 * Both libraries are opened when first needed; nothing of them is linked. A thread that comes here has the device's
 * primary context current, whoever made it. What was compiled is kept as the cubin and the mangled names of template
 * instances. nvcc is never needed. */
#include <cuda.h>
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/cuda.h"
#include "kernel/kernel.h"

namespace {

/* --- the two libraries --- */

#define DRIVER(X)                                                                                              \
    X(cuCtxGetCurrent, "cuCtxGetCurrent") X(cuModuleLoadData, "cuModuleLoadData")                              \
    X(cuModuleUnload, "cuModuleUnload") X(cuModuleGetFunction, "cuModuleGetFunction")                          \
    X(cuModuleGetGlobal, "cuModuleGetGlobal_v2") X(cuFuncGetAttribute, "cuFuncGetAttribute")                   \
    X(cuFuncSetAttribute, "cuFuncSetAttribute") X(cuLaunchKernel, "cuLaunchKernel")                            \
    X(cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel") X(cuGetErrorName, "cuGetErrorName")              \
    X(cuGetErrorString, "cuGetErrorString")
struct driver_calls {
#define X(name, symbol) decltype(&::name) name;
    DRIVER(X)
#undef X
    CUresult(CUDAAPI *cuFuncGetParamInfo)(CUfunction, size_t, size_t *, size_t *); /* CUDA 12.4; else NULL */
} driver;

#define NVRTC(X)                                                                                               \
    X(nvrtcVersion) X(nvrtcGetErrorString) X(nvrtcCreateProgram) X(nvrtcDestroyProgram) X(nvrtcCompileProgram) \
    X(nvrtcGetProgramLogSize) X(nvrtcGetProgramLog) X(nvrtcAddNameExpression) X(nvrtcGetLoweredName)           \
    X(nvrtcGetCUBINSize) X(nvrtcGetCUBIN) X(nvrtcGetPTXSize) X(nvrtcGetPTX) X(nvrtcGetNumSupportedArchs)       \
    X(nvrtcGetSupportedArchs)
struct nvrtc_calls {
#define X(name) decltype(&::name) name;
    NVRTC(X)
#undef X
} nvrtc;

pthread_once_t driver_once = PTHREAD_ONCE_INIT;
pthread_mutex_t nvrtc_lock = PTHREAD_MUTEX_INITIALIZER;
char driver_error[300], nvrtc_error[300];
char include_option[1100], cccl_option[1100]; /* CUDA's headers, and cuda::std's, which some of them include */

void open_driver()
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        snprintf(driver_error, sizeof driver_error, "%s", dlerror());
        return;
    }
#define X(name, symbol)                                                                               \
    *(void **)&driver.name = dlsym(lib, symbol);                                                      \
    if (!driver.name) snprintf(driver_error, sizeof driver_error, "libcuda.so.1 has no %s", symbol);
    DRIVER(X)
#undef X
    *(void **)&driver.cuFuncGetParamInfo = dlsym(lib, "cuFuncGetParamInfo");
}

/* What NVRTC opens by its name when it compiles: if its folder is in no search path, it is found only when open
 * already. */
void open_builtins()
{
    char pattern[PATH_MAX + 40];
    glob_t found;
    Dl_info info;
    if (!dladdr((void *)nvrtc.nvrtcVersion, &info) || !info.dli_fname || *info.dli_fname != '/') return;
    int folder = (int)(strrchr(info.dli_fname, '/') - info.dli_fname);
    snprintf(pattern, sizeof pattern, "%.*s/libnvrtc-builtins.so.*", folder, info.dli_fname);
    if (glob(pattern, 0, nullptr, &found)) return;
    for (size_t i = 0; i < found.gl_pathc; i++) dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
    globfree(&found);
}

/* Whether FOLDER/`below` has `header`: then adds the option for NVRTC. */
bool takes(char (&option)[1100], const char *folder, const char *below, const char *header)
{
    char file[sizeof option];
    int n = snprintf(file, sizeof file, "%s/%s/%s", folder, below, header);
    if (!*folder || n >= (int)sizeof file - 2 || access(file, R_OK)) return false;
    snprintf(option, sizeof option, "-I%.*s", n - 1 - (int)strlen(header), file);
    return true;
}

/* Adds what FOLDER has of the missing headers; whether none is missing any more. */
bool has_headers(const char *folder)
{
    if (!*include_option) takes(include_option, folder, "include", "cuda_fp16.h");
    if (!*cccl_option && !takes(cccl_option, folder, "include/cccl", "nv/target"))
        takes(cccl_option, folder, "include", "nv/target");
    return *include_option && *cccl_option;
}

/* CUDA's own headers (cuda_fp16.h, cooperative_groups.h) and CCCL's (nv/target), beside the library or in the toolkit's
 * folder; with wheels, one may be installed without the other. */
void find_headers()
{
    Dl_info info;
    char real[PATH_MAX];
    const char *home = getenv("CUDA_PATH");
    *include_option = *cccl_option = 0;
    if (dladdr((void *)nvrtc.nvrtcVersion, &info) && info.dli_fname && realpath(info.dli_fname, real)) {
        for (int i = 0; i < 2; i++) { /* FOLDER/lib64/libnvrtc.so */
            char *slash = strrchr(real, '/');
            if (slash) *slash = 0;
        }
        if (has_headers(real)) return;
        /* wheels: nvidia/cuda_nvrtc/lib, nvidia/cuda_runtime/include and nvidia/cuda_cccl/include */
        char beside[PATH_MAX + 20];
        snprintf(beside, sizeof beside, "%s/../cuda_runtime", real);
        if (has_headers(beside)) return;
        snprintf(beside, sizeof beside, "%s/../cuda_cccl", real);
        if (has_headers(beside)) return;
        char *targets = strstr(real, "/targets");
        if (targets) *targets = 0;
        if (has_headers(real)) return;
    }
    if (home && has_headers(home)) return;
    has_headers("/usr/local/cuda");
}

void open_nvrtc()
{
    *nvrtc_error = 0;
    static const char *const files[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", nullptr};
#define X(name) #name,
    static const char *const names[] = {NVRTC(X) nullptr};
#undef X
    void *lib = cpi_cuda_library(files);
    if (!lib) {
        snprintf(nvrtc_error, sizeof nvrtc_error,
                 "NVRTC (libnvrtc.so.12 or .13) is not there, which user kernels on a GPU need: pip install "
                 "nvidia-cuda-nvrtc, or install the CUDA toolkit, or name its folder by CUPRITE_LIBRARY_PATH");
        return;
    }
    const char *missing = cpi_cuda_functions(lib, names, &nvrtc);
    if (missing) {
        snprintf(nvrtc_error, sizeof nvrtc_error, "this NVRTC has no %s", missing);
        return;
    }
    open_builtins();
    find_headers();
}

bool nvrtc_open;

/* Opened once. Where that failed, it is tried again when the search folders have changed (Python knows where wheels
 * are). */
cp_code need_nvrtc()
{
    static char *asked;
    const char *folders = getenv("CUPRITE_LIBRARY_PATH");
    if (!folders) folders = "";
    pthread_mutex_lock(&nvrtc_lock);
    if (!nvrtc_open && (!asked || strcmp(asked, folders) != 0)) {
        open_nvrtc();
        __atomic_store_n(&nvrtc_open, !*nvrtc_error, __ATOMIC_RELEASE);
        free(asked);
        asked = strdup(folders);
    }
    cp_code code = nvrtc_open ? CP_OK : cpi_host->fail(CP_ERROR_UNSUPPORTED, "kernel: %s", nvrtc_error);
    pthread_mutex_unlock(&nvrtc_lock);
    return code;
}

cp_code need_driver(const cp_stream *stream)
{
    pthread_once(&driver_once, open_driver);
    if (*driver_error) return cpi_host->fail(CP_ERROR_UNSUPPORTED, "kernel: %s", driver_error);
    CUcontext context = nullptr;
    if (driver.cuCtxGetCurrent(&context) == CUDA_SUCCESS && context) return CP_OK;
    return cpi_cuda_check(NULL, cudaSetDevice(stream->device->ordinal), "kernel"); /* makes the context current */
}

cp_code driver_check(CUresult status, const char *what)
{
    const char *name = "", *text = "";
    if (status == CUDA_SUCCESS) return CP_OK;
    driver.cuGetErrorName(status, &name);
    driver.cuGetErrorString(status, &text);
    return cpi_host->fail(CP_ERROR_DRIVER, "%s: %s (%s)", name, text, what);
}

/* --- compiling --- */

/* What is cached: the image, and the mangled name for each requested name. */
struct package {
    char *bytes;
    size_t size, image; /* the image's size; names follow, each terminated */
};

void package_free(package *p) { free(p->bytes), *p = {}; }

bool package_add(package *p, const void *data, size_t n)
{
    char *more = (char *)realloc(p->bytes, p->size + n);
    if (!more) return false;
    memcpy(more + p->size, data, n);
    p->bytes = more;
    p->size += n;
    return true;
}

cp_code no_memory() { return cpi_host->fail(CP_ERROR_MEMORY, "module_compile: out of host memory"); }

/* The architecture to compile for: the device's own as machine code, else the newest that NVRTC knows as PTX. */
bool own_architecture(const cp_stream *stream, char option[40])
{
    int wanted = atoi(stream->device->variant + 3), best = 0, n = 0, known[64];
    bool own = false;
    if (nvrtc.nvrtcGetNumSupportedArchs(&n) == NVRTC_SUCCESS && n <= 64 &&
        nvrtc.nvrtcGetSupportedArchs(known) == NVRTC_SUCCESS)
        for (int i = 0; i < n; i++) {
            own = own || known[i] == wanted;
            if (known[i] <= wanted && known[i] > best) best = known[i];
        }
    snprintf(option, 40, "--gpu-architecture=%s_%d", own ? "sm" : "compute", own ? wanted : best);
    return own;
}

cp_code log_error(nvrtcProgram program, const cpi_kernel_source *source, nvrtcResult status)
{
    size_t size = 0;
    nvrtc.nvrtcGetProgramLogSize(program, &size);
    char *words = (char *)calloc(size + 200, 1);
    if (!words) return no_memory();
    size_t n = (size_t)snprintf(words, 200, "%s\n", nvrtc.nvrtcGetErrorString(status));
    if (size) nvrtc.nvrtcGetProgramLog(program, words + n);
    cp_code code = source->refuse(words, source->text);
    free(words);
    return code;
}

cp_code take_result(nvrtcProgram program, const cpi_kernel_source *source, bool own, package *out)
{
    size_t size = 0;
    nvrtcResult status = own ? nvrtc.nvrtcGetCUBINSize(program, &size) : nvrtc.nvrtcGetPTXSize(program, &size);
    char *image = status == NVRTC_SUCCESS ? (char *)malloc(size + 1) : nullptr;
    if (!image) return no_memory();
    status = own ? nvrtc.nvrtcGetCUBIN(program, image) : nvrtc.nvrtcGetPTX(program, image);
    uint64_t length = size;
    bool done = status == NVRTC_SUCCESS && package_add(out, &length, sizeof length) && package_add(out, image, size);
    free(image);
    for (int i = 0; done && i < source->nnames; i++) {
        const char *lowered = "";
        if (nvrtc.nvrtcGetLoweredName(program, source->names[i], &lowered) != NVRTC_SUCCESS) lowered = "";
        done = package_add(out, lowered, strlen(lowered) + 1);
    }
    return done ? CP_OK : no_memory();
}

/* The options for NVRTC, `n` of them in memory of their own: ours, and the user's. */
const char **options_of(const cpi_kernel_source *source, const char *architecture, int *n)
{
    enum { OURS = 6 };
    const char **options = (const char **)calloc((size_t)source->noptions + OURS, sizeof *options);
    if (!options) return nullptr;
    bool standard = false;
    options[(*n)++] = architecture;
    if (*include_option) options[(*n)++] = include_option;
    if (*cccl_option) options[(*n)++] = cccl_option;
    for (int i = 0; i < source->noptions; i++) {
        options[(*n)++] = source->options[i];
        standard = standard || strstr(source->options[i], "-std") == source->options[i] ||
                   strstr(source->options[i], "--std") == source->options[i];
    }
    if (!standard) options[(*n)++] = "--std=c++17";
    options[(*n)++] = "--device-as-default-execution-space";
    if (source->checked) options[(*n)++] = "-lineinfo"; /* compute-sanitizer names lines */
    return options;
}

/* Whether the program includes a header of CCCL's other than `name`, or may do so in files of its own. */
bool includes_others(const cpi_kernel_source *source, const char *name)
{
    static const char *const folders[] = {"cub/", "thrust/", "cuda/", "nv/"};
    static const char *const options[] = {"-I", "--include-path", "-include", "--pre-include"};
    for (int i = 0; i < source->noptions; i++)
        for (const char *option : options)
            if (strncmp(source->options[i], option, strlen(option)) == 0) return true;
    for (const char *folder : folders)
        for (const char *at = source->text; (at = strstr(at, folder)); at++)
            if (at > source->text && (at[-1] == '<' || at[-1] == '"') && strncmp(at, name, strlen(name)) != 0)
                return true;
    return false;
}

/* Ours of CCCL's names (cuda/std/mdspan) take a tenth of the time, but stand beside no others of CCCL's: theirs would
 * define the same once more. */
bool is_theirs(const cpi_kernel_source *source, const cpi_header *h)
{
    return *cccl_option && strncmp(h->name, "cuda/", 5) == 0 && includes_others(source, h->name);
}

cp_code compile(const cpi_kernel_source *source, const char *architecture, bool own, package *out)
{
    nvrtcProgram program = nullptr;
    int headers = 0, all = 0, n = 0;
    for (const cpi_header *h = source->headers; h && h->name; h++) all++;
    const char **strings = (const char **)calloc(2 * (size_t)all + 1, sizeof *strings), **names = strings + all;
    const char **options = options_of(source, architecture, &n);
    if (!strings || !options) {
        free(strings);
        free(options);
        return no_memory();
    }
    for (const cpi_header *h = source->headers; h && h->name; h++)
        if (!is_theirs(source, h)) strings[headers] = h->text, names[headers++] = h->name;
    nvrtcResult status = nvrtc.nvrtcCreateProgram(&program, source->text, "kernel.cu", headers, strings, names);
    for (int i = 0; i < source->nnames && status == NVRTC_SUCCESS; i++)
        status = nvrtc.nvrtcAddNameExpression(program, source->names[i]);
    if (status == NVRTC_SUCCESS) status = nvrtc.nvrtcCompileProgram(program, n, options);
    cp_code code = CP_OK;
    if (status != NVRTC_SUCCESS) {
        code = program ? log_error(program, source, status)
                       : cpi_host->fail(CP_ERROR_COMPILE, "NVRTC: %s", nvrtc.nvrtcGetErrorString(status));
    } else {
        code = take_result(program, source, own, out);
    }
    if (program) nvrtc.nvrtcDestroyProgram(&program);
    free(strings);
    free(options);
    return code;
}

/* --- the compiler's identity --- */

/* The key by which cached kernels are looked up. Opening NVRTC takes longer than all the rest of a cached kernel's
 * first call, so its version data is cached between processes, for as long as its file is the same. */
struct compiler {
    char file[PATH_MAX];
    int64_t bytes, seconds, nanoseconds; /* of the file */
    char version[40], architecture[40], include[sizeof include_option];
    bool own;
};

bool stat_compiler(compiler *c)
{
    struct stat s;
    if (!*c->file || stat(c->file, &s)) return false;
    c->bytes = s.st_size, c->seconds = s.st_mtim.tv_sec, c->nanoseconds = s.st_mtim.tv_nsec;
    return true;
}

/* The key of these data: everything by which NVRTC is found, and the device. */
enum { FOUND_BY = 6 };
void found_by(const cp_stream *stream, const char *parts[FOUND_BY])
{
    static const char *const names[] = {"CUPRITE_LIBRARY_PATH", "CUDA_PATH", "CUDA_HOME", "LD_LIBRARY_PATH"};
    int n = 0;
    parts[n++] = "cuprite: which NVRTC, 1";
    parts[n++] = stream->device->variant;
    for (const char *name : names) parts[n++] = getenv(name) ? getenv(name) : "";
}

bool recall(const cp_stream *stream, const cpi_kernel_source *source, compiler *c)
{
    const char *parts[FOUND_BY];
    size_t size = 0;
    found_by(stream, parts);
    void *kept = source->cached(FOUND_BY, parts, &size);
    bool done = kept && size == sizeof *c;
    if (done) {
        memcpy(c, kept, sizeof *c);
        compiler now = *c;
        done = stat_compiler(&now) && memcmp(&now, c, sizeof *c) == 0;
    }
    free(kept);
    return done;
}

/* Opens NVRTC and queries it. */
cp_code ask(const cp_stream *stream, compiler *c)
{
    cp_code code = need_nvrtc();
    if (code) return code;
    Dl_info info;
    int major = 0, minor = 0;
    memset(c, 0, sizeof *c); /* it is compared and stored with its padding */
    if (!dladdr((void *)nvrtc.nvrtcVersion, &info) || !info.dli_fname || !realpath(info.dli_fname, c->file))
        *c->file = 0;
    nvrtc.nvrtcVersion(&major, &minor);
    snprintf(c->version, sizeof c->version, "NVRTC %d.%d", major, minor);
    c->own = own_architecture(stream, c->architecture);
    snprintf(c->include, sizeof c->include, "%s", include_option);
    return CP_OK;
}

void remember(const cp_stream *stream, const cpi_kernel_source *source, compiler *c)
{
    static const char *last; /* once per process and kind of device */
    const char *parts[FOUND_BY], *variant = stream->device->variant;
    if (__atomic_exchange_n(&last, variant, __ATOMIC_ACQ_REL) == variant) return;
    found_by(stream, parts);
    if (stat_compiler(c)) source->keep(FOUND_BY, parts, c, sizeof *c);
}

/* Everything that the result depends on, `n` strings in memory of their own; the first is `version`. */
const char **parts_of(const cpi_kernel_source *source, const compiler *c, char version[100], int *n)
{
    int headers = 0;
    for (const cpi_header *h = source->headers; h && h->name; h++) headers++;
    size_t most = (size_t)(source->noptions + source->nnames + headers) + 4;
    const char **parts = (const char **)calloc(most, sizeof *parts);
    if (!parts) return nullptr;
    snprintf(version, 100, "cuprite cubin, 1: %s, %d options%s", c->version, source->noptions,
             source->checked ? ", lines" : "");
    *n = 0;
    parts[(*n)++] = version;
    parts[(*n)++] = c->architecture;
    parts[(*n)++] = c->include;
    parts[(*n)++] = source->text;
    for (int i = 0; i < source->noptions; i++) parts[(*n)++] = source->options[i];
    for (int i = 0; i < source->nnames; i++) parts[(*n)++] = source->names[i];
    for (int i = 0; i < headers; i++) parts[(*n)++] = source->headers[i].text;
    return parts;
}

/* From the cache. */
cp_code look_up(const cpi_kernel_source *source, const compiler *c, package *out)
{
    char version[100];
    int n;
    const char **parts = parts_of(source, c, version, &n);
    if (!parts) return no_memory();
    out->bytes = (char *)source->cached(n, parts, &out->size);
    free(parts);
    return CP_OK;
}

/* From NVRTC, and into the cache. */
cp_code make(const cpi_kernel_source *source, const compiler *c, package *out)
{
    char version[100];
    int n;
    cp_code code = compile(source, c->architecture, c->own, out);
    const char **parts = code ? nullptr : parts_of(source, c, version, &n);
    if (parts) source->keep(n, parts, out->bytes, out->size);
    free(parts);
    if (code) package_free(out);
    return code;
}

cp_code package_of(const cp_stream *stream, const cpi_kernel_source *source, package *out)
{
    compiler c, now;
    bool known = !__atomic_load_n(&nvrtc_open, __ATOMIC_ACQUIRE) && recall(stream, source, &c);
    cp_code code = known ? CP_OK : ask(stream, &c);
    if (!code) code = look_up(source, &c, out);
    if (code || out->bytes) return code;
    if (known) { /* it is opened after all, and may be another version */
        code = ask(stream, &now);
        if (code) return code;
        known = stat_compiler(&now) && memcmp(&now, &c, sizeof c) == 0;
        c = now;
    }
    if (!known) remember(stream, source, &c);
    return make(source, &c, out);
}

/* --- modules --- */

struct module {
    CUmodule handle;
    int nnames;
    char *names; /* pairs: the user's name of an instance, the mangled one */
};

cp_code keep_names(module *m, const cpi_kernel_source *source, const char *lowered, const char *end)
{
    package names = {};
    for (int i = 0; i < source->nnames && lowered < end; i++) {
        if (!package_add(&names, source->names[i], strlen(source->names[i]) + 1) ||
            !package_add(&names, lowered, strlen(lowered) + 1)) {
            package_free(&names);
            return no_memory();
        }
        lowered += strlen(lowered) + 1;
        m->nnames++;
    }
    m->names = names.bytes;
    return CP_OK;
}

} // namespace

cp_code cpi_kernel_cuda_load(cp_stream *stream, const cpi_kernel_source *source, void **result)
{
    cp_code code = need_driver(stream);
    package p = {};
    if (!code && source->text) code = package_of(stream, source, &p);
    if (code) return code;
    module *m = (module *)cpi_host->malloc(sizeof *m);
    if (!m) {
        package_free(&p);
        return CP_ERROR_MEMORY;
    }
    *m = {};
    uint64_t length = 0;
    if (source->text) memcpy(&length, p.bytes, sizeof length);
    const void *image = source->text ? p.bytes + sizeof length : source->image;
    char *text = nullptr;
    if (!source->text) { /* PTX must be terminated */
        text = (char *)calloc(source->bytes + 1, 1);
        if (text) image = memcpy(text, source->image, source->bytes);
    }
    code = driver_check(driver.cuModuleLoadData(&m->handle, image), "module");
    if (!code && source->text)
        code = keep_names(m, source, p.bytes + sizeof length + length, p.bytes + p.size);
    free(text);
    package_free(&p);
    if (code) {
        cpi_host->free(m);
        return code;
    }
    *result = m;
    return CP_OK;
}

void cpi_kernel_cuda_unload(cp_stream *stream, void *memory)
{
    module *m = (module *)memory;
    if (need_driver(stream) == CP_OK) driver.cuModuleUnload(m->handle); /* waits for kernels of it */
    free(m->names);
    cpi_host->free(m);
}

namespace {

/* The compiler's mangled name for a name of the user's. */
const char *lowered(const module *m, const char *name)
{
    const char *p = m->names;
    for (int i = 0; i < m->nnames; i++) {
        const char *own = p + strlen(p) + 1;
        if (strcmp(p, name) == 0 && *own) return own;
        p = own + strlen(own) + 1;
    }
    return name;
}

} // namespace

cp_code cpi_kernel_cuda_function(cp_stream *stream, void *memory, const char *name, cpi_function *f)
{
    module *m = (module *)memory;
    CUfunction handle = nullptr;
    cp_code code = need_driver(stream);
    if (!code) code = driver_check(driver.cuModuleGetFunction(&handle, m->handle, lowered(m, name)), name);
    if (code) return code;
    *f = {handle, m, "gpu", -1};
    if (driver.cuFuncGetParamInfo) {
        size_t offset, size;
        int n = 0;
        while (driver.cuFuncGetParamInfo(handle, (size_t)n, &offset, &size) == CUDA_SUCCESS) n++;
        f->nargs = n;
    }
    return CP_OK;
}

cp_code cpi_kernel_cuda_symbol(cp_stream *stream, void *memory, const char *name, void **address, int64_t *bytes)
{
    module *m = (module *)memory;
    CUdeviceptr at = 0;
    size_t size = 0;
    cp_code code = need_driver(stream);
    if (!code) code = driver_check(driver.cuModuleGetGlobal(&at, &size, m->handle, lowered(m, name)), name);
    *address = (void *)at;
    *bytes = (int64_t)size;
    return code;
}

namespace {

CUfunction_attribute attribute_of(cp_kernel_attribute which)
{
    static const CUfunction_attribute of[CP_KERNEL_NATTRIBUTES] = {
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
        CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, CU_FUNC_ATTRIBUTE_NUM_REGS,
        CU_FUNC_ATTRIBUTE_PTX_VERSION, CU_FUNC_ATTRIBUTE_BINARY_VERSION, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT};
    return of[which];
}

} // namespace

cp_code cpi_kernel_cuda_get(cp_stream *stream, const cpi_function *f, cp_kernel_attribute which, int *value)
{
    cp_code code = need_driver(stream);
    if (code) return code;
    return driver_check(driver.cuFuncGetAttribute(value, attribute_of(which), (CUfunction)f->handle), "attribute");
}

cp_code cpi_kernel_cuda_set(cp_stream *stream, const cpi_function *f, cp_kernel_attribute which, int value)
{
    cp_code code = need_driver(stream);
    if (code) return code;
    return driver_check(driver.cuFuncSetAttribute((CUfunction)f->handle, attribute_of(which), value), "attribute");
}

cp_code cpi_kernel_cuda_launch(cp_stream *stream, const cpi_function *f, const cpi_launch *l)
{
    cp_code code = need_driver(stream);
    if (code) return code;
    auto call = l->cooperative ? nullptr : driver.cuLaunchKernel;
    CUresult status =
        call ? call((CUfunction)f->handle, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
                    l->shared, (CUstream)stream->handle, l->values, nullptr)
             : driver.cuLaunchCooperativeKernel((CUfunction)f->handle, l->grid[0], l->grid[1], l->grid[2], l->block[0],
                                                l->block[1], l->block[2], l->shared, (CUstream)stream->handle,
                                                l->values);
    if (status != CUDA_SUCCESS) return driver_check(status, "launch");
    return cpi_cuda_issued(stream, cudaSuccess, "kernel");
}

