/* tablelog.c - jobs from a table (columns.h). */
#include "build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "columns.h"
#include "cutter.h"
#include "number.h"
#include "roll.h"
#include "stamps.h"

struct tablelog {
    struct builder *b;
    struct columns columns;
    struct roll roll[ROLE_OWNERS];
    size_t sizes; /* the column of sizes, if options.size_from */
    bool dated; /* there was a time of submission that is a date */
    int64_t rows;
};

/* The outcome of a row. */
enum { ROW_JOB = 1, ROW_UNUSABLE, ROW_STEP };

/* ---- the cells of a row ---- */

/* Slurm: 17, 17_3 of an array, 17_[4-9] of the rest of one, 17+1 of a
 * heterogeneous job; 17.batch and 17_3.0 are steps. */
static int read_id (struct tablelog *t, int64_t *ret_id, tori_error *err)
{
    const char *text = columns_text (&t->columns, ROLE_ID), *end = text;
    uint64_t id;
    t->rows++;
    *ret_id = t->rows;
    if (!text)
        return ROW_JOB;
    if (!number_scan (&end, INT64_MAX, &id)
        || (*end && !(t->columns.slurm && strchr ("._+", *end))))
        return columns_fail (&t->columns, ROLE_ID,
                             t->columns.slurm
                                 ? "a number, such as 17, 17_3 or 17.batch"
                                 : "a whole number",
                             err);
    *ret_id = (int64_t)id;
    return strchr (end, '.') ? ROW_STEP : ROW_JOB;
}

/* A time, -1 if it is not known. */
static int read_stamp (struct tablelog *t, enum role role, bool *ret_dated,
                       tori_time *ret_time, tori_error *err)
{
    const char *text = columns_text (&t->columns, role);
    *ret_time = -1;
    *ret_dated = false;
    if (text && !stamp_parse (text, ret_time, ret_dated))
        return columns_fail (&t->columns, role, STAMP_EXPECTED, err);
    return 0;
}

static int read_span (struct tablelog *t, enum role role, tori_time *ret_time,
                      tori_error *err)
{
    const char *text = columns_text (&t->columns, role);
    *ret_time = -1;
    tori_error why;
    if (text && span_parse (text, ret_time, &why) < 0)
        return columns_blame (&t->columns, role, &why, err);
    return 0;
}

/* From the start to the end, if no column has it; -1 if that is not known. */
static int read_runtime (struct tablelog *t, tori_time *ret_time,
                         tori_error *err)
{
    tori_time start, end;
    bool dated;
    if (read_span (t, ROLE_RUNTIME, ret_time, err) < 0)
        return -1;
    if (*ret_time >= 0 || columns_has (&t->columns, ROLE_RUNTIME))
        return 0;
    if (read_stamp (t, ROLE_START, &dated, &start, err) < 0
        || read_stamp (t, ROLE_END, &dated, &end, err) < 0)
        return -1;
    if (start < 0 || end < 0)
        return 0;
    if (end < start)
        return columns_fail (&t->columns, ROLE_END,
                             "a time not before the start", err);
    *ret_time = end - start;
    return 0;
}

/* 0 if it is not known, as in other logs. */
static int read_estimate (struct tablelog *t, tori_time *ret_time,
                          tori_error *err)
{
    tori_time minutes;
    if (read_span (t, ROLE_ESTIMATE, ret_time, err) < 0
        || read_span (t, ROLE_MINUTES, &minutes, err) < 0)
        return -1;
    if (*ret_time >= 0 || minutes < 0)
        return 0;
    if (minutes > TORI_MAX_SECONDS / 60 * TORI_SECOND)
        return columns_fail (&t->columns, ROLE_MINUTES, "fewer minutes", err);
    *ret_time = 60 * minutes;
    return 0;
}

static int read_count (struct tablelog *t, enum role role, int64_t *ret_count,
                       tori_error *err)
{
    const char *text = columns_text (&t->columns, role);
    uint64_t count = 0;
    if (text && (!number_scan (&text, INT64_MAX, &count) || *text))
        return columns_fail (&t->columns, role, "a whole number", err);
    *ret_count = (int64_t)count;
    return 0;
}

static bool is_scaled (const tori_workload_options *o)
{
    return o->scale_num != o->scale_den;
}

