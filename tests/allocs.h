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

/* How many nodes an allocator gives for a request. */
static inline uint64_t nodes_given (const tori_alloc *alloc,
                                    const tori_request *request)
{
    struct prepared prepared;
    assert_int_equal (alloc_prepare (alloc, request, &prepared, NULL), 0);
    return prepared.nodes;
}

#endif
