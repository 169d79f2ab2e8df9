#include "model.h"

#include <string.h>

static const struct model MODELS[] = {
    {{"lublin", "rigid jobs with a daily cycle (Lublin and Feitelson, 2003)"},
     lublin_make},
    {{"isomorphic", "boxes of one power of two in every dimension, Poisson"},
     isomorphic_make},
    {{"cubic", "boxes of any powers of two, Poisson (Kang et al., 2003)"},
     cubic_make},
    {{"noncubic", "boxes of any sides, Poisson (Kang et al., 2003)"},
     noncubic_make},
};
enum { NMODELS = sizeof MODELS / sizeof MODELS[0] };

const tori_model_info *tori_model_list (size_t i)
{
    return i < NMODELS ? &MODELS[i].info : NULL;
}

static const struct model *find_model (const char *name)
{
    for (size_t i = 0; i < NMODELS; i++)
        if (strcmp (MODELS[i].info.name, name) == 0)
            return &MODELS[i];
    return NULL;
}

static size_t jobs_wanted (const tori_workload_options *options)
{
    return options->limit > 0 && options->limit < options->jobs
               ? options->limit
               : options->jobs;
}

int tori_workload_model (const char *name, const tori_machine *machine,
                         const tori_workload_options *options,
                         tori_workload *ret_workload, tori_error *err)
{
    const struct model *model = find_model (name);
    struct builder b;
    struct rng rng;
    int status;
    if (!model)
        return tori_error_set (err, TORI_INVALID, "unknown model '%.60s'",
                               name);
    if (options->jobs == 0)
        return tori_error_set (err, TORI_INVALID,
                               "model %s: expected at least one job", name);
    if (builder_init (&b, name, machine, options, err) < 0)
        return -1;
    rng_seed (&rng, options->seed, STREAM_MODEL);
    status = model->make (&b, &rng, jobs_wanted (options), err);
    if (status == 0)
        status = builder_finish (&b, ret_workload, err);
    builder_clear (&b);
    return status;
}
