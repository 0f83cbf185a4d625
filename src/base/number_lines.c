/* Many numbers as lines of text, by several threads: each formats blocks of them into room of their own, which then
 * move together. Knows nothing of files. */
#include <string.h>

#include "base/number.h"
#include "base/parallel.h"
#include "base/processors.h"
#include "mixboost/mixboost.h"

enum { BLOCK = 1024, BLOCKS_AT_ONCE = 64 };

struct lines {
    const double *numbers;
    size_t n;
    char *room; /* MXB__NUMBER_SIZE bytes a number */
    size_t lengths[BLOCKS_AT_ONCE];
};

static char *room_of(const struct lines *lines, size_t block) { return lines->room + block * BLOCK * MXB__NUMBER_SIZE; }

static void format_block(void *context, size_t index, size_t thread) {
    struct lines *lines = context;
    const double *numbers = lines->numbers + index * BLOCK;
    size_t n = mxb__block_length(lines->n, BLOCK, index);
    char *end = room_of(lines, index);
    (void)thread;
    for (size_t i = 0; i < n; i++) {
        end += mxb__number_format(numbers[i], end);
        *end++ = '\n';
    }
    lines->lengths[index] = (size_t)(end - room_of(lines, index));
}

/* No more threads than there are blocks for, and for one block none, nor a look at how many there could be. */
static struct pool *open_pool(size_t n, int n_threads) {
    size_t n_blocks = mxb__n_blocks(n, BLOCK), most = n_blocks < BLOCKS_AT_ONCE ? n_blocks : BLOCKS_AT_ONCE;
    size_t wanted = n_threads > 0 ? (size_t)n_threads : most;
    if (most <= 1 || wanted == 1) {
        return NULL;
    }
    size_t there = n_threads > 0 ? wanted : mxb__n_processors();
    return mxb__pool_open(there < most ? there : most);
}

size_t mxb_numbers_format(const double *numbers, size_t n, int n_threads, char *text) {
    const size_t at_once = (size_t)BLOCK * BLOCKS_AT_ONCE;
    struct pool *pool = open_pool(n, n_threads);
    char *end = text;
    for (size_t first = 0; first < n; first += at_once) {
        struct lines lines = {.numbers = numbers + first,
                              .n = n - first < at_once ? n - first : at_once,
                              .room = text + first * MXB__NUMBER_SIZE};
        size_t n_blocks = mxb__n_blocks(lines.n, BLOCK);
        mxb__pool_run(pool, n_blocks, 30.0 * (double)lines.n, format_block, &lines);
        for (size_t b = 0; b < n_blocks; b++) {
            memmove(end, room_of(&lines, b), lines.lengths[b]);
            end += lines.lengths[b];
        }
    }
    mxb__pool_close(pool);
    return (size_t)(end - text);
}
