"""Solutions of lesson 2, code that does not know its device."""
import numpy as np

import cuprite as cp


# 1.
def standardise(x):
    xp = cp.get_array_module(x)
    return (x - xp.mean(x, axis=-1, keepdims=True)) / xp.std(x, axis=-1, keepdims=True)


rows = np.array([[1.0, 2.0, 3.0], [10.0, 10.0, 40.0]])
print(1, type(standardise(rows)).__module__, type(standardise(cp.asarray(rows))).__module__)
print(1, standardise(cp.asarray(rows)).round(3).tolist())


# 2.
def save_text(x, file):
    np.savetxt(file, cp.asnumpy(x))


save_text(cp.arange(3.0), "on_device.txt")
save_text(np.arange(3.0), "on_host.txt")
print(2, open("on_device.txt").read() == open("on_host.txt").read())

# 3. NumPy asks its argument: sum, norm and concatenate run on the device. np.arange(x.size) has only a number, so it is
#    on the host. The list in concatenate is no array of the device, and nothing is copied without being asked for.
x = cp.arange(4.0)
for call in (lambda: np.sum(x), lambda: np.arange(x.size), lambda: np.linalg.norm(x),
             lambda: np.concatenate([x, [1.0]])):
    try:
        print(3, type(call()).__module__)
    except TypeError as e:
        print(3, "TypeError:", e)

# It prints:
#
# 1 numpy cuprite
# 1 [[-1.225, 0.0, 1.225], [-0.707, -0.707, 1.414]]
# 2 True
# 3 cuprite
# 3 numpy
# 3 cuprite
# 3 TypeError: Unsupported type <class 'list'>
