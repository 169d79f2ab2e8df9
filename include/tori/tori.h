/* tori/tori.h - everything: place and schedule jobs on meshes, tori and
 * multi-tori.
 *
 *     cc program.c $(pkg-config --cflags --libs tori)
 *
 * Where jobs go:       tori/machine.h  nodes, shapes, boxes
 *                      tori/state.h    what is free, busy, down
 *                      tori/wiring.h   which links a partition takes
 *                      tori/alloc.h    requests, placements, allocators
 *                      tori/points.h   the same among points
 *                      tori/cubes.h    subcubes in less than a microsecond
 * When they go:        tori/sched.h    the scheduler: time in, decisions out
 *                      tori/workload.h job logs and models of them
 *                      tori/sim.h      a workload through the scheduler
 *                      tori/decide.h   how good allocators decide
 *                      tori/gang.h     time-space sharing
 * All known before:    tori/plan.h     plans, with and without preemption
 *                      tori/subtorus.h interleaved subtori
 *                      tori/exact.h    exact numbers
 * Messages:            tori/net.h      routers flit by flit
 *                      tori/pattern.h  who sends to whom
 *                      tori/traffic.h  jobs that send
 *                      tori/fluid.h    the same as flows, for long times
 *                      tori/partition.h who stays within a partition
 *                      tori/drain.h    stop a network, and put it away
 *                      tori/preempt.h  processes in turns
 *
 * What holds for all of them:
 *
 * Errors are values (tori/error.h): 0 or -1 and a tori_error that the caller
 * owns and that may be NULL. Outputs are named ret_..., and untouched on
 * failure unless it says otherwise. Memory that runs out is an error like any
 * other, TORI_FAILED, and whatever allocates may return it.
 *
 * Ownership. What NAME_create, NAME_parse or NAME_open gives out the caller
 * gives to NAME_destroy or NAME_close, which take NULL; a structure that the
 * caller has, such as a placement or a result, is filled in by a function and
 * emptied by NAME_clear. Arguments are read and not kept, unless it says that
 * something must outlive something. Nobody frees a `const char *` that is
 * returned.
 *
 * Arguments that no user types are not checked: a dimension or a node of
 * another machine, NULL where NULL is not said to be allowed.
 *
 * Threads. There are no globals. A machine never changes and may be shared; of
 * everything else, each thread has its own or waits for the others.
 *
 * The library never prints, never exits, reads no clock and no environment,
 * and draws no number but from a seed that was given: the same calls have the
 * same answers on every machine.
 */
#ifndef TORI_TORI_H
#define TORI_TORI_H

#include <tori/alloc.h>
#include <tori/cubes.h>
#include <tori/decide.h>
#include <tori/drain.h>
#include <tori/error.h>
#include <tori/exact.h>
#include <tori/fluid.h>
#include <tori/gang.h>
#include <tori/machine.h>
#include <tori/net.h>
#include <tori/partition.h>
#include <tori/pattern.h>
#include <tori/plan.h>
#include <tori/points.h>
#include <tori/preempt.h>
#include <tori/sched.h>
#include <tori/sim.h>
#include <tori/state.h>
#include <tori/subtorus.h>
#include <tori/traffic.h>
#include <tori/wiring.h>
#include <tori/workload.h>

#endif
