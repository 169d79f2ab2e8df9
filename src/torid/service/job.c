#include "job.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "jobread.h"
#include "number.h"
#include "snapshot.h"

/* ---- what it waits for ---- */

struct after_list *after_make (size_t n)
{
    struct after_list *list =
        calloc (1, sizeof *list + n * sizeof list->all[0]);
    if (list)
        list->refs = 1;
    return list;
}

void after_drop (struct after_list *list)
{
    if (list && --list->refs == 0)
        free (list);
}

static int compare_afters (const void *a, const void *b)
{
    const struct after *x = a, *y = b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id)
                          : (x->kind > y->kind) - (x->kind < y->kind);
}

void after_sort (struct after_list *list)
{
    qsort (list->all, list->n, sizeof list->all[0], compare_afters);
}

size_t after_find (const struct after_list *list, uint64_t id)
{
    size_t low = 0, high = list->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->all[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- one ---- */

void job_destroy (struct service_job *job)
{
    if (!job)
        return;
    tori_placement_clear (&job->place);
    tori_placement_clear (&job->left);
    tori_placement_clear (&job->planned_place);
    job_ask_drop (job->ask);
    stored_drop (job->stored);
    free (job->user);
    free (job->key);
    json_decref (job->live);
    free (job->why);
    free (job->requeue_reason);
    free (job->move_reason);
    free (job->stop_reason);
    free (job->runs);
    after_drop (job->after);
    for (size_t i = 0; i < job->nwaiters; i++)
        after_drop (job->waiters[i]);
    free (job->waiters);
    free (job);
}

static int set_text (char **text, const char *value, tori_error *err)
{
    char *copy = value ? strdup (value) : NULL;
    if (value && !copy)
        return tori_error_nomem (err);
    free (*text);
    *text = copy;
    return 0;
}

int job_say_why (struct service_job *job, const char *why, tori_error *err)
{
    return set_text (&job->why, why, err);
}

int job_say_requeued (struct service_job *job, const char *why,
                      tori_error *err)
{
    return set_text (&job->requeue_reason, why, err);
}

int job_say_moved (struct service_job *job, const char *why, tori_error *err)
{
    return set_text (&job->move_reason, why, err);
}

int job_say_stopped (struct service_job *job, const char *why, tori_error *err)
{
    return set_text (&job->stop_reason, why, err);
}

/* Keep a job while its attempt may still run, or its dependents are not all
 * released. */
bool job_is_past (const struct service_job *job, tori_time before)
{
    return job->state == JOB_ENDED && job->end < before
           && !attempt_is (job->life, ATTEMPT_IS_LEAVING) && !job->releasing;
}

/* ---- all ---- */

int job_table_add (struct job_table *jobs, struct service_job *job,
                   tori_error *err)
{
    struct service_job **more =
        array_room (jobs->all, &jobs->room, jobs->n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    jobs->all = more;
    jobs->all[jobs->n++] = job;
    return 0;
}

size_t job_table_from (const struct job_table *jobs, uint64_t id)
{
    size_t low = 0, high = jobs->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (jobs->all[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct service_job *job_table_find (const struct job_table *jobs, uint64_t id)
{
    size_t at = job_table_from (jobs, id);
    return at < jobs->n && jobs->all[at]->id == id ? jobs->all[at] : NULL;
}

void job_table_prune (struct job_table *jobs, tori_time before)
{
    size_t kept = 0;
    for (size_t i = 0; i < jobs->n; i++) {
        struct service_job *job = jobs->all[i];
        if (job_is_past (job, before))
            job_destroy (job);
        else
            jobs->all[kept++] = job;
    }
    jobs->n = kept;
}

void job_table_clear (struct job_table *jobs)
{
    for (size_t i = 0; i < jobs->n; i++)
        job_destroy (jobs->all[i]);
    free (jobs->all);
    *jobs = (struct job_table){0};
}

tori_hold job_hold (const struct service_job *job)
{
    if (job->held)
        return TORI_HOLD_USER;
    if (job->nafter > 0)
        return TORI_HOLD_DEPENDENCY;
    if (job->waits_for_array)
        return TORI_HOLD_ARRAY;
    return job->limit ? TORI_HOLD_SHARE : TORI_HOLD_NONE;
}

/* ---- as JSON ---- */

static const char *const states[] = {"queued", "running", "ended"};

tori_time seconds_read (const json_t *message, const char *key,
                        tori_time otherwise)
{
    const json_t *value = json_object_get (message, key);
    double seconds = json_number_value (value);
    return json_is_number (value) && seconds >= 0 && seconds < 1e12
               ? number_clamp (round (seconds * (double)TORI_SECOND), 0,
                               TORI_TIME_MAX)
               : otherwise;
}

static json_t *nodes_json (const tori_machine *machine,
                           const tori_placement *place)
{
    char text[TORI_TEXT_MAX];
    json_t *list = json_array ();
    for (uint32_t i = 0; i < place->count; i++) {
        tori_node_format (machine, place->nodes[i], text);
        json_array_append_new (list, json_string (text));
    }
    return list;
}

bool spec_folds (const tori_job_spec *spec)
{
    bool folds = spec->request.flags & TORI_REQUEST_FOLD;
    for (size_t i = 0; i < spec->nalternatives; i++)
        folds |= spec->alternatives[i].flags & TORI_REQUEST_FOLD;
    return folds;
}

/* For a job that may be folded, add the wiring of its box: without it users
 * cannot tell which node is which. */
static json_t *own_place (const struct service_job *job,
                          const tori_machine *machine)
{
    const tori_placement *place = &job->place;
    json_t *to = place_json (machine, place);
    char text[TORI_TEXT_MAX];
    if (place->nboxes == 1 && place->wiring != TORI_WIRE_NONE
        && spec_folds (&job->ask->spec)) {
        tori_wiring_format (machine, place->wiring, text);
        json_object_set_new (to, "box_wiring", json_string (text));
    }
    return to;
}

json_t *place_json (const tori_machine *machine, const tori_placement *place)
{
    char text[TORI_TEXT_MAX];
    if (!place->nboxes)
        return json_pack ("{s:o}", "nodes", nodes_json (machine, place));
    if (place->nboxes > 1 || tori_machine_is_pod (machine))
        return place_save (machine, place);
    tori_box_format (&place->box, text);
    return json_pack ("{s:s}", "box", text);
}

json_t *place_save (const tori_machine *machine, const tori_placement *place)
{
    json_t *to = json_object ();
    if (to && place_set (to, machine, place, TORI_WIRE_NONE) == 0)
        return to;
    json_decref (to);
    return NULL;
}

int place_load (const json_t *saved, const tori_machine *machine,
                tori_placement *ret_place, tori_error *err)
{
    const struct member_of of = {.object = saved, .list = "place"};
    tori_placement place = {0};
    int found =
        json_is_object (saved)
            ? wired_place_read (&of, machine, TORI_WIRE_NONE, &place, err)
            : 0;
    if (found == 0)
        return tori_error_set (err, TORI_INVALID, "a place is missing");
    if (found < 0)
        return -1;
    tori_placement_clear (ret_place);
    *ret_place = place;
    return 0;
}

static void set_end (json_t *to, const struct service_job *job)
{
    json_object_set_new (to, "end", seconds_json (job->end));
    json_object_set_new (to, "status",
                         job->status < 0 ? json_null ()
                                         : json_integer (job->status));
    json_object_set_new (to, "signal",
                         job->signal < 0 ? json_null ()
                                         : json_integer (job->signal));
    if (job->why)
        json_object_set_new (to, "why", json_string (job->why));
}

/* NULL without memory. */
static json_t *expand_name (const char *text, const struct service_job *job)
{
    const uint64_t first = job->array ? job->array : job->id;
    char *to = NULL;
    size_t n = 0;
    FILE *out = open_memstream (&to, &n);
    json_t *value = NULL;
    for (; out && *text; text++) {
        char next = *text == '%' ? text[1] : 0;
        text += next && strchr ("jAa%", next);
        if (next == 'j' || next == 'A')
            fprintf (out, "%ju", (uintmax_t)(next == 'j' ? job->id : first));
        else if (next == 'a')
            fprintf (out, "%u", job->index);
        else
            fputc (*text, out);
    }
    if (out && fclose (out) == 0)
        value = json_stringn (to, n);
    free (to);
    return value;
}

void job_set_members (json_t *to, const struct service_job *job, unsigned flag)
{
    const struct job_member *member;
    json_t *value;
    for (size_t i = 0; (member = job_ask_next (job->ask, flag, &i, &value));) {
        const char *text =
            member->flags & JOB_FILE ? json_string_value (value) : NULL;
        json_object_set_new (to, member->name,
                             text && strchr (text, '%')
                                 ? expand_name (text, job)
                                 : json_incref (value));
    }
}

/* It has its nodes, and the executor has not said that it runs there. A job
 * that runs in another system has no executor here. */
static bool job_is_starting (const struct service_job *job)
{
    return job->state == JOB_RUNNING && !job->live
           && (!attempt_is (job->life, ATTEMPT_HAS_BEGUN)
               || attempt_is (job->life, ATTEMPT_IS_LEAVING));
}

json_t *job_json (const struct service_job *job, const tori_machine *machine,
                  const char *reason)
{
    json_t *to = json_pack ("{s:I, s:s, s:s}", "id", (json_int_t)job->id,
                            "user", job->user, "state", states[job->state]);
    job_set_members (to, job, JOB_IS_SHOWN);
    job_name_twice (to);
    json_object_set_new (to, "submit", seconds_json (job->submit));
    if (job->array)
        json_object_set_new (to, "index", json_integer (job->index));
    if (job_is_starting (job))
        json_object_set_new (to, "starting", json_true ());
    if (job->attempt > 0)
        json_object_set_new (to, "attempt", json_integer (job->attempt));
    if (job->requeues > 0)
        json_object_set_new (to, "requeues", json_integer (job->requeues));
    if (job->requeue_reason)
        json_object_set_new (to, "requeue_reason",
                             json_string (job->requeue_reason));
    if (job->move_reason)
        json_object_set_new (to, "move_reason",
                             json_string (job->move_reason));
    if (job->stop_reason)
        json_object_set_new (to, "stop_reason",
                             json_string (job->stop_reason));
    if (job->nruns > 0)
        json_object_set_new (to, "runs", job_runs_json (job));
    if (job->state == JOB_QUEUED) {
        if (reason)
            json_object_set_new (to, "reason", json_string (reason));
        if (job_hold (job))
            json_object_set_new (
                to, "hold", json_string (tori_hold_name (job_hold (job))));
        if (job->held && job->why)
            json_object_set_new (to, "why", json_string (job->why));
        if (job->suspended)
            json_object_set_new (to, "suspended", json_true ());
    }
    if (job->state == JOB_QUEUED && !job->suspended)
        return to;
    if (machine && job->start >= 0 && job->place.count > 0) {
        json_object_set_new (to, "start", seconds_json (job->start));
        json_object_set_new (to, "place", own_place (job, machine));
    }
    if (job->state == JOB_ENDED)
        set_end (to, job);
    return to;
}

/* ---- kept ---- */

static json_t *afters_json (const struct after_list *from)
{
    json_t *list = json_array ();
    for (size_t i = 0; i < from->n; i++)
        json_array_append_new (list,
                               json_pack ("[s, I]", tori_after_name (from->all[i].kind),
                                          (json_int_t)from->all[i].id));
    return list;
}

static void save_after (json_t *to, const struct service_job *job,
                        const struct after_list **last)
{
    if (!job->after)
        return;
    if (job->after != *last)
        json_object_set_new (to, "after", afters_json (job->after));
    if (job->after == *last || job->nafter != job->after->n)
        json_object_set_new (to, "nafter",
                             json_integer ((json_int_t)job->nafter));
    *last = job->after;
}

/* The numbers of a job. Usual values are not written: most jobs of a long
 * queue have little else, and every start of the service reads all of them. */
static const struct field {
    const char *name;
    size_t offset;
    enum { FLAG, INT, UINT32, INT64, FACT } type; /* FACT: of the attempt */
    int64_t usual;
    enum attempt_fact fact;
} fields[] = {
#define FIELD(name, type, usual)                                  \
    {                                                             \
#name, offsetof(struct service_job, name), type, usual, 0 \
    }
#define NAMED(name, member, type, usual)                            \
    {                                                               \
        name, offsetof (struct service_job, member), type, usual, 0 \
    }
#define LIFE(name, fact)                                         \
    {                                                            \
        name, offsetof (struct service_job, life), FACT, 0, fact \
    }
    FIELD (id, INT64, 0),
    FIELD (state, INT, JOB_QUEUED),
    FIELD (attempt, UINT32, 0),
    FIELD (requeues, UINT32, 0),
    LIFE ("out", ATTEMPT_IS_OUT),
    LIFE ("started", ATTEMPT_HAS_BEGUN),
    NAMED ("stopping", cancelled, FLAG, 0),
    NAMED ("fresh", unlisted, FLAG, 0),
    LIFE ("lingers", ATTEMPT_IS_LEAVING),
    LIFE ("frozen", ATTEMPT_IS_SUSPENDED),
    LIFE ("slept", ATTEMPT_WAS_SUSPENDED),
    FIELD (suspended, FLAG, 0),
    FIELD (since, INT64, 0),
    FIELD (done, INT64, 0),
    FIELD (lost, INT64, 0),
    FIELD (saved, INT64, 0),
    NAMED ("promised", planned, FLAG, 0),
    NAMED ("promised_at", planned_at, INT64, 0),
    FIELD (submit, INT64, -1),
    FIELD (start, INT64, -1),
    FIELD (end, INT64, -1),
    FIELD (status, INT, -1),
    FIELD (signal, INT, -1),
    FIELD (held, FLAG, 0),
    FIELD (array, INT64, 0),
    FIELD (index, UINT32, 0),
    NAMED ("abreast", array_limit, UINT32, 0),
    NAMED ("in_line", waits_for_array, FLAG, 0),
    FIELD (tries, UINT32, 0),
    FIELD (releasing, FLAG, 0),
    FIELD (epoch, UINT32, 0),
    FIELD (unknown, FLAG, 0),
#undef FIELD
#undef NAMED
#undef LIFE
};
enum { NFIELDS = sizeof fields / sizeof fields[0] };

/* Fields from this one on are newer than some states and journals that are
 * still read. The hashes in these do not include them. */
enum { FIRST_LATE = NFIELDS - 4 };

static int64_t get_field (const struct service_job *job,
                          const struct field *field)
{
    const void *at = (const char *)job + field->offset;
    switch (field->type) {
    case FLAG: return *(const bool *)at;
    case INT: return *(const int *)at;
    case UINT32: return *(const uint32_t *)at;
    case FACT: return attempt_is (job->life, field->fact);
    default: return *(const int64_t *)at;
    }
}

static void set_field (struct service_job *job, const struct field *field,
                       int64_t value)
{
    void *at = (char *)job + field->offset;
    switch (field->type) {
    case FLAG: *(bool *)at = value != 0; break;
    case INT: *(int *)at = (int)value; break;
    case UINT32: *(uint32_t *)at = (uint32_t)value; break;
    case FACT: break; /* load_life */
    default: *(int64_t *)at = value;
    }
}

static void save_place (json_t *to, const char *key,
                        const tori_machine *machine,
                        const tori_placement *place)
{
    if (place->count > 0)
        json_object_set_new (to, key, place_save (machine, place));
}

json_t *job_save (const struct service_job *job, const tori_machine *machine,
                  const struct after_list **last)
{
    json_t *to = json_pack (
        "{s:s, s:O, s:s*, s:s*, s:s*, s:s*, s:s*, s:O*, s:o*}", "user",
        job->user, "ask", job->ask->members, "why", job->why,
        "requeue_reason", job->requeue_reason, "move_reason",
        job->move_reason, "stop_reason", job->stop_reason, "key", job->key,
        "live", job->live, "runs", job_runs_save (job));
    for (size_t i = 0; i < NFIELDS; i++)
        if (get_field (job, &fields[i]) != fields[i].usual)
            json_object_set_new (to, fields[i].name,
                                 json_integer (get_field (job, &fields[i])));
    save_after (to, job, last);
    save_place (to, "place", machine, &job->place);
    save_place (to, "left", machine, &job->left);
    save_place (to, "promised_place", machine, &job->planned_place);
    return to;
}

static int load_place (const json_t *saved, const char *key,
                       const tori_machine *machine, tori_placement *place,
                       tori_error *err)
{
    const json_t *value = json_object_get (saved, key);
    return value ? place_load (value, machine, place, err) : 0;
}

static struct after_list *read_list (const json_t *from)
{
    size_t n = json_array_size (from);
    struct after_list *list = after_make (n);
    for (; list && list->n < n; list->n++) {
        const json_t *pair = json_array_get (from, list->n);
        struct after *after = &list->all[list->n];
        const char *kind = json_string_value (json_array_get (pair, 0));
        after->id = (uint64_t)json_integer_value (json_array_get (pair, 1));
        for (int k = TORI_AFTER_OK; kind && k <= TORI_AFTER_ANY; k++)
            if (!strcmp (kind, tori_after_name ((tori_after_kind)k)))
                after->kind = (tori_after_kind)k;
    }
    if (list)
        after_sort (list);
    return list;
}

/* A list that it does not have is that of the one before which has one. */
static int load_after (struct service_job *job, const json_t *saved,
                       struct after_list **last, tori_error *err)
{
    const json_t *from = json_object_get (saved, "after");
    const json_t *left = json_object_get (saved, "nafter");
    json_int_t n = json_integer_value (left);
    if (json_array_size (from) == 0 && !left)
        return 0;
    job->after = from ? read_list (from) : *last;
    if (!job->after && from)
        return tori_error_nomem (err);
    if (!job->after || (left && (n < 1 || (size_t)n > job->after->n))) {
        job->after = from ? job->after : NULL;
        return tori_error_set (err, TORI_INVALID, "not what a job waits for");
    }
    job->after->refs += !from;
    job->nafter = left ? (size_t)n : job->after->n;
    *last = job->after;
    return 0;
}

/* The facts of an attempt are read together: not all of them go together. */
static bool load_life (struct service_job *job, const json_t *saved)
{
    unsigned facts = 0;
    for (size_t i = 0; i < NFIELDS; i++)
        if (fields[i].type == FACT
            && json_integer_value (json_object_get (saved, fields[i].name)))
            facts |= fields[i].fact;
    return attempt_read (facts, &job->life);
}

/* Read the submission; that of an ended job may be incomplete (stored.c). */
static int load_ask (struct service_job *job, json_t *saved,
                     const tori_machine *machine, tori_error *err)
{
    const struct member_of of = {.object = saved, .list = "jobs"};
    bool over = job->state == JOB_ENDED;
    const struct job_reading how
        = {.machine = machine, .plain = true, .lenient = over};
    if (!saved)
        return 0;
    if (job_ask_read (&of, &how, &job->ask, err) < 0
        || (job_ask_whole (&of, job->ask, err) < 0 && !over))
        return -1;
    job_ask_forget_nodes (job->ask);
    return 0;
}

static int load_reasons (struct service_job *job, const json_t *saved,
                         tori_error *err)
{
    static const struct {
        const char *name;
        int (*say) (struct service_job *, const char *, tori_error *);
    } all[] = {{"why", job_say_why},
               {"requeue_reason", job_say_requeued},
               {"move_reason", job_say_moved},
               {"stop_reason", job_say_stopped}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].say (job,
                        json_string_value (
                            json_object_get (saved, all[i].name)),
                        err)
            < 0)
            return -1;
    return 0;
}

static int load_rest (struct service_job *job, const json_t *saved,
                      const tori_machine *machine, struct after_list **last,
                      tori_error *err)
{
    const char *user = json_string_value (json_object_get (saved, "user"));
    const char *key = json_string_value (json_object_get (saved, "key"));
    for (size_t i = 0; i < NFIELDS; i++) {
        const json_t *value = json_object_get (saved, fields[i].name);
        set_field (job, &fields[i],
                   value ? json_integer_value (value) : fields[i].usual);
    }
    if (!user || job->state > JOB_ENDED || !load_life (job, saved))
        return tori_error_set (err, TORI_INVALID, "not a job of a service");
    if (load_ask (job, json_object_get (saved, "ask"), machine, err) < 0)
        return -1;
    job->live = json_incref (json_object_get (saved, "live"));
    job->user = strdup (user);
    job->key = key ? strdup (key) : NULL;
    if (!job->user || (key && !job->key))
        return tori_error_nomem (err);
    if (load_reasons (job, saved, err) < 0
        || job_runs_load (job, json_object_get (saved, "runs"), err) < 0)
        return -1;
    return load_after (job, saved, last, err);
}

struct service_job *job_load (const json_t *saved, const tori_machine *machine,
                              struct after_list **last, tori_error *err)
{
    struct service_job *job = calloc (1, sizeof *job);
    if (!job) {
        tori_error_nomem (err);
        return NULL;
    }
    if (load_rest (job, saved, machine, last, err) < 0
        || load_place (saved, "place", machine, &job->place, err) < 0
        || load_place (saved, "left", machine, &job->left, err) < 0
        || load_place (saved, "promised_place", machine, &job->planned_place,
                       err)
               < 0) {
        job_destroy (job);
        return NULL;
    }
    return job;
}

/* ---- to compare ---- */

uint64_t hash_mix (uint64_t hash, uint64_t value)
{
    hash ^= value + UINT64_C (0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
    hash *= UINT64_C (0xff51afd7ed558ccd);
    return hash ^ (hash >> 33);
}

uint64_t place_hash (uint64_t hash, const tori_placement *place)
{
    for (size_t i = 0; i < place->nboxes; i++) {
        const tori_box *box = tori_placement_box (place, i);
        for (int d = 0; d < box->shape.ndims; d++)
            hash =
                hash_mix (hash_mix (hash, box->origin[d]), box->shape.size[d]);
    }
    for (uint32_t i = 0; !place->nboxes && i < place->count; i++)
        hash = hash_mix (hash, place->nodes[i]);
    return hash;
}

uint64_t job_hash (const struct service_job *job)
{
    uint64_t hash = job->nafter;
    for (size_t i = 0; i < NFIELDS; i++) {
        int64_t value = get_field (job, &fields[i]);
        if (i < FIRST_LATE || value != fields[i].usual)
            hash = hash_mix (hash, (uint64_t)value);
    }
    hash = place_hash (hash, &job->place);
    hash = place_hash (hash, &job->planned_place);
    return place_hash (hash, &job->left);
}
