/* Models between two stages. Knows nothing of how they are trained. */
#include "tune/kept_models.h"

#include "base/memory.h"

mxb_status mxb__kept_models_init(struct kept_models *kept, size_t n_configs, size_t n_folds, size_t budget,
                                 mxb_error *error) {
    *kept = (struct kept_models){.n_folds = n_folds, .budget = budget};
    if (pthread_mutex_init(&kept->lock, NULL) != 0) {
        return mxb__fail(error, MXB_ERROR_MEMORY, "out of memory for a lock of the tuner");
    }
    size_t n = n_configs * n_folds;
    mxb_status status = mxb__alloc_zeroed(&kept->models, n, sizeof *kept->models, "models that wait", error);
    if (status != MXB_OK) {
        pthread_mutex_destroy(&kept->lock);
        return status;
    }
    kept->n = n;
    return MXB_OK;
}

static void drop(struct kept_models *kept, size_t place) {
    kept->n_bytes -= kept->models[place].n_bytes;
    mxb_bytes_free(kept->models[place].bytes);
    kept->models[place] = (struct kept_model){0};
}

void mxb__kept_models_clear(struct kept_models *kept) {
    for (size_t i = 0; i < kept->n; i++) {
        drop(kept, i);
    }
    mxb__free(kept->models);
    pthread_mutex_destroy(&kept->lock);
}

void mxb__kept_models_put(struct kept_models *kept, const mxb_trial *trial, const mxb_model *model) {
    struct kept_model made = {0};
    if (mxb_model_to_bytes(model, &made.bytes, &made.n_bytes, NULL) != MXB_OK) {
        return;
    }
    size_t place = trial->config * kept->n_folds + trial->fold;
    pthread_mutex_lock(&kept->lock);
    drop(kept, place);
    if (made.n_bytes <= kept->budget - kept->n_bytes) {
        kept->models[place] = made;
        kept->n_bytes += made.n_bytes;
        made.bytes = NULL;
    }
    pthread_mutex_unlock(&kept->lock);
    mxb_bytes_free(made.bytes);
}

mxb_status mxb__kept_models_get(struct kept_models *kept, const mxb_trial *trial, const mxb_params *params,
                                mxb_model **model, mxb_error *error) {
    *model = NULL;
    if (kept->n == 0) {
        return MXB_OK;
    }
    const struct kept_model *found = &kept->models[trial->config * kept->n_folds + trial->fold];
    pthread_mutex_lock(&kept->lock);
    mxb_status status =
        found->bytes == NULL ? MXB_OK : mxb_model_from_bytes_with(found->bytes, found->n_bytes, params, model, error);
    pthread_mutex_unlock(&kept->lock);
    return status;
}

void mxb__kept_models_drop(struct kept_models *kept, size_t config) {
    pthread_mutex_lock(&kept->lock);
    for (size_t fold = 0; fold < kept->n_folds; fold++) {
        drop(kept, config * kept->n_folds + fold);
    }
    pthread_mutex_unlock(&kept->lock);
}
