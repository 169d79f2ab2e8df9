/* allocs.h - allocators by name, for tests. */
#ifndef TORI_TESTS_ALLOCS_H
#define TORI_TESTS_ALLOCS_H

#include "support.h"

#include <tori/alloc.h>

#include "ask.h"

/* An allocator; ends the test if there is none of this name. */
static inline tori_alloc *make_alloc (const tori_machine *machine,
                                      const char *name)
{
    tori_alloc *alloc;
    assert_int_equal (
        tori_alloc_create (machine, TORI_ALLOC (name), &alloc, NULL), 0);
    return alloc;
}

/* far_end.c: the allocator of examples/far_end.c, which is not one of tori's.
 * It goes through what those of the table go through. */
extern const tori_alloc_ops *const far_end_ops;

/* The i-th allocator of the table that serves machines without cubes; NULL past
 * the end. */
static inline const tori_alloc_info *plain_alloc (size_t i)
{
    const tori_alloc_info *info;
    for (size_t k = 0; (info = tori_alloc_list (k)); k++)
        if (!(info->flags & TORI_ALLOC_PODS) && i-- == 0)
            return info;
    return NULL;
}

/* The i-th of these, then far_end_ops; NULL past the end. */
const tori_alloc_info *every_alloc (size_t i);

/* The ops of the allocator of this name: NULL for one of the table. */
const tori_alloc_ops *ops_named (const char *name);

/* How many nodes an allocator gives for a request. */
static inline uint64_t nodes_given (const tori_alloc *alloc,
                                    const tori_request *request)
{
    struct prepared prepared;
    assert_int_equal (alloc_prepare (alloc, request, &prepared, NULL), 0);
    return prepared.nodes;
}

static inline void alloc_over (tori_alloc **alloc)
{
    tori_alloc_destroy (*alloc);
}

/* As AUTO_MACHINE. */
#define AUTO_ALLOC __attribute__ ((cleanup (alloc_over))) tori_alloc

#endif
