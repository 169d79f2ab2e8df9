/* limit_queue.c - jobs that wait for a limit of their user or queue.
 *
 * A review takes waiting jobs in the order of the queue as long as all of them
 * could run beside the running jobs within the limits. The scheduler chooses
 * among these; the others are held back. So no limit is exceeded, whichever
 * jobs it starts. A job that would exceed a limit waits, and so do all later
 * jobs that count for the same limit: small jobs do not overtake a large one
 * for ever.
 *
 * The limit queue follows from the running and the waiting jobs, and is not
 * recorded.
 *
 * The jobs of one user in one queue are a row. A review takes jobs from the
 * rows in the order of priorities, and leaves a row when a limit of its user
 * or queue is reached. So its cost depends on the number of rows and of jobs
 * that may run, not on how many wait. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "hours.h"
#include "number.h"
#include "service_internal.h"

/* ---- text ---- */

static int format_limit (const char *whose, const char *name,
                         const struct service_limits *limits, bool nodes,
                         char text[LIMIT_TEXT])
{
    int64_t most = nodes ? limits->nodes : limits->running;
    return snprintf (text, LIMIT_TEXT, "%s%.60s's limit of %lld %s%s", whose,
                     name, (long long)most, nodes ? "node" : "running job",
                     most == 1 ? "" : "s");
}

enum limit limit_outgrown (const struct service *service,
                           const struct service_job *job)
{
    const struct service_queue *queue
        = policy_queue (service, job_queue_name (job));
    if (job->state != JOB_QUEUED || job->held || job->suspended)
        return LIMIT_NONE;
    if (queue && queue->user.nodes > 0 && job->nodes > queue->user.nodes)
        return LIMIT_PAIR_NODES;
    if (service->policy.user.nodes > 0
        && job->nodes > service->policy.user.nodes)
        return LIMIT_USER_NODES;
    if (queue && queue->limits.nodes > 0 && job->nodes > queue->limits.nodes)
        return LIMIT_QUEUE_NODES;
    return LIMIT_NONE;
}

void limit_text (const struct service *service, const struct service_job *job,
                 char text[LIMIT_TEXT])
{
    const char *name = job_queue_name (job);
    const struct service_queue *queue = policy_queue (service, name);
    enum limit never = limit_outgrown (service, job);
    enum limit limit = never ? never : job->limit;
    *text = 0;
    if (limit == LIMIT_USER_JOBS || limit == LIMIT_USER_NODES)
        format_limit ("", "the user", &service->policy.user,
                      limit == LIMIT_USER_NODES, text);
    else if (limit == LIMIT_HOURS && queue)
        snprintf (text, LIMIT_TEXT, "queue %.60s's hours, %.100s", name,
                  queue->hours ? queue->hours : "");
    else if ((limit == LIMIT_PAIR_JOBS || limit == LIMIT_PAIR_NODES) && queue)
        format_limit ("queue ", name, &queue->user,
                      limit == LIMIT_PAIR_NODES, text);
    else if (limit != LIMIT_NONE && queue)
        format_limit ("queue ", name, &queue->limits,
                      limit == LIMIT_QUEUE_NODES, text);
    if (limit == LIMIT_PAIR_JOBS || limit == LIMIT_PAIR_NODES)
        snprintf (text + strlen (text), LIMIT_TEXT - strlen (text),
                  " for each user");
}

/* ---- rows ---- */

struct limit_row {
    char *user, *queue;
    struct service_job **all; /* by their own priorities, then by id */
    size_t n, room;
    size_t next; /* the first that this review has not taken */
    int64_t more; /* what the priorities of all have in common */
    struct account *of_user, *of_queue, *of_pair;
};

void pair_name (const char *queue, const char *user, char name[PAIR_NAME])
{
    snprintf (name, PAIR_NAME, "%.300s %.280s", queue, user);
}

static bool is_limited (const struct service_limits *limits)
{
    return limits->running > 0 || limits->nodes > 0;
}

