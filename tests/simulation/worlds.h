/* worlds.h - a simulated world around the service: torid's own turns and
 * decisions (src/torid/shell/commit_loop.c, src/torid/service), with a disk, an executor,
 * clients and a clock that are all made up from one seed.
 *
 *   world.c           the world: its events, and what torid sees of it
 *   world_disk.c      the disk: a journal in memory, all or nothing per commit
 *   world_journal.c   ... or the true journal on a disk that tears writes
 *   world_executor.c  an executor, its processes, and the pipes to it
 *   world_client.c    users and operators
 *   world_hostile.c   a user who means harm
 *   world_restore.c   backups that are put back
 *   world_checks.c    what must hold after every step
 *   world_plans.c     the order of the queue, where nothing may change it
 *   world_faults.c    faults that can be planted, and must be found
 *
 * A step is one event: a request comes, a message arrives, a process ends, the
 * clock moves, the disk fills up, torid takes its turn or is killed. A fault
 * ends the world at once: world_broken does not return.
 */
#ifndef TORI_TESTS_WORLDS_H
#define TORI_TESTS_WORLDS_H

#include <setjmp.h>

#include <jansson.h>

#include <tori/workload.h>

#include "service_internal.h"
#include "random.h"
#include "torid.h"

/* With a user who means harm there are more jobs and clients. Numbers of jobs
 * are skipped where a backup was put back without its mark, some times. */
enum { WORLD_JOBS = 400, WORLD_CLIENTS = 6, WORLD_GUESTS = 8,
       WORLD_MOST = 6000, WORLD_ATTEMPTS = 4 * WORLD_MOST, WORLD_GAPS = 3,
       WORLD_ROOM = 11000 * WORLD_GAPS + WORLD_MOST };

/* ---- what goes from one to another, in order ---- */

struct pipe {
    json_t **all;
    size_t first, n, room;
};

void pipe_put (struct pipe *pipe, json_t *value); /* takes it over */
json_t *pipe_head (const struct pipe *pipe);      /* NULL if it is empty */
void pipe_drop (struct pipe *pipe);               /* the head */
void pipe_clear (struct pipe *pipe);

/* ---- the executor ---- */

/* An attempt to run a job. Processes outlive the executor and torid. */
struct process {
    uint64_t job;
    json_int_t attempt;
    char state[STATE_WORD]; /* that has begun it; "" where there are no marks */
    size_t before; /* the attempt before, + 1 */
    bool runs;
    bool failed;    /* it was not started */
    bool retry;     /* ... through no fault of its own */
    bool forgotten; /* its end was recorded: the executor has dropped it */
    bool lost;      /* torid's state has gone back, and does not know of it */
    bool unwanted;  /* an operator has asked for its end */
    tori_time end;
    int status, signal; /* -1: none */
    tori_placement place;
    bool frozen;    /* it is suspended, and has this long to run: */
    tori_time left;
};

struct executor {
    struct process all[WORLD_ATTEMPTS];
    size_t n;
    size_t latest[WORLD_ROOM + 1]; /* of a job, + 1 */
    size_t running;
    bool alive, sulks;   /* it is there; it does not answer */
    bool asked;          /* for its list, since it came */
    struct pipe to, from;
    tori_state *held;    /* the nodes and links of processes that run */
};

/* ---- clients ---- */

enum asked { ASKED_SUBMIT, ASKED_CANCEL, ASKED_CHANGE, ASKED_NODE,
             ASKED_LINK, ASKED_POLICY, ASKED_WINDOW, ASKED_HARM };

struct client {
    json_t *input;  /* of the request that is not answered yet, or NULL */
    bool waits;     /* torid has it */
    bool lost;      /* the connection broke: it may be asked again */
    struct reply reply; /* when the disk has it */
    enum asked what;
    bool forbidden;     /* it must be refused */
    uint64_t turn;      /* when it was asked */
};

