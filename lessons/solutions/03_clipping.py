"""Solutions of lesson 3, kappa-sigma clipping."""
import pathlib
import sys

import cuprite as cp

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from workshop import sky  # noqa: E402

image = sky()


def clipped(image, kappa=3):
    left = image.ravel()
    while True:
        center, sigma = cp.median(left), left.std()
        kept = left[abs(left - center) < kappa * sigma]
        if kept.size == left.size:
            return left
        left = kept


# 1. Pure noise has values beyond 2 sigma: one in twenty. They are thrown away, sigma shrinks, and then more of them are
#    beyond it. A large kappa leaves the faint parts of the sources in.
for kappa in (2, 2.5, 3, 4, 5):
    left = clipped(image, kappa)
    print(1, kappa, left.size, f"{left.std():.4f}")


# 2. The shape never changes, so the host need not know how much is left until the end of a round.
def clipped_in_shape(image, kappa=3):
    left = image.copy()
    while True:
        center, sigma = cp.nanmedian(left), cp.nanstd(left)
        beyond = abs(left - center) >= kappa * sigma          # False for NaN
        if not beyond.any():
            return left
        left = cp.where(beyond, cp.nan, left)


left = clipped_in_shape(image)
print(2, left.shape, int((~cp.isnan(left)).sum()) == clipped(image).size)
print(2, bool(abs(cp.nanstd(left) - clipped(image).std()) < 1e-12))

# 3. Without sources the median is right, and sigma a little too small: noise beyond three sigma is thrown away, too.
#    Four hundred sources cover a large part of the map with their rims, which are too faint to be thrown away.
for sources in (0, 40, 400):
    stats = cp.sigma_clip_stats(sky(sources=sources))
    print(3, sources, f"median {float(stats.center):.3f}, sigma {float(stats.std):.3f}")

# It prints:
#
# 1 2 71812 0.7286
# 1 2.5 82878 0.9474
# 1 3 84360 1.0007
# 1 4 84851 1.0313
# 1 5 85074 1.0571
# 2 (240, 360) True
# 2 True
# 3 0 median 0.495, sigma 0.985
# 3 40 median 0.515, sigma 1.001
# 3 400 median 0.712, sigma 1.171
