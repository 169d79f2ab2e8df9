#include "jobread.h"

#include <stdlib.h>

#include "bits.h"
#include "nodelist.h"

/* ---- names ---- */

int choice_read (const struct member_of *of, const char *key, const char *what,
                 name_fn *name, size_t *ret_which, tori_error *err)
{
    const char *text;
    tori_error why;
    int found = member_text (of, key, &text, err);
    if (found > 0 && choice_find (what, name, text, ret_which, &why) < 0)
        return member_blame (of, key, &why, err);
    return found;
}

/* Of a box of the machine, or one that can be asked for. */
static int read_wiring (const struct member_of *of, const char *key,
                        const tori_machine *machine, tori_wiring *ret_wiring,
                        tori_error *err)
{
    const char *text;
    tori_error why;
    int found = member_text (of, key, &text, err), bad = 0;
    if (found > 0)
        bad = machine ? tori_wiring_read (machine, text, ret_wiring, &why)
                      : tori_wiring_parse (text, ret_wiring, &why);
    if (bad < 0)
        return member_blame (of, key, &why, err);
    return found < 0 ? -1 : 0;
}

int wired_place_read (const struct member_of *of, const tori_machine *machine,
                      tori_wiring usual, tori_placement *ret_place,
                      tori_error *err)
{
    if (read_wiring (of, "box_wiring", machine, &usual, err) < 0)
        return -1;
    return place_read (of, machine, usual, ret_place, err);
}

/* ---- requests ---- */

