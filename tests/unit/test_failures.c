/* Failures in the simulator, against a naive one that goes from second to
 * second and counts what each job and node does in it. */
#include "allocs.h"
#include "simlog.h"
#include "play.h"

#include <stdlib.h>
#include <string.h>

#include "simcore.h"

/* ---- a naive simulator ---- */

/* The outcome of a job, in seconds. */
struct lot {
    bool runs, ended, killed;
    tori_time saved, progress; /* of its work: kept for sure, and since */
    tori_time pause;           /* before it makes progress again */
    tori_time start, stopped, queued, waited, ran;
    uint32_t starts, moves, failed, level;
    size_t order; /* of its last start */
};

struct naive_world {
    const tori_workload *work;
    const tori_sim_interrupts *how;
    struct naive_sched *sched;
    struct lot lots[NAIVE_TAGS];
    size_t arrived, next, nstarts;
    tori_time second;
    uint64_t failures, killed, requeues, repairs, moves, suspensions;
    tori_time move; /* what one costs */
    double used, good; /* node-seconds */
};

static tori_time in_ticks (tori_time seconds)
{
    return seconds * TORI_SECOND;
}

static void kill_job (struct naive_world *world, uint64_t tag,
                      tori_time second)
{
    struct lot *lot = &world->lots[tag];
    lot->ended = lot->killed = true;
    lot->stopped = second;
    world->killed++;
}

/* It loses what it did since its last checkpoint. */
static void lose (struct naive_world *world, struct lot *lot)
{
    tori_time every = world->how->checkpoint / TORI_SECOND;
    while (every > 0 && lot->progress >= every) {
        lot->saved += every;
        lot->progress -= every;
    }
    lot->progress = lot->pause = 0;
}

/* Whether it failed too often, and is killed. */
static bool fails_once_more (struct naive_world *world, uint64_t tag)
{
    struct lot *lot = &world->lots[tag];
    if (++lot->failed <= world->how->restarts)
        return false;
    naive_sched_end (world->sched, in_ticks (world->second), tag);
    lot->runs = false;
    kill_job (world, tag, world->second);
    return true;
}

static void start (struct naive_world *world, struct lot *lot)
{
    lot->starts++;
    lot->start = world->second;
    lot->order = world->nstarts++;
}

/* Work that was done before a suspension is as good as saved. */
static void run_on (struct lot *lot)
{
    lot->runs = true;
    lot->saved += lot->progress;
    lot->progress = 0;
    lot->waited += lot->queued;
    lot->queued = 0;
}

static void move (struct naive_world *world, uint64_t tag, bool failed)
{
    struct lot *lot = &world->lots[tag];
    if (failed)
        lose (world, lot);
    if (failed && fails_once_more (world, tag))
        return;
    *(failed ? &world->repairs : &world->moves) += 1;
    lot->moves++;
    lot->saved += lot->progress; /* a move saves its work */
    lot->progress = 0;
    lot->pause = world->move;
}

static void stop_lot (struct naive_world *world, uint64_t tag, bool failed,
                      tori_decision_kind kind)
{
    struct lot *lot = &world->lots[tag];
    if (lot->runs)
        lot->stopped = world->second;
    lot->runs = false;
    if (kind == TORI_KILL) {
        lot->waited += lot->queued; /* of one that was to start now */
        kill_job (world, tag, world->second);
    } else if (kind == TORI_SUSPEND) {
        world->suspensions++;
    } else {
        lose (world, lot);
        if (!failed || !fails_once_more (world, tag))
            world->requeues++;
    }
}

/* Decisions when something fails, or in a run. */
static void obey (struct naive_world *world, bool failed)
{
    struct naive_decision decision;
    while (naive_sched_next (world->sched, &decision)) {
        struct lot *lot = &world->lots[decision.tag];
        if (decision.kind == TORI_REJECT)
            lot->ended = true;
        else if (decision.kind == TORI_MOVE)
            move (world, decision.tag, failed);
        else if (decision.kind == TORI_START || decision.kind == TORI_RESUME)
            run_on (lot);
        else
            stop_lot (world, decision.tag, failed, decision.kind);
        if (decision.kind == TORI_START)
            start (world, lot);
    }
}

