#include "groups.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "view.h"

/* ---- keys ---- */

/* The number of a size is that of its power of two. */
static int64_t size_of (const tori_work *work)
{
    int64_t power = 0;
    while (work->asked > UINT32_C (1) << power && power < 31)
        power++;
    return power;
}

static int64_t class_of (const tori_work *work)
{
    bool is_long = work->runtime > (tori_time)3600 * TORI_SECOND;
    return 2 * is_long + (work->asked > 8);
}

static int64_t user_of (const tori_work *work)
{
    return work->owner.user;
}

static int64_t group_of (const tori_work *work)
{
    return work->owner.group;
}

static int64_t queue_of (const tori_work *work)
{
    return work->owner.queue;
}

/* "3 batch" of the log's header, for the number 3; NULL if it has no name. */
static const char *find_label (const tori_workload *workload,
                               const char *field, int64_t number)
{
    for (size_t i = 0; field && i < workload->nlabels; i++) {
        const tori_work_label *label = &workload->labels[i];
        char *end;
        if (strcmp (label->field, field) == 0
            && strtoll (label->text, &end, 10) == number && *end == ' ')
            return end + 1;
    }
    return NULL;
}

static void name_owner (const tori_workload *workload, const char *field,
                        int64_t key, char text[GROUP_TEXT])
{
    const char *label = find_label (workload, field, key);
    if (label)
        snprintf (text, GROUP_TEXT, "%s", label);
    else if (key < 0)
        snprintf (text, GROUP_TEXT, "unknown");
    else
        snprintf (text, GROUP_TEXT, "%" PRId64, key);
}

static void name_size (int64_t power, char text[GROUP_TEXT])
{
    uint64_t most = UINT64_C (1) << power;
    if (power < 2)
        snprintf (text, GROUP_TEXT, "%" PRIu64, most);
    else
        snprintf (text, GROUP_TEXT, "%" PRIu64 "-%" PRIu64, most / 2 + 1,
                  most);
}

static void name_class (int64_t class, char text[GROUP_TEXT])
{
    snprintf (text, GROUP_TEXT, "%s %s", class & 2 ? "long" : "short",
              class & 1 ? "wide" : "narrow");
}

static const struct way {
    const char *name;
    int64_t (*key) (const tori_work *work);
    const char *field; /* of the labels of a log; NULL: none */
    void (*text) (int64_t key, char text[GROUP_TEXT]); /* or NULL */
} ways[] = {
    {"user", user_of, "User", NULL},   {"group", group_of, "Group", NULL},
    {"queue", queue_of, "Queue", NULL}, {"size", size_of, NULL, name_size},
    {"class", class_of, NULL, name_class},
};

const char *group_names (size_t i)
{
    return i < sizeof ways / sizeof *ways ? ways[i].name : NULL;
}

/* ---- sums ---- */

