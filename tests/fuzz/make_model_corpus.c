/* Writes the seeds of the model fuzzer: valid models of every shape, and broken ones whose checksums are right.
 *
 *     make_model_corpus tests/fuzz/corpus/model */
#include <stdio.h>
#include <stdlib.h>

#include "unit/model/edit_model.h"
#include "unit/model/make_model.h"

static const char *folder;

static void write_seed(const char *name, const void *bytes, size_t n) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.mxb", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, n, file) != n || fclose(file) != 0) {
        fprintf(stderr, "cannot write %s\n", path);
        exit(1);
    }
}

static void write_model(const char *name, mxb_model *model) {
    void *bytes;
    size_t n;
    make_sure(mxb_model_to_bytes(model, &bytes, &n, NULL));
    write_seed(name, bytes, n);
    mxb_bytes_free(bytes);
    mxb_model_free(model);
}

/* The small model with one byte of a section changed. */
static void write_edited(const char *name, size_t section, size_t offset, unsigned char byte) {
    mxb_model *model = make_small_model();
    void *bytes;
    size_t n, length;
    make_sure(mxb_model_to_bytes(model, &bytes, &n, NULL));
    edit_section(bytes, section, &length)[offset] = byte;
    edit_repair(bytes);
    write_seed(name, bytes, n);
    mxb_bytes_free(bytes);
    mxb_model_free(model);
}

static void write_cut(const char *name, size_t n) {
    mxb_model *model = make_small_model();
    void *bytes;
    size_t n_whole;
    make_sure(mxb_model_to_bytes(model, &bytes, &n_whole, NULL));
    write_seed(name, bytes, n);
    mxb_bytes_free(bytes);
    mxb_model_free(model);
}

int main(int argc, char **argv) {
    static const char *const names[MAKE_N_SHAPES] = {
        "constant", "trees", "named_trees", "fourier", "standard", "rank_projections", "members", "symmetric"};
    if (argc != 2) {
        fprintf(stderr, "usage: make_model_corpus FOLDER\n");
        return 2;
    }
    folder = argv[1];
    write_model("small", make_small_model());
    write_model("texts", make_text_model());
    for (size_t s = 0; s < MAKE_N_SHAPES; s++) {
        write_model(names[s], make_model(&MAKE_SHAPES[s]));
    }
    write_model("own_rounds", make_own_model(&MAKE_SHAPES[0]));
    write_model("own_mixed", make_own_model(&MAKE_SHAPES[4]));
    write_edited("broken_feature", 4, 38, 9);    /* a split on a feature that is not there */
    write_edited("broken_children", 4, 47, 1);   /* a leaf that becomes a split */
    write_edited("broken_count", 3, 4, 200);     /* more components than bytes */
    write_edited("broken_projection", 4, 74, 1); /* a round on a projection that is not there */
    write_edited("broken_knots", 2, 20, 0x40);   /* knots that do not ascend */
    write_edited("broken_gain", 4, 28, 0xC0);    /* a negative one */
    write_edited("broken_symmetric", 4, 4, 4);   /* the bytes of a tree read as levels */
    write_cut("broken_truncated", 300);
    return 0;
}
