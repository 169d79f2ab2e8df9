/* The life of an attempt: every message in every state, against rules that are
 * written with one flag for each thing that the executor was told or has
 * said. */
#include "support.h"

#include "job.h"

/* ---- the rules ---- */

struct flags {
    bool out;       /* the executor was told to start it, and it is not over */
    bool began;     /* the executor has reported its start */
    bool leaving;   /* the job has lost its place */
    bool suspended; /* it was told to suspend it, and not to resume it, */
    bool slept;     /* or to do so before */
};

static enum attempt_action end_attempt (struct flags *is,
                                        enum attempt_action action)
{
    bool leaving = is->leaving;
    if (!is->out)
        return STEP_IGNORE;
    *is = (struct flags){0};
    return leaving ? STEP_FINISH_LEAVING : action;
}

static enum attempt_action miss_attempt (struct flags *is,
                                         enum attempt_message message)
{
    bool queued = message == ON_MISSING_QUEUED;
    if (!is->out || is->leaving || message == ON_MISSING_CANCELLED)
        return end_attempt (is, STEP_LOSE_JOB);
    if (is->began)
        return end_attempt (is, queued ? STEP_REQUEUE : STEP_LOSE_JOB);
    if (is->suspended)
        return end_attempt (is, STEP_SEND_NEXT);
    return message == ON_MISSING_BLOCKED ? end_attempt (is, STEP_REQUEUE)
                                         : STEP_START;
}

static enum attempt_action go (struct flags *is)
{
    bool out = is->out;
    if (is->leaving || (out && !is->suspended))
        return STEP_IGNORE;
    is->out = true;
    is->suspended = false;
    return out ? STEP_RESUME : STEP_START;
}

static enum attempt_action suspend (struct flags *is)
{
    if (!is->out || is->leaving)
        return STEP_IGNORE;
    is->suspended = is->slept = true;
    return STEP_SUSPEND;
}

static enum attempt_action restore (struct flags *is)
{
    return suspend (is) == STEP_IGNORE ? STEP_IGNORE : STEP_NOTE_SUSPENSION;
}

static enum attempt_action leave (struct flags *is)
{
    bool before = is->leaving;
    if (!is->out)
        return STEP_IGNORE;
    is->leaving = true;
    return before || is->suspended ? STEP_STOP : STEP_LEAVE;
}

static enum attempt_action begin (struct flags *is)
{
    if (!is->out || is->began || is->leaving)
        return STEP_IGNORE;
    is->began = true;
    return STEP_NOTE_START;
}

static enum attempt_action repeat (const struct flags *is, bool cancelled)
{
    if (!is->out)
        return STEP_IGNORE;
    if (is->leaving || cancelled)
        return STEP_STOP;
    if (is->suspended)
        return STEP_SUSPEND;
    return is->slept ? STEP_RESUME : STEP_IGNORE;
}

static enum attempt_action follow (struct flags *is,
                                   enum attempt_message message)
{
    switch (message) {
    case ON_GO: return go (is);
    case ON_SUSPEND: return suspend (is);
    case ON_LEAVE: return leave (is);
    case ON_CANCEL: return is->out ? STEP_STOP : STEP_IGNORE;
    case ON_BEGAN: return begin (is);
    case ON_ENDED: return end_attempt (is, STEP_END_JOB);
    case ON_FAILED: return end_attempt (is, STEP_REQUEUE);
    case ON_BLOCKED: return is->out ? STEP_IGNORE : STEP_REQUEUE;
    case ON_LISTED_ENDED: return is->out ? STEP_IGNORE : STEP_STOP;
    case ON_RESTORED: return restore (is);
    case ON_RETURN: return repeat (is, false);
    case ON_RETURN_CANCELLED: return repeat (is, true);
    default: return miss_attempt (is, message);
    }
}

/* ---- the table ---- */

static struct flags flags_of (enum attempt_state state)
{
    return (struct flags){attempt_is (state, ATTEMPT_IS_OUT),
                          attempt_is (state, ATTEMPT_HAS_BEGUN),
                          attempt_is (state, ATTEMPT_IS_LEAVING),
                          attempt_is (state, ATTEMPT_IS_SUSPENDED),
                          attempt_is (state, ATTEMPT_WAS_SUSPENDED)};
}

static enum attempt_state state_of (const struct flags *is)
{
    unsigned facts = (is->out ? ATTEMPT_IS_OUT : 0)
                     | (is->began ? ATTEMPT_HAS_BEGUN : 0)
                     | (is->leaving ? ATTEMPT_IS_LEAVING : 0)
                     | (is->suspended ? ATTEMPT_IS_SUSPENDED : 0)
                     | (is->slept ? ATTEMPT_WAS_SUSPENDED : 0);
    enum attempt_state state = ATTEMPT_STATES;
    assert_true (attempt_read (facts, &state));
    return state;
}

typedef void cell_fn (enum attempt_state, enum attempt_message,
                      struct attempt_step);