static const char *fold_name (size_t i)
{
    static const char *const names[] = {"none", "rings"};
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static int read_fold (const struct member_of *job, tori_request *request,
                      tori_error *err)
{
    size_t which = 0;
    if (choice_read (job, "fold", "fold", fold_name, &which, err) < 0)
        return -1;
    request->flags = which ? TORI_REQUEST_FOLD : 0;
    if (which && (request->fixed || request->shape.ndims == 0))
        return member_bad (job, "fold", err, "%s cannot be folded",
                           request->fixed ? "a fixed shape" : "a count");
    return 0;
}

static int read_request (const struct member_of *job,
                         const tori_machine *machine, tori_request *request,
                         tori_error *err)
{
    const char *text;
    int64_t count = 0;
    tori_error why;
    int shaped = member_text (job, "shape", &text, err);
    if (shaped < 0 || member_bool (job, "fixed", &request->fixed, err) < 0
        || member_bool (job, "wrap", &request->wrap, err) < 0
        || member_integer (job, "count", 1, &count, err) < 0)
        return -1;
    if (count > TORI_MAX_NODES)
        return member_bad (job, "count", err, "more than any machine has");
    request->count = (uint32_t)count;
    if (shaped && tori_shape_parse (text, &request->shape, &why) < 0)
        return member_blame (job, "shape", &why, err);
    if (shaped && count
        && (uint64_t)count > tori_shape_volume (&request->shape))
        return member_bad (job, "count", err, "more than the shape has");
    if (read_fold (job, request, err) < 0)
        return -1;
    if (shaped && !request->flags
        && request->shape.ndims != tori_machine_shape_dims (machine))
        return member_bad (job, "shape", err,
                           "%d dimensions on a machine of %d",
                           request->shape.ndims,
                           tori_machine_shape_dims (machine));
    return 0;
}

/* ---- alternatives ---- */

bool request_is_empty (const tori_request *request)
{
    return request->count == 0 && request->shape.ndims == 0;
}

static int read_alternative (const struct member_of *of,
                             const struct job_reading *how,
                             tori_request *request, tori_error *err)
{
    if (!json_is_object (of->object))
        return member_bad (of, NULL, err, "expected an object");
    if (read_wiring (of, "wiring", NULL, &request->wiring, err) < 0
        || read_request (of, how->machine, request, err) < 0)
        return -1;
    if (request_is_empty (request))
        return member_bad (of, "shape", err, "is missing, and so is a count");
    return how->unknown && member_unknown (of, how->unknown, how->arg) < 0
               ? tori_error_nomem (err)
               : 0;
}

static int read_each_alternative (const struct member_of *of,
                                  const json_t *list,
                                  const struct job_reading *how,
                                  tori_snapshot_job *job, tori_error *err)
{
    for (size_t i = 0; i < json_array_size (list); i++) {
        char within[40];
        struct member_names known = {.n = 0};
        struct member_of item = *of;
        snprintf (within, sizeof within, "alternatives[%zu]", i);
        item.object = json_array_get (list, i);
        item.within = within;
        item.known = &known;
        if (read_alternative (&item, how, &job->alternatives[i], err) < 0)
            return -1;
    }
    return 0;
}

static int read_alternatives (const struct member_of *of,
                              const struct job_reading *how,
                              tori_snapshot_job *job, tori_error *err)
{
    const json_t *list = NULL;
    size_t n;
    if (member_list (of, "alternatives", &list, err) < 0)
        return -1;
    n = json_array_size (list);
    if (n > TORI_MAX_ALTERNATIVES)
        return member_bad (of, "alternatives", err, "more than %d",
                           TORI_MAX_ALTERNATIVES);
    if (n == 0)
        return 0;
    job->alternatives = calloc (n, sizeof *job->alternatives);
    if (!job->alternatives)
        return tori_error_nomem (err);
    if (read_each_alternative (of, list, how, job, err) < 0)
        return -1;
    job->spec.alternatives = job->alternatives;
    job->spec.nalternatives = n;
    return 0;
}

/* ---- the nodes that will do ---- */

static int read_only (const struct member_of *of, const tori_machine *machine,
                      tori_snapshot_job *job, tori_error *err)
{
    uint32_t *ids = NULL;
    size_t n = 0;
    if (!json_object_get (of->object, "only"))
        return 0;
    if (nodelist_read (of, "only", machine, &ids, &n, err) < 0)
        return -1;
    job->only = calloc (bits_words (tori_machine_nodes (machine)),
                        sizeof *job->only);
    for (size_t i = 0; job->only && i < n; i++)
        bits_set (job->only, ids[i]);
    free (ids);
    job->spec.only = job->only;
    return job->only ? 0 : tori_error_nomem (err);
}

/* ---- what may become of it ---- */

static const char *fate_name (size_t i)
{
    return tori_preempted_name ((tori_preempted)i);
}

/* Whose place it may take, and what becomes of it when another takes its
 * own. */
static int read_level (const struct member_of *job, tori_job_spec *spec,
                       tori_error *err)
{
    int64_t level = 0;
    size_t fate = TORI_PREEMPTED_REQUEUE;
    if (member_integer (job, "level", 0, &level, err) < 0
        || choice_read (job, "preempted", "value", fate_name, &fate, err) < 0)
        return -1;
    if (level > UINT32_MAX)
        return member_bad (job, "level", err, "too large");
    spec->level = (uint32_t)level;
    spec->preempted = (tori_preempted)fate;
    return 0;
}

static int read_wishes (const struct member_of *of, tori_job_spec *spec,
                        tori_error *err)
{
    bool movable = true;
    if (member_integer (of, "priority", INT64_MIN, &spec->priority, err) < 0
        || member_time (of, "checkpoint", &spec->checkpoint, err) < 0
        || member_bool (of, "movable", &movable, err) < 0)
        return -1;
    if (!movable)
        spec->flags |= TORI_JOB_STAYS;
    return 0;
}

/* ---- all of it ---- */

int job_read (const struct member_of *of, const struct job_reading *how,
              tori_snapshot_job *job, tori_error *err)
{
    tori_request *request = &job->spec.request;
    job->spec.size = sizeof job->spec;
    job->submit = -1;
    if (!json_is_object (of->object))
        return member_bad (of, NULL, err, "expected an object");
    if (read_wiring (of, "wiring", NULL, &request->wiring, err) < 0
        || read_request (of, how->machine, request, err) < 0
        || read_alternatives (of, how, job, err) < 0
        || read_only (of, how->machine, job, err) < 0
        || read_wishes (of, &job->spec, err) < 0
        || read_level (of, &job->spec, err) < 0)
        return -1;
    return 0;
}

int job_read_wish (const struct member_of *of, tori_snapshot_job *job,
                   tori_error *err)
{
    tori_job_spec *spec = &job->spec;
    if (!request_is_empty (&spec->request))
        return 0;
    if (spec->nalternatives == 0)
        return member_bad (of, "shape", err, "is missing, and so is a count");
    spec->request = *spec->alternatives++;
    spec->nalternatives--;
    return 0;
}

void job_clear (tori_snapshot_job *job)
{
    tori_placement_clear (&job->place);
    tori_placement_clear (&job->promised_place);
    free (job->alternatives);
    free (job->only);
    free (job->alias);
    free (job->why);
    job->alternatives = NULL;
    job->only = NULL;
    job->alias = NULL;
    job->why = NULL;
}

/* ---- windows ---- */

/* The jobs that may run in a window. */
static int read_tags (const struct member_of *of, tori_snapshot_window *window,
                      tori_error *err)
{
    const json_t *list = NULL;
    if (member_list (of, "jobs", &list, err) < 0)
        return -1;
    window->tags = calloc (json_array_size (list) + 1, sizeof *window->tags);
    if (!window->tags)
        return tori_error_nomem (err);
    for (; window->ntags < json_array_size (list); window->ntags++) {
        const json_t *id = json_array_get (list, window->ntags);
        if (!json_is_integer (id) || json_integer_value (id) < 0)
            return member_bad (of, "jobs", err, "expected numbers of jobs");
        window->tags[window->ntags] = (uint64_t)json_integer_value (id);
    }
    return 0;
}

static int read_span (const struct member_of *of, tori_time now,
                      tori_snapshot_window *window, tori_error *err)
{
    window->until = TORI_TIME_MAX;
    if (member_moment (of, "from", now, &window->from, err) < 0
        || member_moment (of, "until", now, &window->until, err) < 0)
        return -1;
    return window->until <= window->from
               ? member_bad (of, "until", err, "not after its beginning")
               : 0;
}

int window_read (const struct member_of *of, const tori_machine *machine,
                 tori_time now, tori_snapshot_window *window, tori_error *err)
{
    int64_t count = 0;
    int found;
    if (!json_is_object (of->object))
        return member_bad (of, NULL, err, "expected an object");
    if (read_span (of, now, window, err) < 0
        || read_tags (of, window, err) < 0)
        return -1;
    found = place_read (of, machine, TORI_WIRE_NONE, &window->place, err);
    if (found < 0 || member_integer (of, "count", 1, &count, err) < 0)
        return -1;
    if (found == 0 && count == 0)
        return member_bad (of, "box", err, "is missing, and so are its nodes");
    window->count = found ? 0 : (uint64_t)count;
    return 0;
}

void snapshot_window_clear (tori_snapshot_window *window)
{
    tori_placement_clear (&window->place);
    free (window->id);
    free (window->tags);
}
