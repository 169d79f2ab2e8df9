#include "inquiry.h"

#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "front_parts.h"
#include "rankshare.h"

/* How long a rank may take to answer, in nanoseconds. Runs on a machine that
 * is busy with something else take some tenths of a second at times. */
#define PATIENCE (INT64_C (2) * 1000000000)

enum state {
    STATE_WAITING, /* it has no partition */
    STATE_READY,   /* it is in its queue */
    STATE_RUNNING, /* it has its turn */
    STATE_ASLEEP,
    STATE_ENDING,
    STATE_UNKNOWN
};

static const char *const state_names[]
    = {[STATE_WAITING] = "waiting", [STATE_READY] = "ready",
       [STATE_RUNNING] = "running", [STATE_ASLEEP] = "asleep",
       [STATE_ENDING] = "ending",   [STATE_UNKNOWN] = "unknown"};

/* As the rank knows it that has the job's node; others tell of the processor
 * time of the processes that they have. */
struct job_state {
    uint64_t task;
    enum state state; /* unknown: of another rank */
    int64_t used;
    int64_t since;
    int64_t first_turn; /* 0: there was none */
    int64_t turns;
};

/* ---- where the node of a job is ---- */

static int64_t later (int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Turns are given before they begin; one that has not begun does not count
 * yet. `now` is the same for all ranks, so that no two have their turn on a
 * processor. */
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
        s.state = STATE_ENDING;
    } else if (task->asleep) {
        s.state = STATE_ASLEEP;
    } else if (rank->config->turns == TURNS_NONE) {
        s.state = STATE_RUNNING;
    } else if (now >= turn.from && now < turn.until) {
        s.state = STATE_RUNNING;
        s.since = later (s.since, turn.from);
    } else {
        s.state = STATE_READY;
        s.since = later (s.since, turn.until);
    }
    return s;
}

int inquiry_answer (struct rank *rank, const struct wire *wire,
                    const char *data, tori_error *err)
{
    struct wire told = {.kind = WIRE_TOLD, .task = wire->task};
    struct bytes bytes = {0};
    int status = 0;
    for (size_t i = 0; status == 0 && i < rank->tasks; i++) {
        struct task *task = rank->task[i];
        struct job_state state;
        bool here = task->owned && task->left > 0;
        if (!here && !task->share)
            continue;
        state = here ? state_of (rank, task, wire->time[0])
                     : (struct job_state){.task = task->id,
                                          .state = STATE_UNKNOWN};
        state.used = task->used + share_used (task->share);
        status = bytes_add (&bytes, &state, sizeof state, err);
    }
    told.bytes = (uint32_t)bytes.n;
    if (status == 0)
        status = rank_send (rank, 0, &told, bytes.data, err);
    bytes_clear (&bytes);
    return status;
}

/* ---- asking ---- */

