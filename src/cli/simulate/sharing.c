#include "sharing.h"

#include "timeunit.h"

bool sharing_given (const struct sharing *sharing)
{
    return sharing->slot.den || sharing->switch_cost.den || sharing->hop.den
           || sharing->degree || sharing->branch >= 0
           || sharing->switch_model >= 0 || sharing->clock || sharing->buffer;
}

enum { USUAL_BUFFER = 16, USUAL_VCS = 2 };

int sharing_of (const struct sharing *sharing, struct sharing_how *ret_how,
                tori_error *err)
{
    static const struct time_unit seconds = {"seconds", 1, 1000000};
    bool drains = sharing->switch_model > 0;
    uint32_t buffer
        = sharing->buffer ? (uint32_t)sharing->buffer : USUAL_BUFFER;
    tori_sim_gang gang = {.size = sizeof gang,
        .policy = branch_names (sharing->branch < 0 ? 0
                                                    : (size_t)sharing->branch),
        .slot = TORI_SECOND,
        .degree = sharing->degree ? (uint32_t)sharing->degree : 2,
        .preempt = drains ? &ret_how->preempt : NULL,
    };
    ret_how->net = (tori_net_config){.size = sizeof ret_how->net,
                                     .switching = TORI_CUT_THROUGH,
                                     .vcs = USUAL_VCS,
                                     .buffer = buffer};
    ret_how->preempt = (tori_sim_preempt){.size = sizeof ret_how->preempt,
                                          .net = &ret_how->net,
                                          .clock = (uint64_t)sharing->clock};
    if (!drains && (sharing->clock || sharing->buffer))
        return tori_error_set (err, TORI_INVALID,
                               "--clock and --buffer are for --switch-model "
                               "drain");
    if (ticks_of ("--slot", sharing->slot, &seconds, &gang.slot, err) < 0
        || ticks_of ("--switch-cost", sharing->switch_cost, &seconds,
                     &gang.switch_cost, err)
               < 0
        || ticks_of ("--hop", sharing->hop, &seconds, &gang.hop, err) < 0)
        return -1;
    ret_how->gang = gang;
    return 0;
}
