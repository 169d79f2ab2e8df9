/* timeunit.h - times as people write them, in ticks of the clock. */
#ifndef TORI_CLI_TIMEUNIT_H
#define TORI_CLI_TIMEUNIT_H

#include <tori/workload.h>

#include "number.h"

/* A number of units of `seconds` each in ticks, rounded up. If it was not
 * given, 0/0, *ret_ticks is not changed. TORI_INVALID for `longest` units or
 * more; the error has `name` of the option and `units` of the unit. */
struct time_unit {
    const char *units;
    int64_t seconds;
    int64_t longest;
};

int ticks_of (const char *name, struct fraction time,
              const struct time_unit *unit, tori_time *ret_ticks,
              tori_error *err);

/* A point in time of a simulation, which begins at 0: "7200", "2h" and "2:00" are
 * the same. */
int moment_of (const char *name, const char *text, tori_time *ret_ticks,
               tori_error *err);

#endif
