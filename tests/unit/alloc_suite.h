/* alloc_suite.h - what is true of every allocator, whatever it is asked: where a
 * request goes is free, wired, as large as asked for and there to be held; why it goes nowhere is true; asking changes nothing, and asking
 * again has the same answer.
 */
#ifndef TORI_TESTS_ALLOC_SUITE_H
#define TORI_TESTS_ALLOC_SUITE_H

#include "alloc_world.h"
#include "naive_alloc.h"

enum { MAX_ALLOCS = 64 };

/* All allocators of the table, and one of our own. Those that search have few steps, so that they
 * give up now and then. */
struct allocs {
    tori_alloc *list[MAX_ALLOCS];
    size_t n;
};

void allocs_create (struct allocs *allocs, const tori_machine *machine);
void allocs_destroy (struct allocs *allocs);

/* Ask one allocator and check everything about the answer. The survey is that
 * of the request, empty for a count. */
tori_outcome check_request (struct world *world, tori_alloc *alloc,
                            const tori_request *request,
                            const struct survey *survey, bool thorough);

/* How often each outcome was met, and how often the i-th allocator placed
 * something, or gave up. */
struct outcomes {
    unsigned met[TORI_UNPLACEABLE + 1];
    unsigned placed[MAX_ALLOCS];
    unsigned gave_up[MAX_ALLOCS];
};

/* Ask all of them, and count the outcomes. */
void check_all (struct world *world, struct allocs *allocs,
                const tori_request *request, bool thorough,
                struct outcomes *outcomes);

/* The questions of the scheduler about a placement that is or was running. */
void check_running (const struct world *world, const tori_placement *place,
                    bool is_free);

void expect_box (const tori_placement *place, const tori_box *box);

/* The allocators whose answer is fixed by a definition. */
struct reference {
    const char *name;
    const char *as; /* naive_alloc.h's; "": another test knows where */
};

/* NULL: there are no more. */
const struct reference *reference_list (size_t i);

#endif