/* The facts about a job that answers have told. */
struct fact {
    bool acked, created;    /* its number was given out; for a new job */
    bool cancelled, held;   /* acknowledged, */
    json_int_t attempt;     /* when this attempt was the last */
    bool ranked;            /* its priority is known: */
    json_int_t priority;
    uint64_t asked;         /* when a change was last asked for */
    bool hostile;           /* it belongs to the user who means harm */
    bool unwanted;          /* its user has asked to cancel it */
    bool ended;
};

/* The state of a node that operators were told. The executor alone knows
 * whether the first ones are up. */
enum { WORLD_WATCHED = 4 };

struct node_fact {
    enum { NO, YES, UNSURE } down, drained;
};

/* ---- the world ---- */

struct world {
    uint64_t seed;
    struct rng rng;
    tori_time now, offset; /* true time, and how far torid's clock is off */
    uint64_t steps, most;  /* events so far; this world is at rest by then */
    bool trace;
    bool fickle;           /* another policy after every crash */
    bool pod;              /* four cubes of 2x2, not a torus of 4x4 */
    bool hostile;          /* with a user who means harm */
    struct plans *plans;   /* in a plain world: see world_plans.c */
    bool leapt;            /* the clock was off by years */
    bool resting;          /* no more faults: everything comes to an end */
    jmp_buf out;
    char broken[1024];     /* what was found */

    tori_machine *machine;
    struct torid torid;
    bool retries; /* torid tries the disk again soon */
    bool settled; /* nothing has come in since the last turn */

    struct executor executor;
    struct client clients[WORLD_GUESTS];
    struct fact facts[WORLD_ROOM + 1];
    json_int_t keys[2][64][2]; /* of each user: the first number given out
                                  for a key, and how many; 0: none yet */
    uint64_t turns;            /* requests so far */
    uint64_t highest;          /* number that was given out, or skipped */
    struct {
        uint64_t from, until;  /* numbers that were skipped */
    } gaps[WORLD_GAPS];
    size_t gaps_n;
    bool unheard;              /* torid's state has gone back, and what the
                                  executor has is not known to it yet */
    bool unsure;               /* ... nor has it acknowledged anything since */
    struct {
        uint64_t number, born; /* of the file */
    } mark;
    struct backup *backup;     /* or NULL */
    uint64_t looks;            /* at jobs */
    uint64_t head;             /* of a long chain, or 0 */
    uint64_t ends, ends_in;    /* of jobs that torid told in this turn, and of
                                  those that inputs have brought about */
    struct node_fact nodes[64];
    size_t nodes_n;

    struct {
        uint64_t crashes, starts, ends, requeues, commits, fulls, acks, naps;
        uint64_t restores, strangers;
    } seen;
};

/* Less than n. */
uint64_t dice (struct world *w, uint64_t n);

/* Whether something happens that does so once in n times; never at rest. */
bool chance (struct world *w, uint64_t n);

/* Live through a world of this seed. NULL if nothing was found; otherwise
 * what, until the next call. */
struct world_options {
    uint64_t seed, steps;
    bool trace; /* say on standard output what happens */
    bool hostile;
};
const char *world_live (const struct world_options *options,
                        uint64_t *ret_steps);

/* The world that torid's functions are in. */
struct world *world_this (void);

/* One of the jobs that there are, if there is one: 0. */
uint64_t world_job (struct world *w);
bool world_has_number (const struct world *w, uint64_t id);

/* How many there are. */
uint64_t world_jobs (const struct world *w);

