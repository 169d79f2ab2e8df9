#include "forecast_rows.h"

#include <stdlib.h>
#include <string.h>

#include "fieldrows.h"

/* ---- rows ---- */

struct numbered_row {
    tori_job job;
    size_t row;
};

static int compare_rows (const void *a, const void *b)
{
    const struct numbered_row *x = a, *y = b;
    return (x->job > y->job) - (x->job < y->job);
}

struct rows_by_job {
    struct forecast_rows list;
    struct numbered_row *by_job;
    bool nomem;
};

static void on_start (void *arg, const tori_forecast *it)
{
    struct rows_by_job *rows = arg;
    struct numbered_row key = {.job = it->job};
    const struct numbered_row *found =
        bsearch (&key, rows->by_job, rows->list.n, sizeof key, compare_rows);
    struct forecast_row *row = found ? &rows->list.row[found->row] : NULL;
    if (!row || row->starts)
        return; /* it ran before, and starts again */
    row->starts = true;
    row->start = it->start;
    row->condition = it->condition;
    row->pushes = calloc (it->npushes + 1, sizeof *row->pushes);
    if (row->pushes) {
        row->npushes = it->npushes;
        for (size_t i = 0; i < it->npushes; i++)
            row->pushes[i] = it->pushes[i];
    } else {
        rows->nomem = true;
    }
    if (tori_placement_copy (&row->at.place, it->place, NULL) < 0)
        rows->nomem = true;
}

/* An empty row for each job of the queue. */
static void make_rows (struct rows_by_job *rows, const tori_sched *sched,
                       const tori_job *jobs)
{
    for (size_t i = 0; i < rows->list.n; i++) {
        tori_job_spec spec = {.size = sizeof spec};
        tori_sched_spec (sched, jobs[i], &spec);
        rows->list.row[i] = (struct forecast_row){
            .id = spec.tag,
            .job = jobs[i],
            .rank = i,
            .hold = spec.hold,
            .start = -1,
            .at.machine = tori_state_machine (tori_sched_state (sched))};
        rows->by_job[i] = (struct numbered_row){jobs[i], i};
    }
    qsort (rows->by_job, rows->list.n, sizeof *rows->by_job, compare_rows);
}

/* ---- dependencies that cannot be met ---- */