static int compare_keys (const void *a, const void *b)
{
    const struct job_group *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static int compare_use (const void *a, const void *b)
{
    const struct job_group *x = a, *y = b;
    if (x->node_hours != y->node_hours)
        return x->node_hours < y->node_hours ? 1 : -1;
    return compare_keys (a, b);
}

struct keyed {
    int64_t key;
    size_t job;
};

static int compare_keyed (const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key > y->key ? 1 : -1;
    return (x->job > y->job) - (x->job < y->job);
}

static void add_job (struct job_group *group, const struct cell_jobs *jobs,
                     const tori_work *work, size_t i)
{
    double distance = jobs->value[JOB_DISTANCE][i];
    group->rejected += jobs->fate[i] == TORI_FATE_REJECTED;
    group->killed += jobs->fate[i] == TORI_FATE_KILLED;
    group->hopeless += jobs->hopeless[i];
    if (jobs->fate[i] != TORI_FATE_DONE)
        return;
    group->ran++;
    group->wait += jobs->value[JOB_WAIT][i];
    group->response += jobs->value[JOB_RESPONSE][i];
    group->bounded_slowdown += jobs->value[JOB_BOUNDED_SLOWDOWN][i];
    group->node_hours += (double)work->asked * (double)work->runtime
                         / (double)TORI_SECOND / 3600;
    if (!isnan (distance)) {
        group->distance += distance;
        group->apart++;
    }
}

/* Sums become means. */
static void divide_sums (struct job_group *group)
{
    double n = (double)group->ran;
    group->wait = n > 0 ? group->wait / n : NAN;
    group->response = n > 0 ? group->response / n : NAN;
    group->bounded_slowdown = n > 0 ? group->bounded_slowdown / n : NAN;
    group->distance
        = group->apart > 0 ? group->distance / (double)group->apart : NAN;
}

static void name_group (const struct way *way, const tori_workload *workload,
                        struct job_group *group)
{
    if (way->text)
        way->text (group->key, group->name);
    else
        name_owner (workload, way->field, group->key, group->name);
}

static int add_groups (const struct keyed keyed[],
                       const struct cell_jobs *jobs,
                       const tori_workload *workload,
                       struct job_groups *groups, tori_error *err)
{
    size_t room = 0;
    for (size_t i = 0; i < jobs->n; i++) {
        size_t job = keyed[i].job;
        if (i == 0 || keyed[i].key != keyed[i - 1].key) {
            struct job_group *more = array_room (
                groups->all, &room, groups->n + 1, sizeof *more);
            if (!more)
                return tori_error_nomem (err);
            groups->all = more;
            groups->all[groups->n++]
                = (struct job_group){.key = keyed[i].key};
        }
        add_job (&groups->all[groups->n - 1], jobs, &workload->jobs[job],
                 job);
    }
    return 0;
}

/* Write into the jobs which groups they are in. */
static int note_groups (struct cell_jobs *jobs, const tori_workload *workload,
                        const struct way *way, const struct job_groups *groups,
                        tori_error *err)
{
    struct keyed *index = malloc ((groups->n + 1) * sizeof *index);
    jobs->group = malloc ((jobs->n + 1) * sizeof *jobs->group);
    if (!index || !jobs->group) {
        free (index);
        return tori_error_nomem (err);
    }
    for (size_t g = 0; g < groups->n; g++)
        index[g] = (struct keyed){groups->all[g].key, g};
    qsort (index, groups->n, sizeof *index, compare_keyed);
    for (size_t i = 0; i < jobs->n; i++) {
        int64_t key = way->key (&workload->jobs[i]);
        size_t first = 0, end = groups->n;
        while (end - first > 1) {
            size_t middle = first + (end - first) / 2;
            if (index[middle].key <= key)
                first = middle;
            else
                end = middle;
        }
        jobs->group[i] = (uint32_t)index[first].job;
    }
    free (index);
    return 0;
}

int groups_make (struct cell_jobs *jobs, const tori_workload *workload,
                 int by, struct job_groups *ret_groups, tori_error *err)
{
    const struct way *way = &ways[by];
    struct keyed *keyed = malloc ((jobs->n + 1) * sizeof *keyed);
    int status;
    *ret_groups = (struct job_groups){0};
    if (!keyed)
        return tori_error_nomem (err);
    for (size_t i = 0; i < jobs->n; i++)
        keyed[i] = (struct keyed){way->key (&workload->jobs[i]), i};
    qsort (keyed, jobs->n, sizeof *keyed, compare_keyed);
    status = add_groups (keyed, jobs, workload, ret_groups, err);
    free (keyed);
    for (size_t i = 0; i < ret_groups->n; i++) {
        divide_sums (&ret_groups->all[i]);
        name_group (way, workload, &ret_groups->all[i]);
    }
    if (way->field && ret_groups->n > 0)
        qsort (ret_groups->all, ret_groups->n, sizeof *ret_groups->all,
               compare_use);
    return status < 0 ? -1 : note_groups (jobs, workload, way, ret_groups, err);
}

void groups_clear (struct job_groups *groups)
{
    free (groups->all);
    *groups = (struct job_groups){0};
}

/* ---- what is shown ---- */

#define AT(member) FIELD_AT (struct job_group, member)
static const struct field group_fields[] = {
    {"name", FIELD_CHARS, AT (name), "the user, group, queue, size or class",
     .title = "jobs of"},
    {"jobs", FIELD_COUNT, AT (ran), "jobs that ran to their end",
     .title = "jobs run"},
    {"rejected", FIELD_COUNT, AT (rejected), "jobs that can never run here",
     .title = "rejected"},
    {"killed", FIELD_COUNT, AT (killed),
     "jobs that started and did not run to their end", .title = "killed"},
    {"hopeless", FIELD_COUNT, AT (hopeless),
     "with --mtbf: jobs that can hardly ever finish, if there are any",
     .when = field_is_set},
    {"node_hours", FIELD_REAL, AT (node_hours),
     "node-hours that those that ran asked for", "h", "node-hours", 1},
    {"wait", FIELD_REAL, AT (wait), "their mean time from submission to start",
     "s", "wait, s", 0},
    {"response", FIELD_REAL, AT (response),
     "their mean time from submission to finish", "s", "response, s", 0},
    {"bounded_slowdown", FIELD_REAL, AT (bounded_slowdown),
     "their mean bounded slowdown", .title = "slowdown", .decimals = 2},
    {"distance", FIELD_REAL, AT (distance),
     "the mean distance between two nodes of a job", "hops", "distance", 2},
};
#undef AT
const struct sheet job_group_sheet = {"group", SHEET_FIELDS (group_fields)};

int groups_print (const struct job_groups *groups, FILE *out, bool bold,
                  tori_error *err)
{
    enum { SHOWN = 20 };
    size_t n = groups->n < SHOWN ? groups->n : SHOWN;
    if (sheet_print (&job_group_sheet, groups->all, n, sizeof *groups->all,
                     out, bold, err)
        < 0)
        return -1;
    if (groups->n > n)
        fprintf (out, "and %zu more, which --json has\n", groups->n - n);
    return 0;
}