_Noreturn void world_broken (struct world *w, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

/* For the trace: what happens, and a value that belongs to it, or NULL. */
void world_note (const struct world *w, const char *what, const json_t *value);

/* Tell torid's service something, as its shell does; takes over the input. */
struct reply world_tell (struct world *w, json_t *input);

/* ---- the disk: world_disk.c or world_journal.c ---- */

/* Begin with an empty one; `chance` is used for what becomes of a write. */
void disk_begin (struct rng *rng);
void disk_end (void);

/* Commits fail from now on, or no more. */
void disk_fill (bool full);

/* The power goes within the next commit. */
void disk_doom (void);

/* Whether it has: nothing that is said after that is heard. */
bool disk_is_gone (void);

/* Torid dies here, with the power or alone: what is on the disk now is what it
 * will find. If the power went, only what was synced is sure to be. */
void disk_cut (bool power);
void disk_restart (void);

/* The path of the journal's directory. */
const char *disk_state (void);

/* Keep a copy of what is on the disk now; false where that cannot be done. Put
 * it back, while torid is gone. */
bool disk_back_up (void);
void disk_put_back (void);

/* ---- world_executor.c ---- */

void executor_begin (struct world *w);
void executor_end (struct world *w);

/* An order from torid. It is lost if nobody reads. */
void executor_tell (struct world *w, const json_t *order);

/* Something happens there; false if there is nothing that can. */
bool executor_step (struct world *w);

/* A message from it, for torid; NULL if there is none. */
json_t *executor_hear (struct world *w);

/* Its pipes are cut: torid is gone. It returns by and by. */
void executor_cut (struct world *w);

/* ---- world_client.c ---- */

void client_step (struct world *w);
void client_resume (struct world *w); /* records are safe: answers go out */
void client_cut (struct world *w);    /* connections broke */
void client_think_again (struct world *w); /* they ask for no more changes */
void client_end (struct world *w);

/* Undo what keeps jobs from ending. */
void client_release_all (struct world *w);

/* ---- world_hostile.c ---- */

/* So many steps of chains are taken at once. */
enum { WORLD_RELEASES = 30 };

/* Put the limits of the world into a policy, which is returned. */
json_t *hostile_limits (json_t *policy);

/* Choose the next request; maybe none. */
void hostile_think (struct world *w, struct client *c);

/* A client was answered, an input has had these effects and others from this
 * one on, torid reports an event, a turn is over. */
void hostile_input (struct world *w, size_t before);
void hostile_check (struct world *w, const struct client *c);
void hostile_hear (struct world *w, const json_t *event);
void hostile_turn (struct world *w);

/* ---- world_restore.c ---- */

/* Keep a copy of the state directory, and of what is known by now. */
void restore_back_up (struct world *w);
void restore_end (struct world *w);

/* Put it back while torid is gone: with the mark that is there, an old copy of
 * it or none. Returns what torid was then. */
struct witness *restore_put_back (struct world *w);

/* Torid has read the old state; it has seen that it is old. */
void restore_look (struct world *w);
void restore_notice (struct world *w);

/* Torid has heard what the executor has. */
void restore_hear (struct world *w);

/* An operator ends all that torid does not know. */
void restore_release_all (struct world *w);

/* ---- world_checks.c ---- */

void check_start (struct world *w, struct process *process);
void check_turn (struct world *w);

/* Around a crash. */
struct witness *check_before (struct world *w);
struct witness *check_copy (const struct witness *witness);
void check_after (struct world *w, struct witness *before);
void check_forget (struct witness *witness);

void check_rest (struct world *w);

/* ---- world_plans.c ---- */

/* The world is plain: the order of its queue is checked. */
void plans_begin (struct world *w);
void plans_end (struct world *w);
bool plans_conservative (const struct world *w);

/* A job that is plain; the number that it got; how long it runs. */
json_t *plans_draw_job (struct world *w);
void plans_note_job (struct world *w, uint64_t id, const json_t *job);
tori_time plans_draw_runtime (struct world *w, uint64_t id);

/* The scheduler has run. Nothing is done if the world is not plain. */
void plans_check (struct world *w);

/* It may have run unseen; or, with `all`, its plans may be others. */
void plans_lose (struct world *w, bool all);

/* Whether the order was judged under both policies; says how often. */
bool plans_were_judged (void);

/* ---- world_faults.c ---- */

/* The faults by name; NULL past the end. */
const char *fault_name (size_t i);

/* Plant one; NULL: none. False if there is no such fault. */
bool fault_plant (const char *name);

/* Whether it only shows with a user who means harm. */
bool fault_needs_harm (void);

/* For the disk: how many of a commit of n records are missing after a power
 * cut, and how many records a snapshot is of. */
size_t fault_torn (size_t n);
size_t fault_covered (size_t n);

/* For the mark: when its file was made, and whether a random number of so many
 * bytes is always the same. */
uint64_t fault_born (uint64_t time);
bool fault_draws (size_t n);

#endif
