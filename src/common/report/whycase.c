#include "whycase.h"

#include <inttypes.h>
#include <stdlib.h>

#include "fieldrows.h"
#include "links.h"

enum { WHY_TEXT = 512 };

/* ---- whom it is about ---- */

static bool is_wanted (const struct why_case *it, uint64_t id)
{
    for (size_t i = 0; i < it->n; i++)
        if (it->ids[i] == id)
            return true;
    return it->n == 0;
}

const tori_snapshot_job *queued_find (const tori_snapshot *snapshot,
                                      uint64_t id, size_t *next)
{
    for (size_t i = 0; i < snapshot->nqueued; i++) {
        size_t at = (*next + i) % snapshot->nqueued;
        if (snapshot->queue[at].spec.tag == id) {
            *next = at + 1;
            return &snapshot->queue[at];
        }
    }
    return NULL;
}

void why_say (const tori_why *why, const tori_machine *machine,
              const tori_snapshot_job *job, char *text, size_t size)
{
    if (why->reason == TORI_REASON_HELD && job && job->why)
        snprintf (text, size, "%s", job->why);
    else
        tori_why_text (why, machine, text, size);
}

static bool does_wait (const tori_snapshot *snapshot, uint64_t id)
{
    for (size_t i = 0; i < snapshot->nqueued; i++)
        if (snapshot->queue[i].spec.tag == id)
            return true;
    return false;
}

/* Refuse an id of a job that does not wait. */
static int check_ids (const struct why_case *it, tori_error *err)
{
    const char *name = it->snapshot->name;
    for (size_t i = 0; i < it->n; i++)
        if (!does_wait (it->snapshot, it->ids[i]))
            return tori_error_set (err, TORI_INVALID, "%s%sno job %" PRIu64
                                   " waits", name ? name : "",
                                   name ? ": " : "", it->ids[i]);
    return 0;
}

int why_open (const tori_snapshot *snapshot, const uint64_t ids[], size_t n,
              struct why_case *ret_case, tori_error *err)
{
    struct why_case it = {.snapshot = snapshot, .ids = ids, .n = n};
    int status = -1;
    if (check_ids (&it, err) == 0
        && tori_snapshot_sched (snapshot, NULL, &it.sched, err) == 0)
        status = decisions_fetch (it.sched, &it.decided, err);
    if (status < 0)
        why_close (&it);
    else
        *ret_case = it;
    return status;
}

void why_close (struct why_case *it)
{
    decisions_clear (&it->decided);
    tori_sched_destroy (it->sched);
    *it = (struct why_case){0};
}

/* Jobs that can never run come last. */
static int visit_rejected (const struct why_case *it, why_visit_fn *visit,
                           void *arg)
{
    int status = 0;
    for (size_t i = 0; i < it->decided.rejected.n && status == 0; i++) {
        tori_job_spec spec = {.size = sizeof spec};
        tori_why why = {.tag = it->decided.rejected.id[i],
                        .spec = &spec,
                        .reason = TORI_REASON_NEVER,
                        .aside = it->decided.rejected.why[i],
                        .behind = TORI_NO_JOB};
        if (is_wanted (it, why.tag))
            status = visit (arg, &why);
    }
    return status;
}

int why_each (const struct why_case *it, why_visit_fn *visit, void *arg,
              tori_error *err)
{
    int status = tori_why_by (it->sched, it->snapshot,
                              it->n > 0 ? it->ids : NULL, it->n, visit, arg,
                              err);
    return status == 0 ? visit_rejected (it, visit, arg) : status;
}

/* ---- in words ---- */

void later_format (const tori_request *request, char text[LATER_TEXT])
{
    char shape[TORI_TEXT_MAX];
    tori_shape_format (&request->shape, shape);
    if (request->shape.ndims > 0)
        snprintf (text, LATER_TEXT, "%.100s", shape);
    else
        snprintf (text, LATER_TEXT, "%u node%s", request->count,
                  request->count == 1 ? "" : "s");
}

/* The text before the i-th of n items: "", ", " or " and ". */
static const char *joint_text (size_t i, size_t n)
{
    return i == 0 ? "" : i + 1 == n ? " and " : ", ";
}

