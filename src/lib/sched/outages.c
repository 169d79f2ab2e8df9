/* outages.c - nodes and links that go out of service, and come back. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "core.h"

/* Bring the scheduler up to date after a node was drained, or a node or link
 * has come back. */
static void machine_changed (tori_sched *sched, tori_time now, bool worse)
{
    sched_advance (sched, now);
    sched_changed (sched);
    sched->outages++;
    if (worse)
        plan_drop_broken (sched);
    else
        plan_freed (sched, sched->now, TORI_TIME_MAX);
}

typedef int mark_fn (tori_state *state, uint32_t node, bool value,
                     tori_error *err);

/* Only the first mark of all needs memory. */
static int mark_all (tori_sched *sched, tori_time now, const uint32_t nodes[],
                     size_t n, mark_fn *mark, bool value, tori_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (sched_check_node (sched, nodes[i], err) < 0)
            return -1;
    if (sched_check_time (sched, now, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (mark (sched->state, nodes[i], value, err) < 0)
            return -1;
    return 0;
}

int tori_sched_set_all_up (tori_sched *sched, tori_time now,
                           const uint32_t nodes[], size_t n, tori_error *err)
{
    if (mark_all (sched, now, nodes, n, tori_state_set_down, false, err) < 0)
        return -1;
    machine_changed (sched, now, false);
    return 0;
}

int tori_sched_set_down (tori_sched *sched, tori_time now, uint32_t node,
                         bool down, tori_error *err)
{
    return down ? tori_sched_fail (sched, now, &node, 1, NULL, 0, err)
                : tori_sched_set_all_up (sched, now, &node, 1, err);
}

int tori_sched_set_link_down (tori_sched *sched, tori_time now,
                              const tori_link *link, bool down,
                              tori_error *err)
{
    if (down)
        return tori_sched_fail (sched, now, NULL, 0, link, 1, err);
    if (sched_check_time (sched, now, err) < 0
        || tori_state_set_link_down (sched->state, link, false, err) < 0)
        return -1;
    machine_changed (sched, now, false);
    return 0;
}

/* ---- drains ---- */

static void drain_remove (tori_sched *sched, size_t at)
{
    free (sched->drains[at].nodes);
    sched->ndrains--;
    memmove (sched->drains + at, sched->drains + at + 1,
             (sched->ndrains - at) * sizeof *sched->drains);
}

static bool drain_complete (const tori_sched *sched, const struct drain *drain)
{
    for (size_t i = 0; i < drain->n; i++)
        if (tori_state_is_busy (sched->state, drain->nodes[i]))
            return false;
    return true;
}

void drains_review (tori_sched *sched)
{
    size_t i = 0;
    while (i < sched->ndrains)
        if (!drain_complete (sched, &sched->drains[i])) {
            i++;
        } else if (sched_need_decisions (sched, 1, NULL) < 0) {
            return;
        } else {
            sched_decide (sched, (struct made){.kind = TORI_DRAINED,
                                               .job = TORI_NO_JOB,
                                               .by = TORI_NO_JOB,
                                               .tag = sched->drains[i].tag});
            drain_remove (sched, i);
        }
}

void drains_clear (tori_sched *sched)
{
    while (sched->ndrains > 0)
        drain_remove (sched, sched->ndrains - 1);
    free (sched->drains);
}

/* No drain waits any more for nodes that are in service again. */
static void drains_forget (tori_sched *sched)
{
    for (size_t i = sched->ndrains; i-- > 0;) {
        struct drain *drain = &sched->drains[i];
        size_t kept = 0;
        for (size_t k = 0; k < drain->n; k++)
            if (tori_state_is_drained (sched->state, drain->nodes[k]))
                drain->nodes[kept++] = drain->nodes[k];
        drain->n = kept;
        if (kept == 0)
            drain_remove (sched, i);
    }
}

int tori_sched_set_all_drained (tori_sched *sched, tori_time now,
                                const uint32_t nodes[], size_t n, bool drained,
                                tori_error *err)
{
    if (mark_all (sched, now, nodes, n, tori_state_set_drained, drained, err)
        < 0)
        return -1;
    if (!drained)
        drains_forget (sched);
    machine_changed (sched, now, drained);
    drains_review (sched);
    return 0;
}

int tori_sched_set_drained (tori_sched *sched, tori_time now, uint32_t node,
                            bool drained, tori_error *err)
{
    return tori_sched_set_all_drained (sched, now, &node, 1, drained, err);
}

static int drain_room (tori_sched *sched, const uint32_t nodes[], size_t n,
                       uint32_t **ret_copy, tori_error *err)
{
    struct drain *more;
    uint32_t *copy;
    if (sched_need_decisions (sched, 1, err) < 0)
        return -1;
    more = array_room (sched->drains, &sched->drains_room, sched->ndrains + 1,
                       sizeof *more);
    if (more)
        sched->drains = more;
    copy = more ? malloc (n * sizeof *copy) : NULL;
    if (!copy)
        return tori_error_nomem (err);
    memcpy (copy, nodes, n * sizeof *copy);
    *ret_copy = copy;
    return 0;
}

int tori_sched_drain (tori_sched *sched, tori_time now, const uint32_t nodes[],
                      size_t n, uint64_t tag, tori_error *err)
{
    uint32_t *copy = NULL;
    if (n == 0)
        return tori_error_set (err, TORI_INVALID, "no nodes to drain");
    if (drain_room (sched, nodes, n, &copy, err) < 0)
        return -1;
    if (mark_all (sched, now, nodes, n, tori_state_set_drained, true, err)
        < 0) {
        free (copy);
        return -1;
    }
    sched->drains[sched->ndrains++] = (struct drain){tag, copy, n};
    machine_changed (sched, now, true);
    drains_review (sched);
    return 0;
}
