/* timeunit.h - times as people write them, in ticks of the clock. */
#ifndef TORI_CLI_TIMEUNIT_H
#define TORI_CLI_TIMEUNIT_H

#include <tori/workload.h>

#include "number.h"

/* So many units of so many seconds, exactly or up to the next tick. What was
 * not given, 0/0, leaves *ret_ticks as it is. TORI_INVALID for `longest` units
 * or more; `name` is of the option, and `units` of the unit, for that. */
struct time_unit {
    const char *units;
    int64_t seconds;
    int64_t longest;
};

int ticks_of (const char *name, struct fraction time,
              const struct time_unit *unit, tori_time *ret_ticks,
              tori_error *err);

#endif
