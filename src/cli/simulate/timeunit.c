#include "timeunit.h"

#include "duration.h"

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

int moment_of (const char *name, const char *text, tori_time *ret_ticks,
               tori_error *err)
{
    const int64_t longest = INT64_C (1000000000000);
    tori_error why;
    if (moment_parse (text, 0, ret_ticks, &why) < 0)
        return tori_error_set (err, TORI_INVALID, "%s: %s", name, why.text);
    if (*ret_ticks / TORI_SECOND >= longest)
        return tori_error_set (err, TORI_INVALID, "%s: longer than %lld seconds",
                               name, (long long)longest);
    return 0;
}
