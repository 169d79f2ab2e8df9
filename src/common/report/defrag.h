/* defrag.h - which running jobs of a snapshot to move so that another fits:
 * what `tori defrag` and the service answer. */
#ifndef TORI_REPORT_DEFRAG_H
#define TORI_REPORT_DEFRAG_H

#include <tori/room.h>
#include <tori/snapshot.h>

#include "emit.h"
#include "options.h"

/* What is asked, by the command or in the body of a request. */
struct defrag_asked {
    const char *snapshot, *socket;
    const char *id;
    const char *shape;
    int wiring;
    bool no_rotate;
    bool wrap;
    bool live;
    const char *keep;
    int64_t moves;
    int64_t steps;
    bool json;
};
extern const struct option defrag_options[];

struct defrag {
    const tori_snapshot *snapshot;
    tori_state *state;
    tori_room_job *job; /* by running job */
    tori_request request;
    const uint64_t *only; /* the nodes that it may use, or NULL: all */
    tori_time end; /* of what is asked for, if it starts now */
    const tori_snapshot_window **window; /* those that matter, by time */
    size_t windows;
    uint64_t *bars; /* sets of nodes, by how many have begun */
    size_t words;   /* of each */
    uint64_t **own; /* of who may use only some nodes; the last of what is
                       asked for */
    tori_room room;
};

/* The snapshot must outlive it. To be cleared in any case. Whether there are
 * such moves is for `room` to say. */
int defrag_make (const tori_snapshot *snapshot, const struct defrag_asked *v,
                 struct defrag *it, tori_error *err);
void defrag_clear (struct defrag *it);

/* The answer, as members of the object that is open. */
void defrag_emit (const struct defrag *it, struct emit *e);

#endif
