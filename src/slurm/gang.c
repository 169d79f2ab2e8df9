/* gang.c - whole jobs take turns.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "gang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array.h"
#include "queue_tree.h"

enum how { WAITS, RUNS, SLEEPS, RUNS_OR_SLEEPS };

struct member {
    char key[TASK_TEXT];
    uint64_t serial;
    tori_gang_need need;
    char shape[TORI_TEXT_MAX]; /* as it was asked for, or "" */
    json_t *only;              /* the boxes that it may use; NULL: all */
    uint32_t partition;
    bool queued;   /* it is in the queue of its partition */
    bool turn;     /* it has the slot */
    enum how how;  /* the state that it was ordered to have */
    const char *why; /* why it waits, as in its comment; or NULL */
};

struct gang {
    struct bridge *bridge;
    struct queue_tree *queues;
    uint32_t most;
    struct member *all; /* in the order in which they came */
    size_t n, room;
    uint64_t serial;       /* of the next; above the serials of an earlier
                              gang */
    unsigned char *closed; /* by id: why a node cannot be used */
    bool *usable;
    bool *open;    /* by id: usable by the job in question */
    json_t *again; /* keys that are to be submitted once more */
    bool news;     /* another job may find room */
    bool lost;     /* there was no memory */
};

enum { CLOSED_DOWN = 1, CLOSED_DRAINED = 2 };

/* ---- members ---- */

static struct member *find_key (const struct gang *gang, const char *key)
{
    for (size_t i = 0; key && i < gang->n; i++)
        if (!strcmp (gang->all[i].key, key))
            return &gang->all[i];
    return NULL;
}

static void on_run (void *arg, uint64_t task)
{
    struct gang *gang = arg;
    for (size_t i = 0; i < gang->n; i++)
        if (gang->all[i].serial == task)
            gang->all[i].turn = true;
}

static struct member *add_member (struct gang *gang, const char *key,
                                  uint64_t serial)
{
    struct member *more = array_room (gang->all, &gang->room, gang->n + 1,
                                      sizeof *more);
    if (!more) {
        gang->lost = true;
        return NULL;
    }
    gang->all = more;
    more = &gang->all[gang->n++];
    *more = (struct member){.serial = serial};
    snprintf (more->key, sizeof more->key, "%s", key);
    gang->news = true;
    return more;
}

static void leave_queue (struct gang *gang, struct member *member)
{
    tori_error err;
    if (member->queued
        && queue_tree_leave (gang->queues, member->serial, member->partition,
                             &err)
               < 0)
        gang->lost = true;
    member->queued = member->turn = false;
}

static void drop_member (struct gang *gang, struct member *member)
{
    size_t i = (size_t)(member - gang->all);
    gang->news = true;
    leave_queue (gang, member);
    json_decref (member->only);
    memmove (member, member + 1, (--gang->n - i) * sizeof *member);
}

/* ---- numbers ---- */

/* The bridge knows jobs by these numbers, which contain their partitions. */
static json_int_t number_of (const struct gang *gang,
                             const struct member *member)
{
    return (json_int_t)(member->serial * queue_tree_partitions (gang->queues)
                        + member->partition + 1);
}

static void adopt_member (struct gang *gang, const json_t *message)
{
    const char *key = json_string_value (json_object_get (message, "key"));
    json_int_t number = json_integer_value (json_object_get (message, "job"));
    uint32_t n = queue_tree_partitions (gang->queues);
    struct member *member;
    tori_error err;
    if (!key || number < 1 || find_key (gang, key))
        return;
    member = add_member (gang, key, (uint64_t)(number - 1) / n);
    if (!member)
        return;
    member->partition = (uint32_t)((uint64_t)(number - 1) % n);
    member->queued = true;
    member->how = RUNS_OR_SLEEPS;
    if (queue_tree_put (gang->queues, member->serial, member->partition, &err)
        < 0)
        gang->lost = true;
}

/* ---- what the bridge says ---- */

static void give_order (struct gang *gang, const struct member *member,
                        const char *what, json_t *ids)
{
    json_array_append_new (
        gang->bridge->orders,
        json_pack ("{s:s, s:s, s:I, s:i, s:s*, s:o*}", "do", what, "key",
                   member->key, "job", number_of (gang, member), "attempt", 1,
                   "shape", *member->shape ? member->shape : NULL, "ids",
                   ids));
}

static void decline_job (struct gang *gang, const char *key, const char *why)
{
    json_array_append_new (gang->bridge->orders,
                           json_pack ("{s:s, s:s, s:s}", "do", "decline",
                                      "key", key, "why", why));
}

/* For its comment, while it waits. */
static void explain_wait (struct gang *gang, struct member *member,
                          const char *why)
{
    if (member->why && !strcmp (member->why, why))
        return;
    member->why = why;
    json_array_append_new (gang->bridge->orders,
                           json_pack ("{s:s, s:s, s:s}", "do", "remark", "key",
                                      member->key, "text", why));
}