static int read_shape (struct tablelog *t, struct draft *draft,
                       tori_error *err)
{
    const char *text = columns_text (&t->columns, ROLE_SHAPE);
    int ndims = tori_machine_shape_dims (t->b->machine);
    char expected[80];
    if (!text)
        return 0;
    snprintf (expected, sizeof expected,
              "a shape of %d dimension%s, as the machine has", ndims,
              ndims == 1 ? "" : "s");
    if (tori_shape_parse (text, &draft->shape, NULL) < 0
        || draft->shape.ndims != ndims)
        return columns_fail (&t->columns, ROLE_SHAPE, expected, err);
    if (is_scaled (&t->b->options))
        return columns_fail (&t->columns, ROLE_SHAPE,
                             "a number of nodes, as sizes are scaled", err);
    draft->procs = 1;
    for (int i = 0; i < ndims; i++)
        if (__builtin_mul_overflow (draft->procs, draft->shape.size[i],
                                    &draft->procs))
            return columns_fail (&t->columns, ROLE_SHAPE, "fewer nodes", err);
    return 0;
}

/* The shape, else the nodes, else the processors; 0 if none is known. */
static int read_size (struct tablelog *t, struct draft *draft, tori_error *err)
{
    if (t->b->options.size_from) {
        const char *text = t->columns.field[t->sizes];
        size_from_read (&t->b->size_from, text, strlen (text), &draft->procs);
        return 0;
    }
    draft->in_nodes = true;
    if (read_shape (t, draft, err) < 0)
        return -1;
    if (draft->procs == 0
        && read_count (t, ROLE_NODES, &draft->procs, err) < 0)
        return -1;
    if (draft->procs > 0)
        return 0;
    draft->in_nodes = false;
    return read_count (t, ROLE_PROCS, &draft->procs, err);
}

static int read_wiring (struct tablelog *t, struct draft *draft,
                        tori_error *err)
{
    const char *text = columns_text (&t->columns, ROLE_WIRING);
    draft->wired = text;
    if (text && tori_wiring_parse (text, &draft->wiring, NULL) < 0)
        return columns_fail (&t->columns, ROLE_WIRING,
                             "none, mesh, torus or twisted", err);
    return 0;
}

/* Indexes in the rolls for now: see number_owners. */
static int read_owner (struct tablelog *t, tori_work_owner *owner,
                       tori_error *err)
{
    int64_t place[ROLE_OWNERS];
    for (size_t i = 0; i < ROLE_OWNERS; i++) {
        const char *text = columns_text (&t->columns, ROLE_USER + i);
        size_t at;
        place[i] = -1;
        if (!text)
            continue;
        if (roll_find (&t->roll[i], text, &at, err) < 0)
            return -1;
        place[i] = (int64_t)at;
    }
    *owner = (tori_work_owner){place[0], place[1], place[2], place[3],
                               place[4]};
    return 0;
}

/* ---- rows ---- */

/* Slurm has lines for jobs that wait or still run, and for those that were
 * cancelled while they waited, some with a start at that moment. */
static bool has_run (const struct columns *c, tori_time runtime)
{
    static const char *const later[]
        = {"PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING",
           "RESIZING"};
    const char *state = columns_text (c, ROLE_STATE);
    if (!c->slurm)
        return true;
    if ((columns_has (c, ROLE_START) && !columns_text (c, ROLE_START))
        || (columns_has (c, ROLE_END) && !columns_text (c, ROLE_END)))
        return false;
    for (size_t i = 0; state && i < sizeof later / sizeof *later; i++)
        if (!strcasecmp (state, later[i]))
            return false;
    return !(state && runtime == 0 && !strncasecmp (state, "CANCELLED", 9));
}

static int read_row (struct tablelog *t, struct draft *draft, tori_error *err)
{
    bool dated;
    int kind = read_id (t, &draft->id, err);
    if (kind != ROW_JOB)
        return kind;
    if (read_runtime (t, &draft->runtime, err) < 0)
        return -1;
    if (draft->runtime < 0 || !has_run (&t->columns, draft->runtime))
        return ROW_UNUSABLE;
    if (read_stamp (t, ROLE_SUBMIT, &dated, &draft->submit, err) < 0
        || read_estimate (t, &draft->estimate, err) < 0
        || read_size (t, draft, err) < 0 || read_wiring (t, draft, err) < 0)
        return -1;
    if (draft->procs == 0 || draft->submit < 0)
        return ROW_UNUSABLE;
    if (draft->estimate <= 0)
        draft->estimate = draft->runtime;
    t->dated |= dated;
    return read_owner (t, &draft->owner, err) < 0 ? -1 : ROW_JOB;
}

