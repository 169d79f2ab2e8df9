/* world_faults.c - faults that can be planted. The linker sends calls between
 * the parts of torid here, where they are passed on, or not: nothing of this
 * is in the product. Each of these must be found. */
#include <stdlib.h>
#include <string.h>

#include "worlds.h"

enum fault {
    NONE,
    ACK_EARLY,
    ACK_ANYWAY,
    ORDER_EARLY,
    NO_SYNC,
    TORN,
    SNAPSHOT_LATE,
    KEYS_FORGOTTEN,
    NUMBERS_AGAIN,
    AFTER_FORGOTTEN,
    HOLD_FORGOTTEN,
    DECIDE_AGAIN,
    HASH_SKIPPED,
    NO_LINGER,
    REQUEUE_LOST,
    RELEASE_LOST,
    HOLD_LOST,
    FINISH_LOST,
    CANCEL_LOST,
    ORDER_LOST,
    WINDOWS_FORGOTTEN,
    PROMISES_FORGOTTEN,
    FREEZE_LOST,
    PLANS_VOIDED,
    /* with a user who means harm: */
    TIERS_FREE,
    LIMITS_LOST,
    ALL_AT_ONCE,
    CHAINS_FORGOTTEN,
    /* and when a backup is put back: */
    MARK_IGNORED,
    MARK_COPIED,
    EPOCH_AGAIN,
    STRANGERS_LOST,
};

static const char *const names[] = {
    [ACK_EARLY] = "ack-early",       /* acknowledge before the commit */
    [ACK_ANYWAY] = "ack-anyway",     /* ... and if it fails */
    [ORDER_EARLY] = "order-early",   /* start jobs before the commit */
    [NO_SYNC] = "no-sync",           /* some commits are only pretended */
    [TORN] = "torn",                 /* the end of a commit is on disk */
    [SNAPSHOT_LATE] = "snapshot-late", /* a snapshot counts a record less */
    [KEYS_FORGOTTEN] = "keys-forgotten",   /* when a snapshot is read, */
    [NUMBERS_AGAIN] = "numbers-again",     /* numbers are given out again */
    [AFTER_FORGOTTEN] = "after-forgotten", /* dependencies are gone */
    [HOLD_FORGOTTEN] = "hold-forgotten",   /* and what users hold */
    [DECIDE_AGAIN] = "decide-again", /* the past is decided again */
    [HASH_SKIPPED] = "hash-skipped", /* a change is not in the hash */
    [NO_LINGER] = "no-linger",       /* start before the last one is over */
    [REQUEUE_LOST] = "requeue-lost", /* a job waits again, but not for ever */
    [RELEASE_LOST] = "release-lost", /* who waits for a job is not told */
    [HOLD_LOST] = "hold-lost",       /* holds are not passed on */
    [FINISH_LOST] = "finish-lost",   /* nodes are not given back */
    [CANCEL_LOST] = "cancel-lost",   /* a cancelled job stays in the queue */
    [ORDER_LOST] = "order-lost",     /* an order is dropped */
    [WINDOWS_FORGOTTEN] = "windows-forgotten",   /* after a crash there are */
    [PROMISES_FORGOTTEN] = "promises-forgotten", /* no windows or promises */
    [FREEZE_LOST] = "freeze-lost",   /* a suspended job runs on */
    [PLANS_VOIDED] = "plans-voided", /* starts that are due are planned anew,
                                        after those of later jobs */
    [TIERS_FREE] = "tiers-free",     /* anybody may preempt anybody */
    [LIMITS_LOST] = "limits-lost",   /* arrays of any size */
    [ALL_AT_ONCE] = "all-at-once",   /* a chain ends in one turn */
    [CHAINS_FORGOTTEN] = "chains-forgotten", /* ... or not, after a crash */
    [MARK_IGNORED] = "mark-ignored", /* an old state is taken for a new one */
    [MARK_COPIED] = "mark-copied",   /* ... if the mark was copied, too */
    [EPOCH_AGAIN] = "epoch-again",   /* without a mark, the next epoch is taken */
    [STRANGERS_LOST] = "strangers-lost", /* nobody asks who is not known */
};

