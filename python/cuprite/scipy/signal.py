"""scipy.signal on Cuprite's arrays."""
from cuprite import _core

globals().update(_core.rows("scipy.signal"))
