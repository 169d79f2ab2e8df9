/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reconcile.h"

#define BIT(step) (1U << (step))

enum {
    /* Slurm and torid agree, but for what may change at any time. */
    HELD = BIT (STEP_SAY_CHANGES) | BIT (STEP_REMARK) | BIT (STEP_NOTE),
    FIRST = BIT (STEP_SHAPE) | BIT (STEP_RANK),
    WAITING = FIRST | BIT (STEP_RENEW) | HELD,
    RELEASED = BIT (STEP_SAY_CHANGES) | BIT (STEP_NOTE),
    RUNNING = BIT (STEP_SAY_CHANGES) | BIT (STEP_KEEP_FROZEN)
              | BIT (STEP_NOTE),
    NOTE = BIT (STEP_NOTE),

    BURY = BIT (STEP_BURY),
    HOLD = BIT (STEP_HOLD),
    REQUEUE = BIT (STEP_REQUEUE),
    SET_ASIDE = BIT (STEP_SET_ASIDE),
    TAKE_BACK = BIT (STEP_TAKE_BACK),

    /* Slurm has news. */
    LOST = BIT (STEP_SAY_LOST),
    SUBMIT = BIT (STEP_SUBMIT),
    START = BIT (STEP_SAY_START) | RUNNING,
    END = BIT (STEP_SAY_END) | NOTE,
    STRAY = BIT (STEP_SAY_STRAY) | NOTE,
    DROP = BIT (STEP_SAY_CANCEL) | NOTE
};

/* These have the same answer whatever torid knows. */
#define ALWAYS                                                                \
    [SAYS_REQUEUED] = REQUEUE, [SAYS_LOOSE] = HOLD

/* ... and these, unless it knows that the job has ended. */
#define UNLESS_ENDED                                                          \
    [SAYS_SLIPPED] = HOLD, [SAYS_STALLED] = SET_ASIDE,                        \
    [SAYS_REVOKED] = TAKE_BACK, [SAYS_LEAVING] = NOTE

static const unsigned steps[TORID_KNOWS][SLURM_SAYS] = {
    [KNOWS_NOTHING] = {
        ALWAYS, UNLESS_ENDED,
        [SAYS_HELD] = HELD,
        [SAYS_WAITING] = FIRST | SUBMIT | HELD,
        [SAYS_RELEASED] = RELEASED,
        [SAYS_OVERDUE] = RELEASED,
        [SAYS_RUNNING] = START,
        [SAYS_ENDED] = END,
        [SAYS_STRAY] = STRAY,
        [SAYS_DROPPED] = DROP,
    },
    [KNOWS_HELD] = {
        ALWAYS, UNLESS_ENDED,
        [SAYS_HELD] = HELD,
        [SAYS_WAITING] = WAITING,
        [SAYS_RELEASED] = RELEASED,
        [SAYS_OVERDUE] = RELEASED,
        [SAYS_RUNNING] = START,
        [SAYS_ENDED] = END,
        [SAYS_STRAY] = STRAY,
        [SAYS_DROPPED] = DROP,
    },
    [KNOWS_WAITING] = {
        ALWAYS, UNLESS_ENDED,
        [SAYS_HELD] = HELD,
        [SAYS_WAITING] = WAITING,
        [SAYS_RELEASED] = RELEASED,
        [SAYS_OVERDUE] = RELEASED,
        [SAYS_RUNNING] = START,
        [SAYS_ENDED] = END,
        [SAYS_STRAY] = STRAY,
        [SAYS_DROPPED] = DROP,
    },
    [KNOWS_RELEASED] = {
        ALWAYS, UNLESS_ENDED,
        [SAYS_HELD] = LOST | HELD,
        [SAYS_WAITING] = LOST | WAITING,
        [SAYS_RELEASED] = RELEASED,
        [SAYS_OVERDUE] = TAKE_BACK,
        [SAYS_RUNNING] = START,
        [SAYS_ENDED] = END,
        [SAYS_STRAY] = STRAY,
        [SAYS_DROPPED] = DROP,
    },
    [KNOWS_RUNNING] = {
        ALWAYS, UNLESS_ENDED,
        [SAYS_HELD] = LOST | HELD,
        [SAYS_WAITING] = LOST | WAITING,
        [SAYS_RELEASED] = RELEASED,
        [SAYS_OVERDUE] = RELEASED,
        [SAYS_RUNNING] = RUNNING,
        [SAYS_ENDED] = END,
        [SAYS_STRAY] = STRAY,
        [SAYS_DROPPED] = DROP,
    },
    [KNOWS_LEAVING] = {
        ALWAYS, UNLESS_ENDED,
        [SAYS_HELD] = LOST | HELD,
        [SAYS_WAITING] = LOST | WAITING,
        [SAYS_RELEASED] = RELEASED,
        [SAYS_OVERDUE] = RELEASED,
        [SAYS_RUNNING] = START,
        [SAYS_ENDED] = END,
        [SAYS_STRAY] = STRAY,
        [SAYS_DROPPED] = DROP,
    },
    /* A slurmctld that was killed may have forgotten how a job ended. */
    [KNOWS_ENDED] = {
        ALWAYS,
        [SAYS_HELD] = BURY,
        [SAYS_SLIPPED] = BURY,
        [SAYS_WAITING] = BURY,
        [SAYS_RELEASED] = BURY,
        [SAYS_OVERDUE] = BURY,
        [SAYS_STALLED] = BURY,
        [SAYS_REVOKED] = BURY,
        [SAYS_RUNNING] = BURY,
        [SAYS_LEAVING] = BURY,
        [SAYS_ENDED] = NOTE,
        [SAYS_STRAY] = STRAY,
        [SAYS_DROPPED] = DROP,
    },
    [KNOWS_STRAY] = {
        ALWAYS, UNLESS_ENDED,
        [SAYS_HELD] = BIT (STEP_RENEW) | HELD,
        [SAYS_WAITING] = WAITING,
        [SAYS_RELEASED] = RELEASED,
        [SAYS_OVERDUE] = RELEASED,
        [SAYS_RUNNING] = START,
        [SAYS_ENDED] = END,
        [SAYS_STRAY] = NOTE,
        [SAYS_DROPPED] = DROP,
    },
    [KNOWS_DROPPED] = {
        ALWAYS, UNLESS_ENDED,
        [SAYS_HELD] = HELD,
        [SAYS_WAITING] = WAITING,
        [SAYS_RELEASED] = RELEASED,
        [SAYS_OVERDUE] = RELEASED,
        [SAYS_RUNNING] = START,
        [SAYS_ENDED] = END,
        [SAYS_STRAY] = STRAY,
        [SAYS_DROPPED] = NOTE,
    },
};

unsigned reconcile (enum torid_knows knows, enum slurm_says says)
{
    return steps[knows][says];
}
