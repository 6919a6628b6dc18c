"""Solutions of lesson 1, convolution."""
import cuprite as cp
from cuprite.scipy import signal


def gaussian(size, sigma):
    t = cp.arange(size) - (size - 1) / 2
    bell = cp.exp(-(t / sigma) ** 2 / 2)
    kernel = cp.outer(bell, bell)
    return kernel / kernel.sum()


points = cp.zeros((96, 96))
points[8::16, 8::16] = 1
kernel = gaussian(15, 2.5)
blurred = signal.convolve2d(points, kernel, mode="same")

# 1. A column of 15 weights, then a row of 15. The weights of each are the kernel's sums along the other axis. A pixel
#    needs 15 + 15 = 30 products, not 15 * 15 = 225.
column, row = kernel.sum(axis=1, keepdims=True), kernel.sum(axis=0, keepdims=True)
twice = signal.convolve2d(signal.convolve2d(points, column, mode="same"), row, mode="same")
print(1, cp.allclose(twice, blurred, rtol=0, atol=1e-15))

# 2. The kernel is turned around before it multiplies, so a pixel becomes its left neighbour less its right one: it is
#    negative at the square's left edge, positive at its right one.
square = cp.zeros((5, 8))
square[1:4, 2:6] = 1
edges = signal.convolve2d(square, cp.array([[-1, 0, 1]]), mode="same")
print(2, edges[2])

# 3. The kernel is padded to the picture's size and moved so that its middle is at pixel (0, 0).
padded = cp.zeros_like(points)
padded[:15, :15] = kernel
padded = cp.roll(padded, (-7, -7), axis=(0, 1))
by_fourier = cp.fft.irfft2(cp.fft.rfft2(points) * cp.fft.rfft2(padded), s=points.shape)
wrapped = signal.convolve2d(points, kernel, mode="same", boundary="wrap")
print(3, cp.allclose(by_fourier, wrapped, rtol=0, atol=1e-15))

# It prints:
#
# 1 True
# 2 [ 0. -1. -1.  0.  0.  1.  1.  0.]
# 3 True
