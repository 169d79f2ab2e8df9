#include "attempt_state.h"

/* ---- what follows ---- */

/* The job has lost its place: repeat the order to stop, and wait until the
 * executor has nothing of the attempt any more. */
#define LEAVING(state)                                                        \
    [state] = {                                                               \
        [ON_LEAVE] = {state, STEP_STOP},                                      \
        [ON_CANCEL] = {state, STEP_STOP},                                     \
        [ON_ENDED] = {ATTEMPT_NONE, STEP_FINISH_LEAVING},                     \
        [ON_FAILED] = {ATTEMPT_NONE, STEP_FINISH_LEAVING},                    \
        [ON_MISSING] = {ATTEMPT_NONE, STEP_FINISH_LEAVING},                   \
        [ON_MISSING_QUEUED] = {ATTEMPT_NONE, STEP_FINISH_LEAVING},            \
        [ON_MISSING_BLOCKED] = {ATTEMPT_NONE, STEP_FINISH_LEAVING},           \
        [ON_MISSING_CANCELLED] = {ATTEMPT_NONE, STEP_FINISH_LEAVING},         \
        [ON_RETURN] = {state, STEP_STOP},                                     \
        [ON_RETURN_CANCELLED] = {state, STEP_STOP},                           \
    }

/* Messages that a state does not have are ignored there. */
static const struct attempt_step steps[ATTEMPT_STATES][ATTEMPT_MESSAGES] = {
    [ATTEMPT_NONE] = {
        [ON_GO] = {ATTEMPT_ORDERED, STEP_START},
        [ON_BLOCKED] = {ATTEMPT_NONE, STEP_REQUEUE},
        [ON_LISTED_ENDED] = {ATTEMPT_NONE, STEP_STOP},
    },

    /* The executor may not have heard the order: it is given again. */
    [ATTEMPT_ORDERED] = {
        [ON_SUSPEND] = {ATTEMPT_ORDERED_SUSPENDED, STEP_SUSPEND},
        [ON_LEAVE] = {ATTEMPT_LEAVING_ORDERED, STEP_LEAVE},
        [ON_CANCEL] = {ATTEMPT_ORDERED, STEP_STOP},
        [ON_BEGAN] = {ATTEMPT_STARTED, STEP_NOTE_START},
        [ON_ENDED] = {ATTEMPT_NONE, STEP_END_JOB},
        [ON_FAILED] = {ATTEMPT_NONE, STEP_REQUEUE},
        [ON_MISSING] = {ATTEMPT_ORDERED, STEP_START},
        [ON_MISSING_QUEUED] = {ATTEMPT_ORDERED, STEP_START},
        [ON_MISSING_BLOCKED] = {ATTEMPT_NONE, STEP_REQUEUE},
        [ON_MISSING_CANCELLED] = {ATTEMPT_NONE, STEP_LOSE_JOB},
        [ON_RESTORED] = {ATTEMPT_ORDERED_SUSPENDED, STEP_NOTE_SUSPENSION},
        [ON_RETURN_CANCELLED] = {ATTEMPT_ORDERED, STEP_STOP},
    },
    /* Other jobs may have its nodes: an order that was not heard is given
     * again only when they are free. An attempt that leaves them closes
     * nothing. */
    [ATTEMPT_ORDERED_SUSPENDED] = {
        [ON_GO] = {ATTEMPT_ORDERED_RESUMED, STEP_RESUME},
        [ON_SUSPEND] = {ATTEMPT_ORDERED_SUSPENDED, STEP_SUSPEND},
        [ON_LEAVE] = {ATTEMPT_LEAVING_ORDERED_SUSPENDED, STEP_STOP},
        [ON_CANCEL] = {ATTEMPT_ORDERED_SUSPENDED, STEP_STOP},
        [ON_BEGAN] = {ATTEMPT_SUSPENDED, STEP_NOTE_START},
        [ON_ENDED] = {ATTEMPT_NONE, STEP_END_JOB},
        [ON_FAILED] = {ATTEMPT_NONE, STEP_REQUEUE},
        [ON_MISSING] = {ATTEMPT_NONE, STEP_SEND_NEXT},
        [ON_MISSING_QUEUED] = {ATTEMPT_NONE, STEP_SEND_NEXT},
        [ON_MISSING_BLOCKED] = {ATTEMPT_NONE, STEP_SEND_NEXT},
        [ON_MISSING_CANCELLED] = {ATTEMPT_NONE, STEP_LOSE_JOB},
        [ON_RESTORED] = {ATTEMPT_ORDERED_SUSPENDED, STEP_NOTE_SUSPENSION},
        [ON_RETURN] = {ATTEMPT_ORDERED_SUSPENDED, STEP_SUSPEND},
        [ON_RETURN_CANCELLED] = {ATTEMPT_ORDERED_SUSPENDED, STEP_STOP},
    },
    [ATTEMPT_ORDERED_RESUMED] = {
        [ON_SUSPEND] = {ATTEMPT_ORDERED_SUSPENDED, STEP_SUSPEND},
        [ON_LEAVE] = {ATTEMPT_LEAVING_ORDERED_RESUMED, STEP_LEAVE},
        [ON_CANCEL] = {ATTEMPT_ORDERED_RESUMED, STEP_STOP},
        [ON_BEGAN] = {ATTEMPT_RESUMED, STEP_NOTE_START},
        [ON_ENDED] = {ATTEMPT_NONE, STEP_END_JOB},
        [ON_FAILED] = {ATTEMPT_NONE, STEP_REQUEUE},
        [ON_MISSING] = {ATTEMPT_ORDERED_RESUMED, STEP_START},
        [ON_MISSING_QUEUED] = {ATTEMPT_ORDERED_RESUMED, STEP_START},
        [ON_MISSING_BLOCKED] = {ATTEMPT_NONE, STEP_REQUEUE},
        [ON_MISSING_CANCELLED] = {ATTEMPT_NONE, STEP_LOSE_JOB},
        [ON_RESTORED] = {ATTEMPT_ORDERED_SUSPENDED, STEP_NOTE_SUSPENSION},
        [ON_RETURN] = {ATTEMPT_ORDERED_RESUMED, STEP_RESUME},
        [ON_RETURN_CANCELLED] = {ATTEMPT_ORDERED_RESUMED, STEP_STOP},
    },

    /* An attempt that had begun and is missing is gone. */
    [ATTEMPT_STARTED] = {
        [ON_SUSPEND] = {ATTEMPT_SUSPENDED, STEP_SUSPEND},
        [ON_LEAVE] = {ATTEMPT_LEAVING_STARTED, STEP_LEAVE},
        [ON_CANCEL] = {ATTEMPT_STARTED, STEP_STOP},
        [ON_ENDED] = {ATTEMPT_NONE, STEP_END_JOB},
        [ON_FAILED] = {ATTEMPT_NONE, STEP_REQUEUE},
        [ON_MISSING] = {ATTEMPT_NONE, STEP_LOSE_JOB},
        [ON_MISSING_QUEUED] = {ATTEMPT_NONE, STEP_REQUEUE},
        [ON_MISSING_BLOCKED] = {ATTEMPT_NONE, STEP_LOSE_JOB},
        [ON_MISSING_CANCELLED] = {ATTEMPT_NONE, STEP_LOSE_JOB},
        [ON_RESTORED] = {ATTEMPT_SUSPENDED, STEP_NOTE_SUSPENSION},
        [ON_RETURN_CANCELLED] = {ATTEMPT_STARTED, STEP_STOP},
    },
    [ATTEMPT_SUSPENDED] = {
        [ON_GO] = {ATTEMPT_RESUMED, STEP_RESUME},
        [ON_SUSPEND] = {ATTEMPT_SUSPENDED, STEP_SUSPEND},
        [ON_LEAVE] = {ATTEMPT_LEAVING_SUSPENDED, STEP_STOP},
        [ON_CANCEL] = {ATTEMPT_SUSPENDED, STEP_STOP},
        [ON_ENDED] = {ATTEMPT_NONE, STEP_END_JOB},
        [ON_FAILED] = {ATTEMPT_NONE, STEP_REQUEUE},
        [ON_MISSING] = {ATTEMPT_NONE, STEP_LOSE_JOB},
        [ON_MISSING_QUEUED] = {ATTEMPT_NONE, STEP_REQUEUE},
        [ON_MISSING_BLOCKED] = {ATTEMPT_NONE, STEP_LOSE_JOB},
        [ON_MISSING_CANCELLED] = {ATTEMPT_NONE, STEP_LOSE_JOB},
        [ON_RESTORED] = {ATTEMPT_SUSPENDED, STEP_NOTE_SUSPENSION},
        [ON_RETURN] = {ATTEMPT_SUSPENDED, STEP_SUSPEND},
        [ON_RETURN_CANCELLED] = {ATTEMPT_SUSPENDED, STEP_STOP},
    },
    [ATTEMPT_RESUMED] = {
        [ON_SUSPEND] = {ATTEMPT_SUSPENDED, STEP_SUSPEND},
        [ON_LEAVE] = {ATTEMPT_LEAVING_RESUMED, STEP_LEAVE},
        [ON_CANCEL] = {ATTEMPT_RESUMED, STEP_STOP},
        [ON_ENDED] = {ATTEMPT_NONE, STEP_END_JOB},
        [ON_FAILED] = {ATTEMPT_NONE, STEP_REQUEUE},
        [ON_MISSING] = {ATTEMPT_NONE, STEP_LOSE_JOB},
        [ON_MISSING_QUEUED] = {ATTEMPT_NONE, STEP_REQUEUE},
        [ON_MISSING_BLOCKED] = {ATTEMPT_NONE, STEP_LOSE_JOB},
        [ON_MISSING_CANCELLED] = {ATTEMPT_NONE, STEP_LOSE_JOB},
        [ON_RESTORED] = {ATTEMPT_SUSPENDED, STEP_NOTE_SUSPENSION},
        [ON_RETURN] = {ATTEMPT_RESUMED, STEP_RESUME},
        [ON_RETURN_CANCELLED] = {ATTEMPT_RESUMED, STEP_STOP},
    },

    LEAVING (ATTEMPT_LEAVING_ORDERED),
    LEAVING (ATTEMPT_LEAVING_ORDERED_SUSPENDED),
    LEAVING (ATTEMPT_LEAVING_ORDERED_RESUMED),
    LEAVING (ATTEMPT_LEAVING_STARTED),
    LEAVING (ATTEMPT_LEAVING_SUSPENDED),
    LEAVING (ATTEMPT_LEAVING_RESUMED),
};