/* End a text in memory. NULL if memory has run out. */
static char *close_text (FILE *to, char **text)
{
    bool failed = ferror (to);
    if (fclose (to) == 0 && !failed)
        return *text;
    free (*text);
    return NULL;
}

char *moves_text (const tori_machine *machine, const tori_help *help)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream (&text, &size);
    for (size_t i = 0; to && i < help->nmoves; i++) {
        char place[PLACE_TEXT_MAX];
        place_format (machine, help->moves[i].to, place);
        fprintf (to, "%sjob %" PRIu64 " to %s", joint_text (i, help->nmoves),
                 help->moves[i].tag, place);
    }
    return to ? close_text (to, &text) : NULL;
}

bool help_changes_request (const tori_job_spec *was, const tori_help *help)
{
    return was->nalternatives > 0
           && (help->change == TORI_CHANGE_WIRING
               || help->change == TORI_CHANGE_SHAPE
               || help->change == TORI_CHANGE_COUNT);
}

char *pushes_text (const tori_push *pushes, size_t n)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream (&text, &size);
    for (size_t i = 0; to && i < n; i++)
        fprintf (to, "%sjob %" PRIu64 " is %s", joint_text (i, n),
                 pushes[i].tag, tori_push_name (pushes[i].how));
    return to ? close_text (to, &text) : NULL;
}

/* ---- changes that help, as JSON ---- */

struct help_row {
    tori_help is;
    const char *change;
    struct placed at;
    uint64_t choice; /* the request to change, if there are several */
};

/* The value to change it to. */
static void emit_to_what (struct emit *e, const struct field *field,
                          const void *arg)
{
    const struct help_row *row = arg;
    const tori_request *request = &row->is.spec.request;
    char text[TORI_TEXT_MAX], *moves;
    tori_shape_format (&request->shape, text);
    if (row->is.change == TORI_CHANGE_WIRING)
        emit_text (e, "to", tori_wiring_name (request->wiring));
    else if (row->is.change == TORI_CHANGE_COUNT && !request->shape.ndims)
        emit_count (e, "to", request->count);
    else if (row->is.change == TORI_CHANGE_ESTIMATE)
        emit_time (e, "to", row->is.spec.estimate);
    else if (row->is.change == TORI_CHANGE_MOVES) {
        moves = moves_text (row->at.machine, &row->is);
        emit_text (e, "to", moves ? moves : "");
        free (moves);
    } else {
        emit_text (e, "to", text);
    }
}

static void emit_moves (struct emit *e, const struct field *field,
                        const void *arg)
{
    const struct help_row *row = arg;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < row->is.nmoves; i++)
        move_emit (e, row->at.machine, &row->is.moves[i]);
    emit_close (e, ']');
}

static bool is_of_job (const struct field *field, const void *row)
{
    return ((const struct help_row *)row)->is.change == TORI_CHANGE_JOB;
}

static bool is_of_asking (const struct field *field, const void *row)
{
    return !is_of_job (field, row);
}

static bool has_choice (const struct field *field, const void *row)
{
    return ((const struct help_row *)row)->choice > 0;
}

static bool is_of_moves (const struct field *field, const void *row)
{
    return ((const struct help_row *)row)->is.change == TORI_CHANGE_MOVES;
}

#define AT(member) FIELD_AT (struct help_row, member)
static const struct field help_fields[] = {
    {"change", FIELD_TEXT, AT (change),
     "wiring, shape, count, estimate, moves or job"},
    {"to", FIELD_BY, .type = "string|number", .by = emit_to_what,
     .when = is_of_asking,
     .about = "what to ask for instead; a time limit in s; moves in words"},
    {"job", FIELD_COUNT, AT (is.tag),
     "of job: the id of the one that would have to end", .when = is_of_job},
    {"choice", FIELD_COUNT, AT (choice),
     "of a job with alternatives: which of its requests to change; 1 is the "
     "first",
     .when = has_choice},
    {"place", FIELD_BY, AT (at), "the box where it would start",
     .by = place_emit, .when = place_has_boxes, .type = "string|null"},
    {"moves", FIELD_LIST, .group = &move_sheet, .by = emit_moves,
     .when = is_of_moves,
     .about = "of moves: the running jobs that would have to move, all "
              "stopped together"},
    {"nodes", FIELD_COUNT, AT (is.nodes),
     "of moves: how many nodes these have", .when = is_of_moves},
};
SHEET (help);
#undef AT

