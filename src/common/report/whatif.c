#include "whatif.h"

#include <stdlib.h>

#include "names.h"

#define AT(member) offsetof (struct what_if_asked, member)

const struct option what_if_options[] = {
    OPTION_ROW_SNAPSHOT (struct what_if_asked),
    {"sched", OPTION_CHOICE, AT (sched), "NAME",
     .choices = batch_names, .help = "another scheduler"},
    {"alloc", OPTION_STRING, AT (alloc), "NAME",
     .choices = allocator_names,
     .help = "another allocator; two, such as first-fit,mm: one for shapes "
             "and one for counts"},
    {"order", OPTION_CHOICE, AT (order), "NAME",
     .choices = order_names, .help = "another order of the queue"},
    {"depth", OPTION_INTEGER, AT (depth), "N", .min = 1,
     .max = UINT32_MAX, .help = "another number of reservations"},
    {"add", OPTION_STRINGS, AT (changes.add), "SPEC",
     .help = "one more job, such as shape=4x4x2,wiring=torus,estimate=1h or "
             "count=30,estimate=60; or=8x4x1/torus or or=32 adds what it "
             "accepts instead, only=0,0,0/4x8x8 a box that it may use; with "
             "level=1 it may preempt running jobs of lower levels"},
    {"cancel", OPTION_STRINGS, AT (changes.cancel), "ID",
     .help = "a job leaves the queue, or ends now"},
    {"priority", OPTION_STRINGS, AT (changes.priority), "ID=N",
     .help = "another priority of a waiting job; a higher one goes first"},
    {"estimate", OPTION_STRINGS, AT (changes.estimate), "ID=TIME",
     .help = "another estimate of a job, such as 20=1h30m"},
    {"hold", OPTION_STRINGS, AT (changes.hold), "ID",
     .help = "a waiting job is held"},
    {"release", OPTION_STRINGS, AT (changes.release), "ID",
     .help = "a held job is released"},
    {"down", OPTION_STRINGS, AT (changes.down), "NODE",
     .help = "a node or box goes down, and kills the jobs running there"},
    {"drain", OPTION_STRINGS, AT (changes.drain), "NODE",
     .help = "a node or box takes no more jobs"},
    {"up", OPTION_STRINGS, AT (changes.up), "NODE",
     .help = "a node or box is neither down nor drained any more"},
    {"window", OPTION_STRINGS, AT (changes.window), "SPEC",
     .help = "a place is kept free for a time, such as "
             "box=0,0,0/8x8x1,from=+1h,until=+3h; count=64 instead of a "
             "box keeps any 64 nodes; with jobs=20,21 these may "
             "run there"},
    OPTION_ROW_SOCKET (struct what_if_asked),
    OPTION_ROW_JSON (struct what_if_asked),
    {.name = NULL},
};

/* ---- the scheduler with the changes ---- */

/* Where there is an allocator for shapes and one for counts, the new one takes
 * the place of that which it can stand for: of both, if it takes both. */
static void replace_alloc (tori_sched_config *config, const char *name,
                           tori_alloc_config *alloc, tori_alloc_config *counts)
{
    unsigned takes = tori_alloc_find (name)->takes;
    if (!config->counts || takes & TORI_BY_SHAPE) {
        *alloc = *config->alloc;
        alloc->name = name;
        config->alloc = alloc;
    } else {
        *counts = *config->counts;
        counts->name = name;
        config->counts = counts;
    }
    if (takes & TORI_BY_SHAPE && takes & TORI_BY_COUNT)
        config->counts = NULL;
}

static void replace_allocs (tori_sched_config *config,
                            const tori_alloc_info *first,
                            const tori_alloc_info *second,
                            tori_alloc_config *alloc,
                            tori_alloc_config *counts)
{
    if (first)
        replace_alloc (config, first->name, alloc, counts);
    if (!second)
        return;
    *counts = *config->alloc;
    counts->name = second->name;
    config->counts = counts;
}

static int make_sched (const struct what_if_asked *v, bool places,
                       struct what_if *it, tori_error *err)
{
    tori_sched_config config = {.size = sizeof config};
    tori_alloc_config alloc, counts;
    const tori_alloc_info *first = NULL, *second = NULL;
    tori_sched *plain;
    int status;
    if (v->alloc && allocators_parse (v->alloc, &first, &second, err) < 0)
        return -1;
    if (tori_snapshot_sched (it->snapshot, NULL, &plain, err) < 0)
        return -1;
    if (v->sched < 0 && !v->alloc && v->order < 0 && v->depth == 0
        && !places) {
        it->sched[1] = plain;
        return 0;
    }
    tori_sched_get_config (plain, &config);
    replace_allocs (&config, first, second, &alloc, &counts);
    if (v->sched >= 0)
        config.policy = batch_names ((size_t)v->sched);
    if (v->sched >= 0 || v->depth)
        config.depth = (uint32_t)v->depth;
    if (places)
        config.flags |= TORI_SCHED_PLACES;
    if (v->order >= 0)
        config.order = (tori_order)v->order;
    status = tori_snapshot_sched (it->snapshot, &config, &it->sched[1], err);
    tori_sched_destroy (plain);
    return status;
}

/* A scheduler that reserves numbers of nodes has no windows. Then one is made
 * that reserves places. */
static int make_changed (const struct what_if_asked *v, struct what_if *it,
                         tori_error *err)
{
    for (int places = 0;; places = 1) {
        if (make_sched (v, places, it, err) < 0)
            return -1;
        if (changes_windows (&v->changes, it->sched[1], it->snapshot, err)
            == 0)
            return changes_make (&v->changes, it->sched[1], it->snapshot,
                                 err);
        if (places)
            return -1;
        tori_sched_destroy (it->sched[1]);
        it->sched[1] = NULL;
    }
}

int what_if_make (tori_snapshot *snapshot, const struct what_if_asked *v,
                  struct what_if *it, tori_error *err)
{
    it->snapshot = snapshot;
    if (tori_snapshot_sched (it->snapshot, NULL, &it->sched[0], err) < 0
        || changes_admit (&v->changes, it->sched[0], it->snapshot, err) < 0
        || make_changed (v, it, err) < 0)
        return -1;
    for (int i = 0; i < 2; i++)
        if (decisions_fetch (it->sched[i], &it->rejected[i], &it->killed[i],
                             err)
                < 0
            || outlook_make (it->sched[i], &it->list[i], err) < 0)
            return -1;
    return 0;
}

void what_if_clear (struct what_if *it)
{
    for (int i = 0; i < 2; i++) {
        outlook_clear (&it->list[i]);
        tori_sched_destroy (it->sched[i]);
        ids_clear (&it->killed[i]);
        ids_clear (&it->rejected[i]);
    }
}

void what_if_emit (const struct what_if *it, struct emit *e)
{
    const tori_machine *machine = it->snapshot->machine;
    size_t at = 0;
    emit_time (e, "now", it->snapshot->now);
    ids_emit (e, "killed", &it->killed[1]);
    ids_emit (e, "rejected", &it->rejected[1]);
    emit_open (e, "jobs", '[');
    for (size_t i = 0; i < it->list[1].n; i++) {
        const struct outlook_row *row = &it->list[1].row[i];
        emit_open (e, NULL, '{');
        emit_count (e, "id", row->id);
        outlook_emit (e, machine, row);
        emit_open (e, "without", '{');
        outlook_emit (e, machine,
                      outlook_find (&it->list[0], row->id, &at));
        emit_close (e, '}');
        emit_close (e, '}');
    }
    emit_close (e, ']');
}
