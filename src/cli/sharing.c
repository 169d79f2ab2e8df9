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
           || sharing->degree || sharing->branch >= 0;
}

int sharing_of (const struct sharing *sharing, tori_sim_gang *ret_gang,
                tori_error *err)
{
    tori_sim_gang gang = {
        .policy = branch_names (sharing->branch < 0 ? 0
                                                    : (size_t)sharing->branch),
        .slot = TORI_SECOND,
        .degree = sharing->degree ? (uint32_t)sharing->degree : 2,
    };
    if (ticks_of ("slot", sharing->slot, &gang.slot, err) < 0
        || ticks_of ("switch-cost", sharing->switch_cost, &gang.switch_cost,
                     err)
               < 0
        || ticks_of ("hop", sharing->hop, &gang.hop, err) < 0)
        return -1;
    *ret_gang = gang;
    return 0;
}
