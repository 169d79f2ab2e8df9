#include <stdlib.h>
#include <string.h>

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

/* A position is taken until then, by this job. */
struct position {
    tori_exact until;
    uint64_t job;
};

struct check {
    uint64_t side;
    struct job *job;
    size_t n;
    struct segment *segment;
    size_t segments;
    struct position *position;
    tori_exact deadline, finish;
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
    if (tori_exact_compare (s->finish, c->deadline) > 0)
        return tori_error_set (err, TORI_NOT_NOW,
                               "job %llu runs until %s, but the deadline is "
                               "%s",
                               id_of (s->job), text_of (s->finish, a),
                               text_of (c->deadline, b));
    return 0;
}

/* ---- segments over one another ---- */

static int by_start (const void *a, const void *b)
{
    const struct segment *x = a, *y = b;
    int order = tori_exact_compare (x->start, y->start);
    if (order == 0)
        order = (x->job > y->job) - (x->job < y->job);
    return order;
}

static int take_positions (struct check *c, const struct segment *s,
                           tori_error *err)
{
    char text[TORI_EXACT_TEXT], until[TORI_EXACT_TEXT];
    for (uint64_t p = s->first; p < s->first + s->size; p++) {
        struct position *at = &c->position[p];
        if (tori_exact_compare (at->until, s->start) > 0)
            return tori_error_set (
                err, TORI_NOT_NOW,
                "job %llu starts at %s on position %llu, which job %llu has "
                "until %s",
                id_of (s->job), text_of (s->start, text),
                (unsigned long long)p, id_of (at->job),
                text_of (at->until, until));
        *at = (struct position){s->finish, s->job};
    }
    return 0;
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

static int lay_out (struct check *c, tori_error *err)
{
    for (size_t i = 0; i < c->segments; i++)
        if (check_segment (c, &c->segment[i], err) < 0)
            return -1;
    qsort (c->segment, c->segments, sizeof *c->segment, by_start);
    for (size_t i = 0; i < c->segments; i++)
        if (take_positions (c, &c->segment[i], err) < 0
            || run_job (c, &c->segment[i], err) < 0)
            return -1;
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
                               "%llu preemptions are said, but %zu segments "
                               "of %zu jobs make %zu",
                               (unsigned long long)claimed, c->segments, c->n,
                               c->segments - c->n);
    return 0;
}

/* ---- open and close ---- */

/* Subtori lie along the diagonal, so the shortest side is all there is. */
static int find_side (struct check *c, const tori_machine *machine,
                      tori_error *err)
{
    c->side = UINT64_MAX;
    for (int d = 0; d < tori_machine_ndims (machine); d++) {
        uint32_t side = tori_machine_size (machine, d);
        if (tori_machine_kind (machine, d) != TORI_TORUS)
            return tori_error_set (err, TORI_NOT_NOW,
                                   "dimension %d of the machine is no torus, "
                                   "so it has no subtori",
                                   d);
        c->side = side < c->side ? side : c->side;
    }
    return 0;
}

static int check_open (struct check *c, const struct planfile *file,
                       tori_error *err)
{
    const json_t *jobs, *segments, *root = file->root;
    if (json_is_false (json_object_get (root, "feasible")))
        return tori_error_set (err, TORI_NOT_NOW,
                               "no plan was feasible: there is none to check");
    if (find_side (c, file->machine, err) < 0
        || planfile_list (file, "jobs", &jobs, err) < 0
        || planfile_list (file, "segments", &segments, err) < 0
        || field_exact (root, "plan", "deadline", &c->deadline, err) < 0
        || field_exact (root, "plan", "finish", &c->finish, err) < 0)
        return -1;
    c->n = json_array_size (jobs);
    c->segments = json_array_size (segments);
    c->job = calloc (c->n, sizeof *c->job);
    c->segment = calloc (c->segments, sizeof *c->segment);
    c->position = calloc (c->side, sizeof *c->position);
    if (!c->job || !c->segment || !c->position)
        return tori_error_nomem (err);
    for (uint64_t p = 0; p < c->side; p++)
        c->position[p].until = (tori_exact){0, 1};
    for (size_t i = 0; i < c->n; i++)
        if (read_job (c, json_array_get (jobs, i), i, err) < 0)
            return -1;
    for (size_t i = 0; i < c->segments; i++)
        if (read_segment (c, json_array_get (segments, i), i, err) < 0)
            return -1;
    return 0;
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
    free (check.job);
    free (check.segment);
    free (check.position);
    return status;
}
