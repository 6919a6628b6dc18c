"""Numbers that CUDA's runtime gives names to, as cupy.cuda.runtime has them: the same on every device."""
CUDA_C_16F = 6
CUDA_C_32F = 4
CUDA_C_64F = 5
CUDA_C_8I = 7
CUDA_C_8U = 9
CUDA_R_16BF = 14
CUDA_R_16F = 2
CUDA_R_32F = 0
CUDA_R_64F = 1
CUDA_R_8I = 3
CUDA_R_8U = 8

cudaAddressModeBorder = 3
cudaAddressModeClamp = 1
cudaAddressModeMirror = 2
cudaAddressModeWrap = 0

cudaArrayDefault = 0

cudaArraySurfaceLoadStore = 2

cudaChannelFormatKindFloat = 2
cudaChannelFormatKindNone = 3
cudaChannelFormatKindSigned = 0
cudaChannelFormatKindUnsigned = 1

cudaCpuDeviceId = -1

cudaFilterModeLinear = 1
cudaFilterModePoint = 0

cudaGraphDebugDotFlagsConditionalNodeParams = 32768
cudaGraphDebugDotFlagsEventNodeParams = 64
cudaGraphDebugDotFlagsExtSemasSignalNodeParams = 128
cudaGraphDebugDotFlagsExtSemasWaitNodeParams = 256
cudaGraphDebugDotFlagsHandles = 1024
cudaGraphDebugDotFlagsHostNodeParams = 32
cudaGraphDebugDotFlagsKernelNodeAttributes = 512
cudaGraphDebugDotFlagsKernelNodeParams = 4
cudaGraphDebugDotFlagsMemcpyNodeParams = 8
cudaGraphDebugDotFlagsMemsetNodeParams = 16
cudaGraphDebugDotFlagsVerbose = 1

cudaInvalidDeviceId = -2

cudaIpcMemLazyEnablePeerAccess = 1

cudaLimitDevRuntimePendingLaunchCount = 4
cudaLimitDevRuntimeSyncDepth = 3

cudaLimitMallocHeapSize = 2

cudaLimitMaxL2FetchGranularity = 5

cudaLimitPrintfFifoSize = 1

cudaLimitStackSize = 0

cudaMemAdviseSetAccessedBy = 5
cudaMemAdviseSetPreferredLocation = 3
cudaMemAdviseSetReadMostly = 1
cudaMemAdviseUnsetAccessedBy = 6
cudaMemAdviseUnsetPreferredLocation = 4
cudaMemAdviseUnsetReadMostly = 2

cudaMemAllocationTypePinned = 1

cudaMemAttachGlobal = 1
cudaMemAttachHost = 2
cudaMemAttachSingle = 4

cudaMemHandleTypeNone = 0
cudaMemHandleTypePosixFileDescriptor = 1

cudaMemLocationTypeDevice = 1
cudaMemLocationTypeHost = 2
cudaMemLocationTypeHostNuma = 3
cudaMemLocationTypeHostNumaCurrent = 4
cudaMemLocationTypeInvalid = 0

cudaMemPoolAttrReleaseThreshold = 4
cudaMemPoolAttrReservedMemCurrent = 5
cudaMemPoolAttrReservedMemHigh = 6
cudaMemPoolAttrUsedMemCurrent = 7
cudaMemPoolAttrUsedMemHigh = 8
cudaMemPoolReuseAllowInternalDependencies = 3
cudaMemPoolReuseAllowOpportunistic = 2
cudaMemPoolReuseFollowEventDependencies = 1

cudaMemoryTypeDevice = 2
cudaMemoryTypeHost = 1

cudaReadModeElementType = 0
cudaReadModeNormalizedFloat = 1

cudaResourceTypeArray = 0
cudaResourceTypeLinear = 2
cudaResourceTypeMipmappedArray = 1
cudaResourceTypePitch2D = 3

eventBlockingSync = 1
eventDefault = 0
eventDisableTiming = 2
eventInterprocess = 4

hostAllocDefault = 0
hostAllocMapped = 2
hostAllocPortable = 1
hostAllocWriteCombined = 4

memcpyDefault = 4
memcpyDeviceToDevice = 3
memcpyDeviceToHost = 2
memcpyHostToDevice = 1
memcpyHostToHost = 0

memoryTypeDevice = 2
memoryTypeHost = 1
memoryTypeManaged = 3
memoryTypeUnregistered = 0

streamCaptureModeGlobal = 0
streamCaptureModeRelaxed = 2
streamCaptureModeThreadLocal = 1
streamCaptureStatusActive = 1
streamCaptureStatusInvalidated = 2
streamCaptureStatusNone = 0
streamDefault = 0
streamLegacy = 1
streamNonBlocking = 1
streamPerThread = 2

