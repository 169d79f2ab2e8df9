/* job_lifecycle.c - the decisions of the scheduler about jobs, and their
 * ends. */
#include "configure.h"
#include "simcore.h"

/* Progress is reported after that many finished jobs. With a network, it is
 * reported after each: all messages of one large job can take seconds. */
enum { PROGRESS_EVERY = 64, RESTARTS = 100 };

/* ---- waiting and running ---- */

/* The delays so far are subtracted when a job begins to wait, and added when
 * it starts. */
static void charge_delays (struct career *career, const struct delays *delays,
                           int sign)
{
    career->delays.numerical += sign * delays->numerical;
    career->delays.topological += sign * delays->topological;
}

void sim_wait (struct sim *sim, struct career *career)
{
    career->since = sim->now;
    charge_delays (career, &sim->delays, -1);
}

static void leave_queue (struct sim *sim, struct career *career)
{
    career->waited += sim->now - career->since;
    career->since = sim->now;
    charge_delays (career, &sim->delays, 1);
}

int sim_run_on (struct sim *sim, size_t which, tori_error *err)
{
    struct career *career = &sim->careers[which];
    const tori_placement *place;
    tori_time begun;
    career->runs = true;
    career->since = sim->now;
    career->end = TORI_TIME_MAX;
    place = sched_look_running (sim->sched, career->job, &begun);
    if (!place)
        return 0; /* another decision of this instant stops it */
    career->held = place->count;
    career->end = begun + sim->workload->jobs[which].runtime;
    if (sim->config->interrupts)
        career->end += sim_lateness (sim->config->interrupts,
                                     &sim->workload->jobs[which]);
    if (career->end < sim->now)
        career->end = sim->now;
    return heap_push (&sim->finishes, career->end, which, err);
}

/* A run is over. Its measures do not depend on later events. */
static void stop_run (struct sim *sim, size_t which)
{
    struct career *career = &sim->careers[which];
    const tori_work *work = &sim->workload->jobs[which];
    tori_time ran = sim->now - career->since;
    career->runs = false;
    career->ran += ran;
    sim->last_finish = sim->now;
    if (!career->measured)
        return;
    measures_hold (&sim->measures, work->asked, career->held, ran,
                   measures_inside (&sim->measures, career->since, sim->now));
    measures_tell_run (&sim->measures, work, career->since, sim->now, ran);
}

/* ---- the end ---- */

/* Report the jobs that have ended, once all that started before them have. */
static int report_ended (struct sim *sim, tori_error *err)
{
    tori_sim_job job;
    while (ledger_next (&sim->ledger, &job))
        if ((!job.killed && measures_add (&sim->measures, &job, err) < 0)
            || measures_tell (&sim->measures, &job, err) < 0)
            return -1;
    return 0;
}

/* Nothing more happens to a job that has run until some time. `killed` says
 * why it was, as a fixed text; or NULL. */
static void end_job (struct sim *sim, size_t which, tori_time finish,
                     const char *killed)
{
    const tori_sim_config *config = sim->config;
    const struct career *career = &sim->careers[which];
    tori_sim_job job = {
        .work = &sim->workload->jobs[which],
        .finish = finish,
        .numerical = career->delays.numerical,
        .topological = career->delays.topological,
        .waited = career->waited,
        .ran = career->ran,
        .starts = career->starts,
        .moves = career->moves,
        .level = career->level,
        .killed = killed != NULL,
        .why = killed,
    };
    if (career->listed)
        ledger_end (&sim->ledger, career->entry, &job);
    if (career->listed && !killed) /* its work here is the rest */
        sim->measures.done -=
            (node_time)job.work->asked * (uint64_t)career->before;
    sim->result.events++;
    sim->result.killed += killed != NULL;
    if (config->on_finish)
        config->on_finish (config->arg, job.work);
    sim->finished++;
    if (config->on_progress
        && (sim->network || sim->finished % PROGRESS_EVERY == 0))
        config->on_progress (config->arg, sim->finished, sim->workload->n);
}

const struct event *sim_next_finish (struct sim *sim)
{
    while (sim->finishes.n > 0) {
        const struct event *next = heap_top (&sim->finishes);
        const struct career *career = &sim->careers[next->what];
        if (career->runs && (sim->network || career->end == next->time))
            return next;
        heap_pop (&sim->finishes);
    }
    return NULL;
}