static bool has_limits (const struct service *service, const char *queue)
{
    const struct service_queue *its = policy_queue (service, queue);
    return is_limited (&service->policy.user)
           || (its
               && (is_limited (&its->limits) || is_limited (&its->user)
                   || its->hours));
}

static int64_t own_priority (const struct service_job *job)
{
    return job->ask->spec.priority;
}

static bool goes_before (const struct service_job *a,
                         const struct service_job *b)
{
    return a->rank != b->rank ? a->rank > b->rank : a->id < b->id;
}

static size_t place_of (const struct limit_row *row,
                        const struct service_job *job)
{
    size_t low = 0, high = row->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (goes_before (row->all[middle], job))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct limit_row *find_row (const struct service *service,
                                   const char *user, const char *queue)
{
    for (size_t i = 0; i < service->nrows; i++)
        if (!strcmp (service->rows[i]->user, user)
            && !strcmp (service->rows[i]->queue, queue))
            return service->rows[i];
    return NULL;
}

static void free_row (struct limit_row *row)
{
    free (row->user);
    free (row->queue);
    free (row->all);
    free (row);
}

static struct limit_row *add_row (struct service *service, const char *user,
                                  const char *queue)
{
    struct limit_row **more = array_room (service->rows, &service->rows_room,
                                          service->nrows + 1, sizeof *more);
    struct limit_row *row = calloc (1, sizeof *row);
    if (more)
        service->rows = more;
    if (row) {
        row->user = strdup (user);
        row->queue = strdup (queue);
    }
    if (!more || !row || !row->user || !row->queue) {
        if (row)
            free_row (row);
        return NULL;
    }
    return more[service->nrows++] = row;
}

void limit_queue_tidy (struct service *service)
{
    size_t kept = 0;
    for (size_t i = 0; i < service->nrows; i++)
        if (service->rows[i]->n == 0)
            free_row (service->rows[i]);
        else
            service->rows[kept++] = service->rows[i];
    service->nrows = kept;
}

void limit_queue_clear (struct service *service)
{
    for (size_t i = 0; i < service->nrows; i++)
        free_row (service->rows[i]);
    free (service->rows);
    free (service->open);
}

/* ---- jobs in rows ---- */

/* Note that a job may be admitted by the limits. */
static void note_open (struct service *service, const struct service_job *job)
{
    uint64_t *more = array_room (service->open, &service->open_room,
                                 service->nopen + 1, sizeof *more);
    if (!more) {
        service->nomem = true;
        return;
    }
    service->open = more;
    service->open[service->nopen++] = job->id;
}

void limit_queue_leave (struct service *service, struct service_job *job)
{
    struct limit_row *row = job->row;
    size_t at;
    if (!row)
        return;
    at = place_of (row, job);
    row->n--;
    memmove (row->all + at, row->all + at + 1,
             (row->n - at) * sizeof row->all[0]);
    job->row = NULL;
    service->unsettled = true;
}

static void enter_row (struct service *service, struct service_job *job,
                       struct limit_row *row)
{
    struct service_job **more =
        row ? array_room (row->all, &row->room, row->n + 1, sizeof *more)
            : NULL;
    size_t at;
    if (!more) {
        service->nomem = true;
        return;
    }
    row->all = more;
    job->rank = own_priority (job);
    at = place_of (row, job);
    memmove (more + at + 1, more + at, (row->n - at) * sizeof *more);
    more[at] = job;
    row->n++;
    job->row = row;
    note_open (service, job);
    service->unsettled = true;
}

/* A job that waits for something else is not in the limit queue, and leaves
 * its share of a limit to others. A suspended job counts as running. */
static bool belongs_in_queue (const struct service *service,
                              const struct service_job *job)
{
    return job->state == JOB_QUEUED && !job->suspended && !job->held
           && job->nafter == 0 && !job->waits_for_array
           && has_limits (service, job_queue_name (job));
}

void limit_queue_follow (struct service *service, struct service_job *job)
{
    bool is = belongs_in_queue (service, job);
    const char *queue;
    struct limit_row *row;
    if (job->row && (!is || own_priority (job) != job->rank))
        limit_queue_leave (service, job);
    if (!is) {
        job->limit = LIMIT_NONE;
        return;
    }
    if (job->row)
        return;
    queue = job_queue_name (job);
    row = find_row (service, job->user, queue);
    enter_row (service, job, row ? row : add_row (service, job->user, queue));
}

/* Other limits: all of it may be otherwise. */
int limit_queue_rebuild (struct service *service, tori_error *err)
{
    for (size_t i = 0; i < service->jobs.n; i++) {
        struct service_job *job = service->jobs.all[i];
        if (job->state != JOB_QUEUED)
            continue;
        limit_queue_follow (service, job);
        if (hold_review (service, job, err) < 0)
            return -1;
    }
    service->unsettled = true;
    return 0;
}

/* ---- review ---- */

static void open_all (struct accounts *accounts)
{
    for (size_t i = 0; i < accounts->n; i++)
        accounts->all[i].share = (struct limit_place){0};
}

static int64_t shared_priority (const struct service *service,
                                const struct limit_row *row)
{
    const struct service_queue *queue = policy_queue (service, row->queue);
    return number_sum (queue ? queue->priority : 0,
                         row->of_user ? -row->of_user->penalty : 0);
}

/* Close a queue outside of its hours. */
static void look_at_clock (struct service *service,
                           const struct limit_row *row)
{
    const struct service_queue *queue = policy_queue (service, row->queue);
    tori_time next;
    if (!queue || !queue->hours || row->n == 0)
        return;
    if (!hours_contain (queue->hours, service->now, &next))
        row->of_queue->share.closed = 3;
    if (service->hours_change_at == 0 || next < service->hours_change_at)
        service->hours_change_at = next;
}

tori_time limit_queue_wake (const struct service *service)
{
    return service->hours_change_at > 0 ? service->hours_change_at
                                        : TORI_TIME_MAX;
}

/* Pointers to accounts stay valid during a review. */
static void open_rows (struct service *service)
{
    open_all (&service->users);
    open_all (&service->queues);
    open_all (&service->pairs);
    for (size_t i = 0; i < service->nrows; i++) {
        struct limit_row *row = service->rows[i];
        char name[PAIR_NAME];
        pair_name (row->queue, row->user, name);
        row->of_user = account_find (&service->users, row->user);
        row->of_queue = account_find (&service->queues, row->queue);
        row->of_pair = account_find (&service->pairs, name);
        look_at_clock (service, row);
        row->next = 0;
        row->more = shared_priority (service, row);
    }
}

/* Whether one more job would exceed these limits, and which: 0, or 1 for jobs,
 * 2 for nodes. A job that alone has too many nodes, because the policy changed
 * after its submission, does not block later jobs. */
static int find_exceeded_limit (const struct service_limits *limits,
                                struct account *account, int64_t nodes)
{
    int which = account->share.closed;
    if (which == 0 && limits->running > 0
        && account->running + account->share.running >= limits->running)
        which = 1;
    else if (which == 0 && limits->nodes > 0
             && account->nodes + account->kept + account->share.nodes + nodes
                    > limits->nodes)
        which = 2;
    if (which == 1 || (which == 2 && nodes <= limits->nodes))
        account->share.closed = which;
    return which;
}

static void take_place (struct account *account, const struct service_job *job)
{
    account->share.running++;
    account->share.nodes += job->nodes;
}

static enum limit limit_of (int of_pair, int of_user, int of_queue)
{
    if (of_queue == 3)
        return LIMIT_HOURS;
    if (of_pair)
        return of_pair == 1 ? LIMIT_PAIR_JOBS : LIMIT_PAIR_NODES;
    if (of_user)
        return of_user == 1 ? LIMIT_USER_JOBS : LIMIT_USER_NODES;
    if (of_queue)
        return of_queue == 1 ? LIMIT_QUEUE_JOBS : LIMIT_QUEUE_NODES;
    return LIMIT_NONE;
}

/* Take a job; return the limit that it has to wait for. While it waits for a
 * limit of its queue, its share of the user's limit is kept for it: otherwise
 * the two might never have room at the same time. */
static enum limit admit_job (struct service *service,
                             const struct limit_row *row,
                             const struct service_job *job)
{
    static const struct service_limits none;
    const struct service_queue *queue = policy_queue (service, row->queue);
    int of_pair = find_exceeded_limit (queue ? &queue->user : &none,
                                       row->of_pair, job->nodes);
    int of_user, of_queue;
    if (of_pair)
        return limit_of (of_pair, 0, 0);
    of_user =
        find_exceeded_limit (&service->policy.user, row->of_user, job->nodes);
    if (of_user)
        return limit_of (0, of_user, 0);
    take_place (row->of_pair, job);
    take_place (row->of_user, job);
    of_queue = find_exceeded_limit (queue ? &queue->limits : &none,
                                    row->of_queue, job->nodes);
    if (!of_queue)
        take_place (row->of_queue, job);
    return limit_of (0, 0, of_queue);
}

static int set_limit (struct service *service, struct service_job *job,
                      enum limit limit, tori_error *err)
{
    if (limit == LIMIT_NONE)
        note_open (service, job);
    if (limit == job->limit)
        return 0;
    job->limit = limit;
    return hold_review (service, job, err);
}

static int take_next (struct service *service, struct limit_row *row,
                      tori_error *err)
{
    struct service_job *job = row->all[row->next++];
    enum limit limit = LIMIT_NONE;
    job->looked = service->looks;
    if (job->earliest <= service->now)
        limit = admit_job (service, row, job);
    else if (job->earliest < service->limit_change_at)
        service->limit_change_at = job->earliest;
    return set_limit (service, job, limit, err);
}

static bool is_over (const struct limit_row *row)
{
    return row->next == row->n || row->of_user->share.closed
           || row->of_queue->share.closed || row->of_pair->share.closed;
}

static bool next_goes_before (const struct limit_row *a,
                              const struct limit_row *b)
{
    const struct service_job *x = a->all[a->next], *y = b->all[b->next];
    int64_t one = number_sum (x->rank, a->more);
    int64_t two = number_sum (y->rank, b->more);
    return one != two ? one > two : x->id < y->id;
}

/* The row whose next goes first, or NULL. */
static struct limit_row *first_row (const struct service *service)
{
    struct limit_row *best = NULL;
    for (size_t i = 0; i < service->nrows; i++) {
        struct limit_row *row = service->rows[i];
        if (!is_over (row) && (!best || next_goes_before (row, best)))
            best = row;
    }
    return best;
}

/* Hold back those of the first n open jobs that this review has not reached:
 * earlier reviews may have admitted them. */
static int close_rest (struct service *service, size_t n, tori_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        struct service_job *job =
            job_table_find (&service->jobs, service->open[i]);
        const struct limit_row *row = job ? job->row : NULL;
        if (row && job->looked != service->looks
            && set_limit (service, job,
                          limit_of (row->of_pair->share.closed,
                                    row->of_user->share.closed,
                                    row->of_queue->share.closed),
                          err)
                   < 0)
            return -1;
    }
    for (size_t i = n; i < service->nopen; i++)
        service->open[kept++] = service->open[i];
    service->nopen = kept;
    return 0;
}

static int form_queue (struct service *service, tori_error *err)
{
    size_t n = service->nopen;
    struct limit_row *row;
    service->looks++;
    open_rows (service);
    while ((row = first_row (service)))
        if (take_next (service, row, err) < 0)
            return -1;
    return close_rest (service, n, err);
}

int limit_queue_review (struct service *service, tori_error *err)
{
    if (!service->unsettled && service->now < service->limit_change_at
        && service->now < limit_queue_wake (service))
        return 0;
    service->limit_change_at = TORI_TIME_MAX;
    service->hours_change_at = 0;
    if (service->nrows > 0 && form_queue (service, err) < 0)
        return -1;
    service->unsettled = false;
    return service->nomem ? tori_error_nomem (err) : 0;
}
