/* snappolicy.c - the configuration of the scheduler in a snapshot's file. */
#include <stdlib.h>
#include <string.h>

#include "jobread.h"
#include "member.h"
#include "snapshot.h"

static const char *hypercube_name (size_t i)
{
    return tori_hypercube_name ((int)i);
}

static const char *noncubic_name (size_t i)
{
    return tori_noncubic_name ((int)i);
}

static const char *policy_name (size_t i)
{
    return tori_sched_list (i) ? tori_sched_list (i)->name : NULL;
}

static int copy_text (const struct member_of *of, const char *key,
                      char **ret_copy, tori_error *err)
{
    const char *text;
    int found = member_text (of, key, &text, err);
    if (found <= 0)
        return found;
    *ret_copy = strdup (text);
    return *ret_copy ? 1 : tori_error_nomem (err);
}

/* The options of allocators. */
static int read_tuning (const struct member_of *alloc, tori_snapshot *snapshot,
                        tori_error *err)
{
    size_t hypercube = 0, noncubic = 0;
    int64_t steps = 0, spacing = 0;
    if (member_real (alloc, "epsilon", &snapshot->epsilon, err) < 0
        || member_integer (alloc, "steps", 0, &steps, err) < 0
        || member_integer (alloc, "spacing", 0, &spacing, err) < 0
        || copy_text (alloc, "slices", &snapshot->slices, err) < 0
        || choice_read (alloc, "hypercube", "hypercube", hypercube_name,
                        &hypercube, err)
               < 0
        || choice_read (alloc, "noncubic", "noncubic", noncubic_name,
                        &noncubic, err)
               < 0)
        return -1;
    snapshot->steps = (uint64_t)steps;
    snapshot->spacing = (uint64_t)spacing;
    snapshot->hypercube = (tori_hypercube)hypercube;
    snapshot->noncubic = (tori_noncubic)noncubic;
    return 0;
}

/* The members of a snapshot that an allocator fills in. */
struct named_alloc {
    const tori_snapshot_own *own;
    char **name;
    const tori_alloc_ops **ops;
    void **arg;
};

/* The program's own allocator of this name, or NULL. */
static const tori_alloc_config *find_own (const tori_snapshot_own *own,
                                          const char *name)
{
    for (size_t i = 0; i < own->nallocs; i++)
        if (own->allocs[i]->ops
            && strcmp (own->allocs[i]->ops->info.name, name) == 0)
            return own->allocs[i];
    return NULL;
}

/* Whether an allocator takes shapes. */
static bool is_for_shapes (const tori_snapshot_own *own, const char *name)
{
    const tori_alloc_config *mine = find_own (own, name);
    const tori_alloc_info *info
        = mine ? &mine->ops->info : tori_alloc_find (name);
    return info && info->takes & TORI_BY_SHAPE;
}

/* The name of an allocator for this kind of request. */
static int name_alloc (const struct member_of *of, const char *key,
                       unsigned takes, const struct named_alloc *to,
                       tori_error *err)
{
    const tori_alloc_info *info;
    const tori_alloc_config *mine;
    const char *text;
    int found = member_text (of, key, &text, err);
    if (found <= 0)
        return found;
    mine = find_own (to->own, text);
    info = mine ? &mine->ops->info : tori_alloc_find (text);
    if (!info)
        return member_bad (of, key, err, "unknown allocator '%.60s'", text);
    if (!(info->takes & takes))
        return member_bad (of, key, err, "%s takes no %ss", text,
                           takes == TORI_BY_SHAPE ? "shape" : "count");
    if (mine) {
        *to->ops = mine->ops;
        *to->arg = mine->arg;
    }
    return copy_text (of, key, to->name, err);
}

