/* preempt.c - processes that share a partition in turns. See
 * tori/preempt.h. */
#include <stdlib.h>
#include <string.h>

#include <tori/preempt.h>

#include "grid.h"
#include "process.h"
#include "sized.h"

struct preempt_run {
    tori_preempt_config config; /* nothing left 0 */
    tori_box box;
    tori_net *net;
    uint32_t n; /* nodes of the partition */
    uint32_t *nodes, *place;
    bool *stopped; /* interrupted, by node of the partition */
    uint32_t np;
    struct process *processes;
    tori_saved **away; /* by process; NULL: has not run, or is there */
    tori_preempt_switch *switches;
    size_t nswitches;
};

/* ---- setting up ---- */

static tori_box whole_box (const tori_machine *machine)
{
    tori_box box = {.shape.ndims = tori_machine_ndims (machine)};
    for (int d = 0; d < box.shape.ndims; d++)
        box.shape.size[d] = tori_machine_size (machine, d);
    return box;
}

static void set_defaults (struct preempt_run *run,
                          const tori_preempt_config *config)
{
    tori_preempt_config *c = &run->config;
    *c = *config;
    run->box = c->box ? *c->box : whole_box (c->machine);
    c->box = &run->box;
    if (c->processes == 0)
        c->processes = 2;
    if (c->slice == 0)
        c->slice = 500;
    if (c->flits == 0)
        c->flits = 16;
    run->n = (uint32_t)tori_shape_volume (&run->box.shape);
    if (c->partners == 0 || c->partners >= run->n)
        c->partners = run->n - 1;
    run->np = c->processes;
}

static int check_config (const struct preempt_run *run, tori_error *err)
{
    const tori_preempt_config *c = &run->config;
    if (run->n < 2)
        return tori_error_set (err, TORI_INVALID,
                               "processes that send need two nodes or more");
    if (!(c->load >= 0 && c->load <= c->flits))
        return tori_error_set (err, TORI_INVALID,
                               "a load of %g flits per node and cycle is more "
                               "than one message of %lu per cycle",
                               c->load, (unsigned long)c->flits);
    return 0;
}

static int allocate_run (struct preempt_run *run, tori_error *err)
{
    size_t nodes = tori_machine_nodes (run->config.machine);
    run->nodes = calloc (run->n, sizeof *run->nodes);
    run->place = calloc (nodes, sizeof *run->place);
    run->stopped = calloc (run->n, sizeof *run->stopped);
    run->processes = calloc (run->np, sizeof *run->processes);
    run->away = calloc (run->np, sizeof *run->away);
    run->switches =
        calloc ((size_t)run->config.switches + 1, sizeof *run->switches);
    if (!run->nodes || !run->place || !run->stopped || !run->processes
        || !run->away || !run->switches)
        return tori_error_nomem (err);
    return 0;
}

/* Turns go round. */
static uint64_t turns_of (const struct preempt_run *run, uint32_t number)
{
    uint64_t turns = (uint64_t)run->config.switches + 1;
    return (turns + run->np - 1 - number) / run->np;
}

static int open_processes (struct preempt_run *run, tori_error *err)
{
    const tori_preempt_config *c = &run->config;
    for (uint32_t i = 0; i < run->np; i++) {
        struct process *p = &run->processes[i];
        if (process_open (p, run->nodes, run->place, run->n, err) < 0)
            return -1;
        p->flits = c->flits;
        p->chance = c->load / c->flits;
        p->partners = c->partners;
        p->quota = c->cycles;
        if (p->quota == 0)
            p->quota = c->slice * turns_of (run, i) * 5 / 4;
        process_seed (p, c->seed, i);
    }
    return 0;
}

