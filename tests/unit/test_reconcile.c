/* The action of tori-slurm on a job, for every pair of a state in torid and a
 * state in Slurm, against a list of rules that are asked in order. */
#include "support.h"

#include "reconcile.h"

static unsigned bit (enum reconcile_step step)
{
    return 1U << step;
}

/* ---- the rules ---- */

static bool was_submitted (enum torid_knows knows)
{
    return knows != KNOWS_NOTHING;
}

/* Whether torid takes it for one that it has released. */
static bool is_released (enum torid_knows knows)
{
    return knows == KNOWS_RELEASED || knows == KNOWS_RUNNING
           || knows == KNOWS_LEAVING;
}

/* Whether it has not ended, as far as Slurm knows. */
static bool is_alive (enum slurm_says says)
{
    return says < SAYS_ENDED;
}

static unsigned follow_held (enum torid_knows knows)
{
    unsigned steps = bit (STEP_SAY_CHANGES) | bit (STEP_REMARK)
                     | bit (STEP_NOTE);
    if (is_released (knows))
        steps |= bit (STEP_SAY_LOST);
    if (knows == KNOWS_STRAY) /* torid's job was cancelled then */
        steps |= bit (STEP_RENEW);
    return steps;
}

static unsigned follow_waiting (enum torid_knows knows)
{
    return follow_held (knows) | bit (STEP_SHAPE) | bit (STEP_RANK)
           | bit (was_submitted (knows) ? STEP_RENEW : STEP_SUBMIT);
}

static unsigned say_once (bool known, enum reconcile_step step)
{
    return bit (STEP_NOTE) | (known ? 0 : bit (step));
}

static unsigned follow (enum torid_knows knows, enum slurm_says says)
{
    if (knows == KNOWS_ENDED && is_alive (says))
        return bit (STEP_BURY);
    if (says == SAYS_REQUEUED)
        return bit (STEP_REQUEUE);
    if (says == SAYS_LOOSE || says == SAYS_SLIPPED)
        return bit (STEP_HOLD);
    if (says == SAYS_STALLED)
        return bit (STEP_SET_ASIDE);
    if (says == SAYS_REVOKED
        || (says == SAYS_OVERDUE && knows == KNOWS_RELEASED))
        return bit (STEP_TAKE_BACK);
    switch (says) {
    case SAYS_HELD: return follow_held (knows);
    case SAYS_WAITING: return follow_waiting (knows);
    case SAYS_RELEASED:
    case SAYS_OVERDUE: return bit (STEP_SAY_CHANGES) | bit (STEP_NOTE);
    case SAYS_RUNNING:
        return bit (STEP_SAY_CHANGES) | bit (STEP_KEEP_FROZEN)
               | say_once (knows == KNOWS_RUNNING, STEP_SAY_START);
    case SAYS_ENDED: return say_once (knows == KNOWS_ENDED, STEP_SAY_END);
    case SAYS_STRAY: return say_once (knows == KNOWS_STRAY, STEP_SAY_STRAY);
    case SAYS_DROPPED:
        return say_once (knows == KNOWS_DROPPED, STEP_SAY_CANCEL);
    default: return bit (STEP_NOTE);
    }
}

/* ---- the table ---- */

typedef void pair_fn (enum torid_knows, enum slurm_says, unsigned steps);

static void each_pair (pair_fn *check)
{
    for (int knows = 0; knows < TORID_KNOWS; knows++)
        for (int says = 0; says < SLURM_SAYS; says++)
            check ((enum torid_knows)knows, (enum slurm_says)says,
                   reconcile ((enum torid_knows)knows,
                              (enum slurm_says)says));
}

static void check_rule (enum torid_knows knows, enum slurm_says says,
                        unsigned steps)
{
    if (steps != follow (knows, says))
        fail_msg ("torid knows %d, Slurm says %d: steps %x, not %x", knows,
                  says, steps, follow (knows, says));
}

TEST (rules)
{
    each_pair (check_rule);
}

/* ---- what holds of all of it ---- */

static bool has (unsigned steps, enum reconcile_step step)
{
    return steps & bit (step);
}

/* A job that waits at torid and in Slurm is submitted once. */
static void check_submission (enum torid_knows knows, enum slurm_says says,
                              unsigned steps)
{
    if (has (steps, STEP_SUBMIT)) {
        assert_false (was_submitted (knows));
        assert_int_equal (says, SAYS_WAITING);
    }
}

/* Each end is said once, and a job that has ended does not run again unless
 * Slurm has requeued it. */
static void check_end (enum torid_knows knows, enum slurm_says says,
                       unsigned steps)
{
    unsigned ends = bit (STEP_SAY_END) | bit (STEP_SAY_CANCEL)
                    | bit (STEP_SAY_STRAY);
    if (steps & ends)
        assert_false (is_alive (says));
    if (knows == KNOWS_ENDED)
        assert_false (has (steps, STEP_SAY_END) || has (steps, STEP_SAY_START)
                      || has (steps, STEP_SUBMIT));
}

/* Something is always done, and torid hears of each attempt that it has
 * released and Slurm has not. */
static void check_complete (enum torid_knows knows, enum slurm_says says,
                            unsigned steps)
{
    unsigned failed = bit (STEP_SAY_LOST) | bit (STEP_SET_ASIDE)
                      | bit (STEP_TAKE_BACK) | bit (STEP_REQUEUE);
    assert_true (steps != 0 && steps < bit (RECONCILE_STEPS));
    if (is_released (knows)
        && (says == SAYS_HELD || says == SAYS_WAITING || says == SAYS_REVOKED
            || says == SAYS_STALLED || says == SAYS_REQUEUED))
        assert_true (steps & failed);
}

TEST (properties)
{
    each_pair (check_submission);
    each_pair (check_end);
    each_pair (check_complete);
}