static int compare_ids (const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool has_id (const uint64_t *ids, size_t n, uint64_t id)
{
    return n > 0 && bsearch (&id, ids, n, sizeof id, compare_ids);
}

static void insert_id (uint64_t *ids, size_t n, uint64_t id)
{
    for (; n > 0 && ids[n - 1] > id; n--)
        ids[n] = ids[n - 1];
    ids[n] = id;
}

/* List the jobs of a snapshot that the scheduler no longer has. */
static size_t list_gone (const tori_snapshot *rules, const uint64_t *left,
                         size_t nleft, uint64_t *ret_gone)
{
    size_t n = 0;
    for (size_t i = 0; i < rules->nrunning; i++)
        if (!has_id (left, nleft, rules->running[i].spec.tag))
            ret_gone[n++] = rules->running[i].spec.tag;
    for (size_t i = 0; i < rules->nqueued; i++)
        if (!has_id (left, nleft, rules->queue[i].spec.tag))
            ret_gone[n++] = rules->queue[i].spec.tag;
    qsort (ret_gone, n, sizeof *ret_gone, compare_ids);
    return n;
}

static bool needs_gone (const tori_snapshot_job *job, const uint64_t *gone,
                        size_t n)
{
    for (size_t i = 0; i < job->nafter; i++)
        if (job->after[i].kind == TORI_AFTER_OK
            && has_id (gone, n, job->after[i].tag))
            return true;
    return false;
}

/* A job that waits for one that is gone to end well is cancelled, and so are
 * those that wait for it. */
static void break_rows (struct forecast_rows *list, const tori_snapshot *rules,
                        uint64_t *gone, size_t n)
{
    for (bool more = n > 0; more;) {
        size_t at = 0;
        more = false;
        for (size_t i = 0; i < rules->nqueued; i++) {
            const struct forecast_row *row;
            if (!needs_gone (&rules->queue[i], gone, n))
                continue;
            row = forecast_rows_find (list, rules->queue[i].spec.tag, &at);
            if (!row || row->broken || row->starts)
                continue;
            list->row[row - list->row].broken = more = true;
            insert_id (gone, n++, row->id);
        }
    }
}

static int find_broken (struct forecast_rows *list, const tori_sched *sched,
                        const tori_snapshot *rules, tori_error *err)
{
    size_t n = tori_sched_running (sched) + list->n, all;
    tori_job *jobs;
    uint64_t *left, *gone;
    if (!rules || rules->nrunning + rules->nqueued == 0)
        return 0;
    all = rules->nrunning + 2 * rules->nqueued;
    jobs = calloc (n + 1, sizeof *jobs);
    left = calloc (n + 1, sizeof *left);
    gone = calloc (all + 1, sizeof *gone);
    if (jobs && left && gone) {
        n = tori_sched_running_jobs (sched, jobs);
        for (size_t i = 0; i < n; i++) {
            tori_job_info info = {.size = sizeof info};
            tori_sched_look (sched, jobs[i], &info);
            left[i] = info.tag;
        }
        for (size_t i = 0; i < list->n; i++)
            left[n++] = list->row[i].id;
        qsort (left, n, sizeof *left, compare_ids);
        break_rows (list, rules, gone, list_gone (rules, left, n, gone));
    }
    n = jobs && left && gone;
    free (jobs);
    free (left);
    free (gone);
    return n ? 0 : tori_error_nomem (err);
}

/* A job with more nodes than a limit allows never starts. */
static void find_outgrown (struct forecast_rows *list,
                           const tori_snapshot *rules)
{
    size_t at = 0;
    for (size_t i = 0; rules && i < rules->nqueued; i++) {
        const struct forecast_row *row
            = forecast_rows_find (list, rules->queue[i].spec.tag, &at);
        char limit[200];
        if (row && !row->starts && hold_passes (row->hold))
            list->row[row - list->row].broken |= tori_snapshot_outgrown (
                rules, &rules->queue[i], limit, sizeof limit);
    }
}

int forecast_rows_make (const tori_sched *sched, const tori_snapshot *rules,
                        struct forecast_rows *ret_list, tori_error *err)
{
    size_t n = tori_sched_queued (sched);
    struct rows_by_job rows = {.list.n = n};
    tori_job *jobs = calloc (n + 1, sizeof *jobs);
    int status = -1;
    rows.list.row = calloc (n + 1, sizeof *rows.list.row);
    rows.by_job = calloc (n + 1, sizeof *rows.by_job);
    if (jobs && rows.list.row && rows.by_job) {
        tori_sched_queued_jobs (sched, jobs);
        make_rows (&rows, sched, jobs);
        status = tori_forecast_by (sched, rules, on_start, &rows, err);
        if (status == 0 && !rows.nomem)
            status = find_broken (&rows.list, sched, rules, err);
        find_outgrown (&rows.list, rules);
    } else {
        rows.nomem = true;
    }
    if (rows.nomem)
        status = tori_error_nomem (err);
    free (jobs);
    free (rows.by_job);
    if (status < 0)
        forecast_rows_clear (&rows.list);
    else
        *ret_list = rows.list;
    return status;
}

static void clear_row (struct forecast_row *row)
{
    tori_placement_clear (&row->at.place);
    free (row->pushes);
}

void forecast_rows_clear (struct forecast_rows *list)
{
    for (size_t i = 0; list->row && i < list->n; i++)
        clear_row (&list->row[i]);
    free (list->row);
    *list = (struct forecast_rows){0};
}

static int compare_starts (const void *a, const void *b)
{
    const struct forecast_row *x = a, *y = b;
    if (x->starts != y->starts)
        return y->starts - x->starts;
    if (x->start != y->start)
        return x->start > y->start ? 1 : -1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

void forecast_rows_sort (struct forecast_rows *list)
{
    if (list->n > 1)
        qsort (list->row, list->n, sizeof *list->row, compare_starts);
}

const struct forecast_row *
forecast_rows_find (const struct forecast_rows *list, uint64_t id,
                    size_t *from)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct forecast_row *row = &list->row[(*from + i) % list->n];
        if (row->id == id) {
            *from = (size_t)(row - list->row) + 1;
            return row;
        }
    }
    return NULL;
}

