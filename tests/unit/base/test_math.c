#include "base/math.h"

#include <float.h>

#include "base/random.h"
#include "check.h"

static const struct random_stream RANDOM = {0x6d617468};

static double uniform(uint64_t index, double low, double high) {
    return low + (high - low) * mxb__random_uniform(RANDOM, index);
}

/* 2^e for e from low to high, times 1 .. 2. */
static double any_size(uint64_t index, double low, double high) {
    int exponent = (int)floor(uniform(2 * index, low, high));
    return ldexp(uniform(2 * index + 1, 1, 2), exponent);
}

/* ---- exp ---- */

static long double exp_error(double x) {
    long double exact = expl((long double)x);
    long double slack = exact < (long double)DBL_MIN ? 0.51L * 0x1p-1074L : 0; /* a denormal is rounded once */
    long double error = fabsl((long double)mxb__exp(x) - exact) - slack;
    return error > 0 ? error / exact : 0;
}

static void exp_is_accurate(void) {
    long double worst = 0;
    for (int i = -745000; i <= 709780; i += 3) {
        worst = fmaxl(worst, exp_error(i * 1e-3));
    }
    for (uint64_t i = 0; i < 200000; i++) {
        worst = fmaxl(worst, exp_error(uniform(i, -745, 709.78)));
        worst = fmaxl(worst, exp_error(uniform(i, -2, 2)));
        worst = fmaxl(worst, exp_error((i % 2 != 0 ? 1 : -1) * any_size(i, -1074, 9)));
    }
    CHECK(worst < 1e-15L);
}

static void exp_at_special_values(void) {
    CHECK(mxb__exp(0.0) == 1.0);
    CHECK(mxb__exp(-0.0) == 1.0);
    CHECK(mxb__exp(0x1p-1074) == 1.0);
    CHECK(mxb__exp(-0x1p-1074) == 1.0);
    CHECK(mxb__exp(-INFINITY) == 0.0);
    CHECK(mxb__exp(-DBL_MAX) == 0.0);
    CHECK(mxb__exp(-745.2) == 0.0);
    CHECK(mxb__exp(-745.1) == 0x1p-1074);
    CHECK(mxb__exp(709.78) > 1.79e308 && isfinite(mxb__exp(709.78)));
    CHECK(mxb__exp(709.79) == INFINITY);
    CHECK(mxb__exp(710.5) == INFINITY);
    CHECK(mxb__exp(DBL_MAX) == INFINITY);
    CHECK(mxb__exp(INFINITY) == INFINITY);
    CHECK(isnan(mxb__exp(NAN)));
}

/* Steps wider than the error never go down, also where the reduction changes its multiple of log 2. */
static void exp_is_monotone(void) {
    int n_down = 0;
    for (int k = -1074; k <= 1023; k++) {
        double middle = (k + 0.5) * 0.693147180559945309;
        double last = 0;
        for (int i = -50; i <= 50; i++) {
            double y = mxb__exp(middle + i * 2e-12);
            n_down += y < last;
            last = y;
        }
    }
    CHECK_INT(n_down, 0);
}

/* ---- log ---- */

static long double log_error(double x) {
    long double exact = logl((long double)x);
    return fabsl((long double)mxb__log(x) - exact) / fmaxl(fabsl(exact), 1e-3L);
}

static void log_is_accurate(void) {
    long double worst = 0;
    for (uint64_t i = 0; i < 300000; i++) {
        worst = fmaxl(worst, log_error(any_size(i, -1074, 1024)));
        worst = fmaxl(worst, log_error(any_size(i, -3, 3)));
        worst = fmaxl(worst, log_error(uniform(i, 0.99, 1.01)));
    }
    for (int i = 1; i < 40000; i++) {
        worst = fmaxl(worst, log_error(i * 1e-4));
        worst = fmaxl(worst, log_error(1.0 + i * 0x1p-52));
        worst = fmaxl(worst, log_error(1.0 - i * 0x1p-53));
        worst = fmaxl(worst, log_error(i * 0x1p-1074));
    }
    for (int e = -1074; e < 1024; e++) { /* both sides of where the exponent changes */
        worst = fmaxl(worst, log_error(ldexp(1.0, e)));
        worst = fmaxl(worst, log_error(ldexp(0x1.6a09e667f3bccp+0, e)));
        worst = fmaxl(worst, log_error(ldexp(0x1.6a09e667f3bcdp+0, e)));
    }
    CHECK(worst < 1e-15L);
}

