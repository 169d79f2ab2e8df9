#include "rounds.h"

/* A watch is asked every millisecond or so. */
enum { LOOK_STEPS = 16 };

/* The end of this round. */
static uint64_t round_end (const struct steps *steps)
{
    uint64_t left = steps->most - steps->begin;
    return steps->begin + (left < steps->length ? left : steps->length);
}

static void begin_round (struct steps *steps)
{
    steps->limit
        = steps->begin + (round_end (steps) - steps->begin) / 2 + 1;
}

void steps_open (struct steps *steps, const tori_room_config *config,
                 const tori_room *best, const uint64_t *floor)
{
    *steps = (struct steps){.most = config->steps,
                            .length = config->round ? config->round
                                                    : ROUND_STEPS,
                            .watch = config->watch,
                            .arg = config->watch_arg,
                            .best = best,
                            .floor = floor,
                            .limit = config->steps / 2 + 1};
}

/* A short search is one round, which has begun. */
void steps_start (struct steps *steps)
{
    if (steps->most > steps->length)
        steps->begin = steps->spent;
    if (!steps->stopped)
        begin_round (steps);
}

void steps_improve (struct steps *steps)
{
    if (!steps->stopped)
        steps->limit = round_end (steps);
}

bool steps_next (struct steps *steps)
{
    if (steps->stopped || steps->spent >= steps->most
        || round_end (steps) == steps->most)
        return false;
    steps->begin = steps->spent;
    steps->length *= 2;
    begin_round (steps);
    return true;
}

/* The answer is as it would be if the search ended now. */
static bool ask_watch (struct steps *steps)
{
    tori_room so_far = *steps->best;
    so_far.bound = *steps->floor == UINT64_MAX ? 0 : *steps->floor >> 32;
    so_far.steps = steps->spent;
    return steps->watch (steps->arg, &so_far);
}

bool steps_over (struct steps *steps)
{
    if (steps->watch && !steps->stopped && steps->spent >= steps->look) {
        steps->look = steps->spent + LOOK_STEPS;
        if (ask_watch (steps)) {
            steps->stopped = true;
            steps->limit = 0;
        }
    }
    return steps->spent >= steps->limit;
}