/* Read its request; returns why it cannot be fulfilled, or NULL. */
static const char *read_need (const struct gang *gang, const json_t *message,
                              tori_gang_need *need)
{
    const tori_shape *sides = tori_machine_shape (gang->bridge->map->machine);
    const char *shape = json_string_value (json_object_get (message, "shape"));
    const char *wiring
        = json_string_value (json_object_get (message, "wiring"));
    tori_error err;
    *need = (tori_gang_need){
        .count = (uint32_t)json_integer_value (
            json_object_get (message, "count"))};
    if (shape && tori_shape_parse (shape, &need->shape, &err) < 0)
        return "its shape is not understood";
    while (shape && need->shape.ndims < sides->ndims)
        need->shape.size[need->shape.ndims++] = 1;
    if (shape)
        need->count = (uint32_t)tori_shape_volume (&need->shape);
    return wiring && !strcmp (wiring, "torus")
               ? "jobs that share nodes in time have no links around the "
                 "machine: wiring=torus"
               : NULL;
}

static void set_need (struct gang *gang, struct member *member,
                      const json_t *message)
{
    const char *shape = json_string_value (json_object_get (message, "shape"));
    const char *why = read_need (gang, message, &member->need);
    snprintf (member->shape, sizeof member->shape, "%s", shape ? shape : "");
    if (!why && !queue_tree_hold (gang->queues, &member->need))
        why = "larger than the machine";
    if (why) {
        decline_job (gang, member->key, why);
        drop_member (gang, member);
    }
}

static void on_submit (struct gang *gang, const json_t *message)
{
    const char *key = json_string_value (json_object_get (message, "key"));
    struct member *member;
    if (!key || find_key (gang, key))
        return;
    member = add_member (gang, key, gang->serial++);
    if (!member)
        return;
    member->only = json_incref (json_object_get (message, "only"));
    set_need (gang, member, message);
}

/* Its request may change as long as it waits. */
static void on_change (struct gang *gang, const json_t *message)
{
    struct member *member = find_key (
        gang, json_string_value (json_object_get (message, "key")));
    if (!member || member->how != WAITS
        || (!json_object_get (message, "shape")
            && !json_object_get (message, "count")))
        return;
    gang->news = true;
    leave_queue (gang, member);
    set_need (gang, member, message);
}

static void on_running (struct gang *gang, const json_t *message)
{
    const json_t *jobs = json_object_get (message, "jobs");
    for (size_t i = 0; i < json_array_size (jobs); i++)
        adopt_member (gang, json_array_get (jobs, i));
}

/* It is over, or requeued: then it is submitted once more. */
static void on_over (struct gang *gang, const json_t *message)
{
    json_t *key = json_object_get (message, "key");
    struct member *member = find_key (gang, json_string_value (key));
    const char *is = json_string_value (json_object_get (message, "is"));
    if (member)
        drop_member (gang, member);
    if (key && !strcmp (is, "failed"))
        json_array_append (gang->again, key);
}

static void on_node (struct gang *gang, const json_t *message)
{
    static const struct {
        const char *state;
        unsigned char set, clear;
    } all[] = {{"down", CLOSED_DOWN, 0},
               {"up", 0, CLOSED_DOWN},
               {"drain", CLOSED_DRAINED, 0},
               {"resume", 0, CLOSED_DRAINED}};
    const char *state = json_string_value (json_object_get (message, "state"));
    const char *name = json_string_value (json_object_get (message, "node"));
    tori_error err;
    uint32_t id;
    if (!state || !name
        || tori_node_parse (gang->bridge->map->machine, name, &id, &err) < 0)
        return;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!strcmp (state, all[i].state))
            gang->closed[id] = (unsigned char)((gang->closed[id]
                                                & ~all[i].clear)
                                               | all[i].set);
    gang->usable[id] = gang->closed[id] == 0;
    gang->news = true;
}

static void hear_bridge (void *arg, json_t *message)
{
    static const struct {
        const char *is;
        void (*hear) (struct gang *, const json_t *);
    } all[] = {{"submit", on_submit},     {"change", on_change},
               {"started", adopt_member}, {"running", on_running},
               {"ended", on_over},        {"failed", on_over},
               {"cancel", on_over},       {"node", on_node}};
    struct gang *gang = arg;
    const char *is = json_string_value (json_object_get (message, "is"));
    for (size_t i = 0; is && i < sizeof all / sizeof all[0]; i++)
        if (!strcmp (is, all[i].is))
            all[i].hear (gang, message);
    json_decref (message);
}

/* ---- nodes of a job ---- */

