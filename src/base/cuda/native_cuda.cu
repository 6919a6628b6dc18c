/* CUDA's runtime by name, for programs that call it themselves: every argument and result is a whole number.
 *
 * A row is a function and how many of its first arguments are results; what it needs beyond that is a function here. A
 * pointer to the host's memory (texts, handles of other processes, attributes) is an address like any other. Nothing
 * is checked but the number of arguments: these are CUDA's functions, with CUDA's dangers. */
#include <cuda_profiler_api.h>
#include <string.h>

#include <tuple>
#include <type_traits>
#include <utility>

#include "cuda/cuda.h"

namespace {

template <class T> T from_number(int64_t v)
{
    if constexpr (std::is_pointer_v<T>) return reinterpret_cast<T>(static_cast<uintptr_t>(v));
    else return static_cast<T>(v);
}

template <class T> int64_t to_number(T v)
{
    if constexpr (std::is_pointer_v<T>) return static_cast<int64_t>(reinterpret_cast<uintptr_t>(v));
    else return static_cast<int64_t>(v);
}

typedef int native_fn(const int64_t *in, int64_t *out);

template <class T> using pointed = std::remove_pointer_t<T>;

/* Calls f with its first `outs` arguments pointing at results and the others made of numbers. */
template <auto f, size_t... o, size_t... i, class... A>
int call(const int64_t *in, int64_t *out, std::index_sequence<o...>, std::index_sequence<i...>, cudaError_t (*)(A...))
{
    using types = std::tuple<A...>;
    constexpr size_t outs = sizeof...(o);
    std::tuple<pointed<std::tuple_element_t<o, types>>...> results{};
    cudaError_t status =
        f(&std::get<o>(results)..., from_number<std::tuple_element_t<outs + i, types>>(in[i])...);
    ((out[o] = to_number(std::get<o>(results))), ...);
    (void)in;
    (void)out;
    return (int)status;
}

template <class... A> constexpr size_t arguments(cudaError_t (*)(A...)) { return sizeof...(A); }

template <int outs, auto f> int native(const int64_t *in, int64_t *out)
{
    return call<f>(in, out, std::make_index_sequence<outs>(), std::make_index_sequence<arguments(f) - outs>(), f);
}

struct row {
    const char *name;
    int ins, outs;
    native_fn *function;
};

#define ROW(outs, name) {"cuda" #name, (int)arguments(&cuda##name) - outs, outs, native<outs, &cuda##name>}
/* of a name that C++ has several functions of: one of our own calls the right one */
#define ROW_AS(outs, name, f) {"cuda" #name, (int)arguments(&f) - outs, outs, native<outs, &f>}

/* --- what is more than numbers --- */

#if CUDART_VERSION >= 13000
cudaMemLocation place(int64_t device)
{
    cudaMemLocation l = {};
    l.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    l.id = device == cudaCpuDeviceId ? 0 : (int)device;
    return l;
}
#endif

int mem_advise(const int64_t *in, int64_t *)
{
#if CUDART_VERSION >= 13000
    return cudaMemAdvise((void *)in[0], (size_t)in[1], (cudaMemoryAdvise)in[2], place(in[3]));
#else
    return cudaMemAdvise((void *)in[0], (size_t)in[1], (cudaMemoryAdvise)in[2], (int)in[3]);
#endif
}

int mem_prefetch(const int64_t *in, int64_t *)
{
#if CUDART_VERSION >= 13000
    return cudaMemPrefetchAsync((void *)in[0], (size_t)in[1], place(in[2]), 0, (cudaStream_t)in[3]);
#else
    return cudaMemPrefetchAsync((void *)in[0], (size_t)in[1], (int)in[2], (cudaStream_t)in[3]);
#endif
}

int pointer_attributes(const int64_t *in, int64_t *out)
{
    cudaPointerAttributes a = {};
    cudaError_t status = cudaPointerGetAttributes(&a, (void *)in[0]);
    out[0] = a.device;
    out[1] = (int64_t)(uintptr_t)a.devicePointer;
    out[2] = (int64_t)(uintptr_t)a.hostPointer;
    out[3] = a.type;
    return status;
}

int pool_create(const int64_t *in, int64_t *out)
{
    cudaMemPoolProps p = {};
    cudaMemPool_t pool = NULL;
    p.allocType = (cudaMemAllocationType)in[0];
    p.handleTypes = (cudaMemAllocationHandleType)in[1];
    p.location.type = (cudaMemLocationType)in[2];
    p.location.id = (int)in[3];
    cudaError_t status = cudaMemPoolCreate(&pool, &p);
    out[0] = (int64_t)(uintptr_t)pool;
    return status;
}

int ipc_open_memory(const int64_t *in, int64_t *out)
{
    cudaIpcMemHandle_t handle;
    void *memory = NULL;
    memcpy(&handle, (void *)in[0], sizeof handle);
    cudaError_t status = cudaIpcOpenMemHandle(&memory, handle, (unsigned)in[1]);
    out[0] = (int64_t)(uintptr_t)memory;
    return status;
}

int ipc_open_event(const int64_t *in, int64_t *out)
{
    cudaIpcEventHandle_t handle;
    cudaEvent_t event = NULL;
    memcpy(&handle, (void *)in[0], sizeof handle);
    cudaError_t status = cudaIpcOpenEventHandle(&event, handle);
    out[0] = (int64_t)(uintptr_t)event;
    return status;
}

int error_strings(const int64_t *in, int64_t *out)
{
    out[0] = (int64_t)(uintptr_t)cudaGetErrorName((cudaError_t)in[0]);
    out[1] = (int64_t)(uintptr_t)cudaGetErrorString((cudaError_t)in[0]);
    return 0;
}

int stream_capturing(const int64_t *in, int64_t *out)
{
    cudaStreamCaptureStatus s = cudaStreamCaptureStatusNone;
    cudaError_t status = cudaStreamIsCapturing((cudaStream_t)in[0], &s);
    out[0] = s;
    return status;
}

int stream_priority(const int64_t *in, int64_t *out)
{
    int priority = 0;
    cudaError_t status = cudaStreamGetPriority((cudaStream_t)in[0], &priority);
    out[0] = priority;
    return status;
}

int stream_flags(const int64_t *in, int64_t *out)
{
    unsigned flags = 0;
    cudaError_t status = cudaStreamGetFlags((cudaStream_t)in[0], &flags);
    out[0] = flags;
    return status;
}

cudaError_t make_memory(void **p, size_t n) { return cudaMalloc(p, n); }
cudaError_t make_managed(void **p, size_t n, unsigned flags) { return cudaMallocManaged(p, n, flags); }
cudaError_t make_host(void **p, size_t n, unsigned flags) { return cudaHostAlloc(p, n, flags); }
cudaError_t make_in_stream(void **p, size_t n, cudaStream_t s) { return cudaMallocAsync(p, n, s); }
cudaError_t make_in_pool(void **p, size_t n, cudaMemPool_t pool, cudaStream_t s)
{
    return cudaMallocFromPoolAsync(p, n, pool, s);
}
cudaError_t make_stream(cudaStream_t *s) { return cudaStreamCreate(s); }
cudaError_t make_event(cudaEvent_t *e) { return cudaEventCreate(e); }
cudaError_t make_event_with(cudaEvent_t *e, unsigned flags) { return cudaEventCreateWithFlags(e, flags); }
cudaError_t wait_event(cudaStream_t s, cudaEvent_t e, unsigned flags) { return cudaStreamWaitEvent(s, e, flags); }
cudaError_t record_event(cudaEvent_t e, cudaStream_t s) { return cudaEventRecord(e, s); }

const row rows[] = {
    ROW(1, DriverGetVersion), ROW(1, RuntimeGetVersion), ROW(1, GetDevice), ROW(0, SetDevice), ROW(1, GetDeviceCount),
    ROW(0, DeviceSynchronize), ROW(1, DeviceGetAttribute), ROW(1, DeviceCanAccessPeer), ROW(0, DeviceEnablePeerAccess),
    ROW(0, DeviceDisablePeerAccess), ROW(1, DeviceGetLimit), ROW(0, DeviceSetLimit), ROW(1, DeviceGetByPCIBusId),
    ROW(0, DeviceGetPCIBusId), ROW(1, DeviceGetDefaultMemPool), ROW(1, DeviceGetMemPool), ROW(0, DeviceSetMemPool),
    ROW(2, DeviceGetStreamPriorityRange), ROW(2, MemGetInfo),
    ROW_AS(1, Malloc, make_memory), ROW_AS(1, MallocManaged, make_managed), ROW_AS(1, HostAlloc, make_host),
    ROW_AS(1, MallocAsync, make_in_stream), ROW_AS(1, MallocFromPoolAsync, make_in_pool),
    ROW(0, Free), ROW(0, FreeHost), ROW(0, FreeAsync), ROW(0, HostRegister), ROW(0, HostUnregister),
    ROW(0, Memcpy), ROW(0, MemcpyAsync), ROW(0, Memcpy2D), ROW(0, Memcpy2DAsync), ROW(0, MemcpyPeer),
    ROW(0, MemcpyPeerAsync), ROW(0, Memset), ROW(0, MemsetAsync),
    ROW(0, MemPoolDestroy), ROW(0, MemPoolTrimTo), ROW(0, MemPoolGetAttribute), ROW(0, MemPoolSetAttribute),
    ROW_AS(1, StreamCreate, make_stream), ROW(1, StreamCreateWithFlags), ROW(1, StreamCreateWithPriority),
    ROW(0, StreamDestroy),
    ROW(0, StreamSynchronize), ROW(0, StreamQuery), ROW_AS(0, StreamWaitEvent, wait_event),
    ROW_AS(1, EventCreate, make_event), ROW_AS(1, EventCreateWithFlags, make_event_with), ROW(0, EventDestroy),
    ROW_AS(0, EventRecord, record_event),
    ROW(0, EventQuery), ROW(0, EventSynchronize), ROW(0, GraphDestroy), ROW(0, GraphExecDestroy), ROW(0, GraphLaunch),
    ROW(0, GraphUpload), ROW(0, GraphDebugDotPrint), ROW(1, GraphInstantiateWithFlags), ROW(0, IpcGetMemHandle),
    ROW(0, IpcGetEventHandle), ROW(0, IpcCloseMemHandle), ROW(0, ProfilerStart), ROW(0, ProfilerStop),
    {"cudaMemAdvise", 4, 0, mem_advise}, {"cudaMemPrefetchAsync", 4, 0, mem_prefetch},
    {"cudaPointerGetAttributes", 1, 4, pointer_attributes}, {"cudaMemPoolCreate", 4, 1, pool_create},
    {"cudaIpcOpenMemHandle", 2, 1, ipc_open_memory}, {"cudaIpcOpenEventHandle", 1, 1, ipc_open_event},
    {"cudaGetErrorName", 1, 2, error_strings}, {"cudaStreamIsCapturing", 1, 1, stream_capturing},
    {"cudaStreamGetPriority", 1, 1, stream_priority}, {"cudaStreamGetFlags", 1, 1, stream_flags},
};

/* --- properties --- */

template <class T> void report_one(cp_property_fn report, void *context, const char *name, const T &value)
{
    int64_t v = (int64_t)value;
    report(context, name, 1, &v, NULL);
}

template <class T, size_t n>
void report_one(cp_property_fn report, void *context, const char *name, const T (&value)[n])
{
    int64_t v[n];
    for (size_t i = 0; i < n; i++) v[i] = (int64_t)value[i];
    report(context, name, (int)n, v, NULL);
}

} // namespace

