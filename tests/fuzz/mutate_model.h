/* For fuzz targets that read models: changes that get past lengths and checksums. Defines libFuzzer's mutator, so it is
 * for one file of a program. */
#ifndef MUTATE_MODEL_H
#define MUTATE_MODEL_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unit/model/edit_model.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size); /* libFuzzer's */

/* Makes the table fit the bytes: sections as long as they claim where possible, the last one to the end. Returns 0
 * where there is no table to repair. */
static int repair(uint8_t *data, size_t size) {
    if (size < EDIT_START + 8 || edit_number(data + 12, 4) == 0 || edit_number(data + 12, 4) > EDIT_MAX_SECTIONS ||
        size < edit_header_bytes(data)) {
        return 0;
    }
    size_t n_sections = (size_t)edit_number(data + 12, 4), at = edit_header_bytes(data);
    for (size_t i = 0; i < n_sections; i++) {
        uint8_t *entry = data + EDIT_START + i * EDIT_ENTRY;
        uint64_t claimed = edit_number(entry + 16, 8);
        size_t length = i + 1 == n_sections || claimed > size - at ? size - at : (size_t)claimed;
        mxb__store_u64(entry + 8, at);
        mxb__store_u64(entry + 16, length);
        at += length;
    }
    mxb__store_u64(data + 16, size);
    edit_repair(data);
    return 1;
}

/* Mutates one section at a time. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    size_t length, index, room = max_size - size;
    if (seed % 16 == 0 || !edit_possible(data, size) || edit_number(data + 12, 4) == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    index = seed / 16 % (size_t)edit_number(data + 12, 4);
    edit_section(data, index, &length);
    uint8_t *section = malloc(length + room + 1);
    if (section == NULL) {
        return size;
    }
    memcpy(section, edit_section(data, index, &length), length);
    size_t mutated = LLVMFuzzerMutate(section, length, length + room);
    size = edit_resize(data, size, index, mutated);
    memcpy(edit_section(data, index, &length), section, mutated);
    edit_repair(data);
    free(section);
    return size;
}

#endif