/* ---- why a job waits, as JSON ---- */

struct why_row {
    tori_why is;
    const char *alias, *reason;
    char text[WHY_TEXT];
    struct placed place, start_place;
    tori_time start; /* -1 if it does not start */
};

static void emit_largest (struct emit *e, const struct field *field,
                          const void *row)
{
    const tori_box *largest = &((const struct why_row *)row)->is.largest;
    char text[TORI_TEXT_MAX];
    if (largest->shape.ndims == 0) {
        emit_null (e, field->name);
        return;
    }
    tori_box_format (largest, text);
    emit_text (e, field->name, text);
}

static void emit_blockers (struct emit *e, const struct field *field,
                           const void *row)
{
    const tori_why *why = &((const struct why_row *)row)->is;
    sheet_emit_rows (e, field->name, field->group, why->blockers,
                     why->nblockers, sizeof *why->blockers);
}

static void emit_taken_links (struct emit *e, const struct field *field,
                              const void *arg)
{
    const struct why_row *row = arg;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < row->is.nlinks; i++)
        emit_link (e, row->place.machine, &row->is.links[i]);
    emit_close (e, ']');
}

static void emit_down (struct emit *e, const struct field *field,
                       const void *arg)
{
    const struct why_row *row = arg;
    nodes_emit (e, field->name, row->place.machine, row->is.down,
                row->is.ndown);
}

static void emit_helps (struct emit *e, const struct field *field,
                        const void *arg)
{
    const struct why_row *row = arg;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < row->is.nhelps; i++) {
        const tori_help *help = &row->is.helps[i];
        const struct help_row line = {*help,
                                      tori_change_name (help->change),
                                      {row->place.machine, help->place},
                                      help_changes_request (row->is.spec,
                                                            help)};
        sheet_emit_object (e, NULL, field->group, &line);
    }
    emit_close (e, ']');
}

static void emit_pushes (struct emit *e, const struct field *field,
                         const void *arg)
{
    const tori_why *why = &((const struct why_row *)arg)->is;
    pushes_emit (e, field->name, why->pushes, why->npushes);
}

static bool pushes_some (const struct field *field, const void *row)
{
    return ((const struct why_row *)row)->is.npushes > 0;
}

static void emit_later (struct emit *e, const struct field *field,
                        const void *arg)
{
    const struct why_row *row = arg;
    emit_open (e, field->name, '[');
    for (size_t i = 0; i < row->is.nlater; i++) {
        char text[LATER_TEXT];
        later_format (&row->is.later[i], text);
        emit_text (e, NULL, text);
    }
    emit_close (e, ']');
}

static bool is_patient (const struct field *field, const void *row)
{
    return ((const struct why_row *)row)->is.nlater > 0;
}

static bool is_behind (const struct field *field, const void *row)
{
    return ((const struct why_row *)row)->is.behind != TORI_NO_JOB;
}

static bool has_place (const struct field *field, const void *row)
{
    return ((const struct why_row *)row)->is.place.count > 0;
}

static const struct field blocker_fields[] = {
    {"job", FIELD_COUNT, FIELD_AT (tori_blocker, tag), "its id"},
    {"nodes", FIELD_UINT, FIELD_AT (tori_blocker, nodes),
     "nodes of the place that it holds; 0 if only links"},
};
SHEET (blocker);

