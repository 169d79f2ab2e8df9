#include "whycase.h"

#include <inttypes.h>
#include <stdlib.h>

#include "links.h"
#include "livefields.h"

enum { WHY_TEXT = 512, NAMED_MOVES = 3 };

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
    struct ids_said killed = {0};
    int status = -1;
    if (check_ids (&it, err) == 0
        && tori_snapshot_sched (snapshot, NULL, &it.sched, err) == 0)
        status = decisions_fetch (it.sched, &it.rejected, &killed, err);
    ids_clear (&killed);
    if (status < 0)
        why_close (&it);
    else
        *ret_case = it;
    return status;
}

void why_close (struct why_case *it)
{
    ids_clear (&it->rejected);
    tori_sched_destroy (it->sched);
    *it = (struct why_case){0};
}

/* Jobs that can never run come last. */
static int visit_rejected (const struct why_case *it, why_visit_fn *visit,
                           void *arg)
{
    int status = 0;
    for (size_t i = 0; i < it->rejected.n && status == 0; i++) {
        tori_job_spec spec = {.size = sizeof spec};
        tori_why why = {.tag = it->rejected.id[i],
                        .spec = &spec,
                        .reason = TORI_REASON_NEVER,
                        .aside = it->rejected.why[i],
                        .behind = TORI_NO_JOB};
        if (is_wanted (it, why.tag))
            status = visit (arg, &why);
    }
    return status;
}

int why_each (const struct why_case *it, why_visit_fn *visit, void *arg,
              tori_error *err)
{
    int status = it->n > 0 ? tori_why_some (it->sched, it->ids, it->n, visit,
                                            arg, err)
                           : tori_why_each (it->sched, visit, arg, err);
    return status == 0 ? visit_rejected (it, visit, arg) : status;
}

/* ---- in words ---- */

/* The text before the i-th of n items: "", ", " or " and ". */
static const char *joint_text (size_t i, size_t n)
{
    return i == 0 ? "" : i + 1 == n ? " and " : ", ";
}

static const char *plural_suffix (uint64_t n)
{
    return n == 1 ? "" : "s";
}

void moves_format (const tori_machine *machine, const tori_help *help,
                   char text[MOVES_TEXT_MAX])
{
    size_t n = 0, named = help->nmoves;
    if (named > NAMED_MOVES)
        named = NAMED_MOVES;
    for (size_t i = 0; i < named; i++) {
        char place[PLACE_TEXT_MAX];
        place_format (machine, help->moves[i].to, place);
        n += (size_t)snprintf (
            text + n, MOVES_TEXT_MAX - n, "%sjob %" PRIu64 " to %.200s",
            joint_text (i, help->nmoves), help->moves[i].tag, place);
    }
    if (help->nmoves > named)
        snprintf (text + n, MOVES_TEXT_MAX - n, " and %zu more job%s",
                  help->nmoves - named, plural_suffix (help->nmoves - named));
}

/* ---- as JSON ---- */

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

static void emit_place (struct why_case *it, const tori_why *why)
{
    const tori_machine *machine = it->snapshot->machine;
    struct emit *e = it->e;
    char text[TORI_TEXT_MAX];
    if (why->place.count == 0)
        return;
    place_emit (e, "place", NULL, machine, &why->place);
    emit_count (e, "missing", why->missing);
    sheet_emit_rows (e, "blockers", &blocker_sheet, why->blockers,
                     why->nblockers, sizeof *why->blockers);
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

/* The value to change it to. */
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
            place_emit (e, "place", NULL, machine, &help->place);
        if (help->change == TORI_CHANGE_MOVES)
            emit_moves (e, machine, help);
        emit_close (e, '}');
    }
    emit_close (e, ']');
}

static void emit_why (struct why_case *it, const tori_why *why)
{
    struct emit *e = it->e;
    const tori_snapshot_job *job
        = queued_find (it->snapshot, why->tag, &it->next);
    char text[WHY_TEXT];
    why_say (why, it->snapshot->machine, job, text, sizeof text);
    emit_open (e, NULL, '{');
    emit_count (e, "id", why->tag);
    if (job && job->alias)
        emit_text (e, "alias", job->alias);
    emit_text (e, "reason", tori_reason_name (why->reason));
    emit_text (e, "text", text);
    if (why->behind != TORI_NO_JOB)
        emit_count (e, "behind", why->behind_tag);
    if (why->window) {
        emit_text (e, "reservation", why->window);
        emit_text (e, "window", why->window);
    }
    emit_count (e, "free", why->free);
    emit_box (e, "largest", &why->largest);
    emit_place (it, why);
    if (why->starts)
        emit_time (e, "start", why->start);
    else
        emit_null (e, "start");
    if (why->start_place.nboxes)
        place_emit (e, "start_place", NULL, it->snapshot->machine,
                    &why->start_place);
    emit_helps (e, it->snapshot->machine, why);
    emit_close (e, '}');
}

static int on_why (void *arg, const tori_why *why)
{
    emit_why (arg, why);
    return 0;
}

int why_emit (struct why_case *it, struct emit *e, tori_error *err)
{
    int status;
    it->e = e;
    emit_time (e, "now", it->snapshot->now);
    emit_open (e, "jobs", '[');
    status = why_each (it, on_why, it, err);
    emit_close (e, ']');
    return status;
}