static void each_cell (cell_fn *check)
{
    for (int state = 0; state < ATTEMPT_STATES; state++)
        for (int message = 0; message < ATTEMPT_MESSAGES; message++)
            check ((enum attempt_state)state, (enum attempt_message)message,
                   attempt_next ((enum attempt_state)state,
                                 (enum attempt_message)message));
}

static void check_rule (enum attempt_state state,
                        enum attempt_message message,
                        struct attempt_step step)
{
    struct flags is = flags_of (state);
    enum attempt_action action = follow (&is, message);
    if (step.action != action || step.next != state_of (&is))
        fail_msg ("state %d, message %d: action %d and state %d, not %d and "
                  "%d",
                  state, message, step.action, step.next, action,
                  state_of (&is));
}

TEST (rules)
{
    each_cell (check_rule);
}

/* No state is there that nothing leads to. */
TEST (reachable)
{
    bool seen[ATTEMPT_STATES] = {[ATTEMPT_NONE] = true};
    for (int round = 0; round < ATTEMPT_STATES; round++)
        for (int state = 0; state < ATTEMPT_STATES; state++)
            for (int message = 0; seen[state] && message < ATTEMPT_MESSAGES;
                 message++)
                seen[attempt_next ((enum attempt_state)state,
                                   (enum attempt_message)message)
                         .next]
                    = true;
    for (int state = 0; state < ATTEMPT_STATES; state++)
        assert_true (seen[state]);
}

/* ---- what holds of all of it ---- */

static bool is_missing (enum attempt_message message)
{
    return message >= ON_MISSING && message <= ON_MISSING_CANCELLED;
}

static bool is_over (enum attempt_message message)
{
    return message == ON_ENDED || message == ON_FAILED || is_missing (message);
}

/* A job never has two attempts: a start is ordered only if the executor has
 * none, and only the executor's word ends one. Its word is never ignored. */
static void check_one (enum attempt_state state, enum attempt_message message,
                       struct attempt_step step)
{
    bool out = attempt_is (state, ATTEMPT_IS_OUT);
    if (step.action == STEP_START)
        assert_true (!out || is_missing (message));
    if (out && step.next == ATTEMPT_NONE)
        assert_true (is_over (message));
    if (out && is_over (message))
        assert_int_not_equal (step.action, STEP_IGNORE);
    if (step.action == STEP_IGNORE)
        assert_int_equal (step.next, state);
}

/* An attempt that is leaving is only told to stop, until it is over. */
static void check_leaving (enum attempt_state state,
                           enum attempt_message message,
                           struct attempt_step step)
{
    if (!attempt_is (state, ATTEMPT_IS_LEAVING))
        return;
    if (is_over (message)) {
        assert_int_equal (step.next, ATTEMPT_NONE);
        assert_int_equal (step.action, STEP_FINISH_LEAVING);
    } else {
        assert_int_equal (step.next, state);
        assert_true (step.action == STEP_STOP || step.action == STEP_IGNORE);
    }
}

/* An executor that returns gets no order that it did not get before, and the
 * same again if it returns again. */
static void check_return (enum attempt_state state,
                          enum attempt_message message,
                          struct attempt_step step)
{
    if (message != ON_RETURN && message != ON_RETURN_CANCELLED)
        return;
    assert_int_equal (step.next, state);
    assert_int_not_equal (step.action, STEP_START);
    if (step.action == STEP_RESUME)
        assert_true (attempt_is (state, ATTEMPT_WAS_SUSPENDED));
}

TEST (one_attempt)
{
    each_cell (check_one);
    each_cell (check_leaving);
    each_cell (check_return);
}

/* ---- snapshots ---- */

static const char *const members[]
    = {"out", "started", "lingers", "frozen", "slept"};
enum { MEMBERS = sizeof members / sizeof members[0] };

static json_t *make_saved (unsigned facts)
{
    json_t *saved = json_pack ("{s:i, s:s, s:{s:[s], s:i, s:i}}", "id", 1,
                               "user", "a", "ask", "command", "true", "count",
                               1, "time_limit", 60);
    for (unsigned i = 0; i < MEMBERS; i++)
        if (facts & 1U << i)
            json_object_set_new (saved, members[i], json_integer (1));
    return saved;
}

/* Each state is read from the members that it is written as, and what is not a
 * state is refused. */
TEST (saved)
{
    AUTO_MACHINE *machine = make_machine ("torus:4x4");
    unsigned states = 0;
    for (unsigned facts = 0; facts < ATTEMPT_FACTS; facts++) {
        json_t *saved = make_saved (facts), *again;
        const struct after_list *last = NULL;
        struct after_list *read = NULL;
        enum attempt_state state;
        tori_error err = {0};
        struct service_job *job = job_load (saved, machine, &read, &err);
        assert_int_equal (job != NULL, attempt_read (facts, &state));
        if (job) {
            states++;
            assert_int_equal (job->life, state);
            again = job_save (job, machine, &last);
            assert_true (json_equal (again, saved));
            json_decref (again);
        } else {
            assert_int_equal (err.status, TORI_INVALID);
        }
        job_destroy (job);
        json_decref (saved);
    }
    assert_int_equal (states, ATTEMPT_STATES);
}