static void open_box (struct gang *gang, const char *text, uint32_t ids[])
{
    const tori_machine *machine = gang->bridge->map->machine;
    tori_box box;
    tori_error err;
    if (!text || tori_box_parse (machine, text, &box, &err) < 0)
        return;
    tori_box_nodes (machine, &box, ids);
    for (uint64_t i = 0; i < tori_shape_volume (&box.shape); i++)
        gang->open[ids[i]] = gang->usable[ids[i]];
}

/* The nodes that it can have: the usable ones of its partition in Slurm. */
static void open_nodes (struct gang *gang, const struct member *member)
{
    uint32_t n = gang->bridge->map->n;
    uint32_t *ids;
    if (!member->only) {
        memcpy (gang->open, gang->usable, n * sizeof *gang->open);
        return;
    }
    memset (gang->open, 0, n * sizeof *gang->open);
    ids = malloc (n * sizeof *ids);
    gang->lost |= !ids;
    for (size_t i = 0; ids && i < json_array_size (member->only); i++)
        open_box (gang, json_string_value (json_array_get (member->only, i)),
                  ids);
    free (ids);
}

static json_t *ids_json (const uint32_t ids[], uint32_t n)
{
    json_t *list = json_array ();
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new (list, json_integer (ids[i]));
    return list;
}

/* The first open nodes of the partition. */
static json_t *some_nodes (const struct gang *gang, const tori_box *box,
                           uint32_t count, uint32_t ids[])
{
    uint32_t all = (uint32_t)tori_shape_volume (&box->shape), found = 0;
    tori_box_nodes (gang->bridge->map->machine, box, ids);
    for (uint32_t i = 0; i < all && found < count; i++)
        if (gang->open[ids[i]])
            ids[found++] = ids[i];
    return found == count ? ids_json (ids, count) : NULL;
}

/* The next corner for a box of this shape within another; false after the
 * last. */
static bool next_corner (const tori_box *around, tori_box *box)
{
    for (int d = box->shape.ndims; d-- > 0;) {
        if (box->origin[d] + box->shape.size[d]
            < around->origin[d] + around->shape.size[d]) {
            box->origin[d]++;
            return true;
        }
        box->origin[d] = around->origin[d];
    }
    return false;
}

static bool is_within (const tori_shape *shape, const tori_shape *around)
{
    for (int d = 0; d < shape->ndims; d++)
        if (shape->size[d] > around->size[d])
            return false;
    return true;
}

static bool all_open (const struct gang *gang, const tori_box *box,
                        uint32_t n, uint32_t ids[])
{
    tori_box_nodes (gang->bridge->map->machine, box, ids);
    for (uint32_t i = 0; i < n; i++)
        if (!gang->open[ids[i]])
            return false;
    return true;
}

/* The first box of open nodes, turned any way. */
static json_t *box_nodes (const struct gang *gang, const tori_box *around,
                          const tori_gang_need *need, uint32_t ids[])
{
    tori_box box = *around;
    box.shape = need->shape;
    tori_shape_sort (&box.shape);
    do {
        memcpy (box.origin, around->origin, sizeof box.origin);
        if (!is_within (&box.shape, &around->shape))
            continue;
        do
            if (all_open (gang, &box, need->count, ids))
                return ids_json (ids, need->count);
        while (next_corner (around, &box));
    } while (tori_shape_next_rotation (&box.shape));
    return NULL;
}

static json_t *find_nodes (struct gang *gang, const struct member *member)
{
    tori_box box = queue_tree_box (gang->queues, member->partition);
    uint32_t *ids
        = malloc ((size_t)tori_shape_volume (&box.shape) * sizeof *ids);
    json_t *list = NULL;
    if (!ids)
        gang->lost = true;
    else if (member->need.shape.ndims > 0)
        list = box_nodes (gang, &box, &member->need, ids);
    else
        list = some_nodes (gang, &box, member->need.count, ids);
    free (ids);
    return list;
}

/* ---- turns ---- */

/* The tree counts nodes, and does not see boxes: put the job into the smallest
 * partition that has room for it. NULL if there is none. */
static json_t *seek_partition (struct gang *gang, struct member *member)
{
    uint64_t least = UINT64_MAX;
    uint32_t found = 0;
    json_t *best = NULL, *ids;
    tori_error err;
    leave_queue (gang, member);
    for (uint32_t i = 0; i < queue_tree_partitions (gang->queues); i++) {
        tori_box box = queue_tree_box (gang->queues, i);
        member->partition = i;
        if (tori_shape_volume (&box.shape) >= least
            || !(ids = find_nodes (gang, member)))
            continue;
        json_decref (best);
        best = ids;
        least = tori_shape_volume (&box.shape);
        found = i;
    }
    member->partition = found;
    member->queued = best != NULL;
    if (best && queue_tree_put (gang->queues, member->serial, found, &err) < 0)
        gang->lost = true;
    return best;
}

