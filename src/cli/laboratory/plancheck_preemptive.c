#include <math.h>
#include <stdlib.h>

#include <tori/plan.h>

#include "plancheck.h"

struct job {
    uint64_t dimension;
    tori_exact time;
    tori_exact done;  /* by the segments so far */
    tori_exact until; /* the end of its last segment */
};

struct segment {
    uint64_t job; /* from 0 */
    uint64_t first;
    uint64_t size;
    tori_exact start, finish;
};

/* A segment starts or ends. */
struct event {
    tori_exact time;
    size_t segment;
    bool starts;
};

#define NOBODY SIZE_MAX

struct check {
    uint64_t side;
    struct job *job;
    size_t n;
    struct segment *segment;
    size_t segments;
    struct event *event; /* two per segment */
    size_t *running;     /* the segment at each position, or NOBODY */
    tori_exact deadline, finish, least;
    bool has_deadline; /* else the plan claims the least finish */
};

/* The times in messages. */
static const char *text_of (tori_exact number, char text[TORI_EXACT_TEXT])
{
    tori_exact_format (number, text);
    return text;
}

static unsigned long long id_of (uint64_t job)
{
    return (unsigned long long)job + 1;
}

/* ---- what is claimed ---- */

static int read_job (struct check *c, const json_t *object, size_t i,
                     tori_error *err)
{
    struct job *job = &c->job[i];
    char where[WHERE_TEXT];
    uint64_t id;
    where_text (where, "job", i);
    if (field_count (object, where, "id", c->n, &id, err) < 0
        || field_count (object, where, "dimension", TORI_MAX_NODES,
                        &job->dimension, err)
               < 0
        || field_exact (object, where, "time", &job->time, err) < 0)
        return -1;
    if (id != i + 1)
        return tori_error_set (err, TORI_NOT_NOW,
                               "job %llu stands where job %zu should",
                               (unsigned long long)id, i + 1);
    if (job->time.num <= 0 || job->dimension == 0)
        return tori_error_set (err, TORI_NOT_NOW,
                               "job %zu has a time or a dimension that is not "
                               "positive",
                               i + 1);
    job->done = job->until = (tori_exact){0, 1};
    return 0;
}

static int read_segment (struct check *c, const json_t *object, size_t i,
                         tori_error *err)
{
    struct segment *s = &c->segment[i];
    char where[WHERE_TEXT];
    uint64_t id;
    where_text (where, "segment", i);
    if (field_count (object, where, "id", c->n, &id, err) < 0
        || field_count (object, where, "first", TORI_MAX_NODES, &s->first, err)
               < 0
        || field_count (object, where, "size", TORI_MAX_NODES, &s->size, err)
               < 0
        || field_exact (object, where, "start", &s->start, err) < 0
        || field_exact (object, where, "finish", &s->finish, err) < 0)
        return -1;
    if (id == 0)
        return tori_error_set (err, TORI_INVALID, "%s: ids count from 1",
                               where);
    s->job = id - 1;
    return 0;
}

static int read_items (struct check *c, struct longlist *list,
                       int (*read) (struct check *c, const json_t *object,
                                    size_t i, tori_error *err),
                       tori_error *err)
{
    size_t n = list->n;
    for (size_t i = 0; i < n; i++) {
        json_t *object = longlist_next (list, err);
        int status = object ? read (c, object, i, err) : -1;
        json_decref (object);
        if (status < 0)
            return -1;
    }
    return 0;
}

/* ---- a segment by itself ---- */

