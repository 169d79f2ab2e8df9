/* snapcheck.c - whether a snapshot contradicts itself. */
#include <stdlib.h>

#include "member.h"
#include "placement.h"
#include "snapshot.h"

int snapshot_blame (const tori_snapshot *snapshot, const char *list, size_t i,
                    const char *key, const tori_error *why, tori_error *err)
{
    struct member_of of = {
        .file = snapshot->name ? snapshot->name : "snapshot",
        .list = list,
        .i = i,
    };
    return member_blame (&of, key, why, err);
}

/* ---- ids ---- */

struct named {
    uint64_t id;
    const char *list;
    size_t i;
};

static int compare_named (const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if (x->list[0] != y->list[0])
        return x->list[0] > y->list[0] ? -1 : 1; /* running before queue */
    return x->i < y->i ? -1 : 1;
}

static size_t list_names (struct named *named, const char *list,
                          const tori_snapshot_job *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        named[i] = (struct named){jobs[i].spec.tag, list, i};
    return n;
}

static int report_twice (const tori_snapshot *snapshot,
                         const struct named *first, const struct named *second,
                         tori_error *err)
{
    tori_error why;
    tori_error_set (&why, TORI_INVALID, "job %llu is %s[%zu] already",
                    (unsigned long long)first->id, first->list, first->i);
    return snapshot_blame (snapshot, second->list, second->i, "id", &why, err);
}

static int check_ids (const tori_snapshot *snapshot, tori_error *err)
{
    size_t n = snapshot->nrunning + snapshot->nqueued;
    struct named *named = calloc (n + 1, sizeof *named);
    int status = 0;
    if (!named)
        return tori_error_nomem (err);
    n = list_names (named, "running", snapshot->running, snapshot->nrunning);
    n += list_names (named + n, "queue", snapshot->queue, snapshot->nqueued);
    qsort (named, n, sizeof *named, compare_named);
    for (size_t i = 1; i < n && status == 0; i++)
        if (named[i - 1].id == named[i].id)
            status = report_twice (snapshot, &named[i - 1], &named[i], err);
    free (named);
    return status;
}

/* ---- places ---- */

/* The first node of a job that is not free, and why. */
static bool find_node (const tori_snapshot *snapshot, const tori_state *state,
                       size_t i, tori_error *why)
{
    const tori_machine *machine = snapshot->machine;
    const tori_placement *place = &snapshot->running[i].place;
    char text[TORI_TEXT_MAX];
    uint32_t node = 0, n = tori_machine_nodes (machine);
    while (node < n
           && (tori_state_is_free (state, node)
               || !tori_placement_contains (place, machine, node)))
        node++;
    if (node == n)
        return false;
    tori_node_format (machine, node, text);
    tori_error_set (why, TORI_INVALID, "node %.100s is down", text);
    for (size_t j = 0; j < i; j++)
        if (tori_placement_contains (&snapshot->running[j].place, machine,
                                     node))
            tori_error_set (
                why, TORI_INVALID, "node %.100s is job %llu's", text,
                (unsigned long long)snapshot->running[j].spec.tag);
    return true;
}

/* The job before the i-th that holds a link of it; if there is none, the link
 * is down. */
static void find_link (const tori_snapshot *snapshot, size_t i,
                       tori_error *why)
{
    const tori_placement *place = &snapshot->running[i].place;
    tori_error_set (why, TORI_INVALID, "a link of it is down");
    for (size_t j = 0; j < i; j++) {
        if (placement_overlap (place, &snapshot->running[j].place,
                               snapshot->machine))
            tori_error_set (why, TORI_INVALID,
                            "it needs a link that is job %llu's",
                            (unsigned long long)snapshot->running[j].spec.tag);
    }
}

static int hold_place (const tori_snapshot *snapshot, tori_state *state,
                       size_t i, tori_error *err)
{
    const tori_placement *place = &snapshot->running[i].place;
    const char *key = place->nboxes ? "box" : "nodes";
    tori_error why;
    if (tori_placement_hold (place, state, &why) == 0)
        return 0;
    if (why.status == TORI_NOT_NOW
        && !find_node (snapshot, state, i, &why))
        find_link (snapshot, i, &why);
    return snapshot_blame (snapshot, "running", i, key, &why, err);
}

/* Drained nodes keep their running jobs, so they are marked last. */
static int fill_state (const tori_snapshot *snapshot, tori_state *state,
                       tori_error *err)
{
    int status = 0;
    for (size_t i = 0; i < snapshot->ndown && status == 0; i++)
        status = tori_state_set_down (state, snapshot->down[i], true, err);
    for (size_t i = 0; i < snapshot->ndown_links && status == 0; i++)
        status = tori_state_set_link_down (state, &snapshot->down_links[i],
                                           true, err);
    for (size_t i = 0; i < snapshot->nrunning && status == 0; i++)
        status = hold_place (snapshot, state, i, err);
    for (size_t i = 0; i < snapshot->ndrained && status == 0; i++)
        status = tori_state_set_drained (state, snapshot->drained[i], true,
                                         err);
    return status;
}

int tori_snapshot_state (const tori_snapshot *snapshot, tori_state **ret_state,
                         tori_error *err)
{
    tori_state *state;
    if (tori_state_create (snapshot->machine, &state, err) < 0)
        return -1;
    if (fill_state (snapshot, state, err) < 0) {
        tori_state_destroy (state);
        return -1;
    }
    *ret_state = state;
    return 0;
}

static int check_places (const tori_snapshot *snapshot, tori_error *err)
{
    tori_state *state;
    if (tori_snapshot_state (snapshot, &state, err) < 0)
        return -1;
    tori_state_destroy (state);
    return 0;
}

int snapshot_check (const tori_snapshot *snapshot, tori_error *err)
{
    return check_ids (snapshot, err) < 0 || check_places (snapshot, err) < 0
               ? -1
               : 0;
}
