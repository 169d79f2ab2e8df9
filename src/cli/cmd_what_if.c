/* tori what-if - the forecast with something changed, beside the one
 * without. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tori/snapshot.h>

#include "asked.h"
#include "commands.h"
#include "fields.h"
#include "names.h"
#include "number.h"
#include "outlook.h"
#include "table.h"
#include "terminal.h"

struct values {
    const char *snapshot;
    int sched;
    int alloc;
    int order;
    int64_t depth;
    struct strings add;
    struct strings down;
    struct strings up;
    struct strings cancel;
    bool json;
};

static const struct option options[] = {
    OPTION_ROW_SNAPSHOT (struct values),
    {"sched", OPTION_CHOICE, offsetof (struct values, sched), "NAME",
     .choices = batch_names, .help = "another scheduler"},
    {"alloc", OPTION_CHOICE, offsetof (struct values, alloc), "NAME",
     .choices = allocator_names, .help = "another allocator"},
    {"order", OPTION_CHOICE, offsetof (struct values, order), "NAME",
     .choices = order_names, .help = "another order of the queue"},
    {"depth", OPTION_INTEGER, offsetof (struct values, depth), "N", .min = 1,
     .max = UINT32_MAX, .help = "another number of reservations"},
    {"add", OPTION_STRINGS, offsetof (struct values, add), "SPEC",
     .help = "one more job, such as shape=4x4x2,wiring=torus,estimate=3600 or "
             "count=30,estimate=60"},
    {"down", OPTION_STRINGS, offsetof (struct values, down), "NODE",
     .help = "a node or box goes down, and kills who runs there"},
    {"up", OPTION_STRINGS, offsetof (struct values, up), "NODE",
     .help = "a node or box is neither down nor drained any more"},
    {"cancel", OPTION_STRINGS, offsetof (struct values, cancel), "ID",
     .help = "a job leaves the queue, or ends now"},
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

/* What is compared. */
struct outcome {
    tori_snapshot *snapshot;
    tori_sched *sched[2]; /* without the changes, and with */
    struct outlook list[2];
    struct ids_said rejected[2], killed[2];
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

static int make_sched (const struct values *v, struct outcome *it,
                       tori_error *err)
{
    tori_sched_config config = {.size = sizeof config};
    tori_alloc_config alloc, counts;
    if (v->sched < 0 && v->alloc < 0 && v->order < 0 && v->depth == 0)
        return tori_snapshot_sched (it->snapshot, NULL, &it->sched[1], err);
    tori_sched_get_config (it->sched[0], &config);
    if (v->alloc >= 0)
        replace_alloc (&config, allocator_names ((size_t)v->alloc), &alloc,
                       &counts);
    if (v->sched >= 0)
        config.policy = batch_names ((size_t)v->sched);
    if (v->sched >= 0 || v->depth)
        config.depth = (uint32_t)v->depth;
    if (v->order >= 0)
        config.order = (tori_order)v->order;
    return tori_snapshot_sched (it->snapshot, &config, &it->sched[1], err);
}

/* ---- jobs that are added ---- */

static int read_spec (const char *key, const char *value, tori_job_spec *spec,
                      tori_error *err)
{
    int64_t number;
    if (strcmp (key, "shape") == 0)
        return tori_shape_parse (value, &spec->request.shape, err);
    if (strcmp (key, "wiring") == 0)
        return tori_wiring_parse (value, &spec->request.wiring, err);
    if (strcmp (key, "count") == 0) {
        if (number_parse (value, "count", 1, TORI_MAX_NODES, &number, err) < 0)
            return -1;
        spec->request.count = (uint32_t)number;
        return 0;
    }
    if (strcmp (key, "estimate") == 0) {
        if (number_parse (value, "estimate", 0, INT64_MAX / TORI_SECOND,
                          &number, err)
            < 0)
            return -1;
        spec->estimate = number * TORI_SECOND;
        return 0;
    }
    return tori_error_set (err, TORI_INVALID,
                           "'%.40s': expected shape, count, wiring or "
                           "estimate",
                           key);
}

static int parse_spec (const char *text, tori_job_spec *spec, tori_error *err)
{
    char *copy = strdup (text), *rest = copy, *word;
    bool estimated = false;
    int status = 0;
    if (!copy)
        return tori_error_nomem (err);
    while (status == 0 && (word = strsep (&rest, ","))) {
        char *value = strchr (word, '=');
        if (value)
            *value++ = '\0';
        else
            status = tori_error_set (err, TORI_INVALID,
                                     "'%.40s': expected NAME=VALUE", word);
        estimated |= strcmp (word, "estimate") == 0;
        if (status == 0)
            status = read_spec (word, value, spec, err);
    }
    free (copy);
    if (status == 0 && !spec->request.shape.ndims && !spec->request.count)
        return tori_error_set (err, TORI_INVALID, "no shape or count");
    if (status == 0 && !estimated)
        return tori_error_set (err, TORI_INVALID, "no estimate");
    return status;
}

/* An id that nobody has. */
static uint64_t free_id (const tori_snapshot *snapshot)
{
    uint64_t last = 0;
    for (size_t i = 0; i < snapshot->nrunning; i++)
        if (snapshot->running[i].spec.tag > last)
            last = snapshot->running[i].spec.tag;
    for (size_t i = 0; i < snapshot->nqueued; i++)
        if (snapshot->queue[i].spec.tag > last)
            last = snapshot->queue[i].spec.tag;
    return last + 1;
}

static int add_jobs (const struct values *v, struct outcome *it,
                     tori_error *err)
{
    uint64_t id = free_id (it->snapshot);
    for (size_t i = 0; i < v->add.n; i++) {
        tori_job_spec spec = {.size = sizeof spec, .tag = id + i};
        tori_error why;
        tori_job job;
        if (parse_spec (v->add.item[i], &spec, &why) < 0
            || tori_sched_submit (it->sched[1], it->snapshot->now, &spec, &job,
                                  &why)
                   < 0)
            return tori_error_set (err, why.status, "--add: %s", why.text);
        if (job == TORI_NO_JOB)
            return tori_error_set (err, TORI_NEVER,
                                   "--add: %.100s can never run on this "
                                   "machine",
                                   v->add.item[i]);
    }
    return 0;
}

/* ---- other changes ---- */

static int set_up (tori_sched *sched, tori_time now, uint32_t node,
                   tori_error *err)
{
    return tori_sched_set_down (sched, now, node, false, err) < 0
                   || tori_sched_set_drained (sched, now, node, false, err) < 0
               ? -1
               : 0;
}

static int set_down (tori_sched *sched, tori_time now, uint32_t node,
                     tori_error *err)
{
    return tori_sched_set_down (sched, now, node, true, err);
}

typedef int set_fn (tori_sched *sched, tori_time now, uint32_t node,
                    tori_error *err);

static int set_nodes (struct outcome *it, const struct strings *boxes,
                      const char *option, set_fn *set, tori_error *err)
{
    const tori_machine *machine = it->snapshot->machine;
    for (size_t i = 0; i < boxes->n; i++) {
        tori_error why;
        tori_box box;
        if (tori_box_parse (machine, boxes->item[i], &box, &why) < 0)
            return tori_error_set (err, why.status, "%s: %s", option,
                                   why.text);
        for (uint32_t n = 0; n < tori_machine_nodes (machine); n++)
            if (tori_box_contains (machine, &box, n)
                && set (it->sched[1], it->snapshot->now, n, err) < 0)
                return -1;
    }
    return 0;
}

/* The job of this id, in a list of the scheduler. */
static bool find_job (const tori_sched *sched, const tori_job *jobs, size_t n,
                      uint64_t id, tori_job *ret_job)
{
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        tori_sched_look (sched, jobs[i], &info);
        if (info.tag == id) {
            *ret_job = jobs[i];
            return true;
        }
    }
    return false;
}

