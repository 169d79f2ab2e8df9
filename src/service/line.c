/* line.c - who has to wait for a limit of its user or queue.
 *
 * Of the jobs that wait, those that may run beside one another and beside what
 * runs already are the scheduler's to choose from, taken in the order of the
 * queue; the others are held back. So whatever it starts, no limit is
 * exceeded. A job that would exceed one waits, and so do all behind it that
 * the same limit counts: small jobs do not overtake a large one for ever.
 *
 * All of this follows from who runs and who waits, and is not recorded. */
#include <stdio.h>
#include <stdlib.h>

#include "inside.h"

/* ---- what is said of it ---- */

static int limit_text (const char *whose, const char *name,
                       const struct service_limits *limits, bool nodes,
                       char text[LIMIT_TEXT])
{
    int64_t most = nodes ? limits->nodes : limits->running;
    return snprintf (text, LIMIT_TEXT, "%s%.60s's limit of %lld %s%s", whose,
                     name, (long long)most, nodes ? "node" : "running job",
                     most == 1 ? "" : "s");
}

void line_text (const struct service *service, const struct ticket *ticket,
                char text[LIMIT_TEXT])
{
    const char *name = ticket_queue (ticket);
    const struct service_queue *queue = policy_queue (service, name);
    enum limit limit = ticket->limit;
    *text = 0;
    if (limit == LIMIT_USER_JOBS || limit == LIMIT_USER_NODES)
        limit_text ("", "the user", &service->policy.user,
                    limit == LIMIT_USER_NODES, text);
    else if (limit != LIMIT_NONE && queue)
        limit_text ("queue ", name, &queue->limits,
                    limit == LIMIT_QUEUE_NODES, text);
}

/* ---- the line ---- */

static bool is_limited (const struct service_limits *limits)
{
    return limits->running > 0 || limits->nodes > 0;
}

static bool has_limits (const struct service_policy *policy)
{
    for (size_t i = 0; i < policy->nqueues; i++)
        if (is_limited (&policy->queues[i].limits))
            return true;
    return is_limited (&policy->user);
}

static void open_all (struct accounts *accounts)
{
    for (size_t i = 0; i < accounts->n; i++)
        accounts->all[i].line = (struct line_place){0};
}

/* Whether one more would exceed these limits, and which: 0, or 1 for jobs, 2
 * for nodes. One that alone has too many nodes, by a policy that came after
 * it, does not keep the others. */
static int exceeds (const struct service_limits *limits,
                    struct account *account, int64_t nodes)
{
    int which = account->line.closed;
    if (which == 0 && limits->running > 0
        && account->running + account->line.running >= limits->running)
        which = 1;
    else if (which == 0 && limits->nodes > 0
             && account->nodes + account->kept + account->line.nodes + nodes
                    > limits->nodes)
        which = 2;
    if (which == 1 || (which == 2 && nodes <= limits->nodes))
        account->line.closed = which;
    return which;
}

static void take_place (struct account *account, const struct ticket *ticket)
{
    account->line.running++;
    account->line.nodes += ticket->nodes;
}

/* One more in the line: the limit that it has to wait for. While it waits for
 * its queue, what it takes of its user's limit is kept for it: otherwise the
 * two might never have room at the same time. */
static enum limit join (struct service *service, const struct ticket *ticket)
{
    static const struct service_limits none;
    const char *name = ticket_queue (ticket);
    const struct service_queue *queue = policy_queue (service, name);
    struct account *user = account_find (&service->users, ticket->user);
    struct account *all = account_find (&service->queues, name);
    int of_user = exceeds (&service->policy.user, user, ticket->nodes), of_all;
    if (of_user)
        return of_user == 1 ? LIMIT_USER_JOBS : LIMIT_USER_NODES;
    take_place (user, ticket);
    of_all = exceeds (queue ? &queue->limits : &none, all, ticket->nodes);
    if (of_all)
        return of_all == 1 ? LIMIT_QUEUE_JOBS : LIMIT_QUEUE_NODES;
    take_place (all, ticket);
    return LIMIT_NONE;
}

/* Those that wait for something else are not in the line: a limit that they
 * do not need yet is for others. */
static enum limit place_in_line (struct service *service,
                                 const struct ticket *ticket)
{
    if (ticket->suspended) /* it is counted as one that runs */
        return LIMIT_NONE;
    if (ticket->held || ticket->nafter > 0 || ticket->in_line)
        return LIMIT_NONE;
    if (ticket->earliest > service->now) {
        if (ticket->earliest < service->line_changes)
            service->line_changes = ticket->earliest;
        return LIMIT_NONE;
    }
    return join (service, ticket);
}

static int form (struct service *service, const tori_job jobs[], size_t n,
                 tori_error *err)
{
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        struct ticket *ticket;
        enum limit limit;
        tori_sched_look (service->sched, jobs[i], &info);
        ticket = tickets_find (&service->tickets, info.tag);
        if (!ticket)
            continue;
        limit = place_in_line (service, ticket);
        if (limit == ticket->limit)
            continue;
        ticket->limit = limit;
        if (hold_review (service, ticket, err) < 0)
            return -1;
    }
    return 0;
}

static int form_anew (struct service *service, tori_error *err)
{
    size_t n = tori_sched_queued (service->sched);
    tori_job *jobs = calloc (n + 1, sizeof *jobs);
    int status;
    if (!jobs)
        return tori_error_nomem (err);
    tori_sched_queued_jobs (service->sched, jobs);
    open_all (&service->users);
    open_all (&service->queues);
    status = form (service, jobs, n, err);
    free (jobs);
    return status;
}

int line_review (struct service *service, tori_error *err)
{
    bool limited = has_limits (&service->policy);
    if (service->replaying
        || (!service->unsettled && service->now < service->line_changes))
        return 0;
    service->line_changes = TORI_TIME_MAX;
    if ((limited || service->was_limited) && form_anew (service, err) < 0)
        return -1;
    service->was_limited = limited;
    service->unsettled = false;
    return 0;
}
