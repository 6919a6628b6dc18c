"""scipy.ndimage on Cuprite's arrays: labels and measurements on them."""
from cuprite import _core

globals().update(_core.rows("scipy.ndimage"))
