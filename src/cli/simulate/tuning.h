/* tuning.h - options of allocators, as the command line gives them. */
#ifndef TORI_CLI_TUNING_H
#define TORI_CLI_TUNING_H

#include <tori/alloc.h>

#include "names.h"
#include "number.h"
#include "options.h"

/* As typed; zero is the default of each. */
struct tuning {
    struct fraction epsilon;
    int64_t steps;
    int hypercube;
    int noncubic;
    int64_t spacing;
    const char *slices;
};

/* The default number of steps, for the help. Commands that search often have
 * another default. */
#ifndef TUNING_STEPS
#define TUNING_STEPS                                                          \
    " (default 2^34 of exact, about a minute; 2^32 of ptas, and no limit in "  \
    "'tori place')"
#endif

/* Rows of option tables, for values that hold a struct tuning `tuning`: for
 * allocators that take a count, and for those that take a shape. */
#define TUNING_COUNT(values)                                                  \
    {.name = "epsilon", .kind = OPTION_FRACTION,                              \
     .offset = offsetof (values, tuning.epsilon), .value = "X",               \
     .positive = true,                                                        \
     .help = "for ptas: at most 1 + X times the least sum, X such as 0.2, "   \
             "0.001 or 1/1000 (default 0.5)"},                                \
    {.name = "steps", .kind = OPTION_INTEGER,                                 \
     .offset = offsetof (values, tuning.steps), .value = "N", .min = 1,       \
     .max = INT64_MAX,                                                        \
     .help = "exact gives up after N steps; ptas refuses more than N ways to " \
             "cut the points, unless they are soon settled" TUNING_STEPS}
#define TUNING_SHAPE(values)                                                  \
    {.name = "hypercube", .kind = OPTION_CHOICE,                              \
     .offset = offsetof (values, tuning.hypercube), .value = "RULE",          \
     .choices = hypercube_names, .fallback = "buddy",                         \
     .help = "for isomorphic: which groups of subcubes are recognised"},      \
    {.name = "noncubic", .kind = OPTION_CHOICE,                               \
     .offset = offsetof (values, tuning.noncubic), .value = "RULE",           \
     .choices = noncubic_names, .fallback = "round-up",                       \
     .help = "for isomorphic: how sides that are not powers of two are "      \
             "treated"},                                                      \
    {.name = "spacing", .kind = OPTION_INTEGER,                               \
     .offset = offsetof (values, tuning.spacing), .value = "N", .min = 1,     \
     .max = UINT32_MAX,                                                       \
     .help = "for anchors: boxes begin at multiples of N nodes; if not "      \
             "given, at multiples of their own sides, rounded up to "         \
             "divisors of the machine's sides"},                              \
    {.name = "slices", .kind = OPTION_STRING,                                 \
     .offset = offsetof (values, tuning.slices), .value = "SHAPES",           \
     .help = "for cube-first and cube-best: the shapes that slices smaller "  \
             "than a cube may have, such as 1x1x1,2x2x1,2x2x2, in any "       \
             "rotation, at multiples of their sides in a cube; for anchors: " \
             "all boxes that jobs may have, as they lie on the machine; all " \
             "shapes, if not given"}

/* Whether an option was given for an allocator that has no use for it. */
static inline int tuning_check (const struct tuning *tuning,
                                const tori_alloc_info *info, tori_error *err)
{
    const char *unused = NULL;
    if (tuning->noncubic && !(info->flags & TORI_ALLOC_FOLDS))
        unused = "noncubic";
    if (tuning->hypercube && !(info->flags & TORI_ALLOC_FOLDS))
        unused = "hypercube";
    if (tuning->spacing && !(info->flags & TORI_ALLOC_ANCHORS))
        unused = "spacing";
    if (tuning->slices
        && !(info->flags & (TORI_ALLOC_PODS | TORI_ALLOC_ANCHORS)))
        unused = "slices";
    if (tuning->steps && !(info->flags & TORI_ALLOC_SEARCHES))
        unused = "steps";
    if (tuning->epsilon.den && !(info->flags & TORI_ALLOC_EPSILON))
        unused = "epsilon";
    if (unused)
        return tori_error_set (err, TORI_INVALID, "--%s: %s has no use for it",
                               unused, info->name);
    return 0;
}

/* The configuration of an allocator, which may be NULL as yet. */
static inline tori_alloc_config tuning_of (const struct tuning *tuning,
                                           const tori_alloc_info *info)
{
    return (tori_alloc_config){
        .size = sizeof (tori_alloc_config),
        .name = info ? info->name : NULL,
        .epsilon = tuning->epsilon.den ? fraction_value (tuning->epsilon) : 0,
        .hypercube = (tori_hypercube)tuning->hypercube,
        .noncubic = (tori_noncubic)tuning->noncubic,
        .steps = (uint64_t)tuning->steps,
        .spacing = (uint64_t)tuning->spacing,
        .slices = tuning->slices,
        .ops = allocator_ops (info),
    };
}

#endif