static int check_segment (const struct check *c, const struct segment *s,
                          tori_error *err)
{
    char a[TORI_EXACT_TEXT], b[TORI_EXACT_TEXT];
    if (s->size != c->job[s->job].dimension)
        return tori_error_set (err, TORI_NOT_NOW,
                               "job %llu runs on %llu positions, but its "
                               "dimension is %llu",
                               id_of (s->job), (unsigned long long)s->size,
                               (unsigned long long)c->job[s->job].dimension);
    if (s->first + s->size > c->side)
        return tori_error_set (err, TORI_NOT_NOW,
                               "job %llu runs on positions %llu to %llu, but "
                               "the machine has %llu",
                               id_of (s->job), (unsigned long long)s->first,
                               (unsigned long long)(s->first + s->size - 1),
                               (unsigned long long)c->side);
    if (s->start.num < 0 || tori_exact_compare (s->start, s->finish) >= 0)
        return tori_error_set (err, TORI_NOT_NOW,
                               "job %llu runs from %s to %s", id_of (s->job),
                               text_of (s->start, a), text_of (s->finish, b));
    if (c->has_deadline && tori_exact_compare (s->finish, c->deadline) > 0)
        return tori_error_set (err, TORI_NOT_NOW,
                               "job %llu runs until %s, but the deadline is "
                               "%s",
                               id_of (s->job), text_of (s->finish, a),
                               text_of (c->deadline, b));
    return 0;
}

/* ---- segments over one another ---- */

/* Segments that end make room for those that start. */
static int by_time (const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    int order = tori_exact_compare (x->time, y->time);
    if (order == 0)
        order = x->starts - y->starts;
    if (order == 0)
        order = (x->segment > y->segment) - (x->segment < y->segment);
    return order;
}

static int take_positions (struct check *c, size_t i, tori_error *err)
{
    const struct segment *s = &c->segment[i], *other;
    char text[TORI_EXACT_TEXT], until[TORI_EXACT_TEXT];
    for (uint64_t at = s->first; at < s->first + s->size; at++) {
        if (c->running[at] != NOBODY) {
            other = &c->segment[c->running[at]];
            return tori_error_set (err, TORI_NOT_NOW,
                                   "job %llu starts at %s on position %llu, "
                                   "which job %llu has until %s",
                                   id_of (s->job), text_of (s->start, text),
                                   (unsigned long long)at, id_of (other->job),
                                   text_of (other->finish, until));
        }
        c->running[at] = i;
    }
    return 0;
}

static void give_positions (struct check *c, const struct segment *s)
{
    for (uint64_t at = s->first; at < s->first + s->size; at++)
        c->running[at] = NOBODY;
}

static int run_job (struct check *c, const struct segment *s, tori_error *err)
{
    struct job *job = &c->job[s->job];
    char text[TORI_EXACT_TEXT];
    tori_exact length;
    if (tori_exact_compare (job->until, s->start) > 0)
        return tori_error_set (err, TORI_NOT_NOW,
                               "job %llu runs in two places at %s",
                               id_of (s->job), text_of (s->start, text));
    job->until = s->finish;
    if (tori_exact_sub (s->finish, s->start, &length, err) < 0)
        return -1;
    return tori_exact_add (job->done, length, &job->done, err);
}

/* ---- the plan ---- */

static void list_events (struct check *c)
{
    for (size_t i = 0; i < c->segments; i++) {
        const struct segment *s = &c->segment[i];
        c->event[2 * i] = (struct event){s->start, i, true};
        c->event[2 * i + 1] = (struct event){s->finish, i, false};
    }
    qsort (c->event, 2 * c->segments, sizeof *c->event, by_time);
}

/* Go through time, with the segments that run. */
static int lay_out (struct check *c, tori_error *err)
{
    for (size_t i = 0; i < c->segments; i++)
        if (check_segment (c, &c->segment[i], err) < 0)
            return -1;
    list_events (c);
    for (size_t e = 0; e < 2 * c->segments; e++) {
        size_t i = c->event[e].segment;
        if (!c->event[e].starts)
            give_positions (c, &c->segment[i]);
        else if (take_positions (c, i, err) < 0
                 || run_job (c, &c->segment[i], err) < 0)
            return -1;
    }
    return 0;
}