bool hold_passes (tori_hold hold)
{
    return hold == TORI_HOLD_DEPENDENCY || hold == TORI_HOLD_ARRAY
           || hold == TORI_HOLD_SHARE;
}

const char *no_start (const struct forecast_row *row)
{
    return hold_passes (row->hold) && !row->broken ? "open" : "never";
}

size_t forecast_rows_alike (const struct forecast_rows *list, size_t i)
{
    const struct forecast_row *row = &list->row[i];
    size_t n = 1;
    while (!row->starts && row->hold && i + n < list->n && !row[n].starts
           && row[n].hold == row->hold && row[n].broken == row->broken
           && row[n].id == row->id + n)
        n++;
    return n;
}

/* ---- jobs that are not among them ---- */

void ids_clear (struct ids_said *ids)
{
    for (size_t i = 0; i < ids->n; i++)
        free (ids->why[i]);
    free (ids->why);
    free (ids->id);
    *ids = (struct ids_said){0};
}

bool ids_include (const struct ids_said *ids, uint64_t id)
{
    size_t i = 0;
    while (i < ids->n && ids->id[i] != id)
        i++;
    return i < ids->n;
}

static int ids_add (struct ids_said *ids, const tori_decision *decision,
                    tori_error *err)
{
    size_t n = ids->n;
    uint64_t *id = reallocarray (ids->id, n + 1, sizeof *id);
    char **why = reallocarray (ids->why, n + 1, sizeof *why);
    ids->id = id ? id : ids->id;
    ids->why = why ? why : ids->why;
    if (!id || !why)
        return tori_error_nomem (err);
    id[n] = decision->tag;
    why[n] = decision->why ? strdup (decision->why) : NULL;
    if (decision->why && !why[n])
        return tori_error_nomem (err);
    ids->n++;
    return 0;
}

int decisions_fetch (tori_sched *sched, struct decided_ids *ret_ids,
                     tori_error *err)
{
    tori_decision decision = {.size = sizeof decision};
    int status = 0;
    while (status == 0 && tori_sched_next (sched, &decision)) {
        struct ids_said *ids
            = decision.kind == TORI_REJECT    ? &ret_ids->rejected
              : decision.kind == TORI_KILL    ? &ret_ids->killed
              : decision.kind == TORI_REQUEUE ? &ret_ids->requeued
                                              : NULL;
        if (ids)
            status = ids_add (ids, &decision, err);
    }
    return status;
}

void decisions_clear (struct decided_ids *ids)
{
    ids_clear (&ids->rejected);
    ids_clear (&ids->killed);
    ids_clear (&ids->requeued);
}

void ids_emit (struct emit *e, const struct field *field, const void *row)
{
    const struct ids_said *ids =
        (const void *)((const char *)row + field->offset);
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < ids->n; i++)
        emit_count (e, NULL, ids->id[i]);
    emit_close (e, ']');
}

/* ---- how they are shown ---- */

/* The boxes of a placement, with blanks between them; and the number of those
 * for which there is no room, as in a slice of many pieces. */
static void boxes_format (const tori_placement *place,
                          char text[PLACE_TEXT_MAX])
{
    size_t n = 0, i = 0;
    for (; i < place->nboxes && n < TORI_TEXT_MAX / 2; i++) {
        char one[TORI_TEXT_MAX];
        tori_box_format (tori_placement_box (place, i), one);
        n += (size_t)snprintf (text + n, PLACE_TEXT_MAX - n, "%s%.600s",
                               i ? " " : "", one);
    }
    if (i < place->nboxes)
        snprintf (text + n, PLACE_TEXT_MAX - n, " and %zu more",
                  place->nboxes - i);
}

