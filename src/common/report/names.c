#include "names.h"

#include <stdio.h>
#include <string.h>

#include "options.h"

/* The enumerations of the library, whose names are not in a table there. */
static const struct named kinds[] = {
    [TORI_MESH] = {"mesh", "lines of nodes; mesh:16x16, mesh:2^10"},
    [TORI_TORUS] = {"torus", "rings of nodes; torus:8x8x8, torus:16x16x8m"},
    [TORI_MULTITORUS] = {"multitorus", "lines with neighbour links and a "
                                       "folded ring; multitorus:8x8x8"},
    {"multitorus-left", "the same; two inner nodes close to the left"},
    {"multitorus-facing", "the same, but towards the middle of the line"},
    {"links", "lines with the links that are given; links:4+0-1+1-3"},
    {"pod", "cubes joined by optical switches; pod:64/4x4x4"},
};

/* Descriptions of the orders that have names there. */
static const char *const orders[] = {
    [TORI_ORDER_SUBMIT] = "first submitted first",
    [TORI_ORDER_SHORTEST] = "least estimated time first",
    [TORI_ORDER_SMALLEST] = "fewest nodes first",
    [TORI_ORDER_LARGEST] = "most nodes first",
};

static const char *const wirings[] = {
    [TORI_WIRE_NONE] = "no links are reserved",
    [TORI_WIRE_MESH] = "the links between neighbours in the box",
    [TORI_WIRE_TORUS] = "a ring in every line of the box",
    [TORI_WIRE_TWISTED]
    = "on a pod: a torus with sides of K and 2K, whose wraps are shifted",
};

static const struct named folds[] = {
    {"none", "a job gets a box of its own shape"},
    {"rings", "or one of other sides in which its neighbours are neighbours "
              "and its rings closed"},
};

static const char *const shapings[] = {
    [TORI_SHAPE_NONE] = "no shape: a number of nodes anywhere",
    [TORI_SHAPE_FIRST_MATCH]
    = "the first box of least volume, in nested loops from 1",
    [TORI_SHAPE_FAT] = "the same with loops from 2",
    [TORI_SHAPE_COMPACT]
    = "the box of least volume with the least sum of sides",
    [TORI_SHAPE_AS_GIVEN]
    = "its own shape if it has one in the log, else a number of nodes",
};

#define LENGTH(table) (sizeof (table) / sizeof (table)[0])

static bool get_kind (size_t i, struct named *to)
{
    if (i < LENGTH (kinds))
        *to = kinds[i];
    return i < LENGTH (kinds);
}

static bool get_order (size_t i, struct named *to)
{
    if (i < LENGTH (orders))
        *to = (struct named){.name = tori_order_name ((tori_order)i),
                             .summary = orders[i]};
    return i < LENGTH (orders);
}

static bool get_wiring (size_t i, struct named *to)
{
    if (i < LENGTH (wirings))
        *to = (struct named){.name = tori_wiring_name ((tori_wiring)i),
                             .summary = wirings[i]};
    return i < LENGTH (wirings);
}

static bool get_fold (size_t i, struct named *to)
{
    if (i < LENGTH (folds))
        *to = folds[i];
    return i < LENGTH (folds);
}

static bool get_shaping (size_t i, struct named *to)
{
    if (i < LENGTH (shapings))
        *to = (struct named){.name = tori_shaping_name ((tori_shaping)i),
                             .summary = shapings[i]};
    return i < LENGTH (shapings);
}

static bool get_allocator (size_t i, struct named *to)
{
    const tori_alloc_info *info = tori_alloc_list (i);
    if (info)
        *to = (struct named){info->name, info->summary, info->takes,
                             info->flags & TORI_ALLOC_POINTS};
    return info != NULL;
}

static bool get_pattern (size_t i, struct named *to)
{
    const tori_pattern_info *info = tori_pattern_list (i);
    if (info)
        *to = (struct named){.name = info->name, .summary = info->summary};
    return info != NULL;
}

/* Patterns of `tori net` only, and other names, after those of tori/pattern.h.
 * The usual names of patterns come first. */
static const struct {
    struct named named;
    int pattern;
    const char *same; /* as this one of tori/pattern.h */
} net_patterns[] = {
    {{"neighbour", "each to the next node in the box, every way in turn "
                   "(tori net only)"},
     TORI_TRAFFIC_NEIGHBOUR, NULL},
    {{"file", "the messages of --messages FILE (tori net only)"},
     TORI_TRAFFIC_LIST, NULL},
    {{"uniform", "another name of random (tori net only)"}, 0, "random"},
    {{"bit-complement", "another name of complement (tori net only)"}, 0,
     "complement"},
    {{"neighbor", "neighbour (tori net only)"}, TORI_TRAFFIC_NEIGHBOUR, NULL},
};