/* Give a job a partition. False if there would be too many on a node. A job
 * that finds no open nodes waits, and holds up no other. */
static bool admit_member (struct gang *gang, struct member *member)
{
    tori_error err;
    json_t *ids;
    bool fits;
    open_nodes (gang, member);
    queue_tree_limit (gang->queues, gang->open);
    if (queue_tree_add (gang->queues, member->serial, &member->need,
                        &member->partition, &err)
        < 0) {
        gang->lost = true;
        return false;
    }
    member->queued = true;
    ids = find_nodes (gang, member);
    if (!ids)
        ids = seek_partition (gang, member);
    fits = !ids || queue_tree_height (gang->queues) <= gang->most;
    if (!fits)
        leave_queue (gang, member);
    explain_wait (gang, member,
                  !ids ? "too few nodes of its partition can be used"
                  : !fits
                      ? "as many jobs as may share a node are there already"
                      : "it shares nodes with other jobs, and waits for its "
                        "turn");
    json_decref (ids);
    return fits;
}

/* In the order in which they came. */
static void admit_all (struct gang *gang)
{
    bool looks = gang->news, fits = true;
    gang->news = false;
    for (size_t i = 0; looks && i < gang->n; i++) {
        struct member *member = &gang->all[i];
        if (member->queued)
            continue;
        if (fits)
            fits = admit_member (gang, member);
        else
            explain_wait (gang, member,
                          "jobs that came before it wait for room");
    }
}

/* Its nodes may have failed since it was admitted. */
static void start_member (struct gang *gang, struct member *member)
{
    json_t *ids;
    open_nodes (gang, member);
    ids = find_nodes (gang, member);
    if (!ids) {
        leave_queue (gang, member);
        return;
    }
    give_order (gang, member, "start", ids);
    member->how = RUNS;
}

/* Suspend all jobs that have to stop before others continue. */
static void give_orders (struct gang *gang)
{
    for (size_t i = 0; i < gang->n; i++) {
        struct member *member = &gang->all[i];
        if (member->turn || member->how == WAITS || member->how == SLEEPS)
            continue;
        give_order (gang, member, "suspend", NULL);
        member->how = SLEEPS;
    }
    for (size_t i = 0; i < gang->n; i++) {
        struct member *member = &gang->all[i];
        if (!member->turn || member->how == RUNS)
            continue;
        if (member->how == WAITS) {
            start_member (gang, member);
            continue;
        }
        give_order (gang, member, "resume", NULL);
        member->how = RUNS;
    }
}

/* The bridge submits forgotten jobs when it looks again. */
static void forget_jobs (struct gang *gang)
{
    for (size_t i = 0; i < json_array_size (gang->again); i++)
        bridge_forget (gang->bridge,
                       json_string_value (json_array_get (gang->again, i)));
    json_array_clear (gang->again);
}

int gang_step (struct gang *gang, bool next, tori_error *err)
{
    forget_jobs (gang);
    for (size_t i = 0; next && i < gang->n; i++)
        gang->all[i].turn = false;
    if (next && queue_tree_next (gang->queues, err) < 0)
        return -1;
    admit_all (gang);
    give_orders (gang);
    return gang->lost ? tori_error_nomem (err) : 0;
}

/* ---- all of it ---- */

int gang_create (struct bridge *bridge, uint32_t most, struct gang **ret_gang,
                 tori_error *err)
{
    struct gang *gang = calloc (1, sizeof *gang);
    uint32_t n = bridge->map->n;
    int status;
    if (!gang)
        return tori_error_nomem (err);
    *gang = (struct gang){.bridge = bridge,
                          .most = most,
                          .serial = (uint64_t)time (NULL) << 10,
                          .closed = calloc (n, 1),
                          .usable = calloc (n, sizeof *gang->usable),
                          .open = calloc (n, sizeof *gang->open),
                          .again = json_array ()};
    status = gang->closed && gang->usable && gang->open && gang->again
                 ? queue_tree_create (bridge->map->machine, on_run, gang,
                                      &gang->queues, err)
                 : tori_error_nomem (err);
    if (status < 0) {
        gang_destroy (gang);
        return -1;
    }
    bridge->hear = hear_bridge;
    bridge->hearer = gang;
    json_array_append_new (bridge->orders, json_pack ("{s:s}", "do", "list"));
    *ret_gang = gang;
    return 0;
}

void gang_destroy (struct gang *gang)
{
    if (!gang)
        return;
    queue_tree_destroy (gang->queues);
    for (size_t i = 0; i < gang->n; i++)
        json_decref (gang->all[i].only);
    free (gang->all);
    free (gang->closed);
    free (gang->usable);
    free (gang->open);
    json_decref (gang->again);
    free (gang);
}