static int cancel_one (tori_sched *sched, tori_time now, uint64_t id,
                       tori_error *err)
{
    size_t n = tori_sched_queued (sched) + tori_sched_running (sched);
    tori_job *jobs = calloc (n + 1, sizeof *jobs), job;
    int status;
    if (!jobs)
        return tori_error_nomem (err);
    n = tori_sched_queued_jobs (sched, jobs);
    n += tori_sched_running_jobs (sched, jobs + n);
    if (find_job (sched, jobs, n, id, &job))
        status = tori_sched_cancel (sched, now, job, err);
    else
        status = tori_error_set (err, TORI_INVALID,
                                 "--cancel: there is no job %" PRIu64, id);
    free (jobs);
    return status;
}

static int cancel_jobs (const struct values *v, struct outcome *it,
                        tori_error *err)
{
    for (size_t i = 0; i < v->cancel.n; i++) {
        int64_t id;
        if (number_parse (v->cancel.item[i], "--cancel", 0, INT64_MAX, &id,
                          err)
                < 0
            || cancel_one (it->sched[1], it->snapshot->now, (uint64_t)id, err)
                   < 0)
            return -1;
    }
    return 0;
}

static int compare (const struct values *v, struct outcome *it,
                    tori_error *err)
{
    if (tori_snapshot_sched (it->snapshot, NULL, &it->sched[0], err) < 0
        || make_sched (v, it, err) < 0 || cancel_jobs (v, it, err) < 0
        || set_nodes (it, &v->up, "--up", set_up, err) < 0
        || set_nodes (it, &v->down, "--down", set_down, err) < 0
        || add_jobs (v, it, err) < 0)
        return -1;
    for (int i = 0; i < 2; i++)
        if (decisions_fetch (it->sched[i], &it->rejected[i], &it->killed[i],
                             err)
                < 0
            || outlook_make (it->sched[i], &it->list[i], err) < 0)
            return -1;
    return 0;
}