static enum fault planted;
static unsigned long calls;

const char *fault_name (size_t i)
{
    return i + 1 < sizeof names / sizeof names[0] ? names[i + 1] : NULL;
}

bool fault_plant (const char *name)
{
    planted = NONE;
    for (size_t i = 0; name && fault_name (i); i++)
        if (!strcmp (name, fault_name (i)))
            planted = (enum fault) (i + 1);
    calls = 0;
    return !name || planted != NONE;
}

bool fault_needs_harm (void)
{
    return planted >= TIERS_FREE;
}

static bool is (enum fault fault)
{
    return planted == fault;
}

/* Whether it shows this time: once in n. */
static bool shows (enum fault fault, unsigned long n)
{
    return is (fault) && ++calls % n == 0;
}

/* ---- the disk ---- */

size_t fault_torn (size_t n)
{
    return is (TORN) ? n / 2 : 0;
}

size_t fault_covered (size_t n)
{
    return is (SNAPSHOT_LATE) && n > 0 ? n - 1 : n;
}

#pragma GCC diagnostic push
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#endif

int __real_journal_commit (struct journal *journal, tori_error *err);
int __wrap_journal_commit (struct journal *journal, tori_error *err);

int __wrap_journal_commit (struct journal *journal, tori_error *err)
{
    struct world *w = world_this ();
    json_t *order;
    size_t i;
    int status;
    if (is (ACK_EARLY))
        client_resume (w);
    if (is (ORDER_EARLY) && w->torid.ready)
        json_array_foreach (w->torid.orders.list, i, order)
            executor_tell (w, order);
    if (is (NO_SYNC) && ++calls % 4)
        return 0;
    status = __real_journal_commit (journal, err);
    if (status < 0 && is (ACK_ANYWAY))
        client_resume (w);
    return status;
}

/* ---- marks ---- */

uint64_t fault_born (uint64_t time)
{
    return is (MARK_COPIED) ? 0 : time;
}

bool fault_draws (size_t n)
{
    return is (EPOCH_AGAIN) && n == 2;
}

int __real_mark_open (struct torid *torid, tori_error *err);
int __wrap_mark_open (struct torid *torid, tori_error *err);
int __real_strangers_review (struct service *service, const json_t *jobs,
                             tori_error *err);
int __wrap_strangers_review (struct service *service, const json_t *jobs,
                             tori_error *err);

int __wrap_mark_open (struct torid *torid, tori_error *err)
{
    return is (MARK_IGNORED) && service_identity (torid->service)
               ? 0
               : __real_mark_open (torid, err);
}

int __wrap_strangers_review (struct service *service, const json_t *jobs,
                             tori_error *err)
{
    return is (STRANGERS_LOST)
               ? 0
               : __real_strangers_review (service, jobs, err);
}

/* ---- snapshots and replay ---- */

int __real_service_load (struct service *service, const char *text, size_t n,
                         tori_error *err);
int __wrap_service_load (struct service *service, const char *text, size_t n,
                         tori_error *err);
int __real_service_replay (struct service *service, const json_t *record,
                           tori_error *err);
int __wrap_service_replay (struct service *service, const json_t *record,
                           tori_error *err);
struct service_job *__real_job_load (const json_t *saved,
                                     const tori_machine *machine,
                                     struct after_list **last,
                                     tori_error *err);
struct service_job *__wrap_job_load (const json_t *saved,
                                     const tori_machine *machine,
                                     struct after_list **last,
                                     tori_error *err);