static bool finish (struct naive_world *world)
{
    bool any = false;
    for (size_t i = 0; i < world->arrived; i++) {
        struct lot *lot = &world->lots[i];
        const tori_work *job = &world->work->jobs[i];
        if (!lot->runs
            || in_ticks (lot->saved + lot->progress) < job->runtime)
            continue;
        naive_sched_end (world->sched, in_ticks (world->second), i);
        lot->runs = false;
        lot->ended = any = true;
        lot->stopped = world->second;
        world->good += job->asked * (double)job->runtime / 1e6;
    }
    return any;
}

static bool is_down (const struct naive_sched *sched,
                     const tori_sim_outage *outage)
{
    const struct naive *machine = sched->machine;
    return outage->node == TORI_NO_NODE
               ? machine->links[naive_number (machine, &outage->link)].down
               : machine->nodes[outage->node].down;
}

/* From the i-th on, those that fail together: what is down already, or fails
 * twice, fails once. Returns how many were looked at. */
static size_t fail_some (struct naive_world *world, size_t i)
{
    tori_time now = in_ticks (world->second);
    const tori_sim_outage *all = world->how->outages;
    uint32_t nodes[64];
    tori_link links[64];
    size_t n = 0, nlinks = 0, end = i;
    for (; end < world->how->noutages && all[end].time <= now && all[end].down;
         end++) {
        bool again = is_down (world->sched, &all[end]);
        for (size_t k = i; k < end; k++)
            again |= all[k].node == all[end].node
                     && (all[k].node != TORI_NO_NODE
                         || memcmp (&all[k].link, &all[end].link,
                                    sizeof all[k].link)
                                == 0);
        if (!again && all[end].node != TORI_NO_NODE)
            nodes[n++] = all[end].node;
        else if (!again)
            links[nlinks++] = all[end].link;
    }
    if (n + nlinks > 0)
        naive_sched_fail (world->sched, now, nodes, n, links, nlinks);
    world->failures += n + nlinks;
    obey (world, true);
    return end - i;
}

static void come_up (struct naive_world *world, const tori_sim_outage *outage)
{
    tori_time now = in_ticks (world->second);
    if (!is_down (world->sched, outage))
        return;
    if (outage->node != TORI_NO_NODE)
        naive_sched_set_node (world->sched, now, outage->node, false, false);
    else
        naive_sched_set_link (world->sched, now, &outage->link, false);
}

/* Whether anything changed. */
static bool change_machine (struct naive_world *world)
{
    const tori_sim_outage *all = world->how->outages;
    size_t begin = world->next;
    while (world->next < world->how->noutages
           && all[world->next].time <= in_ticks (world->second))
        if (all[world->next].down)
            world->next += fail_some (world, world->next);
        else
            come_up (world, &all[world->next++]);
    return world->next > begin;
}

static bool arrives (const struct naive_world *world)
{
    return world->arrived < world->work->n
           && world->work->jobs[world->arrived].submit
                  == in_ticks (world->second);
}

static void begin_second (struct naive_world *world)
{
    static const uint32_t flags[] = {
        [TORI_ON_FAILURE_REQUEUE] = TORI_JOB_REQUEUE,
        [TORI_ON_FAILURE_REPAIR] = TORI_JOB_REQUEUE | TORI_JOB_REPAIR,
        [TORI_ON_FAILURE_KILL] = 0,
    };
    tori_time now = in_ticks (world->second);
    bool any = finish (world);
    any |= change_machine (world);
    for (; arrives (world); world->arrived++, any = true) {
        const tori_work *job = &world->work->jobs[world->arrived];
        tori_job_spec spec = {
            .size = sizeof spec,
            .estimate = job->estimate,
            .tag = world->arrived,
            .request = job->request,
            .checkpoint = world->how->checkpoint,
            .flags = flags[world->how->on_failure],
            .level = world->lots[world->arrived].level,
            .priority = world->lots[world->arrived].level,
            .preempted = world->how->preempted,
        };
        naive_sched_submit (world->sched, now, &spec);
    }
    for (; any; any = finish (world)) {
        naive_sched_run (world->sched, now);
        obey (world, false);
    }
}

static void pass_second (struct naive_world *world)
{
    for (size_t i = 0; i < world->arrived; i++) {
        struct lot *lot = &world->lots[i];
        if (lot->runs) {
            if (lot->pause > 0)
                lot->pause--;
            else
                lot->progress++;
            lot->ran++;
            world->used += world->work->jobs[i].asked;
        } else if (!lot->ended) {
            lot->queued++;
        }
    }
    world->second++;
}