static int add_rows (struct tablelog *t, tori_error *err)
{
    int status = 1;
    while (!builder_full (t->b)
           && (status = columns_next (&t->columns, err)) > 0) {
        struct draft draft = {0};
        int kind = read_row (t, &draft, err);
        if (kind < 0)
            return -1;
        t->b->work.unusable += kind == ROW_UNUSABLE;
        if (kind == ROW_JOB && builder_add (t->b, &draft, err) < 0)
            return -1;
    }
    return status < 0 ? -1 : 0;
}

/* ---- the whole ---- */

/* Dates become times since the second of the first submission. */
static void begin_at_zero (tori_workload *work)
{
    tori_time first = TORI_TIME_MAX;
    for (size_t i = 0; i < work->n; i++)
        first = work->jobs[i].submit < first ? work->jobs[i].submit : first;
    if (work->n == 0)
        return;
    first -= first % TORI_SECOND;
    for (size_t i = 0; i < work->n; i++)
        work->jobs[i].submit -= first;
    work->log_start = first / TORI_SECOND;
}

static bool is_whole (const char *text, uint64_t *ret_number)
{
    return number_scan (&text, INT64_MAX, ret_number) && !*text;
}

/* If the names of a column are all numbers, they are used; else they are
 * numbered from 1 on. */
static bool all_whole (const struct roll *roll)
{
    uint64_t number;
    size_t i = 0;
    while (i < roll->n && is_whole (roll->name[i], &number))
        i++;
    return i == roll->n;
}

static void number_owners (tori_work_owner *owner, size_t field,
                           const struct roll *roll, bool whole)
{
    int64_t *const all[ROLE_OWNERS]
        = {&owner->user, &owner->group, &owner->app, &owner->queue,
           &owner->partition};
    uint64_t number;
    if (*all[field] < 0)
        return;
    number = (uint64_t)*all[field] + 1;
    if (whole)
        is_whole (roll->name[*all[field]], &number);
    *all[field] = (int64_t)number;
}

/* A name is one line of a header; the longest are cut off. */
static int label_owner (struct builder *b, size_t field, size_t number,
                        const char *name, tori_error *err)
{
    char text[256];
    snprintf (text, sizeof text, "%zu %.200s", number, name);
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
    return builder_label (b, field, text, err);
}

/* Programs are too many to be listed. */
static int name_owners (struct tablelog *t, tori_error *err)
{
    for (size_t field = 0; field < ROLE_OWNERS; field++) {
        const struct roll *roll = &t->roll[field];
        bool whole = all_whole (roll);
        for (size_t i = 0; i < t->b->work.n; i++)
            number_owners (&t->b->work.jobs[i].owner, field, roll, whole);
        for (size_t i = 0; !whole && i < roll->n; i++)
            if (field != ROLE_APP - ROLE_USER
                && label_owner (t->b, field, i + 1, roll->name[i], err) < 0)
                return -1;
    }
    return 0;
}

static int find_sizes (struct tablelog *t, tori_error *err)
{
    const struct columns *c = &t->columns;
    const char *name = t->b->size_from.field;
    if (!t->b->options.size_from)
        return 0;
    while (t->sizes < c->n && strcasecmp (c->name[t->sizes], name) != 0)
        t->sizes++;
    return t->sizes < c->n
               ? 0
               : tori_error_set (err, TORI_INVALID,
                                 "%s: size from '%s': there is no such column",
                                 t->b->name, name);
}

int table_add (struct builder *b, struct cutter *lines, tori_error *err)
{
    struct tablelog t = {.b = b, .columns = {.strict = b->options.strict,
                                         .sized = b->options.size_from}};
    int status = columns_open (&t.columns, lines, err);
    if (status == 0)
        status = find_sizes (&t, err);
    if (status == 0)
        status = add_rows (&t, err);
    if (status == 0)
        status = name_owners (&t, err);
    if (status == 0 && t.dated)
        begin_at_zero (&b->work);
    for (size_t i = 0; i < ROLE_OWNERS; i++)
        roll_clear (&t.roll[i]);
    columns_close (&t.columns);
    return status;
}
