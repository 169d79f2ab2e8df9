/* names.c - the policies and the orders of the queue, by their names. */
#include "choice.h"
#include "core.h"

static const struct policy policies[] = {
    {.info = {"fcfs", "first come, first served: nobody overtakes"},
     .stop_at_blocked = true},
    {.info = {"backfill", "whatever fits starts: no reservations"},
     .by_class = true},
    {.info = {"easy", "the first that waits holds a reservation"},
     .depth = 1,
     .by_class = true},
    {.info = {"conservative", "everyone that waits holds a reservation"},
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

const char *tori_order_name (tori_order order)
{
    return (unsigned)order < NORDERS ? orders[order] : NULL;
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