/* Whether anything can still happen to a job. */
static bool goes_on (const struct naive_world *world)
{
    bool waits = false;
    for (size_t i = 0; i < world->arrived; i++) {
        if (world->lots[i].runs)
            return true;
        waits |= !world->lots[i].ended;
    }
    return world->arrived < world->work->n
           || (waits && world->next < world->how->noutages);
}

static void naive_simulate (struct naive_world *world)
{
    do {
        begin_second (world);
        pass_second (world);
    } while (goes_on (world));
    for (size_t i = 0; i < world->work->n; i++)
        if (!world->lots[i].ended && world->lots[i].starts > 0)
            kill_job (world, i, world->lots[i].stopped);
}

/* ---- comparing ---- */

static void compare_job (const struct start *is, const struct lot *lot)
{
    assert_true (lot->ended);
    assert_int_equal (is->start, in_ticks (lot->start));
    assert_int_equal (is->finish, in_ticks (lot->stopped));
    assert_int_equal (is->waited, in_ticks (lot->waited));
    assert_int_equal (is->ran, in_ticks (lot->ran));
    assert_int_equal (is->starts, lot->starts);
    assert_int_equal (is->moves, lot->moves);
    assert_int_equal (is->level, lot->level);
    assert_int_equal (is->killed, lot->killed);
}

static void compare_results (const struct run *run,
                             const struct naive_world *world,
                             const tori_machine *machine)
{
    const tori_sim_result *is = &run->result;
    double whole = is->makespan * tori_machine_nodes (machine);
    size_t told = 0, done = 0, rejected = 0;
    for (size_t i = 0; i < world->work->n; i++) {
        const struct lot *lot = &world->lots[i];
        told += lot->starts > 0;
        done += lot->starts > 0 && !lot->killed;
        rejected += lot->starts == 0 && !lot->killed;
        assert_int_equal (run->rejected[i], lot->starts == 0 && !lot->killed);
    }
    assert_int_equal (run->n, told);
    assert_int_equal (is->jobs, done);
    assert_int_equal (is->rejected, rejected);
    assert_int_equal (is->failures, world->failures);
    assert_int_equal (is->killed, world->killed);
    assert_int_equal (is->requeues, world->requeues);
    assert_int_equal (is->repairs, world->repairs);
    assert_int_equal (is->moves, world->moves);
    assert_int_equal (is->suspensions, world->suspensions);
    expect_near (is->lost, world->used - world->good);
    expect_near (is->utilization, whole > 0 ? world->used / whole : 0);
    expect_near (is->goodput, whole > 0 ? world->good / whole : 0);
}

static void compare (const tori_sim_config *config, const tori_workload *work)
{
    struct naive_world world = {.work = work, .how = config->interrupts};
    struct run run;
    size_t order = 0;
    world.sched = naive_sched_create (config->machine, config->sched->policy,
                                      config->sched->order,
                                      config->sched->alloc->name);
    world.sched->places = config->sched->flags & TORI_SCHED_PLACES;
    world.sched->moves = config->sched->flags & TORI_SCHED_MOVES;
    world.sched->move = config->sched->move;
    world.move = config->sched->move / TORI_SECOND;
    simulate (&run, *config, work);
    for (size_t i = 0; i < work->n; i++)
        world.lots[i].level
            = sim_is_urgent (config->interrupts, &work->jobs[i]);
    naive_simulate (&world);
    for (size_t i = 0; i < run.n; i++) {
        const struct lot *lot = &world.lots[run.starts[i].job];
        compare_job (&run.starts[i], lot);
        assert_true (i == 0 || lot->order > order);
        order = lot->order;
    }
    compare_results (&run, &world, config->machine);
    run_clear (&run);
    naive_sched_destroy (world.sched);
}

/* The failures of a stream. */
static tori_sim_outage *outages_of (const struct stream *stream, size_t *ret_n)
{
    tori_sim_outage *all = make_array (stream->nmishaps + 1, sizeof *all);
    size_t n = 0;
    for (size_t i = 0; i < stream->nmishaps; i++) {
        const struct mishap *mishap = &stream->mishaps[i];
        if (mishap->kind == NODE_DOWN || mishap->kind == LINK_DOWN)
            all[n++] = (tori_sim_outage){
                .time = in_ticks (mishap->at),
                .node = mishap->kind == NODE_DOWN ? mishap->node
                                                  : TORI_NO_NODE,
                .link = mishap->link,
                .down = mishap->value};
    }
    *ret_n = n;
    return all;
}

