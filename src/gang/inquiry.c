#include "inquiry.h"

#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "front_parts.h"
#include "rankshare.h"

/* How long a rank may take to answer, in nanoseconds. Runs on a machine that
 * is busy with something else take some tenths of a second at times. */
#define PATIENCE (INT64_C (2) * 1000000000)

static const char *const state_names[]
    = {[JOB_WAITING] = "waiting", [JOB_READY] = "ready",
       [JOB_RUNNING] = "running", [JOB_ASLEEP] = "asleep",
       [JOB_ENDING] = "ending",   [JOB_UNKNOWN] = "unknown"};

/* ---- where the node of a job is ---- */

static int64_t later_time (int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Turns are given before they begin; a turn that has not begun does not count
 * yet. `now` is the same for all ranks, so that two jobs never have their turn
 * on one processor. */
static struct job_state state_of (const struct rank *rank,
                                  const struct task *task, int64_t now)
{
    struct span turn = now < task->turn.from ? task->before : task->turn;
    bool ahead = task->turns > 0
                 && task->turn.until - rank->config->slot > now;
    struct job_state s = {.task = task->id, .since = task->since};
    s.turns = task->turns - ahead;
    s.first_turn = s.turns > 0 ? task->first_turn : 0;
    if (task->ending) {
        s.state = JOB_ENDING;
    } else if (task->asleep) {
        s.state = JOB_ASLEEP;
    } else if (rank->config->turns == TURNS_NONE) {
        s.state = JOB_RUNNING;
    } else if (now >= turn.from && now < turn.until) {
        s.state = JOB_RUNNING;
        s.since = later_time (s.since, turn.from);
    } else {
        s.state = JOB_READY;
        s.since = later_time (s.since, turn.until);
    }
    return s;
}

void inquiry_answer (struct rank *rank, const struct wire *wire,
                     const char *data)
{
    struct wire told = {.kind = WIRE_TOLD,
                        .task = wire->task,
                        .stream = rank->by_signals};
    struct bytes bytes = {0};
    for (size_t i = 0; i < rank->tasks; i++) {
        struct task *task = rank->task[i];
        struct job_state state;
        bool here = task->owned && task->left > 0;
        if (!here && !task->share)
            continue;
        state = here ? state_of (rank, task, wire->time[0])
                     : (struct job_state){.task = task->id,
                                          .state = JOB_UNKNOWN};
        state.used = task->used + share_used (task->share);
        packed_add (&bytes, PACKED_STATE, &state, &rank->err);
    }
    told.bytes = (uint32_t)bytes.n;
    rank_send (rank, 0, &told, bytes.data);
    bytes_clear (&bytes);
}

/* ---- asking ---- */

struct inquiry *inquiry_create (struct rank *rank, uint64_t number)
{
    struct wire wire = {.kind = WIRE_ASK,
                        .task = number,
                        .time = {clock_now ()}};
    struct inquiry *inquiry = calloc (1, sizeof *inquiry);
    if (inquiry)
        inquiry->silent = calloc (rank->size, sizeof *inquiry->silent);
    if (!inquiry || !inquiry->silent) {
        inquiry_destroy (inquiry);
        tori_error_nomem (&rank->err);
        return NULL;
    }
    inquiry->number = number;
    inquiry->until = clock_now () + PATIENCE;
    for (uint32_t i = 0; i < rank->size; i++)
        if (!rank->dead[i]) {
            inquiry->silent[i] = true;
            inquiry->left++;
            rank_send (rank, i, &wire, NULL);
        }
    return inquiry;
}

void inquiry_destroy (struct inquiry *inquiry)
{
    if (!inquiry)
        return;
    bytes_clear (&inquiry->states);
    free (inquiry->silent);
    free (inquiry);
}

void inquiry_lost (struct inquiry *inquiry, uint32_t dead)
{
    inquiry->left -= inquiry->silent[dead];
    inquiry->silent[dead] = false;
}

void inquiry_told (struct rank *rank, struct inquiry *inquiry,
                   const struct wire *wire, const char *data)
{
    inquiry_lost (inquiry, wire->from);
    *(wire->stream ? &inquiry->by_signals : &inquiry->by_groups) += 1;
    bytes_add (&inquiry->states, data, wire->bytes, &rank->err);
}

/* ---- telling ---- */

/* The state of the job's last attempt, with the processor time of all ranks
 * that answered; false if the rank that hosts its node did not answer. */
static bool find_state (const struct inquiry *inquiry, const struct job *job,
                        struct job_state *ret_state)
{
    struct job_state state;
    int64_t used = 0;
    bool told = false;
    for (size_t i = 0; packed_get (inquiry->states.data, inquiry->states.n,
                                    PACKED_STATE, i, &state);
         i++) {
        if (state.task != job->task || state.state > JOB_UNKNOWN)
            continue;
        used += state.used;
        if (state.state != JOB_UNKNOWN) {
            *ret_state = state;
            told = true;
        }
    }
    ret_state->used = used;
    return told;
}

/* The state of a job that no rank has reported. A job whose partition is known
 * has a rank that should have reported it. */
static struct job_state state_here (const struct job *job)
{
    struct job_state state = {.state = JOB_WAITING};
    if (job->node != TORI_GANG_NONE)
        state.state = JOB_UNKNOWN;
    return state;
}

static const char *why_waiting (const struct job *job,
                                const struct front *front)
{
    if (job->attempts == 0 && job->submit > clock_now ())
        return "its time (-t) has not come";
    return front->waiting > 0 ? "a rank has died, and the others start again"
                              : "it is on its way to a partition";
}

static const char *why_ending (const struct job *job)
{
    return job->cancelled ? job->cancelled : "a process of it has failed";
}

/* NULL if the state needs no reason. */
static const char *explain_state (const struct job *job,
                                  const struct job_state *state,
                                  const struct front *front)
{
    switch (state->state) {
    case JOB_WAITING:
        return why_waiting (job, front);
    case JOB_READY:
        if (front->waiting > 0)
            return "a rank has died, and the others start again";
        return state->turns > 0 ? "others have their turn"
                                : "its first turn has not come";
    case JOB_ASLEEP:
        return "all its processes sleep";
    case JOB_ENDING:
        return why_ending (job);
    case JOB_UNKNOWN:
        return "the rank that has its node does not answer";
    default:
        return NULL;
    }
}

/* The words of its programs, one program after another, cut after a few
 * thousand bytes. */
static void emit_command (struct emit *e, const struct spec *spec)
{
    char text[4096];
    size_t used = 0;
    for (size_t i = 0; i < spec->stages; i++)
        for (char **word = spec->stage[i].argv; *word; word++) {
            const char *before = word != spec->stage[i].argv ? " "
                                 : i > 0                     ? " | "
                                                             : "";
            int n = snprintf (text + used, sizeof text - used, "%s%s", before,
                              *word);
            used += n < 0 ? 0 : (size_t)n;
            if (used >= sizeof text)
                used = sizeof text - 1;
        }
    emit_text (e, "command", text);
}

static void emit_state (struct emit *e, const struct inquiry *inquiry,
                        const struct rank *rank, const struct job *job)
{
    struct job_state state;
    bool told = find_state (inquiry, job, &state);
    const char *reason;
    if (!told)
        state = state_here (job);
    if (job->cancelled)
        state.state = JOB_ENDING;
    reason = explain_state (job, &state, rank->front);
    emit_text (e, "state", state_names[state.state]);
    if (reason)
        emit_text (e, "why", reason);
    if (told)
        emit_real (e, "since", rank_seconds (rank, state.since));
    emit_real (e, "submit", rank_seconds (rank, job->submit));
    emit_place (e, rank, job);
    if (state.first_turn)
        emit_real (e, "first_turn", rank_seconds (rank, state.first_turn));
    if (told) {
        emit_count (e, "turns", (uint64_t)state.turns);
        emit_real (e, "cpu", (double)state.used / 1e9);
    }
}

static void emit_job (struct emit *e, const struct inquiry *inquiry,
                      const struct rank *rank, const struct job *job)
{
    emit_open (e, NULL, '{');
    emit_count (e, "id", job->number);
    emit_command (e, job->spec);
    emit_count (e, "count", spec_count (job->spec));
    if (job->ended) {
        emit_text (e, "state", "ended");
        emit_real (e, "since", rank_seconds (rank, job->finish));
        emit_account (e, rank, job);
    } else {
        emit_state (e, inquiry, rank, job);
    }
    emit_close (e, '}');
}

static void emit_ranks (struct emit *e, const char *key, const bool is[],
                        uint32_t n)
{
    emit_open (e, key, '[');
    for (uint32_t i = 0; i < n; i++)
        if (is[i])
            emit_count (e, NULL, i);
    emit_close (e, ']');
}

/* How the ranks that have answered stop processes. */
static const char *freeze_of (const struct inquiry *inquiry)
{
    if (inquiry->by_groups > 0)
        return inquiry->by_signals > 0 ? "both" : "cgroup";
    return inquiry->by_signals > 0 ? "signal" : NULL;
}

static void emit_machine (struct emit *e, const struct inquiry *inquiry,
                          const struct rank *rank)
{
    static const char *const stops[] = {"no", "drain", "now"};
    const struct front *front = rank->front;
    double slot = (double)rank->config->slot / 1e9;
    emit_real (e, "now", rank_seconds (rank, clock_now ()));
    emit_count (e, "ranks", rank->size);
    emit_ranks (e, "dead", rank->dead, rank->size);
    emit_ranks (e, "silent", inquiry->silent, rank->size);
    emit_real (e, "slot", slot);
    if (rank->node[0])
        emit_real (e, "period",
                   slot * tori_gang_node_height (rank->node[0]));
    if (freeze_of (inquiry))
        emit_text (e, "freeze", freeze_of (inquiry));
    emit_text (e, "stop", stops[front->stop]);
    emit_count (e, "ended", front->jobs - front->open);
    emit_clocks (e, rank);
}

char *inquiry_write (const struct inquiry *inquiry, struct rank *rank,
                     bool all, size_t *ret_n)
{
    const struct front *front = rank->front;
    char *text = NULL;
    FILE *file = open_memstream (&text, ret_n);
    struct emit e = emit_to (file);
    if (!file) {
        tori_error_nomem (&rank->err);
        return NULL;
    }
    emit_open (&e, NULL, '{');
    emit_machine (&e, inquiry, rank);
    emit_open (&e, "jobs", '[');
    for (size_t i = 0; i < front->jobs; i++)
        if (all || !front->job[i]->ended)
            emit_job (&e, inquiry, rank, front->job[i]);
    emit_close (&e, ']');
    emit_close (&e, '}');
    emit_end (&e, &rank->err);
    if (fclose (file) < 0)
        tori_error_nomem (&rank->err);
    return text;
}