static void log_at_special_values(void) {
    CHECK(mxb__log(1.0) == 0.0);
    CHECK_NEAR(mxb__log(DBL_MAX), 709.782712893384, 1e-12);
    CHECK_NEAR(mxb__log(0x1p-1074), -744.4400719213812, 1e-12);
    CHECK_NEAR(mxb__log(DBL_MIN), -708.3964185322641, 1e-12);
    for (int e = -60; e <= -40; e++) { /* next to 1 the error is relative to log x itself */
        long double exact = logl(1.0L + ldexpl(1.0L, e < -52 ? -52 : e));
        CHECK(fabsl((long double)mxb__log(1.0 + ldexp(1.0, e < -52 ? -52 : e)) - exact) < 1e-15L * exact);
    }
}

static long double log1p_error(double x) {
    long double exact = log1pl((long double)x);
    return x == 0 ? (long double)mxb__log1p(x) : fabsl((long double)mxb__log1p(x) - exact) / exact;
}

static void log1p_is_accurate(void) {
    long double worst = log1p_error(0);
    for (uint64_t i = 0; i < 300000; i++) {
        worst = fmaxl(worst, log1p_error(uniform(i, 0, 1)));
        worst = fmaxl(worst, log1p_error(any_size(i, -1022, 0)));
        worst = fmaxl(worst, log1p_error(any_size(i, -60, 0)));
    }
    worst = fmaxl(worst, log1p_error(1.0));
    worst = fmaxl(worst, log1p_error(0x1p-1074));
    worst = fmaxl(worst, log1p_error(0.414213562373095));
    worst = fmaxl(worst, log1p_error(0.414213562373096));
    CHECK(worst < 1e-15L);
}

/* ---- cos ---- */

static long double cos_error(double t) {
    static const long double TWO_PI = 6.283185307179586476925286766559L;
    float turns = (float)t;
    long double exact = cosl(TWO_PI * fmodl((long double)turns, 1.0L)); /* the remainder is exact */
    return fabsl((long double)mxb__cos_turns(turns) - exact);
}

static void cos_is_accurate(void) {
    long double worst = 0;
    for (int i = -30000; i <= 30000; i++) {
        worst = fmaxl(worst, cos_error(i * 1e-4));
        worst = fmaxl(worst, cos_error(i * 0.125));
        worst = fmaxl(worst, cos_error(i * 0x1p-149));
        worst = fmaxl(worst, cos_error((i < 0 ? -0x1p22 : 0x1p22) - i * 0.25));
    }
    for (uint64_t i = 0; i < 300000; i++) {
        worst = fmaxl(worst, cos_error(uniform(i, -1, 1)));
        worst = fmaxl(worst, cos_error((i % 2 != 0 ? 1 : -1) * any_size(i, -60, 22)));
    }
    CHECK(worst < 2e-7L);
}

/* Where the fraction has one digit left, and none: no turn any more. */
static void cos_of_huge_turns(void) {
    static const float huge[] = {0x1p22f, 0x1.00000cp22f, 0x1p23f, 1e30f, FLT_MAX, INFINITY, NAN};
    for (size_t i = 0; i < sizeof huge / sizeof huge[0]; i++) {
        CHECK(mxb__cos_turns(huge[i]) == mxb__cos_turns(0));
        CHECK(mxb__cos_turns(-huge[i]) == mxb__cos_turns(0));
    }
    CHECK_NEAR((double)mxb__cos_turns(0), 1, 2e-7);
}

static void cos_is_even_and_within_one(void) {
    int n_odd = 0;
    int n_out = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        float t = (float)any_size(i, -20, 60);
        n_odd += mxb__cos_turns(t) != mxb__cos_turns(-t);
        n_out += !(fabsf(mxb__cos_turns(t)) <= 1.0000002f);
    }
    CHECK_INT(n_odd, 0);
    CHECK_INT(n_out, 0);
}

/* ---- normal quantile ---- */

/* The error in x that the error of the distribution at x amounts to, relative to x. */
static long double quantile_error(double p) {
    static const long double ROOT_HALF = 0.707106781186547524400844362105L;
    static const long double ROOT_TWO_PI = 2.506628274631000502415765284811L;
    long double x = (long double)mxb__normal_quantile(p);
    long double density = expl(-x * x / 2) / ROOT_TWO_PI;
    long double miss;
    if (fabs(p - 0.5) < 0.4) {
        miss = erfl(x * ROOT_HALF) / 2 - (long double)(p - 0.5);
    } else if (p < 0.5) {
        miss = erfcl(-x * ROOT_HALF) / 2 - (long double)p;
    } else {
        miss = erfcl(x * ROOT_HALF) / 2 - (long double)(1.0 - p);
    }
    return x == 0 ? fabsl(miss) : fabsl(miss / (density * x));
}

