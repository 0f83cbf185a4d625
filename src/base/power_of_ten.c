/* Powers of ten from few constants: 10^(28 k + r) is 2^(28 k + r) times a 5^(28 k) that is stored rounded down and a
 * 5^r that is stored exactly. Knows nothing of texts. */
#include "base/power_of_ten.h"

#include <assert.h>

enum { STEP = 28 /* 5^27 is the largest that fits 64 bits */ };

/* 5^(28 k) for k from -13 on: the first 128 bits. */
static const uint64_t LARGE_STEPS[][2] = {
    {0xe1afa13afbd14d6d, 0x82189c09a3a1ec21}, {0xe3e27a444d8d98b7, 0xfd1b1b2308169b25},
    {0xe61acf033d1a45df, 0x6fb92487298e33bd}, {0xe858ad248f5c22c9, 0xd1b3400f8f9cff68},
    {0xea9c227723ee8bcb, 0x465e15a979c1cadc}, {0xece53cec4a314ebd, 0xa4f8bf5635246428},
    {0xef340a98172aace4, 0x86fb897116c87c34}, {0xf18899b1bc3f8ca1, 0xdc44e6c3cb279ac1},
    {0xf3e2f893dec3f126, 0x5a89dba3c3efccfa}, {0xf64335bcf065d37d, 0x4d4617b5ff4a16d5},
    {0xf8a95fcf88747d94, 0x75a44c6397ce912a}, {0xfb158592be068d2e, 0xeed6e2f0f0d56712},
    {0xfd87b5f28300ca0d, 0x8bca9d6e188853fc}, {0x8000000000000000, 0x0000000000000000},
    {0x813f3978f8940984, 0x4000000000000000}, {0x82818f1281ed449f, 0xbff8f10e7a8921a4},
    {0x83c7088e1aab65db, 0x792667c6da79e0fa}, {0x850fadc09923329e, 0x03e2cf6bc604ddb0},
    {0x865b86925b9bc5c2, 0x0b8a2392ba45a9b2}, {0x87aa9aff79042286, 0x90fb44d2f05d0842},
    {0x88fcf317f22241e2, 0x441fece3bdf81f03}, {0x8a5296ffe33cc92f, 0x82bd6b70d99aaa6f},
    {0x8bab8eefb6409c1a, 0x1ad089b6c2f7548e}, {0x8d07e33455637eb2, 0xdb0b487b6423e1e8},
    {0x8e679c2f5e44ff8f, 0x570f09eaa7ea7648},
};

static const uint64_t SMALL_STEPS[STEP] = {1,
                                           5,
                                           25,
                                           125,
                                           625,
                                           3125,
                                           15625,
                                           78125,
                                           390625,
                                           1953125,
                                           9765625,
                                           48828125,
                                           244140625,
                                           1220703125,
                                           6103515625,
                                           30517578125,
                                           152587890625,
                                           762939453125,
                                           3814697265625,
                                           19073486328125,
                                           95367431640625,
                                           476837158203125,
                                           2384185791015625,
                                           11920928955078125,
                                           59604644775390625,
                                           298023223876953125,
                                           1490116119384765625,
                                           7450580596923828125};

wide mxb__power_of_ten(int exponent) {
    assert(exponent >= MXB__LEAST_POWER && exponent <= MXB__LARGEST_POWER);
    unsigned above_least = (unsigned)(exponent - MXB__LEAST_POWER);
    const uint64_t *large = LARGE_STEPS[above_least / STEP];
    uint64_t small = SMALL_STEPS[above_least % STEP];
    small <<= __builtin_clzll(small);
    /* Less than a unit is missing of the large step, and another for the bits below; shifting doubles both. */
    wide product = mxb__wide_multiply(mxb__wide(large[0], large[1]), small);
    return product >> 127 != 0 ? product : product << 1;
}