/* All boxes, and how the pieces of a slice lie: as in the files of `tori
 * wire`. NULL if there is no memory. */
static char *boxes_text (const tori_machine *machine,
                         const tori_placement *place)
{
    char *all = NULL, one[TORI_TEXT_MAX];
    size_t n;
    tori_shape across;
    FILE *to = open_memstream (&all, &n);
    bool failed;
    if (!to)
        return NULL;
    for (size_t i = 0; i < place->nboxes; i++) {
        tori_box_format (tori_placement_box (place, i), one);
        fprintf (to, "%s%s", i ? " " : "", one);
    }
    if (place->nboxes > 1 && tori_placement_across (place, machine, &across)) {
        tori_shape_format (&across, one);
        fprintf (to, " %s", one);
    }
    failed = ferror (to);
    if (fclose (to) == 0 && !failed)
        return all;
    free (all);
    return NULL;
}

static const struct placed *placed_of (const struct field *field,
                                       const void *row)
{
    return (const void *)((const char *)row + field->offset);
}

void place_emit (struct emit *e, const struct field *field, const void *row)
{
    const struct placed *it = placed_of (field, row);
    char *text =
        it->place.nboxes ? boxes_text (it->machine, &it->place) : NULL;
    if (text)
        emit_text (e, field->name, text);
    else if (it->place.nboxes)
        emit_value (e, field->name, NULL);
    else
        emit_null (e, field->name);
    free (text);
}

bool place_has_boxes (const struct field *field, const void *row)
{
    return placed_of (field, row)->place.nboxes > 0;
}

void nodes_emit (struct emit *e, const char *key, const tori_machine *machine,
                 const uint32_t nodes[], size_t n)
{
    char text[TORI_TEXT_MAX];
    emit_open (e, key, '[');
    for (size_t i = 0; i < n; i++) {
        tori_node_format (machine, nodes[i], text);
        emit_text (e, NULL, text);
    }
    emit_close (e, ']');
}

void place_emit_nodes (struct emit *e, const struct field *field,
                       const void *row)
{
    const struct placed *it = placed_of (field, row);
    nodes_emit (e, field->name, it->machine, it->place.nodes, it->place.count);
}

bool place_has_nodes (const struct field *field, const void *row)
{
    const tori_placement *place = &placed_of (field, row)->place;
    return place->count > 0 && place->nboxes == 0;
}

static bool has_cost (const struct field *field, const void *row)
{
    return ((const struct move_row *)row)->cost;
}

static void emit_stopped (struct emit *e, const struct field *field,
                          const void *row)
{
    emit_time (e, field->name, ((const struct move_row *)row)->cost->stopped);
}

static void emit_redone (struct emit *e, const struct field *field,
                         const void *row)
{
    emit_time (e, field->name, ((const struct move_row *)row)->cost->redone);
}

#define AT(member) FIELD_AT (struct move_row, member)
static const struct field move_fields[] = {
    {"job", FIELD_COUNT, AT (job), "its id"},
    {"from", FIELD_BY, AT (from), "the box where it is, or null",
     .by = place_emit, .type = "string|null"},
    {"from_nodes", FIELD_LIST, AT (from), "where it is if that is not a box",
     .by = place_emit_nodes, .when = place_has_nodes, .type = "string"},
    {"to", FIELD_BY, AT (to), "the box where it goes, or null",
     .by = place_emit, .type = "string|null"},
    {"to_nodes", FIELD_LIST, AT (to), "where it goes if that is not a box",
     .by = place_emit_nodes, .when = place_has_nodes, .type = "string"},
    {"nodes", FIELD_UINT, AT (to.place.count), "how many it has"},
    {"stopped", FIELD_BY, .by = emit_stopped, .when = has_cost, .unit = "s",
     .type = "number",
     .about = "of defrag: how long it is stopped while it moves"},
    {"redone", FIELD_BY, .by = emit_redone, .when = has_cost, .unit = "s",
     .type = "number",
     .about = "of defrag: its work since its last checkpoint, which it does "
              "again"},
};
const struct sheet move_sheet = {"move", SHEET_FIELDS (move_fields)};
#undef AT