/* ---- the answer ---- */

static int emit_answer (const struct values *v, const struct outcome *it,
                        FILE *out, tori_error *err)
{
    const tori_machine *machine = it->snapshot->machine;
    struct emit e = emit_to (out);
    asked_open (&e, "what-if", &command_what_if, v);
    emit_time (&e, "now", it->snapshot->now);
    ids_emit (&e, "killed", &it->killed[1]);
    ids_emit (&e, "rejected", &it->rejected[1]);
    emit_open (&e, "jobs", '[');
    for (size_t i = 0; i < it->list[1].n; i++) {
        const struct outlook_row *row = &it->list[1].row[i];
        emit_open (&e, NULL, '{');
        emit_count (&e, "id", row->id);
        outlook_emit (&e, machine, row);
        emit_open (&e, "without", '{');
        outlook_emit (&e, machine, outlook_find (&it->list[0], row->id));
        emit_close (&e, '}');
        emit_close (&e, '}');
    }
    emit_close (&e, ']');
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static void start_cell (struct table *table, const struct outlook_row *row)
{
    char text[TIME_TEXT_MAX];
    if (!row || !row->starts) {
        table_cell (table, "%s", row ? "never" : "");
        return;
    }
    seconds_format (row->start, text);
    table_cell (table, "%s", text);
}

/* How much later, or earlier. */
static void change_cell (struct table *table, const struct outlook_row *row,
                         const struct outlook_row *without)
{
    char text[DURATION_TEXT_MAX];
    if (!without || !row->starts || !without->starts) {
        table_cell (table, "%s", without ? "" : "new");
        return;
    }
    duration_format (row->start - without->start, text);
    if (strcmp (text, "0s") == 0)
        table_cell (table, "0");
    else
        table_cell (table, "%s%s", row->start > without->start ? "+" : "",
                    text);
}

static int print_answer (const struct outcome *it, FILE *out, tori_error *err)
{
    static const struct table_column columns[] = {
        {"job", TABLE_NUMBER},     {"start, s", TABLE_NUMBER},
        {"without", TABLE_NUMBER}, {"change", TABLE_NUMBER},
        {"place", TABLE_TEXT},
    };
    struct table *table = table_create (columns, 5);
    int status;
    for (size_t i = 0; i < it->list[1].n; i++) {
        const struct outlook_row *row = &it->list[1].row[i];
        const struct outlook_row *without = outlook_find (&it->list[0], row->id);
        char place[PLACE_TEXT_MAX];
        place_format (it->snapshot->machine, &row->place, place);
        table_cell (table, "%llu", (unsigned long long)row->id);
        start_cell (table, row);
        start_cell (table, without);
        change_cell (table, row, without);
        table_cell (table, "%s", place);
    }
    ids_print (&it->killed[1], "is killed", out);
    ids_print (&it->rejected[1], "can never run", out);
    status = table_print (table, out, terminal_bold (), err);
    table_destroy (table);
    return status;
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct outcome it = {0};
    int status = -1;
    if (tori_snapshot_read (v->snapshot, &it.snapshot, err) < 0)
        return -1;
    if (compare (v, &it, err) == 0)
        status = v->json ? emit_answer (v, &it, out, err)
                         : print_answer (&it, out, err);
    for (int i = 0; i < 2; i++) {
        outlook_clear (&it.list[i]);
        tori_sched_destroy (it.sched[i]);
        free (it.killed[i].id);
        free (it.rejected[i].id);
    }
    tori_snapshot_destroy (it.snapshot);
    return status;
}

const struct command command_what_if = {
    .name = "what-if",
    .summary = "Show what a change does to every waiting job",
    .notes = "The queue of a snapshot (see 'tori help files') is run forward "
             "twice, as 'tori forecast' does: as it is, and with all of the "
             "changes. Jobs that are added have the ids after the largest. "
             "With another scheduler, allocator, order or depth, nothing that "
             "was promised binds it. Where shapes and counts wait, there is "
             "an allocator for each, and --alloc replaces the one whose "
             "requests it takes, or both.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori what-if SNAPSHOT --sched conservative\n"
                "tori what-if SNAPSHOT --down 0,0,0/1x8x8\n"
                "tori what-if SNAPSHOT --add "
                "shape=4x4x2,wiring=torus,estimate=3600",
    .answer = &answer_what_if,
    .run = run,
};