static int open_run (struct preempt_run *run, tori_error *err)
{
    if (check_config (run, err) < 0 || allocate_run (run, err) < 0
        || tori_net_create (run->config.machine, run->config.net, &run->net,
                            err)
               < 0)
        return -1;
    tori_box_nodes (run->config.machine, &run->box, run->nodes);
    for (uint32_t i = 0; i < run->n; i++)
        run->place[run->nodes[i]] = i;
    return open_processes (run, err);
}

static void close_run (struct preempt_run *run)
{
    for (uint32_t i = 0; run->processes && i < run->np; i++)
        process_clear (&run->processes[i]);
    for (uint32_t i = 0; run->away && i < run->np; i++)
        tori_saved_destroy (run->away[i]);
    free (run->nodes);
    free (run->place);
    free (run->stopped);
    free (run->processes);
    free (run->away);
    free (run->switches);
    tori_net_destroy (run->net);
}

/* ---- running ---- */

static void hear_messages (struct preempt_run *run)
{
    tori_net_message m;
    while (tori_net_receive (run->net, &m))
        process_hear (&run->processes[m.job], &m);
}

/* A cycle of the process that has the partition, on nodes not interrupted. */
static int run_cycle (struct preempt_run *run, uint32_t number,
                      uint64_t *ret_sent, tori_error *err)
{
    struct process *p = &run->processes[number];
    for (uint32_t i = 0; i < run->n; i++)
        if (!run->stopped[i]
            && process_run (p, run->net, i, ret_sent, err) < 0)
            return -1;
    tori_net_step (run->net);
    hear_messages (run);
    return 0;
}

static int run_turn (struct preempt_run *run, uint32_t number, tori_error *err)
{
    uint64_t sent = 0;
    for (uint64_t i = 0; i < run->config.slice; i++)
        if (run_cycle (run, number, &sent, err) < 0)
            return -1;
    return 0;
}

/* Send the rest, and wait until all has arrived. */
static int run_out (struct preempt_run *run, uint32_t number, tori_error *err)
{
    uint64_t sent = 0;
    while (!process_over (&run->processes[number]))
        if (run_cycle (run, number, &sent, err) < 0)
            return -1;
    tori_net_run (run->net, UINT64_MAX, false);
    hear_messages (run);
    return 0;
}

/* ---- switching ---- */

static int drain_process (struct preempt_run *run, uint32_t number,
                          tori_drain **ret_drain,
                          tori_preempt_switch *ret_switch, tori_error *err)
{
    tori_interrupt interrupt;
    if (tori_drain_start (run->net, &run->box, run->config.drain, ret_drain,
                          err)
        < 0)
        return -1;
    while (!tori_drain_done (*ret_drain)) {
        if (run_cycle (run, number, &ret_switch->sends, err) < 0)
            return -1;
        while (tori_drain_interrupt (*ret_drain, &interrupt))
            run->stopped[run->place[interrupt.node]] = true;
    }
    tori_drain_report_now (*ret_drain, &ret_switch->drain);
    return 0;
}

static void let_time_pass (struct preempt_run *run, uint64_t cycles)
{
    tori_net_run (run->net, tori_net_time (run->net) + cycles, false);
}

/* Take a process out. */
static int put_away (struct preempt_run *run, uint32_t number,
                     tori_drain **ret_drain, tori_preempt_switch *ret_switch,
                     tori_error *err)
{
    if (drain_process (run, number, ret_drain, ret_switch, err) < 0
        || tori_drain_save (*ret_drain, &run->away[number], err) < 0)
        return -1;
    ret_switch->messages = tori_saved_under_way (run->away[number]);
    let_time_pass (run, ret_switch->drain.save_cycles);
    return 0;
}

/* Let a process in, and start it. */
static int bring_in (struct preempt_run *run, uint32_t number, uint64_t cycles,
                     tori_drain *d, tori_error *err)
{
    if (run->away[number]) {
        if (tori_drain_load (d, run->away[number], err) < 0)
            return -1;
        run->away[number] = NULL;
        let_time_pass (run, cycles);
    } else if (tori_net_assign (run->net, number, run->nodes, run->n, err)
               < 0) {
        return -1;
    }
    tori_drain_release (d);
    memset (run->stopped, 0, run->n * sizeof *run->stopped);
    return 0;
}