/* A job that gives way. */

static void emit_how (struct emit *e, const struct field *field,
                      const void *row)
{
    emit_text (e, field->name, tori_push_name (((const tori_push *)row)->how));
}

static const struct field push_fields[] = {
    {"job", FIELD_COUNT, FIELD_AT (tori_push, tag), "the id of the job"},
    {"how", FIELD_BY, .about = "killed, requeued, suspended or moved",
     .by = emit_how, .type = "string"},
};
const struct sheet push_sheet = {"push", SHEET_FIELDS (push_fields)};

void pushes_emit (struct emit *e, const char *key, const tori_push *pushes,
                  size_t n)
{
    sheet_emit_rows (e, key, &push_sheet, pushes, n, sizeof *pushes);
}

static const tori_condition *condition_of (const struct field *field,
                                           const void *row)
{
    return (const void *)((const char *)row + field->offset);
}

void condition_emit (struct emit *e, const struct field *field,
                     const void *row)
{
    char text[CONDITION_TEXT];
    tori_condition_text (condition_of (field, row), text, sizeof text);
    emit_text (e, field->name, text);
}

bool condition_stands (const struct field *field, const void *row)
{
    char text[CONDITION_TEXT];
    tori_condition_text (condition_of (field, row), text, sizeof text);
    return *text;
}

void move_emit (struct emit *e, const tori_machine *machine,
                const tori_help_move *move)
{
    const struct move_row row = {
        move->tag, {machine, *move->from}, {machine, *move->to}, NULL};
    sheet_emit_object (e, NULL, &move_sheet, &row);
}

void place_format (const tori_machine *machine, const tori_placement *place,
                   char text[PLACE_TEXT_MAX])
{
    enum { SHOWN = 3 };
    char one[TORI_TEXT_MAX];
    size_t n = 0;
    text[0] = '\0';
    if (place->nboxes) {
        boxes_format (place, text);
        return;
    }
    for (uint32_t i = 0; i < place->count && i < SHOWN; i++) {
        tori_node_format (machine, place->nodes[i], one);
        n += (size_t)snprintf (text + n, PLACE_TEXT_MAX - n, "%s%.40s",
                               i ? " " : "", one);
    }
    if (place->count > SHOWN)
        snprintf (text + n, PLACE_TEXT_MAX - n, " and %u more",
                  place->count - SHOWN);
}

/* ---- a forecast ---- */

static const struct {
    const char *name, *text;
} reasons[FORECAST_REASONS] = {
    {"fair-share", "fair share changes the order of the queue while jobs run"},
    {"order", "jobs that come later may go before others, by the order of the "
              "queue"},
    {"priority", "jobs of a higher priority that come later, or get one, go "
                 "before others"},
    {"policy", "nothing is planned, so jobs that come later may delay others"},
};

static bool has_fair_share (const tori_snapshot *snapshot)
{
    return snapshot->usage_weight > 0 || snapshot->nusers > 0;
}

/* Whether jobs differ in priority, or queues. */
static bool has_priorities (const tori_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->nqueues; i++)
        if (snapshot->queues[i].priority || snapshot->queues[i].tier)
            return true;
    for (size_t i = 0; i < snapshot->nqueued; i++)
        if (snapshot->queue[i].spec.priority || snapshot->queue[i].spec.level)
            return true;
    return false;
}

/* Whether a reason holds: what comes after the snapshot may delay a job,
 * although all jobs that there are end at their limits. */
static bool is_unsure (const tori_snapshot *snapshot, size_t reason)
{
    const char *policy = snapshot->policy;
    switch (reason) {
    case 0:
        return has_fair_share (snapshot);
    case 1:
        return snapshot->own_order || snapshot->order != TORI_ORDER_SUBMIT;
    case 2:
        return !has_fair_share (snapshot) && has_priorities (snapshot);
    default:
        return policy && strcmp (policy, "backfill") == 0
               && snapshot->depth == 0;
    }
}

