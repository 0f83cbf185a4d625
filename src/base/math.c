/* Elementary functions with frozen bits: IEEE additions, multiplications, divisions and square roots in a fixed order.
 */
#include "base/math.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error "mixboost needs arithmetic in the type of its operands (FLT_EVAL_METHOD 0)"
#endif

/* Adding and subtracting this rounds |x| < 2^51 to the nearest integer, ties to even. */
static const double ROUNDER = 0x1.8p52;

/* log 2 in two parts; the first has 33 significant bits, so its products with exponents are exact. */
static const double LN2_HIGH = 0x1.62e42fee00000p-1;
static const double LN2_LOW = 0x1.a39ef35793c76p-33;

static double power_of_two(int exponent) { /* -1022 .. 1023 */
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

double mxb__exp(double x) {
    /* Taylor coefficients 1/2!, ..., 1/13!: for |r| <= log(2)/2 the rest is below 5e-18. */
    static const double c[] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                               1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                               1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    if (!(x >= -746.0)) {
        return x < -746.0 ? 0.0 : x; /* NaN stays */
    }
    if (x > 710.0) {
        return HUGE_VAL;
    }
    double k = (x * 0x1.71547652b82fep+0 + ROUNDER) - ROUNDER;
    double r = (x - k * LN2_HIGH) - k * LN2_LOW;
    double p = c[11];
    for (int i = 10; i >= 0; i--) {
        p = p * r + c[i];
    }
    double y = 1.0 + (r + r * r * p);
    int exponent = (int)k;
    int half = exponent / 2; /* two steps: 2^exponent alone may be out of range */
    return y * power_of_two(half) * power_of_two(exponent - half);
}

double mxb__log(double x) {
    /* 2/3, 2/5, ...: log((1+s)/(1-s)) = 2s + s sum_k c_k s^2k; |s| < 0.172, so the rest is below 1e-18. */
    static const double c[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                               2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23};
    int exponent = 0;
    if (x < DBL_MIN) {
        x *= 0x1p54;
        exponent = -54;
    }
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    /* x = 2^exponent m with m in [sqrt(1/2), sqrt(2)) */
    const uint64_t sqrt_half = 0x3fe6a09e667f3bcdu;
    uint64_t shifted = bits - sqrt_half;
    exponent += (int)((int64_t)shifted >> 52);
    bits = (shifted & 0x000fffffffffffffu) + sqrt_half;
    double m;
    memcpy(&m, &bits, sizeof m);

    double f = m - 1.0;
    double s = f / (2.0 + f);
    double z = s * s;
    double p = c[10];
    for (int i = 9; i >= 0; i--) {
        p = p * z + c[i];
    }
    /* 2s = f - s f keeps f exact: the small parts are gathered before they meet it. */
    double k = (double)exponent;
    double small = s * (z * p - f) + k * LN2_LOW;
    return k * LN2_HIGH + (f + small);
}

double mxb__log1p(double x) {
    double u = 1.0 + x;
    return mxb__log(u) + (x - (u - 1.0)) / u;
}

float mxb__cos_turns(float t) {
    const float rounder = 0x1.8p23f; /* adding it leaves no digit behind the point */
    t = fabsf(t);
    float r = t - ((t + rounder) - rounder);
    r = t < 0x1p22f ? r : 0.0f; /* so large is no phase any more */
    /* cos(2 pi r) = sin(2 pi a) with a in [-1/4, 1/4]; a polynomial in a^2 of error 7e-9. */
    float a = 0.25f - fabsf(r);
    float s = a * a;
    float p = 39.759827f;
    p = p * s + -76.581173f;
    p = p * s + 81.602476f;
    p = p * s + -41.341681f;
    p = p * s + 6.2831853f;
    return a * p;
}

static double ratio(const double *numerator, const double *denominator, double x) {
    double top = numerator[7];
    double bottom = denominator[7];
    for (int i = 6; i >= 0; i--) {
        top = top * x + numerator[i];
        bottom = bottom * x + denominator[i];
    }
    return top / bottom;
}

/* M. J. Wichura, Algorithm AS 241 (PPND16), Applied Statistics 37 (1988): rational approximations in three ranges. */
double mxb__normal_quantile(double p) {
    static const double a[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                               1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                               3.3430575583588128105e4, 2.5090809287301226727e3};
    static const double b[] = {1.0,
                               4.2313330701600911252e1,
                               6.8718700749205790830e2,
                               5.3941960214247511077e3,
                               2.1213794301586595867e4,
                               3.9307895800092710610e4,
                               2.8729085735721942674e4,
                               5.2264952788528545610e3};
    static const double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                               3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                               2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[] = {1.0,
                               2.05319162663775882187e0,
                               1.67638483018380384940e0,
                               6.89767334985100004550e-1,
                               1.48103976427480074590e-1,
                               1.51986665636164571966e-2,
                               5.47593808499534494600e-4,
                               1.05075007164441684324e-9};
    static const double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                               2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                               2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[] = {1.0,
                               5.99832206555887937690e-1,
                               1.36929880922735805310e-1,
                               1.48753612908506148525e-2,
                               7.86869131145613259100e-4,
                               1.84631831751005468180e-5,
                               1.42151175831644588870e-7,
                               2.04426310338993978564e-15};
    double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        return q * ratio(a, b, 0.180625 - q * q);
    }
    double tail = q < 0.0 ? p : 1.0 - p;
    double r = sqrt(-mxb__log(tail));
    double x = r <= 5.0 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5.0);
    return q < 0.0 ? -x : x;
}