static size_t count_patterns (void)
{
    size_t n = 0;
    while (tori_pattern_list (n))
        n++;
    return n;
}

static bool get_any_pattern (size_t i, struct named *to)
{
    size_t own = i - count_patterns ();
    if (get_pattern (i, to))
        return true;
    if (own >= sizeof net_patterns / sizeof *net_patterns)
        return false;
    *to = net_patterns[own].named;
    return true;
}

int net_pattern (int i)
{
    int own = i - (int)count_patterns ();
    if (own < 0)
        return i;
    return net_patterns[own].same ? tori_pattern_find (net_patterns[own].same)
                                  : net_patterns[own].pattern;
}

const char *net_pattern_name (int pattern)
{
    int i = 0;
    while (net_pattern (i) != pattern)
        i++;
    return net_pattern_names ((size_t)i);
}

static bool get_batch (size_t i, struct named *to)
{
    const tori_sched_info *info = tori_sched_list (i);
    if (info)
        *to = (struct named){.name = info->name, .summary = info->summary};
    return info != NULL;
}

static bool get_scheduler (size_t i, struct named *to)
{
    const tori_sched_info *info = tori_sim_policy_list (i);
    if (info)
        *to = (struct named){.name = info->name, .summary = info->summary};
    return info != NULL;
}

static bool get_model (size_t i, struct named *to)
{
    const tori_model_info *info = tori_model_list (i);
    if (info)
        *to = (struct named){.name = info->name, .summary = info->summary};
    return info != NULL;
}

static bool get_branch (size_t i, struct named *to)
{
    const tori_gang_policy_info *info = tori_gang_policy_list (i);
    if (info)
        *to = (struct named){.name = info->name, .summary = info->summary};
    return info != NULL;
}

static const struct name_list lists[] = {
    {"allocators", get_allocator}, {"schedulers", get_scheduler},
    {"orders", get_order},         {"models", get_model},
    {"shapes", get_shaping},       {"wirings", get_wiring},
    {"machines", get_kind},        {"patterns", get_any_pattern},
    {"branches", get_branch},      {"folds", get_fold},
};

const struct name_list *name_list (size_t i)
{
    return i < LENGTH (lists) ? &lists[i] : NULL;
}

const char *list_names (size_t i)
{
    return name_list (i) ? name_list (i)->name : NULL;
}

/* One function per list, since an option's choices are a function of i
 * alone. */
#define NAMES(function, get)                        \
    const char *function (size_t i)                 \
    {                                               \
        struct named named;                         \
        return get (i, &named) ? named.name : NULL; \
    }

NAMES (allocator_names, get_allocator)
NAMES (scheduler_names, get_scheduler)
NAMES (batch_names, get_batch)
NAMES (order_names, get_order)
NAMES (model_names, get_model)
NAMES (wiring_names, get_wiring)
NAMES (fold_names, get_fold)
NAMES (branch_names, get_branch)
NAMES (flow_pattern_names, get_pattern)
NAMES (net_pattern_names, get_any_pattern)

/* As everywhere else, "none" is a count. */
const char *shaping_names (size_t i)
{
    struct named named;
    if (get_shaping (i, &named))
        return named.name;
    return i == LENGTH (shapings) ? "none" : NULL;
}


int allocator_find (const char *text, const char *what,
                    const tori_alloc_info **ret_info, tori_error *err)
{
    int which;
    if (choice_parse (what, text, allocator_names, &which, err) < 0)
        return -1;
    *ret_info = tori_alloc_list ((size_t)which);
    return 0;
}

const tori_alloc_ops *allocator_ops (const tori_alloc_info *info)
{
    return !info || tori_alloc_find (info->name)
               ? NULL
               : (const void *)((const char *)info
                                - offsetof (tori_alloc_ops, info));
}

bool allocator_is_file (const char *text)
{
    size_t n = strlen (text);
    return strchr (text, '/') || (n > 3 && !strcmp (text + n - 3, ".so"));
}

enum { ALLOCATOR_TEXT = 4096 }; /* the longest path */

/* How long the first name of "first-fit+mm" is. "mm+inc" is one name, so the
 * sign counts only after an allocator or a file. */
static size_t first_length (const char *text)
{
    for (size_t n = strcspn (text, "+"); text[n];
         n += 1 + strcspn (text + n + 1, "+")) {
        char name[ALLOCATOR_TEXT];
        snprintf (name, sizeof name, "%.*s", (int)n, text);
        if (tori_alloc_find (name)
            || (n > 3 && !strncmp (text + n - 3, ".so", 3)))
            return n;
    }
    return strlen (text);
}