static int check_jobs (const struct check *c, tori_error *err)
{
    char a[TORI_EXACT_TEXT], b[TORI_EXACT_TEXT];
    tori_exact last = {0, 1};
    for (size_t i = 0; i < c->n; i++) {
        const struct job *job = &c->job[i];
        if (tori_exact_compare (job->done, job->time) != 0)
            return tori_error_set (err, TORI_NOT_NOW,
                                   "job %zu runs for %s, but its time is %s",
                                   i + 1, text_of (job->done, a),
                                   text_of (job->time, b));
        if (tori_exact_compare (job->until, last) > 0)
            last = job->until;
    }
    if (tori_exact_compare (last, c->finish) != 0)
        return tori_error_set (err, TORI_NOT_NOW,
                               "the plan ends at %s, but the last job ends at "
                               "%s",
                               text_of (c->finish, a), text_of (last, b));
    return 0;
}

static int check_count (const struct check *c, const json_t *root,
                        tori_error *err)
{
    uint64_t claimed;
    if (field_count (root, "plan", "preemptions", INT64_MAX, &claimed, err)
        < 0)
        return -1;
    if (claimed != c->segments - c->n)
        return tori_error_set (err, TORI_NOT_NOW,
                               "%llu preemptions are given, but %zu "
                               "segments of %zu jobs make %zu",
                               (unsigned long long)claimed, c->segments, c->n,
                               c->segments - c->n);
    if (claimed >= c->n)
        return tori_error_set (err, TORI_NOT_NOW,
                               "%llu preemptions are not fewer than %zu jobs",
                               (unsigned long long)claimed, c->n);
    return 0;
}

/* ---- what is claimed beside the plan ---- */

static int compare_claim (const json_t *object, const char *where,
                          const char *key, tori_exact truth, tori_error *err)
{
    char a[TORI_EXACT_TEXT], b[TORI_EXACT_TEXT];
    tori_exact claimed;
    if (field_exact (object, where, key, &claimed, err) < 0)
        return -1;
    if (tori_exact_compare (claimed, truth) != 0)
        return tori_error_set (err, TORI_NOT_NOW,
                               "%s: \"%s\" is given as %s, but is %s",
                               where, key, text_of (claimed, a),
                               text_of (truth, b));
    return 0;
}

/* The library says anew what the least finish is, and the bounds. */
static int find_least (struct check *c, const tori_machine *machine,
                       tori_preemptive_bound *ret_bound, tori_error *err)
{
    tori_preemptive_job *job = calloc (c->n, sizeof *job);
    int status = 0;
    if (!job)
        return tori_error_nomem (err);
    for (size_t i = 0; i < c->n; i++)
        job[i] = (tori_preemptive_job){(uint32_t)c->job[i].dimension,
                                       c->job[i].time};
    if (tori_preemptive_least (machine, job, c->n, &c->least, err) < 0
        || tori_preemptive_bounds (machine, job, c->n, ret_bound, err) < 0)
        status = -1;
    free (job);
    return status;
}

static int check_gap (const struct check *c, const json_t *root,
                      tori_error *err)
{
    double gap = tori_exact_value (c->finish) / tori_exact_value (c->least) - 1;
    double claimed;
    if (field_real (root, "plan", "gap", &claimed, err) < 0)
        return -1;
    if (!(fabs (gap - claimed) <= 1e-12 * (1 + gap)))
        return tori_error_set (err, TORI_NOT_NOW,
                               "the gap is given as %.10g, but is %.10g",
                               claimed, gap);
    return 0;
}

