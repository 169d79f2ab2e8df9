/* names.c - the names of policies, orders of the queue and reasons for
 * waiting, and the defaults. */
#include "choice.h"
#include "configure.h"
#include "core.h"
#include "sized.h"

static const struct policy policies[] = {
    {.info = {"fcfs", "first come, first served: nobody overtakes"},
     .stop_at_blocked = true},
    {.info = {"backfill", "whatever fits starts: no planned starts"}},
    {.info = {"easy", "the first waiting job has a planned start"},
     .depth = 1},
    {.info = {"conservative", "every waiting job has a planned start"},
     .depth = SIZE_MAX},
};

enum { NPOLICIES = sizeof policies / sizeof policies[0] };

static const char *const orders[] = {
    [TORI_ORDER_SUBMIT] = "submit",
    [TORI_ORDER_SHORTEST] = "shortest",
    [TORI_ORDER_SMALLEST] = "smallest",
    [TORI_ORDER_LARGEST] = "largest",
};

enum { NORDERS = sizeof orders / sizeof orders[0] };

static const char *const reasons[] = {
    [TORI_REASON_UNKNOWN] = "unknown",
    [TORI_REASON_STARTS] = "starts",
    [TORI_REASON_NUMERICAL] = "numerical",
    [TORI_REASON_TOPOLOGICAL] = "topological",
    [TORI_REASON_WIRING] = "wiring",
    [TORI_REASON_RESERVED] = "reserved",
    [TORI_REASON_WINDOW] = "window",
    [TORI_REASON_ORDER] = "order",
    [TORI_REASON_HELD] = "held",
    [TORI_REASON_NOT_YET] = "not-yet",
    [TORI_REASON_NODES] = "nodes",
    [TORI_REASON_NEVER] = "never",
    [TORI_REASON_GAVE_UP] = "gave-up",
};

enum { NREASONS = sizeof reasons / sizeof reasons[0] };

const char *tori_reason_name (tori_reason reason)
{
    return (unsigned)reason < NREASONS ? reasons[reason] : NULL;
}

const char *tori_order_name (tori_order order)
{
    return (unsigned)order < NORDERS ? orders[order] : NULL;
}

static const char *const holds[] = {
    [TORI_HOLD_NONE] = "none",
    [TORI_HOLD_USER] = "user",
    [TORI_HOLD_OPERATOR] = "operator",
    [TORI_HOLD_DEPENDENCY] = "dependency",
    [TORI_HOLD_ARRAY] = "array",
    [TORI_HOLD_SHARE] = "share",
};

const char *tori_hold_name (tori_hold hold)
{
    return (unsigned)hold < sizeof holds / sizeof *holds ? holds[hold] : NULL;
}

static const char *const fates[] = {
    [TORI_PREEMPTED_REQUEUE] = "requeue",
    [TORI_PREEMPTED_SUSPEND] = "suspend",
    [TORI_PREEMPTED_KILL] = "kill",
    [TORI_PREEMPTED_NEVER] = "never",
};

const char *tori_preempted_name (tori_preempted preempted)
{
    return (unsigned)preempted < sizeof fates / sizeof *fates
               ? fates[preempted]
               : NULL;
}

static const char *order_name (size_t i)
{
    return i < NORDERS ? orders[i] : NULL;
}

int tori_order_parse (const char *text, tori_order *ret_order, tori_error *err)
{
    size_t which;
    if (choice_find ("order", order_name, text, &which, err) < 0)
        return -1;
    *ret_order = (tori_order)which;
    return 0;
}

const tori_sched_info *tori_sched_list (size_t i)
{
    return i < NPOLICIES ? &policies[i].info : NULL;
}

static const char *policy_name (size_t i)
{
    return i < NPOLICIES ? policies[i].info.name : NULL;
}

const struct policy *sched_policy (const char *name, tori_error *err)
{
    size_t which;
    if (choice_find ("scheduler", policy_name, name, &which, err) < 0)
        return NULL;
    return &policies[which];
}

int sched_configure (const tori_sched_config *config,
                     tori_sched_config *ret_config, tori_error *err)
{
    static const tori_alloc_config usual = {.size = sizeof usual};
    *ret_config = (tori_sched_config){.size = sizeof *ret_config};
    if (config && SIZED_COPY (tori_sched_config, ret_config, config, err) < 0)
        return -1;
    if (!tori_order_name (ret_config->order))
        return tori_error_set (err, TORI_INVALID, "there is no order %u",
                               (unsigned)ret_config->order);
    if (ret_config->flags
        & ~(uint32_t)(TORI_SCHED_PLACES | TORI_SCHED_MOVES
                      | TORI_SCHED_RESTARTS))
        return tori_error_set (err, TORI_INVALID, "there are no flags %x",
                               (unsigned)ret_config->flags);
    if (ret_config->move < 0)
        return tori_error_set (err, TORI_INVALID, "a move of negative length");
    if (!ret_config->policy)
        ret_config->policy = "easy";
    if (!ret_config->alloc && !ret_config->counts)
        ret_config->counts = &usual;
    if (!ret_config->alloc)
        ret_config->alloc = &usual;
    return 0;
}
