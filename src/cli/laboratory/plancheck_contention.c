/* The plan is laid out from its end. What a job's delay was follows from when
 * the jobs that it met would have ended as far as was known then, and that is
 * what is left of their finishes once all that was added later is taken off.
 * From the end on, what is rounded matters less and less; from the start it
 * would matter more with every job. So jobs are taken back one by one, the
 * last taken first, and each time the machine holds those that were running
 * when the job started: those with a later finish. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/exact.h>

#include "array.h"
#include "batch.h"
#include "plancheck.h"

struct job {
    uint64_t id;
    uint64_t rank; /* in the order, from 1 */
    double time, start, finish; /* as claimed */
    tori_exact exact;           /* time */
    double known; /* its finish, without what later jobs have added */
    uint32_t met; /* the last job that it has met */
    bool laid;    /* on the machine */
    bool back;    /* taken back */
};

/* The jobs on a ring, and some that have been taken back. */
struct ring {
    uint32_t *job;
    size_t n;
    size_t room;
};

#define NOBODY UINT32_MAX

struct check {
    const tori_machine *machine;
    int ndims;
    uint32_t nodes;
    struct job *job;
    size_t n;
    uint32_t *shape, *offset; /* a number a job and dimension */
    uint32_t *order;          /* jobs in the order in which they were taken */
    uint32_t *holder;         /* of a node */
    struct ring *ring;        /* dim * nodes + the first node of the ring */
    double makespan;
    double slack; /* what rounding may do: 1,024 last bits of the makespan;
                     we have seen 19 */
    double rough; /* the same from the start on, where it adds up */
    bool wrong; /* a job ends when it should not */
    tori_error fraction; /* the first that is not what it stands for */
};

static int fault (const struct job *job, tori_error *err, const char *fmt, ...)
    __attribute__ ((format (printf, 3, 4)));

static int fault (const struct job *job, tori_error *err, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start (ap, fmt);
    vsnprintf (text, sizeof text, fmt, ap);
    va_end (ap);
    return tori_error_set (err, TORI_NOT_NOW, "job %llu %s",
                           (unsigned long long)job->id, text);
}

/* ---- what is claimed ---- */

static uint32_t *of_job (const struct check *c, uint32_t *numbers, size_t i)
{
    return numbers + i * (size_t)c->ndims;
}

static uint32_t stride (const struct check *c, size_t i, int d)
{
    return tori_machine_size (c->machine, d) / of_job (c, c->shape, i)[d];
}

/* On two dimensions, the row and the column are the offset. */
static int check_row_and_col (const struct check *c, size_t i,
                              const json_t *object, const char *where,
                              tori_error *err)
{
    const uint32_t *offset = of_job (c, c->offset, i);
    static const char *const keys[] = {"row", "col"};
    for (int d = 0; c->ndims == 2 && d < 2; d++) {
        uint64_t at;
        if (field_count (object, where, keys[d], TORI_MAX_NODES, &at, err)
            < 0)
            return -1;
        if (at != offset[d])
            return fault (&c->job[i], err,
                          "is at %s %llu, but its offset is %u", keys[d],
                          (unsigned long long)at, offset[d]);
    }
    return 0;
}

static int check_place (const struct check *c, size_t i, tori_error *err)
{
    const uint32_t *shape = of_job (c, c->shape, i);
    const uint32_t *offset = of_job (c, c->offset, i);
    for (int d = 0; d < c->ndims; d++) {
        uint32_t side = tori_machine_size (c->machine, d);
        if (shape[d] == 0 || side % shape[d])
            return fault (&c->job[i], err,
                          "has %u nodes in dimension %d, which do not divide "
                          "the machine's %u",
                          shape[d], d, side);
        if (offset[d] >= stride (c, i, d))
            return fault (&c->job[i], err,
                          "has offset %u in dimension %d, where its stride is "
                          "%u",
                          offset[d], d, stride (c, i, d));
    }
    return 0;
}

