/* Drives a fuzz target where libFuzzer is missing: feeds it every file of the given folders, and then mutations of
 * them, the same ones in every run.
 *
 *     fuzz_model 5000 tests/fuzz/corpus/model */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_BYTES = 1 << 16, MAX_INPUTS = 4096 };

struct input {
    uint8_t *bytes;
    size_t n;
};

static struct input inputs[MAX_INPUTS];
static size_t n_inputs;

static uint64_t random_bits(void) {
    static uint64_t state = 0x9E3779B97F4A7C15u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static size_t random_below(size_t n) { return n == 0 ? 0 : (size_t)(random_bits() % n); }

static void read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(MAX_BYTES);
    if (file == NULL || bytes == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    inputs[n_inputs].bytes = bytes;
    inputs[n_inputs].n = fread(bytes, 1, MAX_BYTES, file);
    n_inputs++;
    fclose(file);
}

static void read_folder(const char *path) {
    DIR *folder = opendir(path);
    if (folder == NULL) {
        fprintf(stderr, "cannot open the folder %s\n", path);
        exit(1);
    }
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char name[4096];
        int length = snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && length > 0 && (size_t)length < sizeof name && n_inputs < MAX_INPUTS) {
            read_file(name);
        }
    }
    closedir(folder);
}

/* One to four small changes: a bit, a byte, an interesting number, a cut, a repeated piece. */
static size_t mutate(uint8_t *bytes, size_t n) {
    static const uint8_t edges[] = {0x00, 0x01, 0x7F, 0x80, 0xFF, '"', ',', '\n', '\r', '-', '.', 'e', '9'};
    for (size_t change = 1 + random_below(4); change > 0 && n > 0; change--) {
        size_t at = random_below(n), length = 1 + random_below(n - at < 64 ? n - at : 64);
        switch (random_below(6)) {
            case 0:
                bytes[at] ^= (uint8_t)(1u << random_below(8));
                break;
            case 1:
                bytes[at] = (uint8_t)random_bits();
                break;
            case 2:
                bytes[at] = edges[random_below(sizeof edges)];
                break;
            case 3:
                memset(bytes + at, random_below(2) ? 0xFF : 0x00, length < 8 ? length : 8);
                break;
            case 4:
                n = at;
                break;
            default:
                if (n + length <= MAX_BYTES) {
                    memmove(bytes + at + length, bytes + at, n - at);
                    n += length;
                }
                break;
        }
    }
    return n;
}

/* An exact-size copy, so that a sanitizer sees the first byte read beyond it. */
static void feed(const uint8_t *bytes, size_t n) {
    uint8_t *copy = malloc(n > 0 ? n : 1);
    if (copy == NULL) {
        exit(1);
    }
    memcpy(copy, bytes, n);
    LLVMFuzzerTestOneInput(copy, n);
    free(copy);
}

int main(int argc, char **argv) {
    static uint8_t scratch[MAX_BYTES];
    long n_mutations = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    for (int i = 2; i < argc; i++) {
        read_folder(argv[i]);
    }
    feed(scratch, 0);
    for (size_t i = 0; i < n_inputs; i++) {
        feed(inputs[i].bytes, inputs[i].n);
    }
    for (long i = 0; i < n_mutations && n_inputs > 0; i++) {
        const struct input *input = &inputs[random_below(n_inputs)];
        memcpy(scratch, input->bytes, input->n);
        feed(scratch, mutate(scratch, input->n));
    }
    for (size_t i = 0; i < n_inputs; i++) {
        free(inputs[i].bytes);
    }
    printf("%zu files and %ld mutations\n", n_inputs, n_inputs > 0 ? n_mutations : 0);
    return 0;
}