int sim_finish_due (struct sim *sim, tori_error *err)
{
    const struct event *next;
    while ((next = sim_next_finish (sim)) && next->time == sim->now) {
        uint64_t which = heap_pop (&sim->finishes).what;
        if (tori_sched_finish (sim->sched, sim->now, sim->careers[which].job,
                               err)
            < 0)
            return -1;
        stop_run (sim, which);
        end_job (sim, which, sim->now, NULL);
    }
    return report_ended (sim, err);
}

/* ---- decisions ---- */

/* The present place of a job. A decision's own place is no longer valid if a
 * later decision of this instant moves or stops the job. */
static const tori_placement *place_of (const struct sim *sim,
                                       const struct career *career)
{
    static const tori_placement nowhere = {0};
    tori_time begun;
    const tori_placement *place =
        sched_look_running (sim->sched, career->job, &begun);
    return place ? place : &nowhere;
}

static int tell_place (const struct sim *sim, size_t which,
                       const tori_placement *place, tori_error *err)
{
    const tori_sim_config *config = sim->config;
    tori_error own;
    if (!config->on_place)
        return 0;
    own = (tori_error){0};
    return config->on_place (config->arg, &sim->workload->jobs[which], place,
                             &own)
                   == 0
               ? 0
               : measures_stop (&own, err);
}

/* Make the entry of a measured run: the one before is void. */
static int list_run (struct sim *sim, struct career *career,
                     const tori_placement *place, tori_error *err)
{
    if (!career->measured)
        return 0;
    if (career->listed)
        ledger_drop (&sim->ledger, career->entry);
    career->listed = false;
    if (ledger_add (&sim->ledger, sim->now, place, &career->entry, err) < 0)
        return -1;
    career->listed = true;
    return 0;
}

static int on_start (struct sim *sim, const tori_decision *decision,
                     tori_error *err)
{
    const tori_work *work = &sim->workload->jobs[decision->tag];
    struct career *career = &sim->careers[decision->tag];
    const tori_placement *place = place_of (sim, career);
    leave_queue (sim, career);
    career->starts++;
    if (tell_place (sim, decision->tag, place, err) < 0
        || list_run (sim, career, place, err) < 0)
        return -1;
    if (!sim->network)
        return sim_run_on (sim, decision->tag, err);
    career->runs = true;
    career->held = place->count;
    return network_start (sim->network, work->runtime, place, decision->tag,
                          err);
}

static int on_reject (struct sim *sim, const tori_decision *decision,
                      tori_error *err)
{
    sim->result.rejected++;
    return measures_tell_rejected (&sim->measures,
                                   &sim->workload->jobs[decision->tag],
                                   decision->why, err);
}

static bool has_failed (const tori_decision *decision)
{
    return decision->by == TORI_NO_JOB;
}

static int on_kill (struct sim *sim, const tori_decision *decision,
                    tori_error *err)
{
    struct career *career = &sim->careers[decision->tag];
    if (career->runs)
        stop_run (sim, decision->tag);
    else
        leave_queue (sim, career); /* it started and ended at this instant */
    end_job (sim, decision->tag, sim->now,
             has_failed (decision) ? "a node or link under it failed"
                                   : "an urgent job needed its place");
    return report_ended (sim, err);
}

/* Something failed under a job, which is to be started again. A job that fails
 * again and again does not run for ever: 1 if it is killed now. */
static int note_failure (struct sim *sim, size_t which, tori_error *err)
{
    struct career *career = &sim->careers[which];
    const tori_sim_interrupts *how = sim->config->interrupts;
    uint32_t most = how && how->restarts ? how->restarts : RESTARTS;
    if (++career->failed <= most)
        return 0;
    if (tori_sched_cancel (sim->sched, sim->now, career->job, err) < 0)
        return -1;
    end_job (sim, which, sim->now,
             "nodes or links under it failed too often to start it again");
    return report_ended (sim, err) < 0 ? -1 : 1;
}

/* A job is requeued with its work so far: it may have lost some. If it ran
 * since before the simulation, it is measured from now on. */
static void note_done (const struct sim *sim, struct career *career)
{
    tori_job_spec spec = {.size = sizeof spec};
    if (tori_sched_spec (sim->sched, career->job, &spec)
        && (!career->measured || spec.done < career->before))
        career->before = spec.done;
    career->measured = true;
}

