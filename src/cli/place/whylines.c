#include "whylines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "http_client.h"
#include "jobs.h"
#include "member.h"
#include "page.h"
#include "snapshot.h"
#include "snapshot_source.h"
#include "terminal.h"
#include "whycase.h"

/* At most this many jobs or nodes are named; the rest is counted. */
enum { NAMED = 6, ALIAS_TEXT = 96 };

static const char *plural (uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* ---- the nearest place ---- */

static void print_blockers (const struct why_scene *scene,
                            const tori_why *why)
{
    for (size_t i = 0; i < why->nblockers && i < NAMED; i++) {
        const tori_blocker *it = &why->blockers[i];
        fprintf (scene->out, "%s job %" PRIu64, i ? "," : "; in the way:",
                 it->tag);
        if (it->nodes > 0)
            fprintf (scene->out, " (%u node%s)", it->nodes,
                     plural (it->nodes));
        else
            fputs (" (links)", scene->out);
    }
    if (why->nblockers > NAMED)
        fprintf (scene->out, " and %zu more", why->nblockers - NAMED);
}

static void print_down (const struct why_scene *scene, const tori_why *why)
{
    for (size_t i = 0; i < why->ndown && i < NAMED; i++) {
        char node[TORI_TEXT_MAX];
        tori_node_format (scene->snapshot->machine, why->down[i], node);
        fprintf (scene->out, "%s %s", i ? "" : "; out of service:", node);
    }
    if (why->ndown > NAMED)
        fprintf (scene->out, " and %zu more", why->ndown - NAMED);
}

/* Whether the job waits for a place. */
static bool lacks_place (const tori_why *why)
{
    return why->place.count > 0
           && (why->reason == TORI_REASON_NUMERICAL
               || why->reason == TORI_REASON_TOPOLOGICAL
               || why->reason == TORI_REASON_WIRING
               || why->reason == TORI_REASON_NODES);
}

/* Print the place that lacks least. */
static void print_nearest (const struct why_scene *scene, const tori_why *why)
{
    char place[PLACE_TEXT_MAX];
    if (!lacks_place (why))
        return;
    place_format (scene->snapshot->machine, &why->place, place);
    fprintf (scene->out, "  nearest place: %s", place);
    if (why->missing > 0)
        fprintf (scene->out, " lacks %u node%s", why->missing,
                 plural (why->missing));
    else
        fputs (" lacks only links", scene->out);
    print_blockers (scene, why);
    print_down (scene, why);
    fputs ("\n", scene->out);
}

/* ---- when ---- */

static void print_start (const struct why_scene *scene, const tori_why *why)
{
    char start[LENGTH_TEXT_MAX], condition[CONDITION_TEXT];
    char place[PLACE_TEXT_MAX];
    if (!why->starts) {
        fputs (hold_passes (why->spec->hold)
                   ? "  will start after that; when is open\n"
                   : "  not expected to start as things are\n",
               scene->out);
        return;
    }
    if (start_is_soon (why->start, scene->snapshot->now)) {
        fputs ("  expected to start as soon as a job ends that has outlived "
               "its time limit\n",
               scene->out);
        return;
    }
    moment_format (why->start, scene->snapshot->now, start);
    place_format (scene->snapshot->machine, &why->start_place, place);
    tori_condition_text (&why->condition, condition, sizeof condition);
    fprintf (scene->out, "  expected to start at %s%s%s%s%s\n", start,
             *place ? ", on " : "", place, *condition ? ", if " : "",
             condition);
}

/* Print until when it waits for its first request, and what comes then. */
static void print_patience (const struct why_scene *scene, const tori_why *why)
{
    char until[LENGTH_TEXT_MAX], later[LATER_TEXT];
    if (why->nlater == 0)
        return;
    moment_format (why->patient_until, scene->snapshot->now, until);
    fprintf (scene->out, "  waits for that until %s, then also takes", until);
    for (size_t i = 0; i < why->nlater; i++) {
        later_format (&why->later[i], later);
        fprintf (scene->out, "%s %s", i ? " or" : "", later);
    }
    fputs ("\n", scene->out);
}

/* Print a line of words, which continues two columns further to the right; the
 * words are freed. */
static void print_words (FILE *out, const char *begin, char *words,
                         int indent)
{
    char *line = NULL;
    if (words && asprintf (&line, "%s %s", begin, words) >= 0) {
        fprintf (out, "%*s", indent, "");
        wrap_text (out, line, (size_t)indent, (size_t)indent + 2);
        free (line);
    }
    free (words);
}

void why_print_pushes (const struct why_scene *scene, const tori_why *why)
{
    if (why->npushes > 0)
        print_words (scene->out, "then",
                     pushes_text (why->pushes, why->npushes), 2);
}

void rows_print_pushes (const struct forecast_rows *list, FILE *out)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct forecast_row *row = &list->row[i];
        char begin[60];
        snprintf (begin, sizeof begin, "when job %" PRIu64 " starts,", row->id);
        if (row->npushes > 0)
            print_words (out, begin, pushes_text (row->pushes, row->npushes),
                         0);
    }
}

/* ---- what would help ---- */

static void print_moves (const struct why_scene *scene, const tori_help *help)
{
    char place[PLACE_TEXT_MAX], *moves;
    if (help->nmoves == 1) {
        place_format (scene->snapshot->machine, help->moves[0].to, place);
        fprintf (scene->out, " if job %" PRIu64 " moved to %s\n",
                 help->moves[0].tag, place);
        return;
    }
    moves = moves_text (scene->snapshot->machine, help);
    fprintf (scene->out, " if %zu jobs of %" PRIu64 " nodes moved:\n    ",
             help->nmoves, help->nodes);
    wrap_text (scene->out, moves ? moves : "", 4, 4);
    free (moves);
}