/* A comma is for lists. */
static int refuse_list (const char *text, const char *what, tori_error *err)
{
    size_t first = strcspn (text, ",");
    if (!text[first])
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "%s: '%.80s': a comma is between allocators that "
                           "are compared ('tori compare'); for one of shapes "
                           "and one of counts in the same queue, write "
                           "%.*s+%.60s",
                           what, text, (int)(first < 60 ? first : 60), text,
                           text + first + 1);
}

int allocators_parse (const char *text, const char *what,
                      allocator_finder *find,
                      const tori_alloc_info **ret_first,
                      const tori_alloc_info **ret_counts, tori_error *err)
{
    const tori_alloc_info *first, *counts = NULL;
    char name[ALLOCATOR_TEXT];
    size_t n;
    if (strlen (text) >= sizeof name)
        return tori_error_set (err, TORI_INVALID, "%s: too long", what);
    if (refuse_list (text, what, err) < 0)
        return -1;
    n = tori_alloc_find (text) ? strlen (text) : first_length (text);
    snprintf (name, sizeof name, "%.*s", (int)n, text);
    if (find (name, what, &first, err) < 0
        || (text[n] && find (text + n + 1, what, &counts, err) < 0))
        return -1;
    if (counts
        && !(first->takes & TORI_BY_SHAPE && counts->takes & TORI_BY_COUNT))
        return tori_error_set (err, TORI_INVALID,
                               "%s: %s takes no %s; expected one for "
                               "shapes and one for counts, such as "
                               "first-fit+mm",
                               what,
                               first->takes & TORI_BY_SHAPE ? counts->name
                                                            : first->name,
                               first->takes & TORI_BY_SHAPE ? "count"
                                                            : "shape");
    *ret_first = first;
    *ret_counts = counts;
    return 0;
}

const tori_alloc_info *usual_allocator (const char *machine, bool boxes)
{
    enum { LARGE = 1 << 16 };
    const char *name = boxes ? "first-fit" : "mm";
    tori_machine *it = NULL;
    /* Other code refuses a text that is not a machine. */
    if (tori_machine_parse (machine, &it, NULL) == 0) {
        if (tori_machine_is_pod (it))
            name = boxes ? "cube-best" : "row-bf";
        else if (!boxes && tori_machine_nodes (it) > LARGE)
            name = "hilbert-bf";
    }
    tori_machine_destroy (it);
    return tori_alloc_find (name);
}

tori_shaping shaping_chosen (int choice)
{
    return (size_t)choice < LENGTH (shapings) ? (tori_shaping)choice
                                              : TORI_SHAPE_NONE;
}

const char *estimates_names (size_t i)
{
    return tori_estimates_name ((tori_estimates)i);
}

const char *at_limit_names (size_t i)
{
    static const char *const names[]
        = {[TORI_AT_LIMIT_RUN] = "run", [TORI_AT_LIMIT_KILL] = "kill"};
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

const char *instead_names (size_t i)
{
    static const char *const names[]
        = {[0] = "none",
           [TORI_SIM_OR_BOXES] = "boxes",
           [TORI_SIM_OR_COUNT] = "count",
           [TORI_SIM_OR_BOXES | TORI_SIM_OR_COUNT] = "both"};
    return i < LENGTH (names) ? names[i] : NULL;
}

const char *figure_measure_names (size_t i)
{
    static const char *const names[]
        = {"response", "wait", "slowdown", "utilization", "distance"};
    return i < LENGTH (names) ? names[i] : NULL;
}

const char *on_failure_names (size_t i)
{
    static const char *const names[] = {[TORI_ON_FAILURE_REQUEUE] = "requeue",
                                        [TORI_ON_FAILURE_KILL] = "kill",
                                        [TORI_ON_FAILURE_REPAIR] = "repair"};
    return i < LENGTH (names) ? names[i] : NULL;
}

const char *preempted_names (size_t i)
{
    return tori_preempted_name ((tori_preempted)i);
}

/* A switch takes the given time, and draining may add to it. */
const char *switch_model_names (size_t i)
{
    static const char *const names[] = {"none", "drain"};
    return i < LENGTH (names) ? names[i] : NULL;
}

/* No network, or flows that share its links. */
const char *network_names (size_t i)
{
    static const char *const names[] = {"none", "fluid"};
    return i < LENGTH (names) ? names[i] : NULL;
}

const char *hypercube_names (size_t i)
{
    return tori_hypercube_name ((int)i);
}

const char *noncubic_names (size_t i)
{
    return tori_noncubic_name ((int)i);
}