static void find_unsure (struct forecast *it)
{
    size_t n = 0;
    for (size_t i = 0; i < FORECAST_REASONS; i++)
        if (is_unsure (it->snapshot, i))
            it->reasons[n++] = reasons[i].name;
    it->unsure = n > 0 ? it->reasons : NULL;
}

/* Whether a job that waits now starts no later than forecast, whoever comes.
 * Under fcfs nobody overtakes it. Elsewhere it has a planned start by then,
 * unless too many are before it, or it is held or set aside. -1 if memory runs
 * out. */
static int is_planned (tori_sched *sched, const char *policy,
                       const struct forecast_row *row, tori_error *err)
{
    tori_job_info info = {.size = sizeof info};
    const tori_placement *place;
    tori_time start = 0;
    int found;
    if (!tori_sched_look (sched, row->job, &info))
        return 0;
    if (info.phase == TORI_JOB_QUEUED && info.suspended)
        return 1;
    if (policy && strcmp (policy, "fcfs") == 0)
        return info.waits != TORI_REASON_HELD
               && info.waits != TORI_REASON_NOT_YET
               && info.waits != TORI_REASON_NODES;
    found = tori_sched_reservation (sched, row->job, &start, &place, err);
    return found > 0 ? start <= row->start : found;
}

/* Ask a scheduler that has just run. */
static int find_unplanned (struct forecast *it, tori_error *err)
{
    static const char *const unplanned[] = {"unplanned", NULL};
    tori_sched *sched;
    int status;
    if (is_unsure (it->snapshot, FORECAST_REASONS - 1))
        return 0; /* nothing is planned at all */
    if (tori_sched_copy (it->sched, &sched, err) < 0)
        return -1;
    status = tori_sched_run (sched, it->now, err);
    for (size_t i = 0; i < it->list.n && status >= 0; i++) {
        struct forecast_row *row = &it->list.row[i];
        if (!row->starts || row->start <= it->now)
            continue;
        status = is_planned (sched, it->snapshot->policy, row, err);
        row->unsure = status == 0 ? unplanned : NULL;
    }
    tori_sched_destroy (sched);
    return status < 0 ? -1 : 0;
}

void forecast_print_unsure (const struct forecast *it, FILE *out)
{
    size_t later = 0, unplanned = 0;
    for (size_t i = 0; i < it->list.n; i++) {
        later += it->list.row[i].starts && it->list.row[i].start > it->now;
        unplanned += it->list.row[i].unsure != NULL;
    }
    for (size_t i = 0; later > 0 && i < FORECAST_REASONS; i++)
        if (is_unsure (it->snapshot, i))
            fprintf (out, "not a promise: %s\n", reasons[i].text);
    if (unplanned > 0)
        fprintf (out,
                 "not a promise for %zu job%s without a planned start: jobs "
                 "that come later may delay %s\n",
                 unplanned, unplanned > 1 ? "s" : "",
                 unplanned > 1 ? "them" : "it");
}

static bool has_unsure (const struct field *field, const void *row)
{
    (void)field;
    return ((const struct forecast *)row)->unsure;
}

int forecast_make (const tori_snapshot *snapshot, struct forecast *it,
                   tori_error *err)
{
    it->snapshot = snapshot;
    it->now = snapshot->now;
    find_unsure (it);
    return tori_snapshot_sched (snapshot, NULL, &it->sched, err) < 0
                   || decisions_fetch (it->sched, &it->decided, err) < 0
                   || forecast_rows_make (it->sched, snapshot, &it->list, err)
                          < 0
               ? -1
               : find_unplanned (it, err);
}

static bool is_among (const uint64_t ids[], size_t n, uint64_t id)
{
    bool found = false;
    for (size_t i = 0; i < n && !found; i++)
        found = ids[i] == id;
    return found;
}

