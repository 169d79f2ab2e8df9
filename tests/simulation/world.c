#include "worlds.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "array.h"

/* Whose turn it is: torid's functions do not know in which world they are. */
static struct world *the;

struct world *world_this (void)
{
    return the;
}

/* ---- chance ---- */

uint64_t dice (struct world *w, uint64_t n)
{
    return rng_below (&w->rng, n);
}

bool chance (struct world *w, uint64_t n)
{
    return !w->resting && dice (w, n) == 0;
}

bool world_has_number (const struct world *w, uint64_t id)
{
    for (size_t i = 0; i < w->gaps_n; i++)
        if (id >= w->gaps[i].from && id < w->gaps[i].until)
            return false;
    return id > 0 && id <= w->highest;
}

uint64_t world_jobs (const struct world *w)
{
    uint64_t n = w->highest;
    for (size_t i = 0; i < w->gaps_n; i++)
        n -= w->gaps[i].until - w->gaps[i].from;
    return n;
}

uint64_t world_job (struct world *w)
{
    uint64_t n = world_jobs (w), id = n > 0 ? dice (w, n) + 1 : 0;
    for (size_t i = 0; i < w->gaps_n; i++)
        if (id >= w->gaps[i].from)
            id += w->gaps[i].until - w->gaps[i].from;
    return id;
}

_Noreturn void world_broken (struct world *w, const char *fmt, ...)
{
    int n = snprintf (w->broken, sizeof w->broken, "step %llu: ",
                      (unsigned long long)w->steps);
    va_list args;
    va_start (args, fmt);
    vsnprintf (w->broken + n, sizeof w->broken - (size_t)n, fmt, args);
    va_end (args);
    longjmp (w->out, 1);
}

void world_note (const struct world *w, const char *what, const json_t *value)
{
    char *text;
    if (!w->trace)
        return;
    text = value ? json_dumps (value, JSON_ENCODE_ANY) : NULL;
    printf ("# %6llu %lld %s %s\n", (unsigned long long)w->steps,
            (long long)(w->now / TORI_SECOND), what, text ? text : "");
    free (text);
}

/* ---- pipes ---- */

void pipe_put (struct pipe *pipe, json_t *value)
{
    if (pipe->first == pipe->n)
        pipe->first = pipe->n = 0;
    pipe->all = array_room (pipe->all, &pipe->room, pipe->n + 1,
                            sizeof (json_t *));
    pipe->all[pipe->n++] = value;
}

json_t *pipe_head (const struct pipe *pipe)
{
    return pipe->first < pipe->n ? pipe->all[pipe->first] : NULL;
}

void pipe_drop (struct pipe *pipe)
{
    json_decref (pipe->all[pipe->first++]);
}

void pipe_clear (struct pipe *pipe)
{
    while (pipe_head (pipe))
        pipe_drop (pipe);
}

/* ---- what torid sees ---- */

/* The linker sends torid's calls here. */
#pragma GCC diagnostic push
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wreserved-identifier"
#endif

int __real_clock_gettime (clockid_t clock, struct timespec *t);
int __wrap_clock_gettime (clockid_t clock, struct timespec *t);
void __wrap_torid_log (const struct torid *torid, enum level level,
                       const char *event, const char *fmt, ...);
void __wrap_executor_pipe_say (struct torid *torid, const json_t *order);
void __wrap_watch_tell (struct torid *torid, json_t *event);
void __wrap_http_resume (struct torid *torid);
void __wrap_http_dismiss (struct torid *torid, const char *code,
                          const char *text);
int __wrap_uv_timer_start (uv_timer_t *timer, uv_timer_cb cb, uint64_t after,
                           uint64_t every);
ssize_t __wrap_getrandom (void *to, size_t n, unsigned flags);
int __wrap_statx (int fd, const char *path, int flags, unsigned mask,
                  struct statx *ret);
_Noreturn void __wrap_exit (int status);

/* The time of day, which may be set, and the one that never jumps. */
int __wrap_clock_gettime (clockid_t clock, struct timespec *t)
{
    tori_time now;
    if (!the || (clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME))
        return __real_clock_gettime (clock, t);
    now = clock == CLOCK_REALTIME ? the->now + the->offset : the->now;
    *t = (struct timespec){now / TORI_SECOND, now % TORI_SECOND * 1000};
    return 0;
}

