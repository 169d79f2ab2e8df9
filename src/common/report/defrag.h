/* defrag.h - which running jobs of a snapshot to move so that another fits:
 * the answer of `tori defrag` and of the service. */
#ifndef TORI_REPORT_DEFRAG_H
#define TORI_REPORT_DEFRAG_H

#include <tori/room.h>
#include <tori/snapshot.h>

#include "forecast_rows.h"

/* The question, from the command or the service. */
struct defrag_question {
    const char *dashes; /* before names in errors: "--", or "" */
    bool queued;        /* make room for the job `id` of the queue */
    uint64_t id;
    tori_request request; /* otherwise for this request */
    bool live;      /* jobs move one after another */
    int64_t *keep;  /* jobs that are not moved */
    size_t nkeep;
    int64_t moves;  /* at most so many; 0: any number */
    int64_t steps;  /* the most steps of the search; 0: any number */
    int64_t seconds; /* the most seconds of it; 0: DEFRAG_SECONDS, or with
                        steps any number */
    const char *plan; /* end as soon as the best answer so far has this name;
                         or NULL */
    void (*progress) (void *arg, const tori_room *so_far); /* or NULL */
    void *arg;
};

/* How long a search takes at most unless the question says it. */
enum { DEFRAG_SECONDS = 10 };

/* Read the job, the shape, and the jobs that are not moved, "17,18". */
int defrag_for (struct defrag_question *q, const char *text, tori_error *err);
int defrag_shape (struct defrag_question *q, const char *text,
                  tori_error *err);
int defrag_keep (struct defrag_question *q, const char *text,
                 tori_error *err);

enum { PLAN_NAME = 9 };

struct defrag {
    const tori_snapshot *snapshot;
    tori_state *state;
    tori_room_job *job; /* by running job */
    tori_request request;
    const uint64_t *only; /* the nodes that it may use, or NULL: all */
    tori_time end;        /* of the request, if it starts now */
    const tori_snapshot_window **window; /* reservations that matter, by
                                            time */
    size_t windows;
    uint64_t *bars; /* sets of nodes, by how many reservations have begun */
    size_t words;   /* of each */
    uint64_t **own; /* for jobs that may use only some nodes; the last for the
                       request */
    tori_room room;
    struct placed at; /* the place of `room`, which owns it */
    char plan[PLAN_NAME]; /* empty until defrag_name */

    /* By defrag_weigh: */
    bool weighed;
    struct move_cost *cost; /* by move */
    const tori_snapshot_job *waiting; /* the job that needs the room, or
                                         NULL */
    bool foreseen;           /* if there is a forecast for it: */
    tori_time before, after; /* when it starts, without the moves and with
                                them; -1: it does not */
};

/* The snapshot must outlive it. To be cleared in any case. `room` tells
 * whether there are such moves. */
int defrag_make (const tori_snapshot *snapshot,
                 const struct defrag_question *q, struct defrag *it,
                 tori_error *err);
void defrag_clear (struct defrag *it);

/* The answer as a text, to be freed, or NULL without memory; and give it a
 * name, which other moves do not have. What is proved about them is no part of
 * the name, because that depends on how long the search may take. */
char *defrag_text (const struct defrag *it);
int defrag_name (struct defrag *it, tori_error *err);

/* Find what the moves cost, and what they gain by a forecast. Costs grow while
 * jobs run, so they are no part of the name: give it before. */
int defrag_weigh (struct defrag *it, tori_error *err);

extern const struct sheet answer_defrag;

#endif
