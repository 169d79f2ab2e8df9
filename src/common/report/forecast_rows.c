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
    if (tori_placement_copy (&row->place, it->place, NULL) < 0)
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
            .hold = spec.hold,
            .start = -1,
            .machine = tori_state_machine (tori_sched_state (sched))};
        rows->by_job[i] = (struct numbered_row){jobs[i], i};
    }
    qsort (rows->by_job, rows->list.n, sizeof *rows->by_job, compare_rows);
}

int forecast_rows_make (const tori_sched *sched,
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
        status = tori_forecast_each (sched, on_start, &rows, err);
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

void forecast_rows_clear (struct forecast_rows *list)
{
    for (size_t i = 0; list->row && i < list->n; i++)
        tori_placement_clear (&list->row[i].place);
    free (list->row);
    *list = (struct forecast_rows){0};
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
    return hold_passes (row->hold) ? "open" : "never";
}

size_t forecast_rows_alike (const struct forecast_rows *list, size_t i)
{
    const struct forecast_row *row = &list->row[i];
    size_t n = 1;
    while (!row->starts && row->hold && i + n < list->n && !row[n].starts
           && row[n].hold == row->hold && row[n].id == row->id + n)
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

int decisions_fetch (tori_sched *sched, struct ids_said *ret_rejected,
                     struct ids_said *ret_killed, tori_error *err)
{
    tori_decision decision = {.size = sizeof decision};
    int status = 0;
    while (status == 0 && tori_sched_next (sched, &decision))
        if (decision.kind == TORI_REJECT)
            status = ids_add (ret_rejected, &decision, err);
        else if (decision.kind == TORI_KILL || decision.kind == TORI_REQUEUE)
            status = ids_add (ret_killed, &decision, err);
    return status;
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

static void boxes_emit (struct emit *e, const char *key,
                        const tori_machine *machine,
                        const tori_placement *place)
{
    char *text = boxes_text (machine, place);
    if (text)
        emit_text (e, key, text);
    else
        emit_value (e, key, NULL);
    free (text);
}

void place_emit (struct emit *e, const char *key, const char *nodes,
                 const tori_machine *machine, const tori_placement *place)
{
    char text[TORI_TEXT_MAX];
    if (place->nboxes) {
        boxes_emit (e, key, machine, place);
        return;
    }
    emit_null (e, key);
    if (place->count == 0 || !nodes)
        return;
    emit_open (e, nodes, '[');
    for (uint32_t i = 0; i < place->count; i++) {
        tori_node_format (machine, place->nodes[i], text);
        emit_text (e, NULL, text);
    }
    emit_close (e, ']');
}

void move_emit (struct emit *e, const tori_machine *machine,
                const tori_help_move *move)
{
    emit_open (e, NULL, '{');
    emit_count (e, "job", move->tag);
    place_emit (e, "from", "from_nodes", machine, move->from);
    place_emit (e, "to", "to_nodes", machine, move->to);
    emit_count (e, "nodes", move->to->count);
    emit_close (e, '}');
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

int forecast_make (const tori_snapshot *snapshot, struct forecast *it,
                   tori_error *err)
{
    struct ids_said killed = {0};
    int status = -1;
    it->snapshot = snapshot;
    it->now = snapshot->now;
    if (tori_snapshot_sched (snapshot, NULL, &it->sched, err) == 0
        && decisions_fetch (it->sched, &it->rejected, &killed, err) == 0)
        status = forecast_rows_make (it->sched, &it->list, err);
    ids_clear (&killed);
    return status;
}

void forecast_clear (struct forecast *it)
{
    forecast_rows_clear (&it->list);
    ids_clear (&it->rejected);
    tori_sched_destroy (it->sched);
}

/* ---- the answer ---- */

static void emit_start_place (struct emit *e, const struct field *field,
                              const void *arg)
{
    const struct forecast_row *row = arg;
    place_emit (e, "place", "nodes", row->machine, &row->place);
}

#define AT(member) FIELD_AT (struct forecast_row, member)
static const struct field begins_fields[] = {
    {"start", FIELD_TIME, AT (start), .unit = "s", .type = "number|null",
     .about = "when it starts; null for one that does not"},
    {"place", FIELD_BY, .by = emit_start_place, .type = "string|null",
     .about = "the box where it starts, or null; of a slice of a pod, its "
              "pieces and how many there are along each dimension, as in "
              "the files of tori wire; other places are written alike"},
    TEXTS ("nodes", "where it starts if that is not a box"),
};
const struct sheet begins_sheet = {"begins", SHEET_FIELDS (begins_fields)};

static const struct field forecast_job_fields[] = {
    {"id", FIELD_COUNT, AT (id), "its id"},
    BESIDE (begins),
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
    {"rejected", FIELD_LIST, AT (rejected), .by = ids_emit, .type = "integer",
     .about = "ids of jobs that can never run on this machine"},
    {"jobs", FIELD_LIST, .by = emit_jobs, .group = &forecast_job_sheet,
     .about = "those that wait, in the queue's order"},
};
ANSWER (forecast);