struct attempt_step attempt_next (enum attempt_state state,
                                  enum attempt_message message)
{
    struct attempt_step step = steps[state][message];
    if (step.action == STEP_IGNORE)
        step.next = state;
    return step;
}

/* ---- what a state says ---- */

enum {
    OUT = ATTEMPT_IS_OUT,
    BEGUN = ATTEMPT_HAS_BEGUN,
    LEAVES = ATTEMPT_IS_LEAVING,
    RESUMED = ATTEMPT_WAS_SUSPENDED,
    RESTS = ATTEMPT_IS_SUSPENDED | ATTEMPT_WAS_SUSPENDED
};

static const unsigned char facts_of[ATTEMPT_STATES] = {
    [ATTEMPT_NONE] = 0,
    [ATTEMPT_ORDERED] = OUT,
    [ATTEMPT_ORDERED_SUSPENDED] = OUT | RESTS,
    [ATTEMPT_ORDERED_RESUMED] = OUT | RESUMED,
    [ATTEMPT_STARTED] = OUT | BEGUN,
    [ATTEMPT_SUSPENDED] = OUT | BEGUN | RESTS,
    [ATTEMPT_RESUMED] = OUT | BEGUN | RESUMED,
    [ATTEMPT_LEAVING_ORDERED] = OUT | LEAVES,
    [ATTEMPT_LEAVING_ORDERED_SUSPENDED] = OUT | LEAVES | RESTS,
    [ATTEMPT_LEAVING_ORDERED_RESUMED] = OUT | LEAVES | RESUMED,
    [ATTEMPT_LEAVING_STARTED] = OUT | LEAVES | BEGUN,
    [ATTEMPT_LEAVING_SUSPENDED] = OUT | LEAVES | BEGUN | RESTS,
    [ATTEMPT_LEAVING_RESUMED] = OUT | LEAVES | BEGUN | RESUMED,
};

bool attempt_is (enum attempt_state state, enum attempt_fact fact)
{
    return facts_of[state] & fact;
}

bool attempt_read (unsigned facts, enum attempt_state *ret_state)
{
    for (int state = 0; state < ATTEMPT_STATES; state++)
        if (facts_of[state] == facts) {
            *ret_state = (enum attempt_state)state;
            return true;
        }
    return false;
}
