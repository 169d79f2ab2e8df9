#include "timeunit.h"

__extension__ typedef __int128 wide;

int ticks_of (const char *name, struct fraction time,
              const struct time_unit *unit, tori_time *ret_ticks,
              tori_error *err)
{
    wide ticks = (wide)time.num * unit->seconds * TORI_SECOND;
    if (time.den == 0)
        return 0;
    if (time.num / time.den >= unit->longest)
        return tori_error_set (err, TORI_INVALID, "%s: longer than %lld %s",
                               name, (long long)unit->longest, unit->units);
    *ret_ticks = (tori_time)((ticks + time.den - 1) / time.den);
    return 0;
}
