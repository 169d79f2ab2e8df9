/* allocs.h - allocators by name, for tests. */
#ifndef TORI_TESTS_ALLOCS_H
#define TORI_TESTS_ALLOCS_H

#include "support.h"

#include <tori/alloc.h>

/* An allocator; ends the test if there is none of this name. */
static inline tori_alloc *make_alloc (const tori_machine *machine,
                                      const char *name)
{
    tori_alloc *alloc;
    assert_int_equal (
        tori_alloc_create (machine, TORI_ALLOC (name), &alloc, NULL), 0);
    return alloc;
}

#endif
