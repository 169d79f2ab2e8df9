/* attempt_state.h - the life of one attempt to run a job: its states, the
 * messages that it gets, and one table that says what follows. attempts.c
 * finds out which message it is, and carries out the step.
 *
 * Three things are not part of this life, and are kept apart (job.h):
 *   suspended  the scheduler lets the job continue later; the attempt may have
 *              died since.
 *   cancelled  the user wants no further attempt. The wish outlives the
 *              attempt. Messages that mean something else then have a name of
 *              their own: ON_..._CANCELLED.
 *   unlisted   the executor was asked for its list before it got the order. A
 *              list that lacks such an attempt is no message.
 *
 * No message is an error in any state: an executor may say a thing twice, or
 * late. Such words are ignored, and leave no record.
 *
 * Some things that happen are no messages here. Users hold only jobs that
 * wait. The executor watches the time limit, hears of a new one, and reports an
 * end. The loss of an executor changes nothing until one returns. */
#ifndef TORI_SERVICE_ATTEMPT_STATE_H
#define TORI_SERVICE_ATTEMPT_STATE_H

#include <stdbool.h>

enum attempt_state {
    ATTEMPT_NONE, /* the executor has none: not ordered yet, or over */

    /* The job has its nodes, or is suspended there. */
    ATTEMPT_ORDERED,           /* the executor was told to start it, ... */
    ATTEMPT_ORDERED_SUSPENDED, /* ... and then to suspend it, ... */
    ATTEMPT_ORDERED_RESUMED,   /* ... and then to let it continue */
    ATTEMPT_STARTED,           /* the executor has reported its start */
    ATTEMPT_SUSPENDED,
    ATTEMPT_RESUMED,

    /* The job has lost its place, and the executor was told to stop the
     * attempt. The next one does not begin before this one is over. The
     * hashes in journals need to know what it was before. */
    ATTEMPT_LEAVING_ORDERED,
    ATTEMPT_LEAVING_ORDERED_SUSPENDED,
    ATTEMPT_LEAVING_ORDERED_RESUMED,
    ATTEMPT_LEAVING_STARTED,
    ATTEMPT_LEAVING_SUSPENDED,
    ATTEMPT_LEAVING_RESUMED,

    ATTEMPT_STATES
};

enum attempt_message {
    /* from the scheduler and from users */
    ON_GO,      /* the job runs, and its nodes are empty */
    ON_SUSPEND, /* the job is suspended */
    ON_LEAVE,   /* the job loses its place: it moves, is requeued or killed, or
                   it is cancelled while it waits */
    ON_CANCEL,  /* the user cancels the job while it runs */

    /* from the executor */
    ON_BEGAN,
    ON_ENDED,  /* it ended, or failed for good */
    ON_FAILED, /* it failed, and may be tried again */
    ON_MISSING,           /* the executor's list lacks it */
    ON_MISSING_QUEUED,    /* ... and the executor's own queue has the job */
    ON_MISSING_BLOCKED,   /* ... and an unknown process is on its nodes */
    ON_MISSING_CANCELLED, /* ... and the user has cancelled it */
    ON_BLOCKED,           /* an unknown process is on the nodes of the job */
    ON_LISTED_ENDED, /* the list has it, though the job has ended */
    ON_RESTORED,     /* the list has it, and the service goes on from a backup:
                        it may have been suspended after that */
    ON_RETURN,       /* an executor has come, and may not know all orders */
    ON_RETURN_CANCELLED, /* ... and the user has cancelled it */

    ATTEMPT_MESSAGES
};

enum attempt_action {
    STEP_IGNORE,  /* old news, or no concern of this state, which stays */
    STEP_START,   /* order the start */
    STEP_SUSPEND, /* order the suspension */
    STEP_RESUME,  /* order that it continues */
    STEP_STOP,    /* order its end */
    STEP_LEAVE,   /* ... and keep its nodes closed until it is over */
    STEP_NOTE_START, /* note that it began */
    STEP_NOTE_SUSPENSION, /* note that it may be suspended */
    STEP_END_JOB,    /* the job ends as the executor says */
    STEP_LOSE_JOB,   /* the job ends, for the executor has lost it */
    STEP_REQUEUE,    /* the job goes back into the queue */
    STEP_SEND_NEXT,  /* the next attempt may begin, if the job runs */
    STEP_FINISH_LEAVING, /* ... and so may jobs that waited for the nodes */

    ATTEMPT_ACTIONS
};

struct attempt_step {
    enum attempt_state next;
    enum attempt_action action;
};

struct attempt_step attempt_next (enum attempt_state state,
                                  enum attempt_message message);

/* Each state is a combination of these facts. Snapshots have them as members,
 * and hashes are made of them. */
enum attempt_fact {
    ATTEMPT_IS_OUT = 1,         /* the executor may have it */
    ATTEMPT_HAS_BEGUN = 2,      /* the executor has reported its start */
    ATTEMPT_IS_LEAVING = 4,     /* it has to end before there is another */
    ATTEMPT_IS_SUSPENDED = 8,   /* the last order was to suspend it */
    ATTEMPT_WAS_SUSPENDED = 16, /* one of the orders was */
    ATTEMPT_FACTS = 32
};

bool attempt_is (enum attempt_state state, enum attempt_fact fact);

/* The state of which exactly these facts hold: false if there is none. */
bool attempt_read (unsigned facts, enum attempt_state *ret_state);

#endif
