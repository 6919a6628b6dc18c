"""scipy.special on Cuprite's arrays: the elementwise operations whose rows name this module."""
from cuprite._support import ufuncs_of

globals().update(ufuncs_of("scipy.special"))
