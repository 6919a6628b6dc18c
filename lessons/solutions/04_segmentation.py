"""Solutions of lesson 4, segmentation."""
import math
import pathlib
import sys

import cuprite as cp
from cuprite.scipy import signal

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from workshop import sky  # noqa: E402

image = sky()
stats = cp.sigma_clip_stats(image)
center, sigma = float(stats.center), float(stats.std)

# 1. All that would pass in a map of noise are likely noise here.
noise = math.erfc(3 / math.sqrt(2)) / 2 * image.size
passing = int((image > center + 3 * sigma).sum())
print(1, f"{passing} pass, {noise:.0f} of them noise, so {passing - noise:.0f} are of sources")

# 2. As many as noise alone has: the sources add none.
print(2, int((image < center - 5 * sigma).sum()), int((image < center - 3 * sigma).sum()))

# 3. A convolution of the bright pixels with nine ones counts those in the neighbourhood, the pixel itself among them.
bright = image > center + 5 * sigma
near = signal.convolve2d(bright.astype(cp.int32), cp.ones((3, 3), cp.int32), mode="same") > 0
both = (image > center + 3 * sigma) & near
print(3, int(bright.sum()), int(both.sum()))

# It prints:
#
# 1 1926 pass, 117 of them noise, so 1809 are of sources
# 2 0 114
# 3 1366 1804
