/* tori/tori.h - everything: place and schedule jobs on meshes, tori and
 * multi-tori.
 *
 *     cc program.c $(pkg-config --cflags --libs tori)
 *
 *     cc -static program.c $(pkg-config --cflags --libs --static tori)
 *
 *     Where jobs go:       tori/machine.h  nodes, shapes, boxes
 *                          tori/state.h    what is free, busy, down
 *                          tori/wiring.h   which links a partition takes
 *                          tori/alloc.h    requests, placements, allocators
 *                          tori/points.h   the same among points
 *                          tori/cubes.h    subcubes in less than a microsecond
 *                          tori/room.h     which jobs to move, end or repair
 *     When they go:        tori/sched.h    the scheduler
 *                          tori/forecast.h when jobs will start
 *                          tori/why.h      why jobs wait, and what helps
 *                          tori/snapshot.h a scheduler as a file
 *                          tori/workload.h job logs and models of them
 *                          tori/sim.h      replay a workload
 *                          tori/decide.h   how well allocators decide
 *                          tori/gang.h     time-space sharing
 *     All known before:    tori/plan.h     plans, with and without preemption
 *                          tori/subtorus.h interleaved subtori
 *                          tori/exact.h    exact numbers
 *     Other languages:     tori/sizes.h    the sizes of structures
 *     Messages:            tori/net.h      routers flit by flit
 *                          tori/pattern.h  who sends to whom
 *                          tori/traffic.h  jobs that send
 *                          tori/fluid.h    the same as flows, for long times
 *                          tori/partition.h who stays within a partition
 *                          tori/drain.h    stop a network and save it
 *                          tori/preempt.h  processes in turns
 *
 * These rules hold for all of them:
 *
 * Errors are values (tori/error.h): a function returns 0, or -1 and a
 * tori_error that the caller owns and that may be NULL. Outputs are named
 * ret_... and are untouched on failure unless the function says otherwise.
 * Running out of memory is an error like any other: TORI_FAILED. Every
 * function that allocates may return it.
 *
 * Ownership. The caller passes what NAME_create, NAME_parse or NAME_open
 * returns to NAME_destroy or NAME_close. Some functions fill in a structure of
 * the caller's, such as a placement or a result; NAME_clear empties it. All of
 * these take NULL. A function reads its arguments and does not keep them,
 * unless it says that one thing must outlive another. The caller never frees a
 * returned `const char *`.
 *
 * Arguments. Functions with a tori_error check them, as tori/error.h says. The
 * others say what they return for what does not exist. Passing NULL is
 * undefined unless it is documented.
 *
 * Threads. There are no globals, and the tables behind the _list functions are
 * constant. A machine never changes and may be shared, and so may a tree of
 * tori/gang.h. A function only reads what it takes as a pointer to const. So
 * many threads may use a state, a workload, a plan or a saved network at the
 * same time, as long as none changes it. Allocators, cubes, schedulers, gang
 * worlds and gang nodes, networks, flows, readers and writers have working
 * memory: use one per thread, or let one thread at a time use it. Threads that
 * write the same file take turns.
 *
 * Callbacks run in the thread that made the call. They may call the library,
 * but must not change what that call works on: its state, network, world or
 * workload.
 *
 * The library never prints and never exits. It reads no clock and no
 * environment variables, and draws random numbers only from a given seed. So
 * the same calls give the same answers on every machine.
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
#include <tori/forecast.h>
#include <tori/gang.h>
#include <tori/machine.h>
#include <tori/net.h>
#include <tori/partition.h>
#include <tori/pattern.h>
#include <tori/plan.h>
#include <tori/points.h>
#include <tori/preempt.h>
#include <tori/room.h>
#include <tori/sched.h>
#include <tori/sim.h>
#include <tori/sizes.h>
#include <tori/snapshot.h>
#include <tori/state.h>
#include <tori/subtorus.h>
#include <tori/traffic.h>
#include <tori/version.h>
#include <tori/why.h>
#include <tori/wiring.h>
#include <tori/workload.h>

#endif