static int check_claims (struct check *c, const struct planfile *file,
                         tori_error *err)
{
    const json_t *root = file->root;
    const json_t *bounds = json_object_get (root, "lower_bound");
    char a[TORI_EXACT_TEXT], b[TORI_EXACT_TEXT];
    tori_preemptive_bound bound;
    if (find_least (c, file->machine, &bound, err) < 0
        || compare_claim (root, "plan", "least", c->least, err) < 0
        || compare_claim (bounds, "lower_bound", "longest", bound.longest,
                          err)
               < 0
        || compare_claim (bounds, "lower_bound", "area", bound.area, err) < 0)
        return -1;
    if (!c->has_deadline && tori_exact_compare (c->finish, c->least) != 0)
        return tori_error_set (err, TORI_NOT_NOW,
                               "there is no deadline, and the plan ends at "
                               "%s, but the least finish is %s",
                               text_of (c->finish, a), text_of (c->least, b));
    return check_gap (c, root, err);
}

/* ---- open and close ---- */

/* Subtori lie along the diagonal, so the shortest side is all there is. */
static int find_side (struct check *c, const tori_machine *machine,
                      tori_error *err)
{
    c->side = UINT64_MAX;
    if (tori_machine_ndims (machine) < 2)
        return tori_error_set (err, TORI_NOT_NOW,
                               "the machine is a single ring, which has no "
                               "link-disjoint subtori");
    for (int d = 0; d < tori_machine_ndims (machine); d++) {
        uint32_t side = tori_machine_size (machine, d);
        if (tori_machine_kind (machine, d) != TORI_TORUS)
            return tori_error_set (err, TORI_NOT_NOW,
                                   "dimension %d of the machine is not a "
                                   "torus, so it has no subtori",
                                   d);
        c->side = side < c->side ? side : c->side;
    }
    return 0;
}

static int make_room (struct check *c, tori_error *err)
{
    c->job = calloc (c->n, sizeof *c->job);
    c->segment = calloc (c->segments, sizeof *c->segment);
    c->event = calloc (2 * c->segments, sizeof *c->event);
    c->running = calloc (c->side, sizeof *c->running);
    if (!c->job || !c->segment || !c->event || !c->running)
        return tori_error_nomem (err);
    for (uint64_t at = 0; at < c->side; at++)
        c->running[at] = NOBODY;
    return 0;
}

/* Without a deadline the plan is one of --min. */
static int read_head (struct check *c, const json_t *root, tori_error *err)
{
    const json_t *feasible = json_object_get (root, "feasible");
    if (json_is_false (feasible))
        return tori_error_set (err, TORI_NOT_NOW,
                               "no plan was feasible, so there is nothing "
                               "to check");
    if (!json_is_true (feasible))
        return tori_error_set (err, TORI_INVALID,
                               "\"feasible\" is missing or not true or "
                               "false");
    c->has_deadline = json_object_get (root, "deadline")
                      || json_object_get (root, "deadline_exact");
    if (c->has_deadline
        && field_exact (root, "plan", "deadline", &c->deadline, err) < 0)
        return -1;
    return field_exact (root, "plan", "finish", &c->finish, err);
}

static int check_open (struct check *c, const struct planfile *file,
                       tori_error *err)
{
    struct longlist jobs, segments;
    if (read_head (c, file->root, err) < 0
        || find_side (c, file->machine, err) < 0
        || planfile_list (file, "jobs", &jobs, err) < 0
        || planfile_list (file, "segments", &segments, err) < 0)
        return -1;
    c->n = jobs.n;
    c->segments = segments.n;
    if (make_room (c, err) < 0 || read_items (c, &jobs, read_job, err) < 0)
        return -1;
    return read_items (c, &segments, read_segment, err);
}

static void check_close (struct check *c)
{
    free (c->running);
    free (c->event);
    free (c->segment);
    free (c->job);
}

int plancheck_preemptive (const struct planfile *file, tori_error *err)
{
    struct check check = {0};
    int status = check_open (&check, file, err);
    if (status == 0)
        status = lay_out (&check, err);
    if (status == 0)
        status = check_jobs (&check, err);
    if (status == 0)
        status = check_count (&check, file->root, err);
    if (status == 0)
        status = check_claims (&check, file, err);
    check_close (&check);
    return status;
}