static void quantile_is_accurate(void) {
    long double worst = quantile_error(0.5);
    for (int i = 1; i < 100000; i++) {
        worst = fmaxl(worst, quantile_error(i * 1e-5));
    }
    for (uint64_t i = 0; i < 100000; i++) {
        worst = fmaxl(worst, quantile_error(any_size(i, -1022, -1)));
        worst = fmaxl(worst, quantile_error(1.0 - any_size(i, -53, -1)));
        worst = fmaxl(worst, quantile_error(0.5 + any_size(i, -52, -1.5)));
    }
    worst = fmaxl(worst, quantile_error(0x1p-54));
    worst = fmaxl(worst, quantile_error(1.0 - 0x1p-53));
    CHECK(worst < 1e-14L);
}

static void quantile_is_symmetric(void) {
    int n_wrong = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        double p = 1.0 - any_size(i, -53, -1); /* 1 - p is exact here */
        n_wrong += mxb__normal_quantile(p) != -mxb__normal_quantile(1.0 - p);
    }
    CHECK_INT(n_wrong, 0);
    CHECK(mxb__normal_quantile(0.5) == 0.0);
    CHECK_NEAR(mxb__normal_quantile(0.975), 1.959963984540054, 1e-14);
    CHECK_NEAR(mxb__normal_quantile(0x1p-53), -8.209536151601387, 1e-13);
}

static void quantile_is_monotone(void) {
    int n_down = 0;
    double last = -INFINITY;
    for (int i = 1; i < 1 << 18; i++) {
        double x = mxb__normal_quantile(i * 0x1p-18);
        n_down += x < last;
        last = x;
    }
    double joins[] = {0.075, 0.925, 1.3887943864964021e-11, 1.0 - 1.3887943864964021e-11};
    for (size_t j = 0; j < 4; j++) {
        last = -INFINITY;
        double step = joins[j] < 0.5 ? joins[j] * 1e-12 : 1e-13;
        for (int i = -100; i <= 100; i++) {
            double x = mxb__normal_quantile(joins[j] + i * step);
            n_down += x < last;
            last = x;
        }
    }
    CHECK_INT(n_down, 0);
}

/* ---- factors ---- */

/* 12 digits: the nearest of the numbers that have no more, and products without rounding. */
static void factors(void) {
    static const double out_of_range[] = {0, -0.0, 0x1p-51, -0x1.ffp-51, 0x1p-1074, NAN};
    size_t n_wrong = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        double x = (i % 2 != 0 ? 1 : -1) * any_size(i, -49, 50), y = any_size(i + 7, -49, 50);
        float a = mxb__factor(x), b = mxb__factor(y), product = a * b;
        int exponent;
        double digits = ldexp(frexp(x, &exponent), 12);
        n_wrong += (double)a != ldexp(nearbyint(digits), exponent - 12) && fabs(digits - trunc(digits)) != 0.5;
        n_wrong += a != mxb__factor((double)a);
        n_wrong += (double)product != (double)a * (double)b;
    }
    CHECK_INT(n_wrong, 0);
    for (size_t i = 0; i < sizeof out_of_range / sizeof out_of_range[0]; i++) {
        CHECK(mxb__factor(out_of_range[i]) == 0);
    }
    CHECK(mxb__factor(0x1p-50) == 0x1p-50f && mxb__factor(1e300) == 0x1p50f && mxb__factor(-INFINITY) == -0x1p50f);
}

/* ---- frozen bits ---- */

static void bits_stay(void) {
    CHECK(mxb__exp(1.0) == 0x1.5bf0a8b14576ap+1);
    CHECK(mxb__exp(-12.345) == 0x1.240572f47cb82p-18);
    CHECK(mxb__log(10.0) == 0x1.26bb1bbb55516p+1);
    CHECK(mxb__log(0.7) == -0x1.6d3c324e13f5p-2);
    CHECK(mxb__log1p(0.3) == 0x1.0ca937be1b9dbp-2);
    CHECK(mxb__cos_turns(0.1f) == 0x1.9e377cp-1f);
    CHECK(mxb__cos_turns(12345.678f) == -0x1.c1249ep-2f);
    CHECK(mxb__normal_quantile(0.3) == -0x1.0c7e39582c5fap-1);
    CHECK(mxb__normal_quantile(1e-3) == -0x1.8b8cbb720447p+1);
    CHECK(mxb__normal_quantile(1e-13) == -0x1.d652ace3a013p+2);
}

int main(void) {
    RUN(exp_is_accurate);
    RUN(exp_at_special_values);
    RUN(exp_is_monotone);
    RUN(log_is_accurate);
    RUN(log_at_special_values);
    RUN(log1p_is_accurate);
    RUN(cos_is_accurate);
    RUN(cos_of_huge_turns);
    RUN(cos_is_even_and_within_one);
    RUN(quantile_is_accurate);
    RUN(quantile_is_symmetric);
    RUN(quantile_is_monotone);
    RUN(factors);
    RUN(bits_stay);
    return check_report();
}