static void play_failures (uint64_t seed, const char *policy,
                           const tori_alloc_info *alloc)
{
    struct stream_options options = {.takes = alloc->takes,
                                     .jobs = 30,
                                     .mishaps = 40,
                                     .estimates = seed % 3 ? OVER : ANY,
                                     .max_nodes = 36};
    bool moves = seed % 5 < 2;
    static const tori_preempted fates[]
        = {TORI_PREEMPTED_REQUEUE, TORI_PREEMPTED_SUSPEND,
           TORI_PREEMPTED_KILL, TORI_PREEMPTED_NEVER, TORI_PREEMPTED_SUSPEND};
    tori_sim_interrupts how = {.size = sizeof how,
        .on_failure = (tori_on_failure)(seed / 3 % 3),
        .checkpoint = in_ticks ((tori_time)(seed % 5)),
        .restarts = 1 + seed % 3,
        .urgent = seed % 2 ? 0.3 : 0,
        .preempted = fates[seed % LENGTH (fates)],
    };
    uint32_t flags = (seed % 2 ? TORI_SCHED_PLACES : 0)
                     | (moves ? TORI_SCHED_MOVES : 0);
    struct stream stream;
    tori_workload work;
    tori_sim_outage *outages;
    stream_create (&stream, seed, &options);
    workload_of (&stream, &work);
    how.outages = outages = outages_of (&stream, &how.noutages);
    compare (&(const tori_sim_config){.size = sizeof (tori_sim_config),
                                      .machine = stream.machine,
                                      .sched = TORI_SCHED (
                                          policy, TORI_ALLOC (alloc->name),
                                          (tori_order)(seed % 4),
                                          .move = in_ticks (seed % 3),
                                          .flags = flags),
                                      .interrupts = &how},
             &work);
    free (outages);
    tori_workload_clear (&work);
    stream_destroy (&stream);
}

TEST (failures_of_a_list)
{
    const tori_alloc_info *alloc;
    uint64_t seed = 1;
    for (size_t a = 0; (alloc = plain_alloc (a)); a++)
        for (size_t p = 0; tori_sched_list (p); p++)
            for (size_t i = 0; naive_alloc_known (alloc->name)
                               && i < random_cases (5);
                 i++)
                play_failures (seed++, tori_sched_list (p)->name, alloc);
}

/* ---- at random ---- */

/* The changes of all nodes up to some time, from the definition: the times
 * are drawn in the order of time. */
static size_t naive_changes (const tori_machine *machine,
                             const tori_sim_interrupts *how,
                             tori_sim_outage all[], size_t most)
{
    uint32_t n = tori_machine_nodes (machine);
    struct failing failing;
    size_t found = 0;
    tori_sim_outage *last = make_array (n, sizeof *last);
    assert_int_equal (failing_create (&failing, machine, how, NULL), 0);
    for (; found < most; found++) {
        tori_sim_outage *now = &all[found];
        assert_int_equal (failing_take (&failing, now, NULL), 0);
        assert_true (found == 0 || now[-1].time <= now->time);
        assert_true (now->time > last[now->node].time);
        assert_true (now->down != last[now->node].down);
        last[now->node] = *now;
    }
    failing_clear (&failing);
    free (last);
    return found;
}

/* Nodes fail as often, and stay down as long, as they are to: the mean of a
 * thousand times is within a tenth. */
TEST (means)
{
    enum { CHANGES = 8000 };
    const tori_sim_interrupts how = {.size = sizeof how,
        .mtbf = 3000 * TORI_SECOND, .mttr = 1000 * TORI_SECOND, .seed = 7};
    AUTO_MACHINE *machine = make_machine ("mesh:4x4");
    tori_sim_outage *all = make_array (CHANGES, sizeof *all);
    tori_time since[16] = {0}, sum[2] = {0};
    int64_t n[2] = {0};
    naive_changes (machine, &how, all, CHANGES);
    for (size_t i = 0; i < CHANGES; i++) {
        sum[all[i].down] += all[i].time - since[all[i].node];
        n[all[i].down]++;
        since[all[i].node] = all[i].time;
    }
    assert_uint_in_range (sum[true] / n[true], how.mtbf * 9 / 10,
                          how.mtbf * 11 / 10);
    assert_uint_in_range (sum[false] / n[false], how.mttr * 9 / 10,
                          how.mttr * 11 / 10);
    free (all);
}