static int change_process (struct preempt_run *run, uint32_t from, uint32_t to,
                           tori_error *err)
{
    tori_preempt_switch *s = &run->switches[run->nswitches];
    tori_drain *d;
    *s = (tori_preempt_switch){.from = from, .to = to};
    if (put_away (run, from, &d, s, err) < 0)
        return -1;
    run->nswitches++;
    return bring_in (run, to, s->drain.save_cycles, d, err);
}

static int take_turns (struct preempt_run *run, tori_error *err)
{
    for (uint32_t turn = 0;; turn++) {
        uint32_t now = turn % run->np;
        if (run_turn (run, now, err) < 0)
            return -1;
        if (turn == run->config.switches)
            return 0;
        if (change_process (run, now, (turn + 1) % run->np, err) < 0)
            return -1;
    }
}

/* ---- the end ---- */

/* A process is over when its saved state shows it: its nodes have nothing to
 * do, and all that came has been taken. */
static int detect_end (struct preempt_run *run, uint32_t number,
                       tori_drain **ret_drain, tori_error *err)
{
    tori_local idle = {.idle = true};
    tori_preempt_switch last = {0};
    struct process *p = &run->processes[number];
    if (put_away (run, number, ret_drain, &last, err) < 0)
        return -1;
    p->count.terminated =
        process_over (p)
        && tori_saved_progress (run->away[number], &idle, 1)
               == TORI_TERMINATED;
    return 0;
}

/* Run all processes to their end, in turn from the present one on. */
static int run_all_out (struct preempt_run *run, uint32_t first,
                        tori_error *err)
{
    for (uint32_t i = 0; i < run->np; i++) {
        uint32_t now = (first + i) % run->np, next = (now + 1) % run->np;
        tori_drain *d;
        if (run_out (run, now, err) < 0 || detect_end (run, now, &d, err) < 0)
            return -1;
        if (i + 1 < run->np) {
            tori_drain_report report;
            tori_drain_report_now (d, &report);
            if (bring_in (run, next, report.save_cycles, d, err) < 0)
                return -1;
        } else {
            tori_drain_release (d);
            memset (run->stopped, 0, run->n * sizeof *run->stopped);
        }
    }
    return 0;
}

static int collect_result (struct preempt_run *run,
                           tori_preempt_result *ret_result, tori_error *err)
{
    tori_preempt_process *list = calloc (run->np, sizeof *list);
    if (!list)
        return tori_error_nomem (err);
    for (uint32_t i = 0; i < run->np; i++)
        list[i] = run->processes[i].count;
    *ret_result = (tori_preempt_result){.switches = run->switches,
                                        .nswitches = run->nswitches,
                                        .processes = list,
                                        .nprocesses = run->np,
                                        .cycles = tori_net_time (run->net)};
    run->switches = NULL;
    return 0;
}

int tori_preempt_run (const tori_preempt_config *config,
                      tori_preempt_result *ret_result, tori_error *err)
{
    struct preempt_run run = {0};
    tori_preempt_config own;
    int status;
    if (SIZED_COPY (tori_preempt_config, &own, config, err) < 0
        || (own.box && box_check (own.machine, own.box, err) < 0))
        return -1;
    set_defaults (&run, &own);
    status = open_run (&run, err);
    if (status == 0)
        status = take_turns (&run, err);
    if (status == 0)
        status = run_all_out (&run, run.config.switches % run.np, err);
    if (status == 0)
        status = collect_result (&run, ret_result, err);
    close_run (&run);
    return status;
}

void tori_preempt_clear (tori_preempt_result *result)
{
    if (!result)
        return;
    free (result->switches);
    free (result->processes);
    *result = (tori_preempt_result){0};
}
