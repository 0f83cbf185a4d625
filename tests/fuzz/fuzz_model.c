/* Any bytes as a model: an error, or a model on which everything works. Each input is tried as it is and once more with
 * lengths and checksums put right, so that changes get past them whoever made them; under libFuzzer the mutator also
 * changes one section at a time. */
#include "fuzz/mutate_model.h"
#include "fuzz/use_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    use_bytes(data, size);
    uint8_t *copy = malloc(size + 1);
    MUST(copy != NULL);
    memcpy(copy, data, size);
    if (repair(copy, size)) {
        use_bytes(copy, size);
    }
    free(copy);
    return 0;
}
