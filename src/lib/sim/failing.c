#include "failing.h"

#include <stdlib.h>

#include "marks.h"

enum { STREAM = 0x6661696c }; /* of the seed: models have others */

/* The next change of a node: never, if time does not reach so far. */
static int plan_change (struct failing *failing, uint32_t node, tori_time now,
                        tori_error *err)
{
    bool up = failing->up[node];
    double mean = (double)(up ? failing->how->mtbf : failing->how->mttr);
    double after = rng_exponential (&failing->rng, mean) + 1;
    if (after >= (double)(TORI_TIME_MAX / 2 - now))
        return 0;
    return heap_push (&failing->changes, now + (tori_time)after, node, err);
}

int failing_create (struct failing *failing, const tori_machine *machine,
                    const tori_sim_interrupts *how, tori_error *err)
{
    uint32_t n = tori_machine_nodes (machine);
    *failing = (struct failing){.how = how};
    if (!how || !how->mtbf)
        return 0;
    failing->up = malloc (n * sizeof *failing->up);
    failing->fixed = calloc (n, sizeof *failing->fixed);
    if (!failing->up || !failing->fixed)
        return tori_error_nomem (err);
    rng_seed (&failing->rng, how->seed, STREAM);
    for (uint32_t i = 0; i < n; i++) {
        failing->up[i] = true;
        if (plan_change (failing, i, 0, err) < 0)
            return -1;
    }
    return 0;
}

void failing_clear (struct failing *failing)
{
    heap_clear (&failing->changes);
    free (failing->up);
    free (failing->fixed);
}

void failing_fix (struct failing *failing, const tori_state *state)
{
    for (uint32_t i = 0; failing->up && i < state->machine->nodes; i++)
        failing->fixed[i] = failing->up[i]
                            && tori_state_node (state, i) == TORI_NODE_DOWN;
}

tori_time failing_next (const struct failing *failing)
{
    if (failing->changes.n > 0)
        return heap_top (&failing->changes)->time;
    if (failing->how && failing->next < failing->how->noutages)
        return failing->how->outages[failing->next].time;
    return TORI_TIME_MAX;
}

int failing_take (struct failing *failing, tori_sim_outage *ret_outage,
                  tori_error *err)
{
    struct event change;
    uint32_t node;
    if (failing->changes.n == 0) {
        *ret_outage = failing->how->outages[failing->next++];
        return 0;
    }
    change = heap_pop (&failing->changes);
    node = (uint32_t)change.what;
    *ret_outage = (tori_sim_outage){
        .time = change.time,
        .node = node,
        .down = failing->up[node] || failing->fixed[node]};
    failing->up[node] = !failing->up[node];
    return plan_change (failing, node, change.time, err);
}
