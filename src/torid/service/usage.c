/* usage.c - the usage of each user, and the priorities that follow from it.
 *
 * A user's usage is a number of node-seconds, which halve in every half-life
 * of the policy. It is brought up to date at the whole minutes of the clock,
 * each of which is an epoch, and at no other time. So it does not depend on
 * when it is read, and a replayed journal leads to the same numbers. They are
 * doubles, but made by additions, multiplications and divisions alone, whose
 * every bit is fixed. */
#include <stdlib.h>

#include "detmath.h"
#include "number.h"
#include "service_internal.h"

/* ---- counting ---- */

static void mark_account (struct service *service, struct account *account)
{
    uint64_t mark = account_hash (account);
    service->hash += mark - account->mark;
    account->mark = mark;
}

static void count_job (struct service *service, struct accounts *accounts,
                       const char *name, const struct service_job *job,
                       const struct presence *is)
{
    struct account *account = account_get (accounts, name);
    if (!account) {
        service->nomem = true;
        return;
    }
    account->queued += is->queued - job->counted.queued;
    account->running += is->running - job->counted.running;
    account->suspended += is->suspended - job->counted.suspended;
    account->kept += is->kept - job->counted.kept;
    if (is->nodes != job->counted.nodes)
        account_nodes (account, is->nodes - job->counted.nodes,
                       service->now % EPOCH);
    mark_account (service, account);
}

static void count_pair (struct service *service,
                        const struct service_job *job,
                        const struct presence *is)
{
    char name[PAIR_NAME];
    struct account *pair;
    pair_name (job_queue_name (job), job->user, name);
    pair = account_get (&service->pairs, name);
    if (!pair) {
        service->nomem = true;
        return;
    }
    pair->queued += is->queued - job->counted.queued;
    pair->running += is->running - job->counted.running;
    pair->kept += is->kept - job->counted.kept;
    pair->nodes += is->nodes - job->counted.nodes;
}

static void count_as (struct service *service, struct service_job *job,
                      struct presence is)
{
    const struct presence *was = &job->counted;
    if (is.queued == was->queued && is.running == was->running
        && is.nodes == was->nodes && is.kept == was->kept
        && is.suspended == was->suspended)
        return;
    service->unsettled = true;
    count_job (service, &service->users, job->user, job, &is);
    count_job (service, &service->queues, job_queue_name (job), job, &is);
    count_pair (service, job, &is);
    job->counted = is;
}

void usage_count (struct service *service, struct service_job *job)
{
    bool runs = job->state == JOB_RUNNING;
    bool rests = job->state == JOB_QUEUED && job->suspended;
    bool waits = job->state == JOB_QUEUED && !rests;
    limit_queue_follow (service, job);
    count_as (service, job,
              (struct presence){.queued = waits,
                                .running = runs || rests,
                                .suspended = rests,
                                .nodes = runs ? job->place.count : 0,
                                .kept = rests ? job->place.count : 0});
    stored_follow (service, job);
}

void usage_uncount (struct service *service, struct service_job *job)
{
    limit_queue_leave (service, job);
    count_as (service, job, (struct presence){0});
    stored_leave (service, job);
}

static void one_more (struct service *service, struct accounts *accounts,
                      const char *name)
{
    struct account *account = account_get (accounts, name);
    if (!account) {
        service->nomem = true;
        return;
    }
    account->recent++;
    mark_account (service, account);
}

void usage_submitted (struct service *service, const char *user,
                      const char *queue)
{
    one_more (service, &service->users, user);
    one_more (service, &service->queues, queue);
}

void usage_mark (struct service *service)
{
    struct accounts *const both[] = {&service->users, &service->queues};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < both[k]->n; i++)
            mark_account (service, &both[k]->all[i]);
}

/* ---- priorities ---- */

static int64_t base_priority (const struct service *service,
                              const struct service_job *job)
{
    const struct service_queue *queue =
        policy_queue (service, job_queue_name (job));
    return number_sum (job->ask->spec.priority, queue ? queue->priority : 0);
}

int64_t usage_effective (const struct service *service,
                         const struct service_job *job)
{
    const struct account *user = account_find (&service->users, job->user);
    return number_sum (base_priority (service, job),
                         user ? -user->penalty : 0);
}

int64_t usage_priority (const struct service *service,
                        const struct service_job *job)
{
    return job_hold (job) ? base_priority (service, job)
                          : usage_effective (service, job);
}

int usage_review (struct service *service, struct service_job *job,
                  tori_error *err)
{
    int64_t priority;
    if (job->state != JOB_QUEUED || !core_waits (service, job))
        return 0;
    priority = usage_priority (service, job);
    if (priority == job->priority)
        return 0;
    job->priority = priority;
    service->unsettled = true;
    return core_set_priority (service, job, priority, err);
}

/* The share of all usage, in whole percent: smaller changes do not affect
 * priorities and planned starts. */
static double share_of (const struct account *user, double total)
{
    return total > 0 ? (double)(int)(100 * (user->usage / total)) : 0;
}

/* Set the penalties of all users; return whether any has changed. Without
 * accounts, a user with all usage loses the whole weight, a user without any
 * loses nothing. */
