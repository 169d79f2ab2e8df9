#include "timekeeper.h"

void timekeeper_begin (struct timekeeper *keeper, tori_time day,
                       tori_time boot)
{
    *keeper = (struct timekeeper){.offset = day - boot,
                                  .difference = day - boot};
}

static void follow_day (struct timekeeper *keeper)
{
    keeper->offset = keeper->difference;
    keeper->odd = keeper->waiting = false;
}

/* Whether the time of day may be right, by so much ahead of the service's. */
static bool is_plausible (const struct timekeeper *keeper, tori_time ahead)
{
    return ahead >= -CLOCK_JUMP
           && ahead <= (keeper->waiting ? CLOCK_ABSENCE : CLOCK_JUMP);
}

tori_time timekeeper_look (struct timekeeper *keeper, tori_time day,
                           tori_time boot)
{
    tori_time step = day - boot - keeper->difference, ahead;
    keeper->difference = day - boot;
    ahead = keeper->difference - keeper->offset;
    if (is_plausible (keeper, ahead)) {
        follow_day (keeper);
        return step;
    }
    if (!keeper->odd || step > CLOCK_JUMP || step < -CLOCK_JUMP) {
        keeper->odd = true;
        keeper->odd_since = boot;
    }
    if (ahead > 0 && boot - keeper->odd_since >= CLOCK_TRUSTED_AFTER)
        follow_day (keeper);
    return step;
}

tori_time timekeeper_reach (struct timekeeper *keeper, tori_time seen,
                            tori_time boot)
{
    tori_time ahead = seen - timekeeper_now (keeper, boot);
    if (ahead <= CLOCK_JUMP)
        return 0;
    keeper->offset += ahead;
    return ahead;
}

tori_time timekeeper_resume (struct timekeeper *keeper, tori_time seen,
                             tori_time boot)
{
    tori_time ahead = timekeeper_now (keeper, boot) - seen;
    if (ahead <= CLOCK_ABSENCE)
        return 0;
    keeper->offset -= ahead;
    keeper->odd = keeper->waiting = true;
    keeper->odd_since = boot;
    return ahead;
}

tori_time timekeeper_now (const struct timekeeper *keeper, tori_time boot)
{
    return boot + keeper->offset;
}
