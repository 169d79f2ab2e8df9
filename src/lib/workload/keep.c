#include "keep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "number.h"
#include "stamps.h"

enum { TEXT_MAX = 256 };

struct range {
    int64_t least, most;
};

struct condition;

/* A member of a job that conditions are about. */
struct subject {
    const char *name;
    int64_t (*value) (const tori_workload *work, const tori_work *job);
    int (*range) (const struct condition *c, const char *text,
                  struct range *ret, tori_error *err);
    const char *label; /* the field of the log's labels; NULL: none */
};

/* "user=7,9", or "user!=7,9": all but these. */
struct condition {
    const struct subject *subject;
    const tori_workload *work;
    const char *log; /* its name in messages */
    bool except;
    struct range *range;
    size_t n, room;
};

/* ---- values ---- */

static int64_t user_of (const tori_workload *work, const tori_work *job)
{
    return job->owner.user;
}

static int64_t group_of (const tori_workload *work, const tori_work *job)
{
    return job->owner.group;
}

static int64_t queue_of (const tori_workload *work, const tori_work *job)
{
    return job->owner.queue;
}

static int64_t size_of (const tori_workload *work, const tori_work *job)
{
    return job->asked;
}

static int64_t date_of (const tori_workload *work, const tori_work *job)
{
    return job->submit;
}

static int refuse_value (const struct condition *c, const char *text,
                         const char *why, tori_error *err)
{
    return tori_error_set (err, TORI_INVALID, "keep: %s=%.60s: %s",
                           c->subject->name, text, why);
}

/* A number, or a name from the header or the table. */
static int read_owner (const struct condition *c, const char *text,
                       struct range *ret, tori_error *err)
{
    const char *at = text;
    uint64_t number;
    if (number_scan (&at, INT64_MAX, &number) && !*at) {
        *ret = (struct range){(int64_t)number, (int64_t)number};
        return 0;
    }
    for (size_t i = 0; i < c->work->nlabels; i++) {
        const tori_work_label *label = &c->work->labels[i];
        at = label->text;
        if (strcmp (label->field, c->subject->label) == 0
            && number_scan (&at, INT64_MAX, &number) && *at == ' '
            && strcmp (at + 1, text) == 0) {
            *ret = (struct range){(int64_t)number, (int64_t)number};
            return 0;
        }
    }
    return refuse_value (c, text, "the log has no such name", err);
}

/* "16", "1-64", "65-" or "-8". */
static int read_sizes (const struct condition *c, const char *text,
                       struct range *ret, tori_error *err)
{
    const char *at = text;
    uint64_t least = 0, most = INT64_MAX;
    bool first = number_scan (&at, INT64_MAX, &least);
    if (*at == '-') {
        at++;
        if (!number_scan (&at, INT64_MAX, &most) && !first)
            at = "?";
    } else {
        most = least;
    }
    if (*at || least > most || !*text)
        return refuse_value (c, text,
                             "expected nodes, such as 16, 1-64 or 65-", err);
    *ret = (struct range){(int64_t)least, (int64_t)most};
    return 0;
}

/* One end of a range of dates, as a time of the log. */
static int read_moment (const struct condition *c, const char *text,
                        int64_t otherwise, int64_t *ret, tori_error *err)
{
    tori_time time;
    bool dated;
    *ret = otherwise;
    if (!*text)
        return 0;
    if (!stamp_parse (text, &time, &dated))
        return refuse_value (c, text, "expected " STAMP_EXPECTED, err);
    if (dated
        && (c->work->log_start < 0
            || c->work->log_start > TORI_MAX_SECONDS))
        return tori_error_set (err, TORI_INVALID,
                               "keep: %s does not say its date "
                               "(UnixStartTime), so give seconds since its "
                               "begin",
                               c->log);
    *ret = dated ? time - c->work->log_start * TORI_SECOND : time;
    return 0;
}

/* From the first moment to before the second; either may be missing. */
static int read_dates (const struct condition *c, const char *text,
                       struct range *ret, tori_error *err)
{
    const char *dots = strstr (text, "..");
    char first[TEXT_MAX];
    int64_t end;
    if (!dots || !text[2])
        return refuse_value (c, text,
                             "expected FROM..TO, such as "
                             "1997-01-01..1997-02-01",
                             err);
    snprintf (first, sizeof first, "%.*s", (int)(dots - text), text);
    if (read_moment (c, first, INT64_MIN, &ret->least, err) < 0
        || read_moment (c, dots + 2, INT64_MAX, &end, err) < 0)
        return -1;
    ret->most = end - 1;
    if (ret->least > ret->most)
        return refuse_value (c, text, "it ends before it begins", err);
    return 0;
}

