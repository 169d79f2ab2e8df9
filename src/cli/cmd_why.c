/* tori why - why every waiting job waits, and what would help. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tori/snapshot.h>
#include <tori/why.h>

#include "asked.h"
#include "caller.h"
#include "commands.h"
#include "fields.h"
#include "links.h"
#include "number.h"
#include "outlook.h"
#include "whylines.h"

struct values {
    const char *snapshot, *socket;
    struct strings ids;
    bool json;
};

static const struct option options[] = {
    OPTION_ROW_SNAPSHOT (struct values),
    {"id", OPTION_STRINGS, offsetof (struct values, ids), "ID",
     .operand = true, .help = "only these jobs; if not given, all that wait"},
    OPTION_ROW_SOCKET (struct values),
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

enum { WHY_TEXT = 512 };

/* Which jobs are asked about, and where the answer goes. */
struct asking {
    const tori_snapshot *snapshot;
    uint64_t *ids;
    size_t n; /* 0: everybody */
    bool json;
    struct emit e;
    FILE *out;
};

static bool wanted (const struct asking *asking, uint64_t id)
{
    for (size_t i = 0; i < asking->n; i++)
        if (asking->ids[i] == id)
            return true;
    return asking->n == 0;
}

/* ---- JSON ---- */

static void emit_box (struct emit *e, const char *key, const tori_box *box)
{
    char text[TORI_TEXT_MAX];
    if (box->shape.ndims == 0) {
        emit_null (e, key);
        return;
    }
    tori_box_format (box, text);
    emit_text (e, key, text);
}

static void emit_place (struct asking *asking, const tori_why *why)
{
    const tori_machine *machine = asking->snapshot->machine;
    struct emit *e = &asking->e;
    char text[TORI_TEXT_MAX];
    if (why->place.count == 0)
        return;
    emit_box (e, "place", &why->place.box);
    emit_count (e, "missing", why->missing);
    emit_open (e, "blockers", '[');
    for (size_t i = 0; i < why->nblockers; i++) {
        emit_open (e, NULL, '{');
        emit_count (e, "job", why->blockers[i].tag);
        emit_count (e, "nodes", why->blockers[i].nodes);
        emit_close (e, '}');
    }
    emit_close (e, ']');
    emit_open (e, "links", '[');
    for (size_t i = 0; i < why->nlinks; i++)
        emit_link (e, machine, &why->links[i]);
    emit_close (e, ']');
    emit_open (e, "down", '[');
    for (size_t i = 0; i < why->ndown; i++) {
        tori_node_format (machine, why->down[i], text);
        emit_text (e, NULL, text);
    }
    emit_close (e, ']');
}

static void emit_moves (struct emit *e, const tori_machine *machine,
                        const tori_help *help)
{
    emit_open (e, "moves", '[');
    for (size_t i = 0; i < help->nmoves; i++)
        move_emit (e, machine, &help->moves[i]);
    emit_close (e, ']');
    emit_count (e, "nodes", help->nodes);
}

/* What to change it to. */
static void emit_to_what (struct emit *e, const tori_machine *machine,
                          const tori_help *help)
{
    char text[MOVES_TEXT_MAX];
    const tori_request *request = &help->spec.request;
    tori_shape_format (&request->shape, text);
    switch (help->change) {
    case TORI_CHANGE_WIRING:
        emit_text (e, "to", tori_wiring_name (request->wiring));
        break;
    case TORI_CHANGE_SHAPE:
        emit_text (e, "to", text);
        break;
    case TORI_CHANGE_COUNT:
        if (request->shape.ndims > 0)
            emit_text (e, "to", text);
        else
            emit_count (e, "to", request->count);
        break;
    case TORI_CHANGE_ESTIMATE:
        emit_time (e, "to", help->spec.estimate);
        break;
    case TORI_CHANGE_MOVES:
        moves_format (machine, help, text);
        emit_text (e, "to", text);
        break;
    default:
        emit_count (e, "job", help->tag);
    }
}

static void emit_helps (struct emit *e, const tori_machine *machine,
                        const tori_why *why)
{
    emit_open (e, "helps", '[');
    for (size_t i = 0; i < why->nhelps; i++) {
        const tori_help *help = &why->helps[i];
        emit_open (e, NULL, '{');
        emit_text (e, "change", tori_change_name (help->change));
        emit_to_what (e, machine, help);
        if (help->place.nboxes)
            emit_box (e, "place", &help->place.box);
        if (help->change == TORI_CHANGE_MOVES)
            emit_moves (e, machine, help);
        emit_close (e, '}');
    }
    emit_close (e, ']');
}

static void emit_why (struct asking *asking, const tori_why *why)
{
    struct emit *e = &asking->e;
    char text[WHY_TEXT];
    tori_why_text (why, asking->snapshot->machine, text, sizeof text);
    emit_open (e, NULL, '{');
    emit_count (e, "id", why->tag);
    emit_text (e, "reason", tori_reason_name (why->reason));
    emit_text (e, "text", text);
    if (why->behind != TORI_NO_JOB)
        emit_count (e, "behind", why->behind_tag);
    if (why->window)
        emit_text (e, "window", why->window);
    emit_count (e, "free", why->free);
    emit_box (e, "largest", &why->largest);
    emit_place (asking, why);
    if (why->starts)
        emit_time (e, "start", why->start);
    else
        emit_null (e, "start");
    if (why->start_place.nboxes)
        emit_box (e, "start_place", &why->start_place.box);
    emit_helps (e, asking->snapshot->machine, why);
    emit_close (e, '}');
}

