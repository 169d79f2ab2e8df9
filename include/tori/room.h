/* tori/room.h - making room: which running jobs to move, to end or to repair.
 *
 *     tori_room room = {0};
 *     if (tori_room_make (state, jobs, n, &request, NULL, &room, &err) < 0)
 *         ...
 *     for (size_t i = 0; i < room.n; i++)
 *         move (room.moves[i].job, &room.moves[i].to);
 *     tori_room_clear (&room);
 *
 * Three questions about a request that does not fit, or about a job that lost
 * part of its place. All answers are about a state and a list of the jobs that
 * hold nodes and links in it. The functions change nothing and keep nothing.
 * Busy nodes and taken links that no job in the list holds stay as they are.
 *
 *   tori_room_make     the moves of jobs after which a request fits
 *   tori_room_victims  the jobs to end so that it fits
 *   tori_room_repair   where a job goes when its nodes or links fail
 *
 * A job that holds a box goes to a box of its shape, rotated or not, with its
 * wiring; its links are reserved there. A job that holds a list of nodes goes
 * to any free nodes: those that the allocator mm chooses. A job that holds
 * several boxes can be ended, but not moved or repaired.
 *
 * On a pod a job that holds a slice goes to any slice of its shape, rotated or
 * not, with its wiring, as if it were placed anew. A job that was folded keeps
 * the sides that it has. A job that holds a list of nodes there stays. With
 * `slices`, small slices also begin at multiples of their sides here, and only
 * the shapes that are offered are considered.
 *
 * An answer with `least` is proved to be the cheapest. The search has a limit
 * of steps, each about one place that it looks at, and no clock, so the same
 * call gives the same answer on every machine. A caller with a clock ends the
 * search by its `watch`; a search that goes on longer never has a worse
 * answer.
 */
#ifndef TORI_ROOM_H
#define TORI_ROOM_H

#include <tori/alloc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A job that holds a place. */
typedef struct tori_room_job {
    const tori_placement *place;
    bool stays;    /* it may be neither moved nor ended */
    bool fixed;    /* its box may not be rotated */
    bool wrap;     /* its box may wrap where it goes */
    uint64_t work; /* tori_room_victims: what is lost if it ends, such as its
                      node-time since the last checkpoint */

    /* Nodes where it may not go, such as those of a reservation that begins
     * before it ends. There is one bit for each node: bit i % 64 of word i /
     * 64 for node i. NULL: none. A job that is already there may stay. */
    const uint64_t *barred;
} tori_room_job;

struct tori_room;

/* For the `flags` of a configuration. */
enum {
    /* The jobs move one after another, in the order of the answer. Each moves
     * onto nodes and links that are free at its turn; its own count as free.
     * Without this flag all of them stop, and then start in their new places.
     */
    TORI_ROOM_LIVE = 1
};

/* See tori_alloc_config for `size`. A member that is 0 has the default in
 * parentheses. */
typedef struct tori_room_config {
    size_t size;
    uint64_t steps; /* of the search (2^20, a few seconds at worst) */
    uint64_t moves; /* tori_room_make: the most jobs that may move (any) */
    uint64_t flags;
    const uint64_t *barred; /* nodes that the request may not use, as for jobs
                               (NULL) */
    const char *slices; /* on a pod: as in tori_alloc_config (NULL) */

    /* tori_room_make: the steps of the first round (2^16). Half of a round is
     * for a proof, the rest for better answers without one; each round is
     * twice as long as the one before. */
    uint64_t round;

    /* tori_room_make: called after every 16 steps or so, with the best answer
     * so far, in which `least` is false. The search ends when it returns true,
     * with that answer. (NULL) */
    bool (*watch) (void *arg, const struct tori_room *so_far);
    void *watch_arg; /* is passed to `watch` */
} tori_room_config;

/* C only: a temporary structure, valid until the end of the enclosing block:
 *
 *     tori_room_make (state, jobs, n, &request, TORI_ROOM (.steps = 1000),
 *                     &room, &err)
 */
#define TORI_ROOM(...)                                                        \
    (&(const tori_room_config){.size = sizeof (tori_room_config), __VA_ARGS__})

typedef struct tori_room_move {
    size_t job; /* its index in the list */
    tori_placement to;
} tori_room_move;

/* An answer. Empty it with tori_room_clear. */
typedef struct tori_room {
    bool found;           /* the request fits after the moves */
    bool least;           /* proved: no other moves are cheaper; or, if none
                             were found, there are none */
    tori_placement place; /* of the request */
    tori_room_move *moves;
    size_t n;
    uint64_t nodes; /* of the jobs that move, or the work of the victims */
    uint64_t bound; /* proved: no answer has fewer, whether or not one was
                       found */
    uint64_t steps; /* taken */
} tori_room;

void tori_room_clear (tori_room *room);

/* Find the moves after which a request fits: those that move the fewest nodes,
 * then the fewest moves. A job moves at most once, and with all of its nodes,
 * even if its new place overlaps the old one. A request that already fits
 * needs no moves. Moves cannot help a request for a count. If the request may
 * be folded, all its folds are tried and the cheapest answer counts; the folds
 * share the steps. If a job that may move holds a list of nodes and is barred
 * from some nodes, an answer is proved only if it costs no more than the jobs
 * in the way of the request.
 *
 * The configuration may be NULL. TORI_INVALID if a place is not one of this
 * machine, is not held or overlaps another; TORI_NEVER for a request that does
 * not fit even the idle machine. The old contents of `ret_room` are not
 * released: pass an empty one. */
int tori_room_make (const tori_state *state, const tori_room_job jobs[],
                    size_t n, const tori_request *request,
                    const tori_room_config *config, tori_room *ret_room,
                    tori_error *err);

/* Find the jobs to end so that a request fits: those that lose the least work,
 * then the fewest. They are the `moves` of the answer, without a place to go
 * to. A sum of work that does not fit 64 bits counts as UINT64_MAX. A request
 * that may be folded gets room for its shape as it is, except on a pod. Fails
 * as tori_room_make does. */
int tori_room_victims (const tori_state *state, const tori_room_job jobs[],
                       size_t n, const tori_request *request,
                       const tori_room_config *config, tori_room *ret_room,
                       tori_error *err);

/* Find where a job goes that holds nodes or links that are down. A box goes to
 * the free place that has the most nodes in common with the old one. A list of
 * nodes keeps those that are up, and gets as many free nodes as it has lost:
 * those that make the sum of distances between its nodes least. A slice of a
 * pod keeps its intact pieces if the others can lie at the same positions of
 * other cubes; otherwise it goes to any place. In the answer, `place` is the
 * whole new place, `nodes` is how many of its nodes are new, and there are no
 * `moves`. A job with nothing down stays. If several jobs are hit at once,
 * repair them one after another: hold each new place before the next repair.
 * Fails as tori_room_make does. */
int tori_room_repair (const tori_state *state, const tori_room_job *job,
                      const tori_room_config *config, tori_room *ret_room,
                      tori_error *err);

#ifdef __cplusplus
}
#endif

#endif
