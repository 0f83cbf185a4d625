/* Elementary functions of our own. libm picks variants by CPU and version; bits are a promise here, so these are plain
 * IEEE additions, multiplications and divisions in a fixed order, without fused operations, and the SIMD kernels repeat
 * exactly these steps. */
#ifndef MXB_BASE_MATH_H
#define MXB_BASE_MATH_H

/** e^x, relative error below 1e-15 (denormals: half a unit); 0 below -745.14, infinite above 709.79. */
double mxb__exp(double x);

/** Natural logarithm of x > 0, error below 1e-15 relative to max(|log x|, 1e-3); denormals included. */
double mxb__log(double x);

/** log(1 + x) for x in [0, 1], relative error below 1e-15. */
double mxb__log1p(double x);

/** cos(2 pi t), error below 2e-7; that of 0 where |t| is 2^22 or more, or not a number: floats have no turns there. */
float mxb__cos_turns(float t);

/** The nearest number of 12 significant digits (binary); 0 below 2^-50 in size, and at most 2^50. The product of two
 * such factors is exact in float32, so it does not matter whether it is added by a fused operation; and a million of
 * them do not overflow. NaN becomes 0. */
static inline float mxb__factor(double x) {
    const double largest = 0x1p50, smallest = 0x1p-50, splitter = 0x1p41 + 1; /* of 53 digits, 41 go */
    x = x > largest ? largest : x < -largest ? -largest : x;
    double product = x * splitter;
    double rounded = product - (product - x);
    return rounded >= smallest || rounded <= -smallest ? (float)rounded : 0.0f;
}

/** The x at which the standard normal distribution reaches p in (0, 1); relative error below 1e-14 away from p = 1/2.
 */
double mxb__normal_quantile(double p);

#endif