static const struct subject subjects[] = {
    {"user", user_of, read_owner, "User"},
    {"group", group_of, read_owner, "Group"},
    {"queue", queue_of, read_owner, "Queue"},
    {"size", size_of, read_sizes, NULL},
    {"date", date_of, read_dates, NULL},
};

/* ---- a condition ---- */

static const struct subject *find_subject (const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (strlen (subjects[i].name) == length
            && strncmp (subjects[i].name, text, length) == 0)
            return &subjects[i];
    return NULL;
}

static int add_range (struct condition *c, const char *text, tori_error *err)
{
    struct range *more
        = array_room (c->range, &c->room, c->n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    c->range = more;
    return c->subject->range (c, text, &more[c->n++], err);
}

/* Read one condition, without what follows it. */
static int read_condition (struct condition *c, const char *text,
                           size_t length, tori_error *err)
{
    char own[TEXT_MAX], *value, *rest;
    if (length >= sizeof own)
        return tori_error_set (err, TORI_INVALID,
                               "keep: '%.60s...' is too long", text);
    memcpy (own, text, length);
    own[length] = '\0';
    value = strchr (own, '=');
    c->except = value && value > own && value[-1] == '!';
    c->subject = value ? find_subject (own, (size_t)(value - own) - c->except)
                       : NULL;
    if (!c->subject)
        return tori_error_set (err, TORI_INVALID,
                               "keep: '%.60s': expected user=, group=, queue=, "
                               "size= or date= and values, or != for all "
                               "others",
                               own);
    for (value++; value; value = rest) {
        rest = strchr (value, ',');
        if (rest)
            *rest++ = '\0';
        if (add_range (c, value, err) < 0)
            return -1;
    }
    return 0;
}

static bool meets (const struct condition *c, const tori_work *job)
{
    int64_t value = c->subject->value (c->work, job);
    for (size_t i = 0; i < c->n; i++)
        if (value >= c->range[i].least && value <= c->range[i].most)
            return !c->except;
    return c->except;
}

/* All conditions of a text. */
struct conditions {
    struct condition *item;
    size_t n, room;
};

static int read_conditions (const char *text, const char *name,
                            const tori_workload *work,
                            struct conditions *all, tori_error *err)
{
    for (size_t n; text; text = text[n] ? text + n + 1 : NULL) {
        struct condition *more
            = array_room (all->item, &all->room, all->n + 1, sizeof *more);
        if (!more)
            return tori_error_nomem (err);
        all->item = more;
        more += all->n++;
        *more = (struct condition){.work = work, .log = name};
        text += strspn (text, " ");
        n = strcspn (text, ";");
        if (read_condition (more, text, n, err) < 0)
            return -1;
    }
    return 0;
}

static void clear_conditions (struct conditions *all)
{
    for (size_t i = 0; i < all->n; i++)
        free (all->item[i].range);
    free (all->item);
}

static bool meets_all (const struct conditions *all, const tori_work *job)
{
    for (size_t i = 0; i < all->n; i++)
        if (!meets (&all->item[i], job))
            return false;
    return true;
}

/* Jobs after the last one that is taken are neither kept nor left out. */
static void remove_others (const struct conditions *all, size_t limit,
                           tori_workload *work, uint8_t *marks)
{
    size_t n = 0, i = 0;
    for (; i < work->n && (limit == 0 || n < limit); i++) {
        if (!meets_all (all, &work->jobs[i]))
            continue;
        work->jobs[n] = work->jobs[i];
        marks[n++] = marks[i];
    }
    work->left_out += i - n;
    work->n = n;
}

int keep_jobs (const char *text, const char *name, size_t limit,
               tori_workload *work, uint8_t *marks, tori_error *err)
{
    struct conditions conditions = {0};
    size_t all = work->n;
    int status = read_conditions (text, name, work, &conditions, err);
    if (status == 0)
        remove_others (&conditions, limit, work, marks);
    clear_conditions (&conditions);
    if (status == 0 && work->n == 0 && all > 0)
        return tori_error_set (err, TORI_INVALID,
                               "keep: none of the %zu jobs of %s is kept", all,
                               name);
    return status;
}