static int read_alloc (const struct member_of *root,
                       const tori_snapshot_own *own, tori_snapshot *snapshot,
                       tori_error *err)
{
    const json_t *value = json_object_get (root->object, "alloc");
    const struct named_alloc shape
        = {own, &snapshot->alloc_shape, &snapshot->shape_ops,
           &snapshot->shape_arg},
        count = {own, &snapshot->alloc_count, &snapshot->count_ops,
                 &snapshot->count_arg};
    struct member_names known = {.n = 0};
    struct member_of alloc;
    if (!value)
        return 0;
    if (json_is_string (value))
        return name_alloc (root, "alloc", TORI_BY_SHAPE | TORI_BY_COUNT,
                           is_for_shapes (own, json_string_value (value))
                               ? &shape
                               : &count,
                           err);
    if (member_object (root, "alloc", &alloc, err) < 0)
        return -1;
    alloc.known = &known;
    if (name_alloc (&alloc, "shape", TORI_BY_SHAPE, &shape, err) < 0
        || name_alloc (&alloc, "count", TORI_BY_COUNT, &count, err) < 0)
        return -1;
    return read_tuning (&alloc, snapshot, err) < 0
               ? -1
               : snapshot_note_unknown (&alloc, snapshot, err);
}

/* A depth that is part of the policy's name is its default. */
static int read_depth (const struct member_of *root, tori_snapshot *snapshot,
                       tori_error *err)
{
    const char *policy = snapshot->policy;
    int64_t depth = 0, work = 0;
    int found = member_integer (root, "depth", 0, &depth, err);
    if (found < 0 || member_integer (root, "work", 0, &work, err) < 0)
        return -1;
    if (depth > UINT32_MAX || work > UINT32_MAX)
        return member_bad (root, depth > UINT32_MAX ? "depth" : "work", err,
                           "too large");
    if (found > 0 && depth == 0
        && (!strcmp (policy, "easy") || !strcmp (policy, "conservative")))
        return member_bad (root, "depth", err,
                           "%s plans starts; backfill plans none",
                           policy);
    if (!(depth == 1 && strcmp (policy, "easy") == 0))
        snapshot->depth = (uint32_t)depth;
    snapshot->work = (uint32_t)work;
    return 0;
}

/* The order of the queue, tori's or the program's own. */
static int read_order (const struct member_of *root,
                       const tori_snapshot_own *own, tori_snapshot *snapshot,
                       tori_error *err)
{
    const char *text;
    tori_error why;
    int found = member_text (root, "order", &text, err);
    if (found <= 0)
        return found;
    for (size_t i = 0; i < own->norders; i++)
        if (strcmp (own->orders[i]->name, text) == 0) {
            snapshot->own_order = own->orders[i];
            return 0;
        }
    return tori_order_parse (text, &snapshot->order, &why) < 0
               ? member_blame (root, "order", &why, err)
               : 0;
}

static int read_policy (const struct member_of *root,
                        const tori_snapshot_own *own, tori_snapshot *snapshot,
                        tori_error *err)
{
    int64_t next_id = 0;
    size_t which;
    int found = choice_read (root, "sched", "scheduler", policy_name, &which,
                             err);
    if (found < 0)
        return -1;
    snapshot->policy = strdup (found ? policy_name (which) : "easy");
    if (!snapshot->policy)
        return tori_error_nomem (err);
    if (read_order (root, own, snapshot, err) < 0
        || member_bool (root, "places", &snapshot->places, err) < 0
        || member_bool (root, "moves", &snapshot->moves, err) < 0
        || member_bool (root, "restarts", &snapshot->restarts, err) < 0
        || member_time (root, "move", &snapshot->move, err) < 0
        || member_integer (root, "usage_weight", 0, &snapshot->usage_weight,
                           err)
               < 0
        || member_integer (root, "next_id", 0, &next_id, err) < 0)
        return -1;
    snapshot->next_id = (uint64_t)next_id;
    return read_depth (root, snapshot, err);
}

int snapshot_read_policy (const struct member_of *root,
                          const tori_snapshot_own *own,
                          tori_snapshot *snapshot, tori_error *err)
{
    return read_policy (root, own, snapshot, err) < 0
               ? -1
               : read_alloc (root, own, snapshot, err);
}