int __wrap_service_load (struct service *service, const char *text, size_t n,
                         tori_error *err)
{
    int status = __real_service_load (service, text, n, err);
    if (is (KEYS_FORGOTTEN))
        json_object_clear (service->keys);
    if (is (NUMBERS_AGAIN) && service->next_id > 1)
        service->next_id--;
    return status;
}

int __wrap_service_replay (struct service *service, const json_t *record,
                           tori_error *err)
{
    int status = __real_service_replay (service, record, err);
    if (status == 0 && is (DECIDE_AGAIN))
        status = service_decide (service, service->now, err);
    return status;
}

struct service_job *__wrap_job_load (const json_t *saved,
                                     const tori_machine *machine,
                                     struct after_list **last, tori_error *err)
{
    struct service_job *job = __real_job_load (saved, machine, last, err);
    if (job && is (AFTER_FORGOTTEN))
        job->nafter = 0;
    if (job && is (HOLD_FORGOTTEN))
        job->held = false;
    return job;
}

int __real_reservations_tell (struct service *service, tori_error *err);
int __wrap_reservations_tell (struct service *service, tori_error *err);
int __real_planned_starts_tell (struct service *service, tori_error *err);
int __wrap_planned_starts_tell (struct service *service, tori_error *err);

int __wrap_reservations_tell (struct service *service, tori_error *err)
{
    return is (WINDOWS_FORGOTTEN) ? 0
                                  : __real_reservations_tell (service, err);
}

int __wrap_planned_starts_tell (struct service *service, tori_error *err)
{
    return is (PROMISES_FORGOTTEN) ? 0
                                   : __real_planned_starts_tell (service, err);
}

/* ---- the service ---- */

void __real_attempt_suspend (struct service *service, struct service_job *job);
void __wrap_attempt_suspend (struct service *service, struct service_job *job);

void __wrap_attempt_suspend (struct service *service, struct service_job *job)
{
    if (!is (FREEZE_LOST))
        __real_attempt_suspend (service, job);
}

void __real_service_touch (struct service *service, struct service_job *job);
void __wrap_service_touch (struct service *service, struct service_job *job);
int __real_attempt_leave (struct service *service, struct service_job *job,
                          struct leave how, tori_error *err);
int __wrap_attempt_leave (struct service *service, struct service_job *job,
                          struct leave how, tori_error *err);
int __real_dependents_release (struct service *service,
                               struct service_job *ended, tori_error *err);
int __wrap_dependents_release (struct service *service,
                               struct service_job *ended, tori_error *err);
int __real_queue_enter (struct service *service, const json_t *input,
                        json_t **ask, tori_job_spec *spec,
                        struct reply *reply, tori_error *err);
int __wrap_queue_enter (struct service *service, const json_t *input,
                        json_t **ask, tori_job_spec *spec,
                        struct reply *reply, tori_error *err);
int __real_limits_request (const struct service *service,
                           const json_t *input, int64_t array, int64_t after,
                           struct reply *reply);
int __wrap_limits_request (const struct service *service,
                           const json_t *input, int64_t array, int64_t after,
                           struct reply *reply);
int __real_releases_go (struct service *service, size_t most, size_t *ret_n,
                        tori_error *err);
int __wrap_releases_go (struct service *service, size_t most, size_t *ret_n,
                        tori_error *err);
int __real_releases_load (struct service *service, const json_t *list,
                          tori_error *err);
int __wrap_releases_load (struct service *service, const json_t *list,
                          tori_error *err);
void __real_order_start (struct service *service, struct service_job *job);
void __wrap_order_start (struct service *service, struct service_job *job);

void __wrap_service_touch (struct service *service, struct service_job *job)
{
    if (!shows (HASH_SKIPPED, 20))
        __real_service_touch (service, job);
}

int __wrap_attempt_leave (struct service *service, struct service_job *job,
                          struct leave how, tori_error *err)
{
    if (!is (NO_LINGER) || !attempt_is (job->life, ATTEMPT_IS_OUT))
        return __real_attempt_leave (service, job, how, err);
    order_stop (service, job, how);
    job->life = ATTEMPT_NONE;
    return 0;
}

