"""cupy.cuda.cufft: its numbers, its error, and its plans, which are Cuprite's own and work on every device. What takes
handles of cuFFT's and addresses raises NotImplementedError."""
from cuprite._fft_plans import Plan1d, PlanNd  # noqa: F401
from cuprite.cuda._absent import function, type_
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)

available = False
CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D = 0x29, 0x2a, 0x2c, 0x69, 0x6a, 0x6c
CUFFT_FORWARD, CUFFT_INVERSE = -1, 1
(CUFFT_CB_LD_COMPLEX, CUFFT_CB_LD_COMPLEX_DOUBLE, CUFFT_CB_LD_REAL, CUFFT_CB_LD_REAL_DOUBLE, CUFFT_CB_ST_COMPLEX,
 CUFFT_CB_ST_COMPLEX_DOUBLE, CUFFT_CB_ST_REAL, CUFFT_CB_ST_REAL_DOUBLE) = range(8)

_RESULTS = dict(enumerate("SUCCESS INVALID_PLAN ALLOC_FAILED INVALID_TYPE INVALID_VALUE INTERNAL_ERROR EXEC_FAILED "
                          "SETUP_FAILED INVALID_SIZE UNALIGNED_DATA INCOMPLETE_PARAMETER_LIST INVALID_DEVICE "
                          "PARSE_ERROR NO_WORKSPACE NOT_IMPLEMENTED LICENSE_ERROR NOT_SUPPORTED".split()))


class CuFFTError(RuntimeError):
    """cuFFT refused; `result` is its number."""

    def __init__(self, result):
        self.result = result
        super().__init__(f"CUFFT_{_RESULTS[result]}" if result in _RESULTS else f"CUFFT error {result}")

    def __reduce__(self):
        return type(self), (self.result,)


def check_result(result):
    """Raises CuFFTError for every number but 0.

    Parameters: result: an integer."""
    if result:
        raise CuFFTError(result)


def get_current_plan():
    """The plan of the innermost `with plan:` block, or None."""
    from cuprite._fft_plans import current
    return current()


_INSTEAD = "cuprite.fft transforms, and cuprite.scipy.fft.get_fft_plan makes plans"
for _name in ("XtExec create execC2C execC2R execD2Z execR2C execZ2D execZ2Z getVersion multi_gpu_execC2C "
              "multi_gpu_execZ2Z setAutoAllocation setCallback setJITCallback").split():
    globals()[_name] = function("cuFFT", f"cufft.{_name}", _INSTEAD)
XtPlanNd = type_("cuFFT", "XtPlanNd", "PlanNd has every type but complex numbers of float16")