ssize_t __wrap_getrandom (void *to, size_t n, unsigned flags)
{
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)to)[i]
            = fault_draws (n) ? 0 : (unsigned char)dice (the, 256);
    return (ssize_t)n;
}

/* State of the mark. */
int __wrap_statx (int fd, const char *path, int flags, unsigned mask,
                  struct statx *ret)
{
    int64_t born = (int64_t)fault_born (the->mark.born);
    *ret = (struct statx){.stx_mask = mask,
                          .stx_ino = the->mark.number,
                          .stx_btime.tv_sec = born};
    return 0;
}

void __wrap_torid_log (const struct torid *torid, enum level level,
                       const char *event, const char *fmt, ...)
{
    json_t *fields = NULL;
    char *text;
    va_list args;
    if (level < LEVEL_ERROR)
        return;
    va_start (args, fmt);
    fields = json_vpack_ex (NULL, 0, fmt, args);
    va_end (args);
    text = json_dumps (fields, 0);
    snprintf (the->broken, sizeof the->broken, "%s", text ? text : event);
    free (text);
    json_decref (fields);
}

void __wrap_executor_pipe_say (struct torid *torid, const json_t *order)
{
    if (!disk_is_gone () && torid->ready)
        executor_tell (the, order);
}

void __wrap_watch_tell (struct torid *torid, json_t *event)
{
    if (the->hostile)
        hostile_hear (the, event);
}

void __wrap_http_resume (struct torid *torid)
{
    if (!disk_is_gone ())
        client_resume (the);
}

/* They ask again. */
void __wrap_http_dismiss (struct torid *torid, const char *code,
                          const char *text)
{
    client_cut (the);
}

int __wrap_uv_timer_start (uv_timer_t *timer, uv_timer_cb cb, uint64_t after,
                           uint64_t every)
{
    the->retries = true;
    return 0;
}

_Noreturn void __wrap_exit (int status)
{
    char why[512];
    snprintf (why, sizeof why, "%.500s", the->broken);
    world_broken (the, "torid has given up: %s", why);
}

#pragma GCC diagnostic pop

struct reply world_tell (struct world *w, json_t *input)
{
    const struct service *service = w->torid.service;
    struct reply reply = {0};
    tori_error err = {0};
    size_t before;
    world_note (w, "in", input);
    before = service->fetched < service->nout ? service->nout : 0;
    if (service_do (w->torid.service, torid_now (&w->torid), input, &reply,
                    &err)
        < 0)
        world_broken (w, "the service: %s", err.text);
    json_decref (input);
    if (w->hostile)
        hostile_input (w, before);
    w->torid.stirred = true;
    w->settled = false;
    return reply;
}

/* As torid takes a line of its executor. */
static bool hear (struct world *w)
{
    json_t *word = executor_hear (w);
    const char *is = json_string_value (json_object_get (word, "is"));
    bool lists = is && !strcmp (is, "running");
    tori_error err = {0};
    if (!word)
        return false;
    w->settled = false;
    if (!strcmp (is, "ready")) {
        w->torid.ready = true;
        w->torid.stirred = true;
        json_decref (word);
        if (commit_loop_greet (&w->torid, &err) < 0)
            world_broken (w, "the service: %s", err.text);
        return true;
    }
    json_object_set_new (word, "in", json_string ("executor"));
    json_decref (world_tell (w, word).body);
    if (lists)
        restore_hear (w);
    return true;
}

/* ---- torid lives and dies ---- */

/* As torid does when it starts, if they are not those of the journal. */
static void set_limits (struct world *w)
{
    json_t *policy = hostile_limits (json_pack ("{s:{}}", "user"));
    json_decref (world_tell (w, json_pack ("{s:s, s:b, s:o}", "in", "policy",
                                           "root", 1, "policy", policy))
                     .body);
}

