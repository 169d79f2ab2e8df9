/* copy.c - how a scheduler was made, and what time it is. */
#include "ask.h"
#include "core.h"

void tori_sched_get_config (const tori_sched *sched,
                            tori_sched_config *ret_config)
{
    *ret_config = (tori_sched_config){
        .size = sizeof *ret_config,
        .policy = sched->policy->info.name,
        .alloc = alloc_config (sched->alloc),
        .order = sched->order,
    };
}

tori_time tori_sched_now (const tori_sched *sched)
{
    return sched->now;
}
