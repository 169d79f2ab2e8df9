/* names.h - the names that options take and `tori list` prints. */
#ifndef TORI_REPORT_NAMES_H
#define TORI_REPORT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include <tori/tori.h>

/* An item of any list. */
struct named {
    const char *name;
    const char *summary;
    unsigned takes; /* of an allocator: TORI_BY_SHAPE, TORI_BY_COUNT */
    bool points;    /* for an allocator: also for points */
};

/* The lists; `get` is false past the end. */
struct name_list {
    const char *name; /* as in `tori list NAME` */
    bool (*get) (size_t i, struct named *ret_named);
};

/* The i-th list, or NULL past the end. */
const struct name_list *name_list (size_t i);

/* The names alone, for options; NULL past the end. The names of an enumeration
 * are in its order. */
const char *list_names (size_t i);
const char *allocator_names (size_t i);

/* The allocators that --alloc names: "mm", or one for shapes and one for
 * counts, "first-fit+mm"; NULL if there is no second. A comma means the same
 * as the plus sign. `what` is named in errors. */
int allocators_parse (const char *text, const char *what,
                      const tori_alloc_info **ret_first,
                      const tori_alloc_info **ret_counts, tori_error *err);
const char *scheduler_names (size_t i);
const char *batch_names (size_t i); /* schedulers but gang, which is last */
const char *order_names (size_t i);
const char *model_names (size_t i);
const char *wiring_names (size_t i);
const char *fold_names (size_t i); /* the flags of a request */
const char *shaping_names (size_t i); /* and "none" */
const char *estimates_names (size_t i);
const char *on_failure_names (size_t i);
const char *preempted_names (size_t i);
const char *flow_pattern_names (size_t i); /* of tori/pattern.h */
const char *net_pattern_names (size_t i);  /* and those of tori/traffic.h */
const char *network_names (size_t i);
const char *branch_names (size_t i);
const char *switch_model_names (size_t i);
const char *hypercube_names (size_t i);
const char *noncubic_names (size_t i);

/* The default allocator on the machine of this text: for boxes first-fit, for
 * counts mm, whose nodes are close together, or hilbert-bf on a machine so
 * large that mm may take minutes. */
const tori_alloc_info *usual_allocator (const char *machine, bool boxes);

/* The shaping that the i-th of shaping_names means. */
tori_shaping shaping_chosen (int i);

/* The number in tori/traffic.h of the i-th of net_pattern_names, and the name
 * of a number. */
int net_pattern (int i);
const char *net_pattern_name (int pattern);

#endif