/* A run with random failures is one with a list of the same; and another
 * policy meets them, too. */
TEST (random_failures)
{
    enum { CHANGES = 3000 };
    tori_sim_outage *all = make_array (CHANGES, sizeof *all);
    uint64_t failures = 0;
    for (uint64_t seed = 1; seed <= random_cases (14); seed++) {
        struct stream_options options = {
            .takes = TORI_BY_SHAPE, .jobs = 40, .max_nodes = 30};
        tori_sim_interrupts how = {.size = sizeof how, .mtbf = 300 * TORI_SECOND,
                                   .mttr = 10 * TORI_SECOND,
                                   .seed = seed,
                                   .checkpoint = 2 * TORI_SECOND};
        tori_sim_config config = {
            .size = sizeof config,
            .sched = TORI_SCHED (tori_sched_list (seed % 4)->name),
            .interrupts = &how};
        struct stream stream;
        tori_workload work;
        struct run drawn, listed;
        stream_create (&stream, seed, &options);
        workload_of (&stream, &work);
        config.machine = stream.machine;
        simulate (&drawn, config, &work);
        how.noutages = naive_changes (stream.machine, &how, all, CHANGES);
        how.outages = all;
        how.mtbf = how.mttr = 0;
        simulate (&listed, config, &work);
        failures += drawn.result.failures;
        assert_memory_equal (&drawn.result, &listed.result,
                             sizeof drawn.result);
        run_clear (&drawn);
        run_clear (&listed);
        tori_workload_clear (&work);
        stream_destroy (&stream);
    }
    assert_true (failures > 0);
    free (all);
}

/* ---- what would not end ---- */

static tori_sim_result run_hopeless (const char *name, tori_time runtime,
                                     const tori_sim_interrupts *how)
{
    AUTO_MACHINE *machine = make_machine (name);
    tori_work job = {.id = 1,
                     .runtime = runtime,
                     .estimate = runtime,
                     .asked = tori_machine_nodes (machine),
                     .request = {.shape = *tori_machine_shape (machine)}};
    tori_workload work = {.jobs = &job, .n = 1};
    tori_sim_config config = {
        .size = sizeof config, .machine = machine, .interrupts = how};
    tori_sim_result result;
    tori_error err;
    if (tori_sim_run (&config, &work, &result, &err) < 0)
        fail_msg ("%s", err.text);
    return result;
}

/* A job that is longer than its nodes ever last is killed after so many
 * restarts; with checkpoints it ends. */
TEST (too_long)
{
    tori_sim_interrupts how = {.size = sizeof how, .mtbf = 1000 * TORI_SECOND,
                               .mttr = 10 * TORI_SECOND,
                               .seed = 1};
    tori_sim_result result
        = run_hopeless ("mesh:4x4", 100000 * TORI_SECOND, &how);
    assert_int_equal (result.killed, 1);
    assert_int_equal (result.requeues, 100);
    assert_int_equal (result.jobs, 0);
    expect_near (result.goodput, 0);
    how.restarts = 7;
    result = run_hopeless ("mesh:4x4", 100000 * TORI_SECOND, &how);
    assert_int_equal (result.requeues, 7);
    how.restarts = 0;
    how.checkpoint = 10 * TORI_SECOND;
    result = run_hopeless ("mesh:4x4", 1000 * TORI_SECOND, &how);
    assert_int_equal (result.jobs, 1);
    assert_true (result.requeues > 0);
    assert_true (result.lost > 0 && result.lost < 16 * 10 * 100);
}

/* All nodes are hardly ever up at the same time. */
TEST (too_large)
{
    const tori_sim_interrupts how = {.size = sizeof how, .mtbf = 10 * TORI_SECOND,
                                     .mttr = 10 * TORI_SECOND,
                                     .seed = 1};
    tori_sim_result result
        = run_hopeless ("mesh:8x8", 1000 * TORI_SECOND, &how);
    assert_int_equal (result.jobs + result.killed + result.rejected, 1);
    assert_int_equal (result.jobs, 0);
}
