/* graph.h - a reading from a graph of utilization over offered load.
 *
 * A graph follows the line y = x as long as the machine can take the offered
 * load; then it bends. Simulations at a few loads, far apart, show between
 * which two it first bends; further ones show where, to a percent. A line
 * drawn between the two would put the bend too early, since a graph goes
 * straight on and then turns. So would halving the stretch between them, since
 * a graph may leave the line and come back.
 */
#ifndef TORI_PAPERS_GRAPH_H
#define TORI_PAPERS_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include <tori/error.h>

/* Loads and utilizations in percent; loads ascend. */
struct graph {
    const int *load;
    const double *utilization;
    size_t n;

    /* A point is on the line if utilization is at least this share of the
     * load. */
    double share;

    /* The utilization at another load. */
    int (*measure) (void *arg, int load, double *ret_utilization,
                    tori_error *err);
    void *arg;
};

/* The largest whole load that is on the line, of those below the first given
 * point that is off it. If none is off, the last given load, and all of the
 * graph is straight. 0 is on the line. Graphs are not monotone: loads may be
 * off the line below one that is on it. */
struct reading {
    int load;
    bool beyond; /* the graph is straight as far as it goes */
};

int graph_read (const struct graph *graph, struct reading *ret_reading,
                tori_error *err);

#endif
