#include "runclock.h"

#include <math.h>
#include <stdlib.h>

/* Quartz is off by some 0.0001 at worst; a clock that goes wrong faster than
 * this, or was wrong by more than an exchange can tell, has jumped. */
#define WORST_DRIFT 1e-3
/* The drift expected before anything is known, in nanoseconds per second. It
 * keeps a few bad samples from being taken for a drift. */
#define USUAL_DRIFT 2e5
#define SLACK INT64_C (100000)

/* Before that, a drift would be noise. */
enum { ENOUGH = 8 };
#define LONG_ENOUGH INT64_C (1000000000)

static int64_t offset_at (const struct runclock_state *state, int64_t local)
{
    return state->offset
           + (int64_t)(state->drift * (double)(local - state->at));
}

int64_t runclock_agreed (const struct runclock *clock, int64_t local)
{
    return local + offset_at (&clock->state, local);
}

/* The drift is small, so the second guess is right. */
int64_t runclock_local (const struct runclock *clock, int64_t agreed)
{
    int64_t local = agreed - clock->state.offset;
    local = agreed - offset_at (&clock->state, local);
    return agreed - offset_at (&clock->state, local);
}

static uint32_t kept (const struct runclock *clock)
{
    return clock->samples < RUNCLOCK_SAMPLES ? clock->samples
                                             : RUNCLOCK_SAMPLES;
}

/* ---- offset and drift ---- */

/* The line through all samples that misses them least, each weighed by how
 * well it is known. Times and offsets count from the newest, to keep their
 * digits. How well the drift is known follows from the same sums. */
static void fit_drift (const struct runclock *clock,
                       const struct runclock_sample *newest,
                       struct runclock_state *state)
{
    double w = 0, x = 0, y = 0, xx = 1 / (USUAL_DRIFT * USUAL_DRIFT), xy = 0;
    double level, slope, spread;
    for (uint32_t i = 0; i < kept (clock); i++) {
        const struct runclock_sample *s = &clock->sample[i];
        double weight = 1 / ((double)s->error * (double)s->error + 1);
        double at = (double)(s->at - newest->at) / 1e9;
        double by = (double)(s->offset - newest->offset);
        w += weight;
        x += weight * at;
        y += weight * by;
        xx += weight * at * at;
        xy += weight * at * by;
    }
    spread = xx - x * x / w;
    slope = (xy - x * y / w) / spread;
    level = (y - slope * x) / w;
    state->at = newest->at;
    state->offset = newest->offset + (int64_t)level;
    state->drift = slope / 1e9;
    state->wander = 3 / sqrt (spread) / 1e9;
}

/* The largest possible error by now. */
static double bound_error (const struct runclock_sample *s, int64_t now)
{
    return (double)s->error + WORST_DRIFT * (double)(now - s->at);
}

static const struct runclock_sample *
find_best_sample (const struct runclock *clock, int64_t now)
{
    const struct runclock_sample *found = &clock->sample[0];
    for (uint32_t i = 1; i < kept (clock); i++)
        if (bound_error (&clock->sample[i], now) < bound_error (found, now))
            found = &clock->sample[i];
    return found;
}

static int64_t span (const struct runclock *clock)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (uint32_t i = 0; i < kept (clock); i++) {
        int64_t at = clock->sample[i].at;
        first = at < first ? at : first;
        last = at > last ? at : last;
    }
    return last - first;
}

/* Each sample bounds the offset at its time, and the less the older it is. */
static int64_t error_of (const struct runclock *clock, int64_t now)
{
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < kept (clock); i++) {
        const struct runclock_sample *s = &clock->sample[i];
        int64_t off = llabs (offset_at (&clock->state, s->at) - s->offset)
                      + (int64_t)(clock->state.wander * (double)(now - s->at));
        least = s->error + off < least ? s->error + off : least;
    }
    return least;
}

static void update_state (struct runclock *clock,
                          const struct runclock_sample *newest)
{
    struct runclock_state *state = &clock->state;
    if (kept (clock) >= ENOUGH && span (clock) >= LONG_ENOUGH) {
        fit_drift (clock, newest, state);
    } else {
        const struct runclock_sample *s = find_best_sample (clock, newest->at);
        *state = (struct runclock_state){
            .at = s->at, .offset = s->offset, .wander = WORST_DRIFT};
    }
    if (state->drift > WORST_DRIFT)
        state->drift = WORST_DRIFT;
    if (state->drift < -WORST_DRIFT)
        state->drift = -WORST_DRIFT;
    state->error = error_of (clock, newest->at);
}

/* ---- exchanges ---- */

/* By how much the sample is further off than drift and both errors explain. */
static int64_t find_contradiction (const struct runclock *clock,
                                   const struct runclock_sample *s)
{
    const struct runclock_state *state = &clock->state;
    int64_t by = s->offset - offset_at (state, s->at);
    int64_t may = s->error + state->error + SLACK
                  + (int64_t)(WORST_DRIFT * (double)llabs (s->at - state->at));
    return clock->samples > 0 && llabs (by) > may ? by : 0;
}

int64_t runclock_learn (struct runclock *clock, int64_t asked,
                        int64_t answered, int64_t agreed, int64_t error)
{
    int64_t half = (answered - asked) / 2;
    struct runclock_sample s = {.at = asked + half, .error = half + error};
    int64_t jump;
    s.offset = agreed - s.at;
    jump = find_contradiction (clock, &s);
    if (jump) {
        clock->samples = 0;
        clock->jumps++;
    }
    clock->sample[clock->samples++ % RUNCLOCK_SAMPLES] = s;
    update_state (clock, &s);
    return jump;
}

void runclock_adopt (struct runclock *clock,
                     const struct runclock_state *state)
{
    clock->state = *state;
}
