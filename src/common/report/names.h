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

/* Find an allocator by its name; `what` is named in errors. A command may know
 * more of them than there are in the library. */
typedef int allocator_finder (const char *text, const char *what,
                              const tori_alloc_info **ret_info,
                              tori_error *err);

/* Find one of the library's. */
int allocator_find (const char *text, const char *what,
                    const tori_alloc_info **ret_info, tori_error *err);

/* The operations of an allocator that is not one of the library's: `info` is
 * that of its tori_alloc_ops. NULL for one of the library's. */
const tori_alloc_ops *allocator_ops (const tori_alloc_info *info);

/* Whether the name is that of a file: it has a slash in it or ends in ".so". */
bool allocator_is_file (const char *text);

/* The allocators that --alloc names: "mm", or one for shapes and one for
 * counts, "first-fit+mm"; NULL if there is no second. A comma is refused: it
 * separates allocators that are compared. */
int allocators_parse (const char *text, const char *what,
                      allocator_finder *find,
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
const char *at_limit_names (size_t i);
const char *figure_measure_names (size_t i); /* of tori compare */
const char *instead_names (size_t i); /* TORI_SIM_OR_BOXES, ... */
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