static void boot (struct world *w)
{
    static const tori_alloc_config counts
        = {.size = sizeof counts, .name = "mm"};
    uint64_t kind = w->fickle ? dice (w, 3) : w->seed % 8;
    const tori_sched_config config
        = {.size = sizeof config,
           .policy = kind == 1 || plans_conservative (w) ? "conservative"
                                                         : "easy",
           .alloc = TORI_ALLOC (w->pod ? "cube-best" : "first-fit"),
           .flags = kind == 2 ? TORI_SCHED_MOVES : 0,
           .move = kind == 2 ? TORI_SECOND : 0,
           .counts = w->pod ? NULL : &counts};
    tori_error err = {0};
    w->torid = (struct torid){.machine = w->machine,
                              .state = disk_state (),
                              .orders = {.list = json_array ()},
                              .events = {.list = json_array ()},
                              .linked = true,
                              .level = LEVEL_ERROR,
                              .stirred = true};
    torid_begin_clock (&w->torid);
    if (service_create (w->machine, &config, &w->torid.service, &err) < 0
        || commit_loop_open (&w->torid, &err) < 0)
        world_broken (w, "torid does not start: %s", err.text);
    w->settled = false;
}

/* It has read its state, and goes on. */
static void take_up (struct world *w)
{
    tori_error err = {0};
    if (w->hostile && mark_open (&w->torid, &err) < 0)
        world_broken (w, "torid does not start: %s", err.text);
    if (w->hostile && !w->resting && w->torid.service->policy.array == 0)
        set_limits (w);
}

static void forget_late (struct world *w)
{
    free (w->torid.writer.errand.text);
    w->torid.writer.errand.text = NULL;
}

static void shut (struct world *w)
{
    forget_late (w);
    mark_close (&w->torid);
    journal_close (w->torid.journal);
    service_destroy (w->torid.service);
    json_decref (w->torid.orders.list);
    json_decref (w->torid.events.list);
    w->torid = (struct torid){0};
    w->retries = false;
}

/* It is gone, and what it has said to others with it. */
static void fall (struct world *w, bool power)
{
    w->ends = w->ends_in = 0;
    w->seen.crashes++;
    disk_cut (power);
    shut (w);
    executor_cut (w);
    client_cut (w);
    disk_fill (false);
    disk_restart ();
}

static void crash (struct world *w, bool power)
{
    struct witness *before = check_before (w);
    plans_lose (w, !w->settled);
    uint32_t epoch = service_epoch (w->torid.service);
    world_note (w, power ? "the power goes" : "torid is killed", NULL);
    fall (w, power);
    boot (w);
    check_after (w, before);
    take_up (w);
    if (epoch > 0 && !w->unsure && service_epoch (w->torid.service) != epoch)
        world_broken (w, "another epoch begins after a crash");
    if (w->resting) /* what was released may not have come to the disk */
        client_release_all (w);
}

/* A backup is put back while torid does not run. */
static void restore (struct world *w)
{
    struct witness *before;
    if (!w->backup)
        return;
    fall (w, false);
    before = restore_put_back (w);
    boot (w);
    restore_look (w);
    check_after (w, before);
    take_up (w);
    restore_notice (w);
}

/* A snapshot, or the beginning of one that comes to the journal some turns
 * later, as from a process of its own, and in pieces. */
static void save (struct world *w)
{
    struct snapshot_writer *late = &w->torid.writer;
    tori_error err = {0};
    if (dice (w, 2)) {
        late->errand.text = service_save (w->torid.service, &late->errand.n);
        late->seq = journal_last (w->torid.journal);
    } else if (commit_loop_save (&w->torid, &err) < 0)
        world_broken (w, "no snapshot: %s", err.text);
}

static void save_late (struct world *w)
{
    struct snapshot_writer *late = &w->torid.writer;
    size_t piece = late->errand.n / (1 + dice (w, 8)) + 1;
    if (journal_save_at (w->torid.journal, late->seq, late->errand.text,
                         late->errand.n, piece, NULL)
        < 0)
        world_broken (w, "no late snapshot");
    late->errand.text = NULL;
}

/* The turn of torid before its loop sleeps. */
static void turn (struct world *w)
{
    if (w->torid.writer.errand.text && chance (w, 4))
        save_late (w);
    if (w->settled && !w->torid.writer.errand.text && chance (w, 40))
        save (w);
    if (chance (w, 400) && !w->resting)
        disk_doom ();
    if (w->torid.stirred) /* if only by the clock */
        w->settled = false;
    while (w->torid.stirred) {
        bool decides = !w->torid.stuck;
        commit_loop_settle (&w->torid);
        if (decides && !disk_is_gone ())
            plans_check (w);
        if (w->hostile)
            hostile_turn (w);
    }
    if (disk_is_gone ()) {
        crash (w, true);
        return;
    }
    w->settled = !w->torid.stuck;
    world_note (w, w->settled ? "turn" : "turn, and the disk is full", NULL);
    if (w->settled) {
        w->unsure = false;
        check_turn (w);
    }
}