/* Print a condition: "wired as a mesh", "if job 7 ended". */
static void print_change (const struct why_scene *scene,
                          const tori_job_spec *was, const tori_help *help)
{
    const tori_request *request = &help->spec.request;
    char shape[TORI_TEXT_MAX], limit[DURATION_TEXT_MAX];
    tori_shape_format (&request->shape, shape);
    switch (help->change) {
    case TORI_CHANGE_WIRING:
        fprintf (scene->out, request->wiring == TORI_WIRE_NONE
                                 ? " without wiring"
                                 : " wired as a %s",
                 tori_wiring_name (request->wiring));
        break;
    case TORI_CHANGE_SHAPE:
        fprintf (scene->out, " as a box of %s", shape);
        break;
    case TORI_CHANGE_COUNT:
        fprintf (scene->out, " with %u node%s instead of %u", request->count,
                 plural (request->count), was->request.count);
        if (request->shape.ndims > 0)
            fprintf (scene->out, ", as a box of %s", shape);
        break;
    case TORI_CHANGE_ESTIMATE:
        limit_format (help->spec.estimate, limit);
        fprintf (scene->out, " with a time limit of %s", limit);
        break;
    case TORI_CHANGE_MOVES:
        print_moves (scene, help);
        break;
    default:
        fprintf (scene->out, " if job %" PRIu64 " ended", help->tag);
    }
}

/* Only the first of several requests is changed. */
static void print_choice (const struct why_scene *scene,
                          const tori_job_spec *was)
{
    char shape[TORI_TEXT_MAX];
    tori_shape_format (&was->request.shape, shape);
    if (was->request.shape.ndims > 0)
        fprintf (scene->out, ", for its first choice %s", shape);
    else
        fprintf (scene->out, ", for its first choice of %u node%s",
                 was->request.count, plural (was->request.count));
}

static void print_help (const struct why_scene *scene,
                        const tori_job_spec *was, const tori_help *help)
{
    char place[PLACE_TEXT_MAX];
    fputs ("  would start now", scene->out);
    place_format (scene->snapshot->machine, &help->place, place);
    if (help->place.nboxes)
        fprintf (scene->out, " at %s", place);
    print_change (scene, was, help);
    if (help_changes_request (was, help))
        print_choice (scene, was);
    if (help->change != TORI_CHANGE_MOVES) /* these end the line */
        fputs ("\n", scene->out);
}

static void print_wait (const struct why_scene *scene, const tori_why *why,
                        const tori_snapshot_job *job)
{
    enum { WHY_TEXT = 512 };
    char text[WHY_TEXT], earliest[LENGTH_TEXT_MAX];
    why_say (why, scene->snapshot->machine, job, text, sizeof text);
    if (why->reason == TORI_REASON_NOT_YET) {
        moment_format (why->spec->earliest, scene->snapshot->now, earliest);
        snprintf (text, sizeof text, "it may not start before %s", earliest);
    }
    text_clean (text);
    fprintf (scene->out, "%s\n", text);
    if (why->reason == TORI_REASON_STARTS)
        why_print_pushes (scene, why);
    if (why->reason == TORI_REASON_STARTS
        || why->reason == TORI_REASON_NEVER)
        return;
    print_nearest (scene, why);
    print_patience (scene, why);
    print_start (scene, why);
    why_print_pushes (scene, why);
    for (size_t i = 0; i < why->nhelps; i++)
        print_help (scene, why->spec, &why->helps[i]);
}

void why_print_wait (struct why_scene *scene, const tori_why *why)
{
    print_wait (scene, why,
                queued_find (scene->snapshot, why->tag, &scene->next));
}

void why_print (struct why_scene *scene, const tori_why *why)
{
    const tori_snapshot_job *job
        = queued_find (scene->snapshot, why->tag, &scene->next);
    char text[ALIAS_TEXT] = "";
    if (job && job->alias)
        snprintf (text, sizeof text, " (%.80s)", job->alias);
    text_clean (text);
    fprintf (scene->out, "job %" PRIu64 "%s: ", why->tag, text);
    print_wait (scene, why, job);
}

/* ---- a job of a service ---- */

/* A job of a service, and the lines about it. */
struct job_lines {
    struct why_scene scene; /* without output: nothing is printed */
    json_t *job;
};

static int on_why (void *arg, const tori_why *why)
{
    struct job_lines *it = arg;
    json_t *place = json_object ();
    char words[256];
    json_object_set_new (it->job, "reason",
                         json_string (tori_reason_name (why->reason)));
    waiting_format (it->job, words, sizeof words);
    json_object_set_new (it->job, "waits", json_string (words));
    json_object_set_new (it->job, "expected_start",
                         why->starts ? seconds_json (why->start)
                                     : json_null ());
    if (why->starts && why->start_place.count > 0
        && place_set (place, it->scene.snapshot->machine, &why->start_place,
                      why->spec->request.wiring)
               == 0)
        json_object_set (it->job, "expected_place", place);
    json_decref (place);
    if (it->scene.out)
        why_print (&it->scene, why);
    return 0;
}

int why_job (const char *socket, json_t *job, FILE *out, tori_error *err)
{
    uint64_t id = (uint64_t)job_number (job, "id");
    tori_snapshot *snapshot;
    tori_sched *sched = NULL;
    int status;
    if (snapshot_open (socket, NULL, NULL, &snapshot, err) < 0)
        return -1;
    struct job_lines lines = {{snapshot, out, 0}, job};
    status = tori_snapshot_sched (snapshot, NULL, &sched, err);
    if (status == 0)
        status = tori_why_by (sched, snapshot, &id, 1, on_why, &lines, err);
    tori_sched_destroy (sched);
    tori_snapshot_destroy (snapshot);
    return status;
}