int inquiry_create (struct rank *rank, uint64_t number,
                    struct inquiry **ret_inquiry, tori_error *err)
{
    struct wire wire = {.kind = WIRE_ASK,
                        .task = number,
                        .time = {clock_now ()}};
    struct inquiry *inquiry = calloc (1, sizeof *inquiry);
    int status = 0;
    if (inquiry)
        inquiry->silent = calloc (rank->size, sizeof *inquiry->silent);
    if (!inquiry || !inquiry->silent) {
        inquiry_destroy (inquiry);
        return tori_error_nomem (err);
    }
    inquiry->number = number;
    inquiry->until = clock_now () + PATIENCE;
    for (uint32_t i = 0; status == 0 && i < rank->size; i++)
        if (!rank->dead[i]) {
            inquiry->silent[i] = true;
            inquiry->left++;
            status = rank_send (rank, i, &wire, NULL, err);
        }
    if (status < 0)
        inquiry_destroy (inquiry);
    else
        *ret_inquiry = inquiry;
    return status;
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

int inquiry_told (struct inquiry *inquiry, const struct wire *wire,
                  const char *data, tori_error *err)
{
    inquiry_lost (inquiry, wire->from);
    return bytes_add (&inquiry->states, data, wire->bytes, err);
}

/* ---- telling ---- */

/* Of the job's last attempt, and the time that all have told of; false if the
 * rank that has its node has not. */
static bool find_state (const struct inquiry *inquiry, const struct job *job,
                        struct job_state *ret_state)
{
    struct job_state state;
    int64_t used = 0;
    bool told = false;
    for (size_t at = 0; at + sizeof state <= inquiry->states.n;
         at += sizeof state) {
        memcpy (&state, inquiry->states.data + at, sizeof state);
        if (state.task != job->task)
            continue;
        used += state.used;
        if (state.state != STATE_UNKNOWN) {
            *ret_state = state;
            told = true;
        }
    }
    ret_state->used = used;
    return told;
}

/* What nobody else knows of. A job whose partition is known has a rank that
 * would tell of it. */
static struct job_state state_here (const struct job *job)
{
    struct job_state state = {.state = STATE_WAITING};
    if (job->node != TORI_GANG_NONE)
        state.state = STATE_UNKNOWN;
    return state;
}

static const char *why_waiting (const struct job *job,
                                const struct overview *overview)
{
    if (job->attempts == 0 && job->submit > clock_now ())
        return "its time (-t) has not come";
    return overview->begins_anew
               ? "a rank has died, and the others start again"
               : "it is on its way to a partition";
}

static const char *why_ending (const struct job *job)
{
    return job->cancelled ? job->cancelled : "a process of it has failed";
}

/* NULL where there is nothing to say. */
static const char *why (const struct job *job, const struct job_state *state,
                        const struct overview *overview)
{
    switch (state->state) {
    case STATE_WAITING:
        return why_waiting (job, overview);
    case STATE_READY:
        if (overview->begins_anew)
            return "a rank has died, and the others start again";
        return state->turns > 0 ? "others have their turn"
                                : "its first turn has not come";
    case STATE_ASLEEP:
        return "all its processes sleep";
    case STATE_ENDING:
        return why_ending (job);
    case STATE_UNKNOWN:
        return "the rank that has its node does not answer";
    default:
        return NULL;
    }
}

/* Its words, those of piped programs behind each other; no more than the
 * first few thousand bytes. */
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
                        const struct rank *rank, const struct job *job,
                        const struct overview *overview)
{
    struct job_state state;
    bool told = find_state (inquiry, job, &state);
    const char *reason;
    if (!told)
        state = state_here (job);
    if (job->cancelled)
        state.state = STATE_ENDING;
    reason = why (job, &state, overview);
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
                      const struct rank *rank, const struct job *job,
                      const struct overview *overview)
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
        emit_state (e, inquiry, rank, job, overview);
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

static void emit_machine (struct emit *e, const struct inquiry *inquiry,
                          const struct rank *rank,
                          const struct overview *overview)
{
    double slot = (double)rank->config->slot / 1e9;
    emit_real (e, "now", rank_seconds (rank, clock_now ()));
    emit_count (e, "ranks", rank->size);
    emit_ranks (e, "dead", rank->dead, rank->size);
    emit_ranks (e, "silent", inquiry->silent, rank->size);
    emit_real (e, "slot", slot);
    if (rank->node[0])
        emit_real (e, "period",
                   slot * tori_gang_node_height (rank->node[0]));
    emit_text (e, "stop", overview->stop);
    emit_count (e, "ended", overview->jobs - overview->open);
    emit_clocks (e, rank);
}

int inquiry_write (const struct inquiry *inquiry, const struct rank *rank,
                   const struct overview *overview, struct bytes *ret_text,
                   tori_error *err)
{
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream (&text, &n);
    struct emit e = emit_to (file);
    int status;
    if (!file)
        return tori_error_nomem (err);
    emit_open (&e, NULL, '{');
    emit_machine (&e, inquiry, rank, overview);
    emit_open (&e, "jobs", '[');
    for (size_t i = 0; i < overview->jobs; i++)
        if (overview->all || !overview->job[i]->ended)
            emit_job (&e, inquiry, rank, overview->job[i], overview);
    emit_close (&e, ']');
    emit_close (&e, '}');
    status = emit_end (&e, err);
    if (fclose (file) < 0 && status == 0)
        status = tori_error_nomem (err);
    if (status == 0)
        status = bytes_add (ret_text, text, n, err);
    free (text);
    return status;
}
