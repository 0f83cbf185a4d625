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

/** cos(2 pi t) in float32, error below 2e-7, for a finite t of any size. */
float mxb__cos_turns(double t);

/** The x at which the standard normal distribution reaches p in (0, 1); relative error below 1e-14 away from p = 1/2.
 */
double mxb__normal_quantile(double p);

#endif