static bool set_penalties (struct service *service)
{
    const struct service_policy *policy = &service->policy;
    bool changed = false;
    double total = 0, *used = accounts_sum (service, &total);
    service->nomem |= !used;
    for (size_t i = 0; used && i < service->users.n; i++) {
        struct account *user = &service->users.all[i];
        double percent = policy->naccounts > 0
                             ? account_penalty (service, user, used, total)
                             : share_of (user, total);
        int64_t penalty
            = policy->half_life > 0
                  ? (int64_t)((double)policy->weight * percent / 100)
                  : 0;
        changed |= penalty != user->penalty;
        user->penalty = penalty;
    }
    free (used);
    service->unsettled |= changed; /* the limit queue is ordered by them */
    return changed;
}

static int review_all (struct service *service, tori_error *err)
{
    for (size_t i = 0; i < service->jobs.n; i++)
        if (usage_review (service, service->jobs.all[i], err) < 0)
            return -1;
    return 0;
}

int usage_rank (struct service *service, tori_error *err)
{
    set_penalties (service);
    usage_mark (service);
    return review_all (service, err);
}

/* ---- time ---- */

static bool is_idle (const struct account *account)
{
    return account->usage == 0 && account->nodes == 0 && account->due == 0
           && account->recent == 0;
}

/* Many epochs in one step: what there was halves, and what is added in each
 * is a geometric series. */
static void age_by_series (struct account *account, tori_time half_life,
                           double factor, int64_t epochs)
{
    double left = det_exp2 (-(double)epochs * ((double)EPOCH
                                               / (double)half_life));
    double each = (double)(account->nodes * EPOCH) / (double)TORI_SECOND;
    account->usage = account->usage * left
                     + (factor < 1 ? each * ((1 - left) / (1 - factor))
                                   : each * (double)epochs);
}

/* Epoch by epoch, until nothing changes any more, which is after some 50
 * half-lives: from then on each epoch adds what the last one took away. A time
 * of more than 60 years, as of a wrong clock, ends with the series. */
static void age_one (const struct service *service, struct account *account,
                     int64_t epochs)
{
    enum { MOST = 1 << 25 };
    tori_time half_life = service->policy.half_life;
    double before = -1, factor
        = half_life > 0 ? det_exp2 (-(double)EPOCH / (double)half_life) : 0;
    int64_t steps = half_life == 0 && epochs > 1 ? 1
                    : epochs > MOST              ? MOST
                                                 : epochs;
    bool settled = false;
    for (int64_t k = 0; k < steps && !settled && !is_idle (account); k++) {
        before = account->usage;
        settled = account->due == 0 && account->recent == 0;
        account_age (account, factor);
        settled = settled && account->usage == before;
    }
    if (half_life > 0 && epochs > steps && !settled && !is_idle (account))
        age_by_series (account, half_life, factor, epochs - steps);
    if (half_life == 0)
        account->usage = 0;
}

static void age_all (struct service *service, struct accounts *accounts,
                     int64_t epochs)
{
    for (size_t i = 0; i < accounts->n; i++)
        age_one (service, &accounts->all[i], epochs);
}

static void take_from (struct service *service, struct account *account,
                       const struct account *surplus)
{
    if (!account)
        return;
    account->due -= surplus->due;
    account->usage = account->usage > surplus->usage
                         ? account->usage - surplus->usage
                         : 0;
    mark_account (service, account);
}

void usage_give_back (struct service *service, const struct service_job *job)
{
    tori_time from = job->end > job->since ? job->end : job->since;
    int64_t nodes = job->counted.nodes;
    struct account surplus = {0};
    account_nodes (&surplus, nodes, from % EPOCH);
    age_one (service, &surplus, service->now / EPOCH - from / EPOCH);
    account_nodes (&surplus, -nodes, service->now % EPOCH);
    take_from (service, account_find (&service->users, job->user), &surplus);
    take_from (service, account_find (&service->queues, job_queue_name (job)),
               &surplus);
}

int usage_advance (struct service *service, tori_time now, tori_error *err)
{
    int64_t epochs = now / EPOCH - service->now / EPOCH;
    bool changed;
    if (now <= service->now)
        return 0;
    service->now = now;
    if (epochs == 0)
        return 0;
    age_all (service, &service->users, epochs);
    age_all (service, &service->queues, epochs);
    changed = set_penalties (service);
    usage_mark (service);
    accounts_tidy (&service->users);
    accounts_tidy (&service->queues);
    accounts_tidy (&service->pairs);
    limit_queue_tidy (service);
    if (past_leave (service, err) < 0)
        return -1;
    return changed ? review_all (service, err) : 0;
}

tori_time usage_wake (const struct service *service)
{
    if (service->policy.half_life == 0 || service->policy.weight == 0
        || tori_sched_queued (service->sched) == 0)
        return TORI_TIME_MAX;
    for (size_t i = 0; i < service->users.n; i++)
        if (!is_idle (&service->users.all[i]))
            return (service->now / EPOCH + 1) * EPOCH;
    return TORI_TIME_MAX;
}
