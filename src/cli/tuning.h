/* tuning.h - options of allocators, as the command line gives them. */
#ifndef TORI_CLI_TUNING_H
#define TORI_CLI_TUNING_H

#include <tori/alloc.h>

#include "number.h"
#include "options.h"

/* A row of option tables, for values that hold a struct fraction `epsilon`. */
#define TUNING_EPSILON(values)                                             \
    {                                                                      \
        .name = "epsilon", .kind = OPTION_FRACTION,                        \
        .offset = offsetof (values, epsilon), .value = "X",                \
        .positive = true,                                                  \
        .help = "of ptas: at most 1 + X times the least sum (default 0.5)" \
    }

/* Whether the option was given for an allocator that has no use for it. */
static inline int tuning_check (struct fraction epsilon,
                                const tori_alloc_info *info, tori_error *err)
{
    if (epsilon.den && !info->epsilon)
        return tori_error_set (err, TORI_INVALID,
                               "--epsilon: %s has no use for it", info->name);
    return 0;
}

static inline tori_alloc_options tuning_of (struct fraction epsilon)
{
    return (tori_alloc_options){
        .epsilon = epsilon.den ? fraction_value (epsilon) : 0};
}

#endif
