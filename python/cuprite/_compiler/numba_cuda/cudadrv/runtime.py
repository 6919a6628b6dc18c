"""numba.cuda.cudadrv.runtime: the version of CUDA's runtime."""


class Runtime:
    """`runtime.get_version()`"""

    @staticmethod
    def get_version():
        """(major, minor); (0, 0) where there is no GPU."""
        from cuprite import cuda
        version = cuda.runtime.runtimeGetVersion()
        return version // 1000, version % 1000 // 10


runtime = Runtime()
get_version = runtime.get_version
