/* chaos_scenario.h - every allocation of every scenario fails once, and once
 * with all that follow. Then either the scenario failed for want of memory,
 * with what it had to fill in left as it was, or it came to the same result as
 * ever; and either way nothing is left allocated.
 */
#ifndef TORI_TESTS_CHAOS_SCENARIO_H
#define TORI_TESTS_CHAOS_SCENARIO_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <tori/tori.h>

#include "chaos.h"
#include "random.h"

struct scenario {
    char name[80];
    int (*run) (const struct scenario *self, tori_error *err);
    const char *machine;
    const char *policy;
    const char *alloc;
    const char *file;
    const char *model; /* NULL: lublin */
    tori_noncubic noncubic;
    const char *pattern; /* of messages in a network; NULL: none */
    bool fails;          /* nodes go down */
};

/* ---- what a program runs ---- */

void scenario_add (const struct scenario *scenario);
void scenario_add_all (const struct scenario list[], size_t n);

/* One a policy, with the first allocator that takes requests of this kind:
 * "VERB POLICY with ALLOC on MACHINE". */
void scenario_add_policies (int (*run) (const struct scenario *self,
                                        tori_error *err),
                            const char *verb, unsigned takes);

/* The exit status of the program. */
int scenario_run_all (const char *group);

/* ---- what scenarios share ---- */

/* The value of an output before a call that may fail. */
extern char scenario_nothing;
#define UNTOUCHED ((void *)&scenario_nothing)

void assert_nomem (const tori_error *err);

/* These are the test's own, so they cannot fail. */
tori_machine *own_machine (const char *text);
tori_state *own_state (const tori_machine *machine);
void own_copy (tori_state *to, const tori_state *from);

tori_box box_of (const tori_machine *machine, const char *text);
uint32_t random_below (struct rng *rng, uint32_t n);

#endif