static int show (void *arg, const tori_why *why)
{
    struct asking *asking = arg;
    if (!wanted (asking, why->tag))
        return 0;
    if (asking->json)
        emit_why (asking, why);
    else
        why_print (&(struct why_scene){asking->snapshot->machine,
                                       asking->snapshot->now, asking->out},
                   why);
    return 0;
}

/* ---- those that can never run ---- */

static void show_rejected (struct asking *asking,
                           const struct ids_said *rejected)
{
    for (size_t i = 0; i < rejected->n; i++) {
        tori_job_spec spec = {.size = sizeof spec};
        tori_why why = {.tag = rejected->id[i],
                        .spec = &spec,
                        .reason = TORI_REASON_NEVER,
                        .behind = TORI_NO_JOB};
        show (asking, &why);
    }
}

/* ---- the command ---- */

static int read_ids (const struct values *v, struct asking *asking,
                     tori_error *err)
{
    size_t first = v->snapshot && snapshot_is_job (v->snapshot);
    asking->ids = calloc (v->ids.n + 2, sizeof *asking->ids);
    if (!asking->ids)
        return tori_error_nomem (err);
    for (size_t i = 0; i < v->ids.n + first; i++) {
        int64_t id;
        const char *text = i < first ? v->snapshot : v->ids.item[i - first];
        if (number_parse (text, "id", 0, INT64_MAX, &id, err) < 0)
            return -1;
        asking->ids[i] = (uint64_t)id;
    }
    asking->n = v->ids.n + first;
    return 0;
}

/* Somebody was asked about who does not wait. */
static bool waits (const tori_snapshot *snapshot, uint64_t id)
{
    for (size_t i = 0; i < snapshot->nqueued; i++)
        if (snapshot->queue[i].spec.tag == id)
            return true;
    return false;
}

/* Before anything is written. */
static int check_ids (const struct asking *asking, tori_error *err)
{
    for (size_t i = 0; i < asking->n; i++)
        if (!waits (asking->snapshot, asking->ids[i]))
            return tori_error_set (err, TORI_INVALID,
                                   "%s: no job %" PRIu64 " waits",
                                   asking->snapshot->name, asking->ids[i]);
    return 0;
}

static int answer (const struct values *v, struct asking *asking,
                   tori_sched *sched, tori_error *err)
{
    struct ids_said rejected = {0}, killed = {0};
    int status = decisions_fetch (sched, &rejected, &killed, err);
    if (status == 0 && v->json) {
        asked_open (&asking->e, "why", &command_why, v);
        emit_time (&asking->e, "now", asking->snapshot->now);
        emit_open (&asking->e, "jobs", '[');
    }
    if (status == 0)
        status = asking->n > 0
                     ? tori_why_some (sched, asking->ids, asking->n, show,
                                      asking, err)
                     : tori_why_each (sched, show, asking, err);
    if (status == 0)
        show_rejected (asking, &rejected);
    free (rejected.id);
    free (killed.id);
    if (status < 0)
        return -1;
    if (!v->json)
        return 0;
    emit_close (&asking->e, ']');
    emit_close (&asking->e, '}');
    return emit_end (&asking->e, err);
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct asking asking = {.json = v->json, .e = emit_to (out), .out = out};
    tori_snapshot *snapshot;
    tori_sched *sched = NULL;
    int status = -1;
    if (snapshot_open (v->socket, v->snapshot, &snapshot, err) < 0)
        return -1;
    asking.snapshot = snapshot;
    if (read_ids (v, &asking, err) == 0 && check_ids (&asking, err) == 0
        && tori_snapshot_sched (snapshot, NULL, &sched, err) == 0)
        status = answer (v, &asking, sched, err);
    free (asking.ids);
    tori_sched_destroy (sched);
    tori_snapshot_destroy (snapshot);
    return status;
}

const struct command command_why = {
    .name = "why",
    .summary = "Tell why waiting jobs wait, and what would start them now",
    .notes = "The scheduler of a snapshot (see 'tori help files') runs once; "
             "then every job of its queue is explained, in the queue's order. "
             "The reason is the first of these that holds: starts; held; "
             "not-yet (its earliest start has not come); nodes (no place"
             " beside what is down or drained); numerical (too few free "
             "nodes); topological (not in such a box); wiring (a box is free, "
             "its links are not); order (no job may overtake); window (it "
             "has no place clear of the maintenance windows); reserved (it "
             "would be in the way of a reservation). Jobs after it that start "
             "in the same run are no reason. The nearest place is the one "
             "with the fewest nodes that are not free, the first of them. "
             "Each of the changes starts the job now by itself. Moves of "
             "running jobs, all stopped together, are looked for where enough "
             "nodes are free, and for the first jobs of a long queue only, "
             "longer if ids are given.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori why SNAPSHOT\ntori why SNAPSHOT 20 --json",
    .answer = &answer_why,
    .run = run,
};