# cudaDeviceAttr: the numbers of a device that deviceGetAttribute and Device.attributes return
cudaDevAttrMaxThreadsPerBlock = 1
cudaDevAttrMaxBlockDimX = 2
cudaDevAttrMaxBlockDimY = 3
cudaDevAttrMaxBlockDimZ = 4
cudaDevAttrMaxGridDimX = 5
cudaDevAttrMaxGridDimY = 6
cudaDevAttrMaxGridDimZ = 7
cudaDevAttrMaxSharedMemoryPerBlock = 8
cudaDevAttrTotalConstantMemory = 9
cudaDevAttrWarpSize = 10
cudaDevAttrMaxPitch = 11
cudaDevAttrMaxRegistersPerBlock = 12
cudaDevAttrClockRate = 13
cudaDevAttrTextureAlignment = 14
cudaDevAttrGpuOverlap = 15
cudaDevAttrMultiProcessorCount = 16
cudaDevAttrKernelExecTimeout = 17
cudaDevAttrIntegrated = 18
cudaDevAttrCanMapHostMemory = 19
cudaDevAttrComputeMode = 20
cudaDevAttrMaxTexture1DWidth = 21
cudaDevAttrMaxTexture2DWidth = 22
cudaDevAttrMaxTexture2DHeight = 23
cudaDevAttrMaxTexture3DWidth = 24
cudaDevAttrMaxTexture3DHeight = 25
cudaDevAttrMaxTexture3DDepth = 26
cudaDevAttrMaxTexture2DLayeredWidth = 27
cudaDevAttrMaxTexture2DLayeredHeight = 28
cudaDevAttrMaxTexture2DLayeredLayers = 29
cudaDevAttrSurfaceAlignment = 30
cudaDevAttrConcurrentKernels = 31
cudaDevAttrEccEnabled = 32
cudaDevAttrPciBusId = 33
cudaDevAttrPciDeviceId = 34
cudaDevAttrTccDriver = 35
cudaDevAttrMemoryClockRate = 36
cudaDevAttrGlobalMemoryBusWidth = 37
cudaDevAttrL2CacheSize = 38
cudaDevAttrMaxThreadsPerMultiProcessor = 39
cudaDevAttrAsyncEngineCount = 40
cudaDevAttrUnifiedAddressing = 41
cudaDevAttrMaxTexture1DLayeredWidth = 42
cudaDevAttrMaxTexture1DLayeredLayers = 43
cudaDevAttrMaxTexture2DGatherWidth = 45
cudaDevAttrMaxTexture2DGatherHeight = 46
cudaDevAttrMaxTexture3DWidthAlt = 47
cudaDevAttrMaxTexture3DHeightAlt = 48
cudaDevAttrMaxTexture3DDepthAlt = 49
cudaDevAttrPciDomainId = 50
cudaDevAttrTexturePitchAlignment = 51
cudaDevAttrMaxTextureCubemapWidth = 52
cudaDevAttrMaxTextureCubemapLayeredWidth = 53
cudaDevAttrMaxTextureCubemapLayeredLayers = 54
cudaDevAttrMaxSurface1DWidth = 55
cudaDevAttrMaxSurface2DWidth = 56
cudaDevAttrMaxSurface2DHeight = 57
cudaDevAttrMaxSurface3DWidth = 58
cudaDevAttrMaxSurface3DHeight = 59
cudaDevAttrMaxSurface3DDepth = 60
cudaDevAttrMaxSurface1DLayeredWidth = 61
cudaDevAttrMaxSurface1DLayeredLayers = 62
cudaDevAttrMaxSurface2DLayeredWidth = 63
cudaDevAttrMaxSurface2DLayeredHeight = 64
cudaDevAttrMaxSurface2DLayeredLayers = 65
cudaDevAttrMaxSurfaceCubemapWidth = 66
cudaDevAttrMaxSurfaceCubemapLayeredWidth = 67
cudaDevAttrMaxSurfaceCubemapLayeredLayers = 68
cudaDevAttrMaxTexture1DLinearWidth = 69
cudaDevAttrMaxTexture2DLinearWidth = 70
cudaDevAttrMaxTexture2DLinearHeight = 71
cudaDevAttrMaxTexture2DLinearPitch = 72
cudaDevAttrMaxTexture2DMipmappedWidth = 73
cudaDevAttrMaxTexture2DMipmappedHeight = 74
cudaDevAttrMaxTexture1DMipmappedWidth = 77
cudaDevAttrStreamPrioritiesSupported = 78
cudaDevAttrGlobalL1CacheSupported = 79
cudaDevAttrLocalL1CacheSupported = 80
cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81
cudaDevAttrMaxRegistersPerMultiprocessor = 82
cudaDevAttrManagedMemory = 83
cudaDevAttrIsMultiGpuBoard = 84
cudaDevAttrMultiGpuBoardGroupID = 85
cudaDevAttrHostNativeAtomicSupported = 86
cudaDevAttrSingleToDoublePrecisionPerfRatio = 87
cudaDevAttrPageableMemoryAccess = 88
cudaDevAttrConcurrentManagedAccess = 89
cudaDevAttrComputePreemptionSupported = 90
cudaDevAttrCanUseHostPointerForRegisteredMem = 91
cudaDevAttrReserved92 = 92
cudaDevAttrReserved93 = 93
cudaDevAttrReserved94 = 94
cudaDevAttrCooperativeLaunch = 95
cudaDevAttrCooperativeMultiDeviceLaunch = 96
cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
cudaDevAttrCanFlushRemoteWrites = 98
cudaDevAttrHostRegisterSupported = 99
cudaDevAttrPageableMemoryAccessUsesHostPageTables = 100
cudaDevAttrDirectManagedMemAccessFromHost = 101
cudaDevAttrMaxBlocksPerMultiprocessor = 106
cudaDevAttrReservedSharedMemoryPerBlock = 111
cudaDevAttrSparseCudaArraySupported = 112
cudaDevAttrHostRegisterReadOnlySupported = 113
cudaDevAttrMaxTimelineSemaphoreInteropSupported = 114
cudaDevAttrMemoryPoolsSupported = 115
cudaDevAttrGPUDirectRDMASupported = 116
cudaDevAttrGPUDirectRDMAFlushWritesOptions = 117
cudaDevAttrGPUDirectRDMAWritesOrdering = 118
cudaDevAttrMemoryPoolSupportedHandleTypes = 119