static int read_job (struct check *c, const json_t *object, size_t i,
                     tori_error *err)
{
    struct job *job = &c->job[i];
    char where[WHERE_TEXT];
    where_text (where, "job", i);
    if (field_count (object, where, "id", c->n, &job->id, err) < 0
        || field_exact (object, where, "time", &job->exact, err) < 0
        || field_real (object, where, "start", &job->start, err) < 0
        || field_real (object, where, "finish", &job->finish, err) < 0
        || field_count (object, where, "order", c->n, &job->rank, err) < 0
        || field_coords (object, where, "shape", c->ndims,
                         of_job (c, c->shape, i), err)
               < 0
        || field_coords (object, where, "offset", c->ndims,
                         of_job (c, c->offset, i), err)
               < 0
        || check_row_and_col (c, i, object, where, err) < 0)
        return -1;
    job->time = tori_exact_value (job->exact);
    job->known = job->finish;
    job->met = NOBODY;
    if (job->id != i + 1)
        return fault (job, err, "stands where job %zu should", i + 1);
    if (job->exact.num <= 0)
        return fault (job, err, "has a time that is not positive");
    if (job->rank == 0 || c->order[job->rank - 1] != NOBODY)
        return fault (job, err, "has the order %llu, which %s",
                      (unsigned long long)job->rank,
                      job->rank ? "another has" : "counts from 1");
    c->order[job->rank - 1] = (uint32_t)i;
    return check_place (c, i, err);
}

/* A number that is also given as a fraction, if it is, is that fraction. */
static int check_exact (const json_t *object, const char *where,
                        const char *key, tori_error *err)
{
    char exact_key[40];
    tori_exact number;
    snprintf (exact_key, sizeof exact_key, "%s_exact", key);
    if (!json_object_get (object, exact_key))
        return 0;
    return field_exact (object, where, key, &number, err);
}

/* What is wrong there is said last. */
static void check_fractions (struct check *c, const json_t *object, size_t i)
{
    char where[WHERE_TEXT];
    if (c->fraction.status != TORI_OK)
        return;
    where_text (where, "job", i);
    if (check_exact (object, where, "start", &c->fraction) == 0)
        check_exact (object, where, "finish", &c->fraction);
}

static int read_jobs (struct check *c, struct longlist *jobs, tori_error *err)
{
    for (size_t i = 0; i < c->n; i++)
        c->order[i] = NOBODY;
    for (size_t i = 0; i < c->n; i++) {
        json_t *object = longlist_next (jobs, err);
        int status = object ? read_job (c, object, i, err) : -1;
        if (status == 0)
            check_fractions (c, object, i);
        json_decref (object);
        if (status < 0)
            return -1;
    }
    return 0;
}

/* ---- nodes ---- */

/* Step to the next node of a job in the dimensions other than `without`. */
static bool next_node (const struct check *c, size_t i, uint32_t coords[],
                       int without)
{
    for (int d = c->ndims - 1; d >= 0; d--) {
        if (d == without)
            continue;
        coords[d] += stride (c, i, d);
        if (coords[d] < tori_machine_size (c->machine, d))
            return true;
        coords[d] = of_job (c, c->offset, i)[d];
    }
    return false;
}

static void first_node (const struct check *c, size_t i, uint32_t coords[])
{
    memcpy (coords, of_job (c, c->offset, i),
            (size_t)c->ndims * sizeof *coords);
}

/* Two jobs that are on the machine at once: the later one is at fault. */
static int overlap_fault (const struct check *c, uint32_t node,
                          const struct job *a, const struct job *b,
                          tori_error *err)
{
    const struct job *late = a->rank < b->rank ? b : a;
    const struct job *early = late == a ? b : a;
    char text[TORI_TEXT_MAX];
    tori_node_format (c->machine, node, text);
    return fault (late, err,
                  "starts at %.10g on node %.60s, which job %llu has until "
                  "%.10g",
                  late->start, text, (unsigned long long)early->id,
                  early->finish);
}

static int take_nodes (struct check *c, uint32_t i, tori_error *err)
{
    uint32_t coords[TORI_MAX_DIMS];
    first_node (c, i, coords);
    do {
        uint32_t id = tori_machine_id (c->machine, coords);
        uint32_t holder = c->holder[id];
        if (holder != NOBODY && !c->job[holder].back)
            return overlap_fault (c, id, &c->job[i], &c->job[holder], err);
        c->holder[id] = i;
    } while (next_node (c, i, coords, -1));
    return 0;
}

/* ---- rings ---- */

/* Call for every ring of a job. */
static int each_ring (struct check *c, uint32_t i,
                      int (*call) (struct check *c, uint32_t i,
                                   struct ring *ring, int dim,
                                   tori_error *err),
                      tori_error *err)
{
    for (int d = 0; d < c->ndims; d++) {
        uint32_t coords[TORI_MAX_DIMS];
        first_node (c, i, coords);
        coords[d] = 0;
        do {
            size_t ring = (size_t)d * c->nodes
                          + tori_machine_id (c->machine, coords);
            if (call (c, i, &c->ring[ring], d, err) < 0)
                return -1;
        } while (next_node (c, i, coords, d));
    }
    return 0;
}