static int call_native(cpi_device *d, const char *name, int n, const int64_t *in, int64_t *out, int *status)
{
    (void)d;
    for (const row &r : rows)
        if (strcmp(r.name, name) == 0) {
            if (n != r.ins) return -1;
            *status = r.function(in, out);
            if (*status) cudaGetLastError(); /* told here, and to nobody else */
            return r.outs;
        }
    return -1;
}

static cp_code properties(cpi_device *d, cp_property_fn report, void *context)
{
    cudaDeviceProp p;
    cp_code code = cpi_cuda_check(NULL, cudaGetDeviceProperties(&p, d->ordinal), "device_properties");
    if (code) return code;
    report(context, "name", (int)strlen(p.name), NULL, p.name);
    report(context, "uuid", (int)sizeof p.uuid, NULL, (const char *)&p.uuid);
    report(context, "luid", (int)sizeof p.luid, NULL, p.luid);
#define P(member) report_one(report, context, #member, p.member);
    P(luidDeviceNodeMask) P(totalGlobalMem) P(sharedMemPerBlock) P(regsPerBlock) P(warpSize) P(memPitch)
    P(maxThreadsPerBlock) P(maxThreadsDim) P(maxGridSize) P(totalConstMem) P(major) P(minor) P(textureAlignment)
    P(texturePitchAlignment) P(multiProcessorCount) P(integrated) P(canMapHostMemory) P(maxTexture1D)
    P(maxTexture1DMipmap) P(maxTexture2D) P(maxTexture2DMipmap) P(maxTexture2DLinear) P(maxTexture2DGather)
    P(maxTexture3D) P(maxTexture3DAlt) P(maxTextureCubemap) P(maxTexture1DLayered) P(maxTexture2DLayered)
    P(maxTextureCubemapLayered) P(maxSurface1D) P(maxSurface2D) P(maxSurface3D) P(maxSurface1DLayered)
    P(maxSurface2DLayered) P(maxSurfaceCubemap) P(maxSurfaceCubemapLayered) P(surfaceAlignment) P(concurrentKernels)
    P(ECCEnabled) P(pciBusID) P(pciDeviceID) P(pciDomainID) P(tccDriver) P(asyncEngineCount) P(unifiedAddressing)
    P(memoryBusWidth) P(l2CacheSize) P(persistingL2CacheMaxSize) P(maxThreadsPerMultiProcessor)
    P(streamPrioritiesSupported) P(globalL1CacheSupported) P(localL1CacheSupported) P(sharedMemPerMultiprocessor)
    P(regsPerMultiprocessor) P(managedMemory) P(isMultiGpuBoard) P(multiGpuBoardGroupID) P(hostNativeAtomicSupported)
    P(pageableMemoryAccess) P(concurrentManagedAccess) P(computePreemptionSupported)
    P(canUseHostPointerForRegisteredMem) P(cooperativeLaunch) P(sharedMemPerBlockOptin)
    P(pageableMemoryAccessUsesHostPageTables) P(directManagedMemAccessFromHost) P(maxBlocksPerMultiProcessor)
    P(accessPolicyMaxWindowSize) P(reservedSharedMemPerBlock)
#undef P
    int64_t v = 0; /* what cudaDeviceProp no longer has in CUDA 13 */
    int value = 0;
    const struct { const char *name; cudaDeviceAttr attribute; } asked[] = {
        {"clockRate", cudaDevAttrClockRate}, {"memoryClockRate", cudaDevAttrMemoryClockRate},
        {"kernelExecTimeoutEnabled", cudaDevAttrKernelExecTimeout}, {"computeMode", cudaDevAttrComputeMode},
        {"deviceOverlap", cudaDevAttrGpuOverlap},
        {"singleToDoublePrecisionPerfRatio", cudaDevAttrSingleToDoublePrecisionPerfRatio}};
    for (const auto &a : asked) {
        if (cudaDeviceGetAttribute(&value, a.attribute, d->ordinal) == cudaSuccess)
            v = value, report(context, a.name, 1, &v, NULL);
        else cudaGetLastError();
    }
    return CP_OK;
}

void cpi_cuda_native_slots(cpi_backend *b)
{
    b->native = call_native;
    b->properties = properties;
}
