"""Solutions of lesson 5, labelling and measuring."""
import pathlib
import sys

import cuprite as cp
from cuprite.scipy import ndimage

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from workshop import show, sky  # noqa: E402

image = sky()
stats = cp.sigma_clip_stats(image)
bright = image > stats.center + 5 * stats.std
labels, count = ndimage.label(bright)

# 1. A table with an entry for each label: its new number, or 0. The table is indexed by the labels.
pixels = cp.bincount(labels.ravel())
large = pixels >= 5
large[0] = False                                     # the background
table = cp.where(large, cp.cumsum(large), 0)
relabelled = table[labels]
print(1, int(relabelled.max()), cp.array_equal(cp.unique(relabelled), cp.arange(int(relabelled.max()) + 1)))

# 2. Where a new label contains several old ones, those were joined.
corners, fewer = ndimage.label(bright, structure=cp.ones((3, 3)))
print(2, count, fewer)
pairs = cp.unique(cp.stack([corners[bright], labels[bright]], axis=1), axis=0).tolist()
for new in range(1, fewer + 1):
    old = [b for a, b in pairs if a == new]
    if len(old) > 1:
        print(2, "joined:", old)

# 3. Two arrays of indices choose one pixel for each source.
found = ndimage.measure(image, labels, count, background=stats.center)
rows, columns = found.position[:, 0], found.position[:, 1]
marked = image.clip(-2, 20)
marked[rows, columns] = 40
print(3, int((marked == 40).sum()))
show(marked, "marked.png")

# It prints:
#
# 1 39 True
# 2 40 39
# 2 joined: [1, 2]
# 3 40