void forecast_keep (struct forecast *it, const uint64_t ids[], size_t n)
{
    struct ids_said *rejected = &it->decided.rejected;
    size_t kept = 0;
    for (size_t i = 0; i < it->list.n; i++)
        if (is_among (ids, n, it->list.row[i].id)) {
            struct forecast_row row = it->list.row[kept];
            it->list.row[kept++] = it->list.row[i];
            it->list.row[i] = row;
        }
    while (it->list.n > kept)
        clear_row (&it->list.row[--it->list.n]);
    kept = 0;
    for (size_t i = 0; i < rejected->n; i++) {
        char *why = rejected->why[i];
        if (is_among (ids, n, rejected->id[i])) {
            rejected->id[kept] = rejected->id[i];
            rejected->why[kept++] = why;
        } else {
            free (why);
        }
    }
    rejected->n = kept;
}

void forecast_clear (struct forecast *it)
{
    forecast_rows_clear (&it->list);
    decisions_clear (&it->decided);
    tori_sched_destroy (it->sched);
}

/* ---- the answer ---- */

static void emit_pushes (struct emit *e, const struct field *field,
                         const void *arg)
{
    const struct forecast_row *row = arg;
    pushes_emit (e, field->name, row->pushes, row->npushes);
}

static bool pushes_some (const struct field *field, const void *row)
{
    return ((const struct forecast_row *)row)->npushes > 0;
}

#define AT(member) FIELD_AT (struct forecast_row, member)
static const struct field begins_fields[] = {
    {"start", FIELD_TIME, AT (start), .unit = "s", .type = "number|null",
     .about = "when it starts; null for one that does not"},
    {"place", FIELD_BY, AT (at), .by = place_emit, .type = "string|null",
     .about = "the box where it starts, or null; of a slice of a pod, its "
              "pieces and how many there are along each dimension, as in "
              "the files of tori wire; other places are written alike"},
    {"nodes", FIELD_LIST, AT (at), "where it starts if that is not a box",
     .by = place_emit_nodes, .when = place_has_nodes, .type = "string"},
    {"condition", FIELD_BY, AT (condition), .by = condition_emit,
     .when = condition_stands, .type = "string",
     .about = "for a job that waits for others, its array or a limit: the "
              "start holds if this happens, such as \"job 12 ends at its "
              "time limit\""},
    {"pushes", FIELD_LIST, .by = emit_pushes, .when = pushes_some,
     .group = &push_sheet,
     .about = "running jobs that give way when it starts"},
};
const struct sheet begins_sheet = {"begins", SHEET_FIELDS (begins_fields)};

static bool row_has_unsure (const struct field *field, const void *row)
{
    (void)field;
    return ((const struct forecast_row *)row)->unsure;
}

static const struct field forecast_job_fields[] = {
    {"id", FIELD_COUNT, AT (id), "its id"},
    BESIDE (begins),
    {"unsure", FIELD_NAMES, AT (unsure), .when = row_has_unsure,
     .about = "why its start is not a promise even if all jobs end at their "
              "limits, beside what holds for all jobs: unplanned (it has no "
              "planned start by then, because others are before it, or a hold "
              "or a limit ends first: jobs that come later may delay it)"},
};
const struct sheet forecast_job_sheet = {"forecast_job",
                                         SHEET_FIELDS (forecast_job_fields)};
#undef AT

static void emit_jobs (struct emit *e, const struct field *field,
                       const void *arg)
{
    const struct forecast_rows *list = &((const struct forecast *)arg)->list;
    sheet_emit_rows (e, field->name, field->group, list->row, list->n,
                     sizeof *list->row);
}

#define AT(member) FIELD_AT (struct forecast, member)
static const struct field forecast_fields[] = {
    {"now", FIELD_TIME, AT (now), "the time of the snapshot", "s"},
    {"rejected", FIELD_LIST, AT (decided.rejected), .by = ids_emit, .type = "integer",
     .about = "ids of jobs that can never run on this machine"},
    {"unsure", FIELD_NAMES, AT (unsure), .when = has_unsure,
     .about = "why the starts are not promises even if all jobs end at their "
              "limits: fair-share (it changes the order of the queue), order "
              "(jobs that come later may go first), priority (so may jobs "
              "of a higher priority), policy (nothing is planned)"},
    {"jobs", FIELD_LIST, .by = emit_jobs, .group = &forecast_job_sheet,
     .about = "those that wait, in the queue's order"},
};
ANSWER (forecast);
