#include "model.h"

#include "choice.h"

static const struct model MODELS[] = {
    {{"lublin", "rigid jobs with a daily cycle (Lublin and Feitelson, 2003)"},
     .make = lublin_make},
    {{"isomorphic", "boxes of one power of two in every dimension, Poisson"},
     .serves = true,
     .make = isomorphic_make},
    {{"cubic", "boxes of any powers of two, Poisson (Kang et al., 2003)"},
     .serves = true,
     .make = cubic_make},
    {{"noncubic", "boxes of any sides, Poisson (Kang et al., 2003)"},
     .serves = true,
     .make = noncubic_make},
    {{"rfold", "lines, planes and boxes of even sides, Poisson (RFold, 2025)"},
     .timeless = true,
     .make = rfold_make},
};
enum { NMODELS = sizeof MODELS / sizeof MODELS[0] };

const tori_model_info *tori_model_list (size_t i)
{
    return i < NMODELS ? &MODELS[i].info : NULL;
}

static const char *model_name (size_t i)
{
    return i < NMODELS ? MODELS[i].info.name : NULL;
}

static size_t jobs_wanted (const tori_workload_options *options)
{
    return options->limit > 0 && !options->keep
                   && options->limit < options->jobs
               ? options->limit
               : options->jobs;
}

int tori_workload_model (const char *name, const tori_machine *machine,
                         const tori_workload_options *options,
                         tori_workload *ret_workload, tori_error *err)
{
    struct builder b;
    struct rng rng;
    size_t which;
    int status;
    if (choice_find ("model", model_name, name, &which, err) < 0)
        return -1;
    if (builder_init (&b, name, machine, options, err) < 0)
        return -1;
    rng_seed (&rng, b.options.seed, STREAM_MODEL);
    if (b.options.size_from)
        status = tori_error_set (err, TORI_INVALID,
                                 "model %s: it has no fields for sizes", name);
    else if (b.options.jobs == 0)
        status = tori_error_set (err, TORI_INVALID,
                                 "model %s: expected at least one job", name);
    else if (b.options.durations && !MODELS[which].timeless)
        status = tori_error_set (err, TORI_INVALID,
                                 "model %s: it draws run times itself, and "
                                 "takes none of a file",
                                 name);
    else if (b.options.service && !MODELS[which].serves)
        status = tori_error_set (err, TORI_INVALID,
                                 "model %s: its service times cannot be "
                                 "chosen; those of isomorphic, cubic and "
                                 "noncubic can",
                                 name);
    else
        status = MODELS[which].make (&b, &rng, jobs_wanted (&b.options), err);
    if (status == 0)
        status = builder_finish (&b, ret_workload, err);
    builder_clear (&b);
    return status;
}
