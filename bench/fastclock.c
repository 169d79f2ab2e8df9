/* fastclock.c - torid with a clock that goes as fast as the environment says,
 * for the simulated year of bench/service.c: the linker sends its calls of
 * torid_now here. */
#include <stdlib.h>

#include "torid.h"

tori_time __real_torid_now (void);
tori_time __wrap_torid_now (void);

tori_time __wrap_torid_now (void)
{
    static tori_time begin;
    static double speed;
    tori_time now = __real_torid_now ();
    if (begin == 0) {
        const char *text = getenv ("TORI_BENCH_SPEED");
        begin = now;
        speed = text ? strtod (text, NULL) : 1;
    }
    return begin + (tori_time)(speed * (double)(now - begin));
}