static int join_ring (struct check *c, uint32_t i, struct ring *ring, int dim,
                      tori_error *err)
{
    uint32_t *more =
        array_room (ring->job, &ring->room, ring->n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    ring->job = more;
    ring->job[ring->n++] = i;
    return 0;
}

/* The share of a ring's nodes that a job has. */
static double share (const struct check *c, uint32_t i, int dim)
{
    return 1.0 / stride (c, i, dim);
}

/* Take off what a job has added to another that it meets: as much of the time
 * for which they overlap as it has of the ring's nodes. They overlap for all
 * of its time or as long as the other has left. What the other adds to its own
 * time comes off as well; it should end when it has had its time. */
static void part (struct check *c, uint32_t i, uint32_t other, int dim)
{
    struct job *job = &c->job[i], *met = &c->job[other];
    double mine = share (c, i, dim);
    double left = met->known - job->start;
    if (met->met == i)
        return;
    met->met = i;
    left = left >= job->time * (1 + mine) ? left - job->time * mine
                                          : left / (1 + mine);
    met->known = job->start + left;
    job->known -= fmin (job->time, left) * share (c, other, dim);
}

static int part_ring (struct check *c, uint32_t i, struct ring *ring, int dim,
                      tori_error *err)
{
    size_t left = 0;
    for (size_t j = 0; j < ring->n; j++) {
        uint32_t other = ring->job[j];
        if (c->job[other].back)
            continue;
        ring->job[left++] = other;
        part (c, i, other, dim);
    }
    ring->n = left;
    return 0;
}

/* ---- the plan ---- */

/* Put a job on the machine, if it is not there. */
static int lay (struct check *c, uint32_t i, tori_error *err)
{
    if (c->job[i].laid)
        return 0;
    c->job[i].laid = true;
    if (take_nodes (c, i, err) < 0)
        return -1;
    return each_ring (c, i, join_ring, err);
}

static int take_back (struct check *c, uint32_t i, tori_error *err)
{
    struct job *job = &c->job[i];
    job->back = true;
    if (each_ring (c, i, part_ring, err) < 0)
        return -1;
    if (fabs (job->known - job->start - job->time) > c->slack) {
        c->wrong = true;
        return fault (job, err,
                      "starts at %.10g, and without delays, which are %.10g, "
                      "would end at %.10g; but its time is %.10g",
                      job->start, job->finish - job->known, job->known,
                      job->time);
    }
    return 0;
}

struct ending {
    double finish;
    uint32_t job;
};

static int latest_first (const void *a, const void *b)
{
    const struct ending *x = a, *y = b;
    if (x->finish != y->finish)
        return x->finish > y->finish ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

/* Take all jobs back, with those on the machine that run at its start. */
static int unwind (struct check *c, const struct ending ending[],
                   tori_error *err)
{
    size_t laid = 0;
    for (size_t k = c->n; k-- > 0;) {
        uint32_t i = c->order[k];
        double now = c->job[i].start;
        for (; laid < c->n && ending[laid].finish > now; laid++)
            if (lay (c, ending[laid].job, err) < 0)
                return -1;
        if (lay (c, i, err) < 0 || take_back (c, i, err) < 0)
            return -1;
    }
    return 0;
}

static int lay_out (struct check *c, tori_error *err)
{
    struct ending *ending = calloc (c->n, sizeof *ending);
    int status;
    if (!ending)
        return tori_error_nomem (err);
    for (size_t i = 0; i < c->n; i++)
        ending[i] = (struct ending){c->job[i].finish, (uint32_t)i};
    qsort (ending, c->n, sizeof *ending, latest_first);
    status = unwind (c, ending, err);
    free (ending);
    return status;
}

/* ---- which job is at fault ---- */

/* The other way round: what a job adds to those that run, and they to it. */
static int meet_ring (struct check *c, uint32_t i, struct ring *ring, int dim,
                      tori_error *err)
{
    struct job *job = &c->job[i];
    size_t left = 0;
    for (size_t j = 0; j < ring->n; j++) {
        uint32_t other = ring->job[j];
        struct job *met = &c->job[other];
        double overlap = fmin (job->time, met->known - job->start);
        if (overlap <= 0)
            continue;
        ring->job[left++] = other;
        if (met->met == i)
            continue;
        met->met = i;
        met->known += overlap * share (c, i, dim);
        job->known += overlap * share (c, other, dim);
    }
    ring->n = left;
    return join_ring (c, i, ring, dim, err);
}

/* A job that says a wrong finish makes those that it met look wrong, and these
 * are taken back first. Laid out from the start, the first job whose finish is
 * not what comes out is the one to name, if there is any: `why` says what was
 * found from the end. */
static int name_fault (struct check *c, const tori_error *why,
                       tori_error *err)
{
    for (size_t i = 0; i < (size_t)c->nodes * (size_t)c->ndims; i++)
        c->ring[i].n = 0;
    for (size_t k = 0; k < c->n; k++) {
        struct job *job = &c->job[c->order[k]];
        job->known = job->start + job->time;
        job->met = NOBODY;
        if (each_ring (c, c->order[k], meet_ring, err) < 0)
            return -1;
    }
    for (size_t k = 0; k < c->n; k++) {
        const struct job *job = &c->job[c->order[k]];
        if (fabs (job->finish - job->known) > c->rough)
            return fault (job, err,
                          "ends at %.10g, but its time and its delays make "
                          "that %.10g",
                          job->finish, job->known);
    }
    if (err)
        *err = *why;
    return -1;
}

/* ---- the file ---- */

/* What is wrong by itself. */
static int check_times (const struct check *c, tori_error *err)
{
    double now = 0, last = 0;
    for (size_t k = 0; k < c->n; k++) {
        const struct job *job = &c->job[c->order[k]];
        if (job->start < now)
            return fault (job, err,
                          "starts at %.10g, before the job taken before it, "
                          "at %.10g",
                          job->start, now);
        if (job->finish < job->start + job->time - c->slack)
            return fault (job, err,
                          "runs from %.10g to %.10g, but its time is %.10g",
                          job->start, job->finish, job->time);
        now = job->start;
        last = fmax (last, job->finish);
    }
    if (fabs (last - c->makespan) > c->slack)
        return tori_error_set (err, TORI_NOT_NOW,
                               "the makespan is %.10g, but the last job ends "
                               "at %.10g",
                               c->makespan, last);
    return 0;
}

/* ---- what is claimed beside the plan ---- */

struct claims {
    double longest, area, contention_free, gap;
};

static uint32_t nodes_of (const struct check *c, size_t i)
{
    uint32_t nodes = 1;
    for (int d = 0; d < c->ndims; d++)
        nodes *= of_job (c, c->shape, i)[d];
    return nodes;
}

/* The least time without contention, in which nodes are as good as positions
 * of a preemptive plan. TORI_INVALID if that does not fit. */
static int find_least (const struct check *c, double *ret_least,
                       tori_error *err)
{
    tori_preemptive_job *sized = calloc (c->n, sizeof *sized);
    struct batch batch = {0};
    tori_exact ticks;
    int status = -1;
    if (!sized)
        return tori_error_nomem (err);
    for (size_t i = 0; i < c->n; i++)
        sized[i] = (tori_preemptive_job){nodes_of (c, i), c->job[i].exact};
    if (batch_create_side (c->nodes, sized, c->n, (tori_exact){0, 1}, &batch,
                           err)
            == 0
        && batch_least (&batch, &ticks, NULL, err) == 0) {
        *ret_least = tori_exact_value (ticks) / (double)batch.unit;
        status = 0;
    }
    batch_clear (&batch);
    free (sized);
    return status;
}

/* Where the exact least does not fit 128 bits, the longer of the other two. */
static int find_claims (const struct check *c, struct claims *truth,
                        tori_error *err)
{
    tori_error why = {0};
    *truth = (struct claims){0};
    for (size_t i = 0; i < c->n; i++) {
        truth->longest = fmax (truth->longest, c->job[i].time);
        truth->area += c->job[i].time * nodes_of (c, i) / c->nodes;
    }
    if (find_least (c, &truth->contention_free, &why) < 0) {
        if (why.status == TORI_FAILED)
            return tori_error_nomem (err);
        truth->contention_free = fmax (truth->longest, truth->area);
    }
    truth->gap = c->makespan / truth->contention_free - 1;
    return 0;
}

static int read_claims (const json_t *root, struct claims *claims,
                        tori_error *err)
{
    const json_t *bounds = json_object_get (root, "lower_bound");
    const char *where = "lower_bound";
    if (field_real (bounds, where, "longest", &claims->longest, err) < 0
        || field_real (bounds, where, "area", &claims->area, err) < 0
        || field_real (bounds, where, "contention_free",
                       &claims->contention_free, err)
               < 0)
        return -1;
    return field_real (root, "plan", "gap", &claims->gap, err);
}

static int check_claims (const struct check *c, const json_t *root,
                         tori_error *err)
{
    struct claims said, truth;
    double before = c->makespan;
    if (read_claims (root, &said, err) < 0 || find_claims (c, &truth, err) < 0
        || (json_object_get (root, "makespan_before")
            && field_real (root, "plan", "makespan_before", &before, err) < 0))
        return -1;
    const struct {
        const char *what;
        double said, truth, slack;
    } rows[] = {
        {"the longest job", said.longest, truth.longest, c->slack},
        {"the area", said.area, truth.area, 1e-9 * truth.area},
        {"the least time without contention", said.contention_free,
         truth.contention_free, 1e-9 * truth.contention_free},
        {"the gap", said.gap, truth.gap, 1e-9 * (1 + truth.gap)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!(fabs (rows[i].said - rows[i].truth) <= rows[i].slack))
            return tori_error_set (err, TORI_NOT_NOW,
                                   "%s is given as %.10g, but is %.10g",
                                   rows[i].what, rows[i].said, rows[i].truth);
    if (before < c->makespan - c->slack)
        return tori_error_set (err, TORI_NOT_NOW,
                               "the makespan is %.10g, and was %.10g before "
                               "the search, which never makes it longer",
                               c->makespan, before);
    return 0;
}

static int say_fraction (const struct check *c, const json_t *root,
                         tori_error *err)
{
    if (c->fraction.status != TORI_OK) {
        if (err)
            *err = c->fraction;
        return -1;
    }
    return check_exact (root, "plan", "makespan", err);
}

static int check_open (struct check *c, const struct planfile *file,
                       struct longlist *ret_jobs, tori_error *err)
{
    c->machine = file->machine;
    c->ndims = tori_machine_ndims (file->machine);
    c->nodes = tori_machine_nodes (file->machine);
    if (planfile_list (file, "jobs", ret_jobs, err) < 0
        || field_real (file->root, "plan", "makespan", &c->makespan, err) < 0)
        return -1;
    for (int d = 0; d < c->ndims; d++)
        if (tori_machine_kind (file->machine, d) != TORI_TORUS)
            return tori_error_set (err, TORI_NOT_NOW,
                                   "dimension %d of the machine is not a "
                                   "torus, so it has no subtori",
                                   d);
    c->slack = 0x1p-42 * c->makespan;
    c->rough = 1e-9 * c->makespan;
    c->n = ret_jobs->n;
    c->job = calloc (c->n, sizeof *c->job);
    c->order = calloc (c->n, sizeof *c->order);
    c->shape = calloc (c->n * (size_t)c->ndims, sizeof *c->shape);
    c->offset = calloc (c->n * (size_t)c->ndims, sizeof *c->offset);
    c->holder = calloc (c->nodes, sizeof *c->holder);
    c->ring = calloc ((size_t)c->nodes * (size_t)c->ndims, sizeof *c->ring);
    if (!c->job || !c->order || !c->shape || !c->offset || !c->holder
        || !c->ring)
        return tori_error_nomem (err);
    memset (c->holder, 0xff, c->nodes * sizeof *c->holder);
    return 0;
}

static void check_close (struct check *c)
{
    size_t rings = (size_t)c->nodes * (size_t)c->ndims;
    for (size_t i = 0; c->ring && i < rings; i++)
        free (c->ring[i].job);
    free (c->ring);
    free (c->holder);
    free (c->offset);
    free (c->shape);
    free (c->order);
    free (c->job);
}

int plancheck_contention (const struct planfile *file, tori_error *err)
{
    struct check check = {0};
    struct longlist jobs;
    int status = check_open (&check, file, &jobs, err);
    if (status == 0)
        status = read_jobs (&check, &jobs, err);
    if (status == 0)
        status = check_times (&check, err);
    if (status == 0) {
        tori_error why = {0};
        status = lay_out (&check, &why);
        if (status < 0 && check.wrong)
            status = name_fault (&check, &why, err);
        else if (status < 0 && err)
            *err = why;
    }
    if (status == 0)
        status = check_claims (&check, file->root, err);
    if (status == 0)
        status = say_fraction (&check, file->root, err);
    check_close (&check);
    return status;
}
