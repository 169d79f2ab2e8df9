/* tori/tori.h - everything. */
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