int __wrap_dependents_release (struct service *service,
                               struct service_job *ended, tori_error *err)
{
    return shows (RELEASE_LOST, 5)
               ? 0
               : __real_dependents_release (service, ended, err);
}

int __wrap_queue_enter (struct service *service, const json_t *input,
                        json_t **ask, tori_job_spec *spec,
                        struct reply *reply, tori_error *err)
{
    json_t *anybody;
    int status;
    if (!is (TIERS_FREE))
        return __real_queue_enter (service, input, ask, spec, reply, err);
    anybody = json_pack ("{s:b}", "root", 1);
    status = __real_queue_enter (service, anybody, ask, spec, reply, err);
    json_decref (anybody);
    return status;
}

int __wrap_limits_request (const struct service *service,
                           const json_t *input, int64_t array, int64_t after,
                           struct reply *reply)
{
    return is (LIMITS_LOST) ? 0
                            : __real_limits_request (service, input, array,
                                                     after, reply);
}

int __wrap_releases_go (struct service *service, size_t most, size_t *ret_n,
                        tori_error *err)
{
    if (is (ALL_AT_ONCE))
        most = SIZE_MAX;
    else if (world_this ()->hostile && most > WORLD_RELEASES)
        most = WORLD_RELEASES;
    return __real_releases_go (service, most, ret_n, err);
}

int __wrap_releases_load (struct service *service, const json_t *list,
                          tori_error *err)
{
    return is (CHAINS_FORGOTTEN) ? 0
                                 : __real_releases_load (service, list, err);
}

void __wrap_order_start (struct service *service, struct service_job *job)
{
    if (!shows (ORDER_LOST, 50))
        __real_order_start (service, job);
    job->unlisted = true;
}

/* ---- the scheduler ---- */

int __real_core_put_back (struct service *service, struct service_job *job,
                          tori_error *err);
int __wrap_core_put_back (struct service *service, struct service_job *job,
                          tori_error *err);
int __real_core_cancel (struct service *service, struct service_job *job,
                        tori_error *err);
int __wrap_core_cancel (struct service *service, struct service_job *job,
                        tori_error *err);
int __real_tori_sched_set_hold (tori_sched *sched, tori_time now,
                                tori_job job, tori_hold hold,
                                tori_error *err);
int __wrap_tori_sched_set_hold (tori_sched *sched, tori_time now,
                                tori_job job, tori_hold hold,
                                tori_error *err);

/* Of the scheduler's own. */
void plan_drop_before (tori_sched *sched, tori_time end);
int __real_plan_put_off (tori_sched *sched, tori_error *err);
int __wrap_plan_put_off (tori_sched *sched, tori_error *err);

int __wrap_plan_put_off (tori_sched *sched, tori_error *err)
{
    if (!is (PLANS_VOIDED))
        return __real_plan_put_off (sched, err);
    plan_drop_before (sched, tori_sched_now (sched) + 1);
    return 0;
}

int __wrap_core_put_back (struct service *service, struct service_job *job,
                          tori_error *err)
{
    return is (REQUEUE_LOST) ? 0 : __real_core_put_back (service, job, err);
}

int __wrap_core_cancel (struct service *service, struct service_job *job,
                        tori_error *err)
{
    bool lost = job->state == JOB_RUNNING ? shows (FINISH_LOST, 20)
                                          : shows (CANCEL_LOST, 5);
    return lost ? 0 : __real_core_cancel (service, job, err);
}

int __wrap_tori_sched_set_hold (tori_sched *sched, tori_time now,
                                tori_job job, tori_hold hold, tori_error *err)
{
    return is (HOLD_LOST) && hold != TORI_HOLD_NONE
               ? 0
               : __real_tori_sched_set_hold (sched, now, job, hold, err);
}

#pragma GCC diagnostic pop