#define AT(member) FIELD_AT (struct why_row, member)
static const struct field why_job_fields[] = {
    {"id", FIELD_COUNT, AT (is.tag), "its id"},
    {"alias", FIELD_TEXT, AT (alias),
     "its name in another system, such as slurm:19", .when = field_has_text},
    {"reason", FIELD_TEXT, AT (reason),
     "starts, nodes, numerical, topological, wiring, order, reserved, "
     "gave-up, window, held, not-yet or never"},
    {"text", FIELD_CHARS, AT (text), "the same as a sentence"},
    {"behind", FIELD_COUNT, AT (is.behind_tag),
     "of order: the first job in the queue; of reserved: the job whose "
     "planned start it would delay, if there is only one",
     .when = is_behind},
    {"reservation", FIELD_TEXT, AT (is.window),
     "of window: the first that it would run into", .when = field_has_text},
    {"window", FIELD_TEXT, AT (is.window), "the same by its old name",
     .when = field_has_text},
    {"free", FIELD_UINT, AT (is.free), "nodes that are free"},
    {"largest", FIELD_BY, .about = "the largest free box, or null",
     .by = emit_largest, .type = "string|null"},
    {"place", FIELD_BY, AT (place),
     "the place with the fewest nodes that are not free", .by = place_emit,
     .when = has_place, .type = "string|null"},
    {"missing", FIELD_UINT, AT (is.missing), "how many such nodes there are",
     .when = has_place},
    {"blockers", FIELD_LIST, .about = "running jobs in the way there",
     .group = &blocker_sheet, .by = emit_blockers, .when = has_place},
    {"links", FIELD_LIST,
     .about = "links of it that are taken or down: the first",
     .group = &link_sheet, .by = emit_taken_links, .when = has_place},
    {"down", FIELD_LIST, .about = "nodes of it that are down or drained",
     .by = emit_down, .when = has_place, .type = "string"},
    {"start", FIELD_TIME, AT (start), "when it is expected to start, or null",
     "s", .type = "number|null"},
    {"condition", FIELD_BY, AT (is.condition), .by = condition_emit,
     .when = condition_stands, .type = "string",
     .about = "for a job that waits for others, its array or a limit: the "
              "start holds if this happens"},
    {"pushes", FIELD_LIST, .by = emit_pushes, .when = pushes_some,
     .group = &push_sheet,
     .about = "running jobs that give way when it starts"},
    {"start_place", FIELD_BY, AT (start_place), "the box where it is",
     .by = place_emit, .when = place_has_boxes, .type = "string"},
    {"start_nodes", FIELD_LIST, AT (start_place),
     "where it is if that is not a box", .by = place_emit_nodes,
     .when = place_has_nodes, .type = "string"},
    {"patient_until", FIELD_TIME, AT (is.patient_until),
     "for a job with patience: until then it waits only for what it asked for "
     "first",
     "s", .when = is_patient},
    {"later", FIELD_LIST, .by = emit_later, .when = is_patient,
     .type = "string", .about = "... and what it then takes as well"},
    {"helps", FIELD_LIST,
     .about = "changes, each of which starts it now by itself",
     .group = &help_sheet, .by = emit_helps},
};
const struct sheet why_job_sheet = {"why_job", SHEET_FIELDS (why_job_fields)};
#undef AT

static int emit_why (void *arg, const tori_why *why)
{
    struct why_case *it = arg;
    const tori_machine *machine = it->snapshot->machine;
    const tori_snapshot_job *job
        = queued_find (it->snapshot, why->tag, &it->next);
    struct why_row row = {.is = *why,
                          .alias = job ? job->alias : NULL,
                          .reason = tori_reason_name (why->reason),
                          .place = {machine, why->place},
                          .start_place = {machine, why->start_place},
                          .start = why->starts ? why->start : -1};
    why_say (why, machine, job, row.text, sizeof row.text);
    sheet_emit_object (it->e, NULL, &why_job_sheet, &row);
    return 0;
}

/* ---- the answer ---- */

struct why_answer {
    tori_time now;
    struct why_case *it;
    tori_error *err;
    int *status;
};

static void emit_jobs (struct emit *e, const struct field *field,
                       const void *arg)
{
    const struct why_answer *answer = arg;
    emit_open (e, field->name, '[');
    *answer->status = why_each (answer->it, emit_why, answer->it, answer->err);
    emit_close (e, ']');
}

static const struct field why_fields[] = {
    {"now", FIELD_TIME, FIELD_AT (struct why_answer, now),
     "the time of the snapshot", "s"},
    {"jobs", FIELD_LIST, .about = "those that wait, in the queue's order",
     .group = &why_job_sheet, .by = emit_jobs},
};
ANSWER (why);

int why_emit (struct why_case *it, struct emit *e, tori_error *err)
{
    int status;
    it->e = e;
    sheet_emit (e, &answer_why,
                &(struct why_answer){it->snapshot->now, it, err, &status});
    return status;
}