/* A clean end and a new beginning, as after an upgrade. The power may go while
 * it ends. */
static void restart (struct world *w)
{
    tori_error err = {0};
    w->settled = commit_loop_finish (&w->torid, &err) == 0 && !w->torid.stuck
                 && !disk_is_gone ();
    crash (w, false);
}

/* ---- events ---- */

static void trouble (struct world *w)
{
    switch (dice (w, w->hostile ? 14 : 8)) {
    case 0:
        if (w->settled || dice (w, 2))
            crash (w, dice (w, 2));
        break;
    case 1:
        restart (w);
        break;
    case 2:
        disk_fill (true);
        w->seen.fulls++;
        break;
    case 3:
        w->offset = ((tori_time)dice (w, 121) - 60) * TORI_SECOND;
        if (w->hostile && dice (w, 2)) { /* decades */
            w->offset *= 86400 * 365;
            w->leapt = true;
        }
        break;
    case 8:
    case 9:
    case 10:
        restore_back_up (w);
        break;
    case 11:
    case 12:
    case 13:
        restore (w);
        break;
    default:
        disk_fill (false);
    }
}

static void pass_time (struct world *w)
{
    w->now += (tori_time)dice (w, 3) * TORI_SECOND;
    if (w->retries || service_wake (w->torid.service) <= torid_now (&w->torid))
        w->torid.stirred = true;
    w->retries = false;
}

static void step (struct world *w)
{
    uint64_t what = dice (w, 256);
    w->steps++;
    if (what == 0 && !w->resting)
        trouble (w);
    else if (what < 50 && !w->resting)
        client_step (w);
    else if (what < 130 && executor_step (w))
        return;
    else if (what < 180 && hear (w))
        return;
    else if (what < 214 && w->torid.stirred)
        turn (w);
    else
        pass_time (w);
}

/* ---- a life ---- */

static bool is_at_rest (const struct world *w)
{
    const struct job_counts n = service_count (w->torid.service);
    return w->settled && !w->torid.stirred
           && n.queued + n.running + n.suspended == 0
           && w->executor.running == 0 && !pipe_head (&w->executor.to)
           && !pipe_head (&w->executor.from);
}

/* Everything is in service again, nobody asks for anything, and every job
 * ends. */
static void come_to_rest (struct world *w)
{
    uint64_t most = w->steps + 60000;
    w->resting = true;
    plans_lose (w, true);
    disk_fill (false);
    while (w->torid.stuck)
        step (w);
    client_end (w);
    client_release_all (w);
    executor_cut (w);
    while (!is_at_rest (w) && w->steps < most)
        step (w);
    check_rest (w);
}

static void begin (struct world *w, const struct world_options *options)
{
    tori_error err = {0};
    w->seed = options->seed;
    w->trace = options->trace;
    w->hostile = options->hostile;
    w->fickle = w->seed % 4 == 3;
    w->now = 1000000 * TORI_SECOND;
    rng_seed (&w->rng, options->seed, 0);
    if (w->seed % 4 == 0 && !w->hostile)
        plans_begin (w);
    w->pod = w->seed % 5 == 4 && !w->plans;
    if (tori_machine_parse (w->pod ? "pod:4/2x2" : "torus:4x4", &w->machine,
                            &err)
        < 0)
        world_broken (w, "%s", err.text);
    w->nodes_n = tori_machine_nodes (w->machine);
    w->unsure = true;
    disk_begin (&w->rng);
    executor_begin (w);
    boot (w);
    take_up (w);
}

static void end (struct world *w)
{
    shut (w);
    restore_end (w);
    client_end (w);
    executor_end (w);
    plans_end (w);
    disk_end ();
    tori_machine_destroy (w->machine);
    free (w);
}

/* A broken world is not released: it may be in any state. */
const char *world_live (const struct world_options *options,
                        uint64_t *ret_steps)
{
    struct world *w = calloc (1, sizeof *w);
    if (!w)
        return "no memory";
    the = w;
    if (setjmp (w->out)) {
        *ret_steps = w->steps;
        return w->broken;
    }
    begin (w, options);
    while (w->steps < options->steps)
        step (w);
    come_to_rest (w);
    *ret_steps = w->steps;
    end (w);
    return NULL;
}