static int on_requeue (struct sim *sim, const tori_decision *decision,
                       tori_error *err)
{
    struct career *career = &sim->careers[decision->tag];
    bool ran = career->runs; /* or it was suspended */
    int killed = 0;
    if (ran)
        stop_run (sim, decision->tag);
    note_done (sim, career);
    if (has_failed (decision))
        killed = note_failure (sim, decision->tag, err);
    if (killed != 0)
        return killed < 0 ? -1 : 0;
    sim->result.requeues++;
    if (ran)
        sim_wait (sim, career);
    return 0;
}

/* A job continues elsewhere: if something failed under it, from its last
 * checkpoint. */
static int on_move (struct sim *sim, const tori_decision *decision,
                    tori_error *err)
{
    struct career *career = &sim->careers[decision->tag];
    const tori_placement *place = place_of (sim, career);
    int killed = 0;
    stop_run (sim, decision->tag);
    if (has_failed (decision))
        killed = note_failure (sim, decision->tag, err);
    if (killed != 0)
        return killed < 0 ? -1 : 0;
    ++*(has_failed (decision) ? &sim->result.repairs : &sim->result.moves);
    career->moves++;
    if (tell_place (sim, decision->tag, place, err) < 0
        || (career->listed
            && ledger_move (&sim->ledger, career->entry, place, err) < 0))
        return -1;
    return sim_run_on (sim, decision->tag, err);
}

static int on_suspend (struct sim *sim, const tori_decision *decision,
                       tori_error *err)
{
    struct career *career = &sim->careers[decision->tag];
    stop_run (sim, decision->tag);
    note_done (sim, career);
    sim->result.suspensions++;
    sim_wait (sim, career);
    return 0;
}

static int on_resume (struct sim *sim, const tori_decision *decision,
                      tori_error *err)
{
    struct career *career = &sim->careers[decision->tag];
    leave_queue (sim, career);
    /* A job that was suspended before the simulation, or ran since before it,
     * has no entry yet. */
    if (!career->listed
        && list_run (sim, career, place_of (sim, career), err) < 0)
        return -1;
    return sim_run_on (sim, decision->tag, err);
}

typedef int decision_fn (struct sim *sim, const tori_decision *decision,
                         tori_error *err);

int sim_carry_out (struct sim *sim, tori_error *err)
{
    static decision_fn *const does[] = {
        [TORI_START] = on_start,     [TORI_REJECT] = on_reject,
        [TORI_KILL] = on_kill,       [TORI_REQUEUE] = on_requeue,
        [TORI_DRAINED] = NULL,       [TORI_MOVE] = on_move,
        [TORI_SUSPEND] = on_suspend, [TORI_RESUME] = on_resume,
    };
    tori_decision decision = {.size = sizeof decision};
    while (tori_sched_next (sim->sched, &decision)) {
        decision_fn *what = does[decision.kind];
        if (what && what (sim, &decision, err) < 0)
            return -1;
    }
    return 0;
}

/* A service can let a job wait that the allocator gives up on. A simulation
 * would then measure the limit of the search. */
static int check_decided (const struct sim *sim, tori_error *err)
{
    const tori_work *work;
    const char *why;
    uint64_t tag;
    tori_job job;
    if (!tori_sched_gave_up (sim->sched, &job, &tag, &why))
        return 0;
    work = &sim->workload->jobs[tag];
    if (sim->config->on_gave_up)
        sim->config->on_gave_up (sim->config->arg, work, why);
    return tori_error_set (err, TORI_GAVE_UP, "job %lld, of %u nodes: %s",
                           (long long)work->id, work->asked, why);
}

int sim_decide (struct sim *sim, tori_error *err)
{
    if (tori_sched_run (sim->sched, sim->now, err) < 0
        || check_decided (sim, err) < 0)
        return -1;
    return sim_carry_out (sim, err);
}

int sim_give_up_head (struct sim *sim, tori_error *err)
{
    tori_job_info info = {.size = sizeof info};
    tori_decision never = {.why = "it is never placed"};
    struct career *career;
    tori_sched_head (sim->sched, &never.job, &never.tag);
    tori_sched_look (sim->sched, never.job, &info);
    if (tori_sched_cancel (sim->sched, sim->now, never.job, err) < 0)
        return -1;
    if (info.aside)
        never.why = info.aside;
    career = &sim->careers[never.tag];
    if (career->starts == 0)
        return on_reject (sim, &never, err);
    charge_delays (career, &sim->delays, 1);
    end_job (sim, never.tag, career->since, never.why);
    return report_ended (sim, err);
}
