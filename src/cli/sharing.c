#include "sharing.h"

__extension__ typedef __int128 wide;

/* Seconds to ticks, exactly or up to the next tick. */
static int ticks_of (const char *name, struct fraction seconds,
                     tori_time *ret_ticks, tori_error *err)
{
    const int64_t longest = 1000000; /* seconds */
    wide ticks = (wide)seconds.num * TORI_SECOND;
    if (seconds.den == 0)
        return 0;
    if (seconds.num / seconds.den >= longest)
        return tori_error_set (err, TORI_INVALID,
                               "--%s: longer than %lld seconds", name,
                               (long long)longest);
    *ret_ticks = (tori_time)((ticks + seconds.den - 1) / seconds.den);
    return 0;
}

bool sharing_given (const struct sharing *sharing)
{
    return sharing->slot.den || sharing->switch_cost.den || sharing->hop.den
           || sharing->degree || sharing->branch >= 0
           || sharing->switch_model >= 0 || sharing->clock || sharing->buffer;
}

enum { USUAL_BUFFER = 16, USUAL_VCS = 2 };

int sharing_of (const struct sharing *sharing, tori_sim_preempt *preempt,
                tori_sim_gang *ret_gang, tori_error *err)
{
    bool drains = sharing->switch_model > 0;
    uint32_t buffer
        = sharing->buffer ? (uint32_t)sharing->buffer : USUAL_BUFFER;
    tori_sim_gang gang = {
        .policy = branch_names (sharing->branch < 0 ? 0
                                                    : (size_t)sharing->branch),
        .slot = TORI_SECOND,
        .degree = sharing->degree ? (uint32_t)sharing->degree : 2,
        .preempt = drains ? preempt : NULL,
    };
    *preempt = (tori_sim_preempt){.net = {.switching = TORI_CUT_THROUGH,
                                          .vcs = USUAL_VCS,
                                          .buffer = buffer},
                                  .clock = (uint64_t)sharing->clock};
    if (!drains && (sharing->clock || sharing->buffer))
        return tori_error_set (err, TORI_INVALID,
                               "--clock and --buffer are for --switch-model "
                               "drain");
    if (ticks_of ("slot", sharing->slot, &gang.slot, err) < 0
        || ticks_of ("switch-cost", sharing->switch_cost, &gang.switch_cost,
                     err)
               < 0
        || ticks_of ("hop", sharing->hop, &gang.hop, err) < 0)
        return -1;
    *ret_gang = gang;
    return 0;
}
