#include "interrupts.h"

#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "failures.h"
#include "timeunit.h"

static bool interrupts_fail (const struct interrupts *typed)
{
    return typed->failures || typed->mtbf.den;
}

bool interrupts_stop (const struct interrupts *typed)
{
    return interrupts_fail (typed) || typed->urgent.den || typed->moves;
}

bool interrupts_given (const struct interrupts *typed)
{
    return interrupts_stop (typed) || typed->late;
}

#define TYPED(slot, member)                                                   \
    ((const struct interrupts *)(const void *)((const char *)(slot)           \
                                               - offsetof (struct interrupts, \
                                                           member)))

const char *interrupts_mttr (const void *values, const void *slot)
{
    return TYPED (slot, mttr)->mtbf.den ? "4" : NULL;
}

const char *interrupts_on_failure (const void *values, const void *slot)
{
    return interrupts_fail (TYPED (slot, on_failure)) ? on_failure_names (0)
                                                      : NULL;
}

const char *interrupts_restarts (const void *values, const void *slot)
{
    return interrupts_fail (TYPED (slot, restarts)) ? "100" : NULL;
}

const char *interrupts_preempted (const void *values, const void *slot)
{
    return TYPED (slot, preempted)->urgent.den ? preempted_names (0) : NULL;
}

static const struct time_unit hours = {"hours", 3600, 1000000000},
                              seconds = {"seconds", 1, 1000000000};

static int read_times (const struct interrupts *typed,
                       tori_sim_interrupts *interrupts, tori_error *err)
{
    if (typed->mtbf.den)
        interrupts->mttr = 4 * hours.seconds * TORI_SECOND;
    if (ticks_of ("--mtbf", typed->mtbf, &hours, &interrupts->mtbf, err) < 0
        || ticks_of ("--mttr", typed->mttr, &hours, &interrupts->mttr, err)
               < 0)
        return -1;
    return ticks_of ("--checkpoint", typed->checkpoint, &seconds,
                     &interrupts->checkpoint, err);
}

/* Where the share begins, or NULL. A time such as 0:30 has colons, too, but no
 * unit; and a share that follows such a time has a point or a bar. */
static const char *find_share (const char *text)
{
    const char *colon = strrchr (text, ':');
    if (!colon
        || (!strpbrk (colon, "./")
            && strcspn (text, "smhdw") > (size_t)(colon - text)))
        return NULL;
    return colon + 1;
}

static int read_late (const char *text, struct fraction *ret_time,
                      struct fraction *ret_share, tori_error *err)
{
    const char *share = find_share (text);
    char time[64];
    size_t n = share ? (size_t)(share - text) - 1 : strlen (text);
    *ret_share = (struct fraction){1, 1};
    if (n >= sizeof time)
        return tori_error_set (err, TORI_INVALID, "'%.60s' is too long",
                               text);
    memcpy (time, text, n);
    time[n] = '\0';
    if (duration_fraction (time, "the time", 1, ret_time, err) < 0
        || (share && fraction_parse (share, "the share", ret_share, err) < 0))
        return -1;
    if (ret_time->num <= 0 || ret_share->num <= 0
        || ret_share->num > ret_share->den)
        return tori_error_set (err, TORI_INVALID,
                               "'%.60s' is not a time above 0, alone or "
                               "with a share of the jobs from 0 to 1",
                               text);
    return 0;
}

int interrupts_late (const char *text, void *to, tori_error *err)
{
    struct fraction time, share;
    return read_late (text, &time, &share, err);
}

static int set_late (const char *text, tori_sim_interrupts *interrupts,
                     tori_error *err)
{
    struct fraction time, share;
    if (!text)
        return 0;
    if (read_late (text, &time, &share, err) < 0)
        return -1;
    interrupts->late_share = fraction_value (share);
    return ticks_of ("--late", time, &seconds, &interrupts->late, err);
}

int interrupts_read (const struct interrupts *typed,
                     const tori_machine *machine, uint64_t seed,
                     tori_sim_interrupts *ret_interrupts, tori_error *err)
{
    tori_sim_interrupts interrupts = {.size = sizeof interrupts,
        .seed = seed,
        .on_failure = (tori_on_failure)(typed->on_failure < 0
                                            ? 0
                                            : typed->on_failure),
        .restarts = (uint32_t)typed->restarts,
        .urgent = typed->urgent.den ? fraction_value (typed->urgent) : 0,
        .preempted
        = (tori_preempted)(typed->preempted < 0 ? 0 : typed->preempted),
    };
    tori_sim_outage *outages = NULL;
    if (read_times (typed, &interrupts, err) < 0
        || set_late (typed->late, &interrupts, err) < 0
        || (typed->failures
            && failures_read (typed->failures, machine, &outages,
                              &interrupts.noutages, err)
                   < 0))
        return -1;
    interrupts.outages = outages;
    *ret_interrupts = interrupts;
    return 0;
}

int interrupts_sched (const struct interrupts *typed,
                      tori_sched_config *sched, tori_error *err)
{
    if (typed->urgent.den)
        sched->flags |= TORI_SCHED_PLACES;
    if (typed->moves)
        sched->flags |= TORI_SCHED_MOVES;
    return ticks_of ("--move-cost", typed->move_cost, &seconds, &sched->move,
                     err);
}

void interrupts_clear (tori_sim_interrupts *interrupts)
{
    free ((void *)(uintptr_t)interrupts->outages);
    *interrupts = (tori_sim_interrupts){.size = sizeof (tori_sim_interrupts)};
}
