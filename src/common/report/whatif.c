#include "whatif.h"

#include <stdlib.h>

#include "fieldrows.h"
#include "names.h"

static void name_alloc (tori_alloc_config *config,
                        const tori_alloc_info *info)
{
    config->name = info->name;
    config->ops = allocator_ops (info);
    config->arg = NULL;
}

/* If there is an allocator for shapes and one for counts, the new one replaces
 * the one that it can stand for, or both, if it takes both. */
static void replace_alloc (tori_sched_config *config,
                           const tori_alloc_info *info,
                           tori_alloc_config *alloc, tori_alloc_config *counts)
{
    unsigned takes = info->takes;
    if (!config->counts || takes & TORI_BY_SHAPE) {
        *alloc = *config->alloc;
        name_alloc (alloc, info);
        config->alloc = alloc;
    } else {
        *counts = *config->counts;
        name_alloc (counts, info);
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
        replace_alloc (config, first, alloc, counts);
    if (!second)
        return;
    *counts = *config->alloc;
    name_alloc (counts, second);
    config->counts = counts;
}

static int make_sched (const struct what_if_question *v, bool places,
                       struct what_if *it, tori_error *err)
{
    tori_sched_config config = {.size = sizeof config};
    tori_alloc_config alloc, counts;
    tori_sched *plain;
    int status;
    if (tori_snapshot_sched (it->with, NULL, &plain, err) < 0)
        return -1;
    if (v->sched < 0 && !v->alloc && v->order < 0 && v->depth == 0
        && !places) {
        it->sched[1] = plain;
        return 0;
    }
    tori_sched_get_config (plain, &config);
    replace_allocs (&config, v->alloc, v->counts, &alloc, &counts);
    if (v->sched >= 0)
        config.policy = batch_names ((size_t)v->sched);
    if (v->sched >= 0 || v->depth)
        config.depth = (uint32_t)v->depth;
    if (places)
        config.flags |= TORI_SCHED_PLACES;
    if (v->order >= 0) {
        config.order = (tori_order)v->order;
        config.own_order = NULL;
    }
    status = tori_snapshot_sched (it->with, &config, &it->sched[1], err);
    tori_sched_destroy (plain);
    return status;
}

/* A scheduler that plans starts by numbers of nodes has no reservations. Then
 * one is made that plans places. */
static int make_changed (const struct what_if_question *v, struct what_if *it,
                         tori_error *err)
{
    for (int places = 0;; places = 1) {
        if (make_sched (v, places, it, err) < 0)
            return -1;
        if (changes_windows (&v->changes, it->sched[1], it->with, err)
            == 0)
            return changes_make (&v->changes, it->sched[1], it->with, err);
        if (places)
            return -1;
        tori_sched_destroy (it->sched[1]);
        it->sched[1] = NULL;
    }
}

int what_if_make (tori_snapshot *snapshot, tori_snapshot *with,
                  const struct what_if_question *v, struct what_if *it,
                  tori_error *err)
{
    it->snapshot = snapshot;
    it->with = with ? with : snapshot;
    it->now = snapshot->now;
    if (tori_snapshot_sched (snapshot, NULL, &it->sched[0], err) < 0
        || changes_admit (&v->changes, it->sched[0], it->with, err) < 0
        || make_changed (v, it, err) < 0
        || changes_enroll (&v->changes, it->with, err) < 0)
        return -1;
    for (int i = 0; i < 2; i++)
        if (decisions_fetch (it->sched[i], &it->decided[i], err) < 0
            || forecast_rows_make (it->sched[i], i ? it->with : it->snapshot,
                                   &it->list[i], err)
                   < 0)
            return -1;
    return 0;
}

void what_if_clear (struct what_if *it)
{
    for (int i = 0; i < 2; i++) {
        forecast_rows_clear (&it->list[i]);
        tori_sched_destroy (it->sched[i]);
        decisions_clear (&it->decided[i]);
    }
}

/* ---- the answer ---- */

struct what_if_row {
    struct forecast_row with, without;
};

static const struct field what_if_job_fields[] = {
    {"id", FIELD_COUNT, FIELD_AT (struct what_if_row, with.id), "its id"},
    BESIDE (begins),
    {"without", FIELD_GROUP, FIELD_AT (struct what_if_row, without),
     "the same without the changes", .group = &begins_sheet},
};
SHEET (what_if_job);

static void emit_jobs (struct emit *e, const struct field *field,
                       const void *arg)
{
    static const struct forecast_row none = {.start = -1};
    const struct what_if *it = arg;
    size_t at = 0;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < it->list[1].n; i++) {
        const struct forecast_row *row = &it->list[1].row[i];
        const struct forecast_row *without =
            forecast_rows_find (&it->list[0], row->id, &at);
        const struct what_if_row both = {*row, without ? *without : none};
        sheet_emit_object (e, NULL, field->group, &both);
    }
    emit_close (e, ']');
}

#define AT(member) FIELD_AT (struct what_if, member)
static const struct field what_if_fields[] = {
    {"now", FIELD_TIME, AT (now), "the time of the snapshot", "s"},
    {"killed", FIELD_LIST, AT (decided[1].killed), .by = ids_emit,
     .type = "integer", .about = "ids of running jobs that --down kills"},
    {"requeued", FIELD_LIST, AT (decided[1].requeued), .by = ids_emit,
     .type = "integer",
     .about = "ids of running jobs that --down stops, and that start again: "
              "they are among the jobs that wait"},
    {"rejected", FIELD_LIST, AT (decided[1].rejected), .by = ids_emit,
     .type = "integer", .about = "ids of jobs that can never run"},
    {"jobs", FIELD_LIST, .by = emit_jobs, .group = &what_if_job_sheet,
     .about = "those that wait with the changes, in the queue's order"},
};
ANSWER (what_if);
