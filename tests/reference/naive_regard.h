/* naive_regard.h - the allocator regard from its definition: every sum pair by
 * pair, every candidate, every swap.
 */
#ifndef TORI_TESTS_NAIVE_REGARD_H
#define TORI_TESTS_NAIVE_REGARD_H

#include <tori/alloc.h>

#include "support.h"

/* As the functions of the table in naive_alloc.c. */
bool naive_regard (const struct naive *naive, const tori_request *request,
                   bool best, tori_placement *ret_place);

#endif
