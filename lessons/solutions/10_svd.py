"""Solutions of lesson 10, a picture from its singular values."""
import pathlib
import sys

import cuprite as cp

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from workshop import show  # noqa: E402

ELLIPSES = [(1.0, 0, 0, 0.92, 0.69), (-0.6, 0, 0, 0.87, 0.66), (0.3, -0.35, 0, 0.25, 0.21),
            (-0.2, 0, 0.22, 0.31, 0.11), (-0.2, 0, -0.22, 0.41, 0.16), (0.4, 0.3, 0, 0.06, 0.06)]


def head(shift=0.0, size=192):
    y, x = cp.linspace(-1, 1, size)[:, None], cp.linspace(-1, 1, size)
    picture = cp.zeros((size, size))
    for grey, row, column, height, width in ELLIPSES:
        picture += grey * (((y - row) / height) ** 2 + ((x - column - shift) / width) ** 2 < 1)
    return picture


picture = head()
u, s, vt = cp.linalg.svd(picture, full_matrices=False)

# 1. error[k] is that of k values: the root of what their squares leave, as a share of all.
squares = cp.concatenate([cp.zeros(1), cp.cumsum(s ** 2)])
error = cp.sqrt(cp.maximum(1 - squares / squares[-1], 0))
for percent in (10, 5, 1):
    print(1, percent, int((error < percent / 100).argmax()))

# 2. Few values cannot show the picture, many show the noise as well.
noisy = picture + cp.random.default_rng(2).normal(0, 0.1, picture.shape)
u, s, vt = cp.linalg.svd(noisy, full_matrices=False)
distances = cp.stack([cp.linalg.norm((u[:, :k] * s[:k]) @ vt[:k] - picture) for k in range(1, 60)])
best = int(distances.argmin()) + 1
print(2, best, f"{float(distances[best - 1]):.2f}, all values: {float(cp.linalg.norm(noisy - picture)):.2f}")

# 3. The colours come first while the matrices are decomposed, and last in a picture.
matrices = cp.stack([head(-0.1), head(), head(0.1)])
u, s, vt = cp.linalg.svd(matrices, full_matrices=False)
again = (u[:, :, :10] * s[:, None, :10]) @ vt[:, :10]
print(3, again.shape, bool((cp.linalg.norm(again - matrices, axis=(1, 2)) < 0.3 * cp.linalg.norm(matrices)).all()))
show(cp.moveaxis(again, 0, 2), "colours.png")

# It prints:
#
# 1 10 27
# 1 5 40
# 1 1 62
# 2 23 12.60, all values: 19.18
# 3 (3, 192, 192) True
