#include "graph.h"

static bool on_line (const struct graph *graph, int load, double utilization)
{
    return utilization >= graph->share * load;
}

/* Halve the stretch until its ends are neighbours: `low` is on the line,
 * `high` is not. */
static int bisect (const struct graph *graph, int low, int high, int *ret_load,
                   tori_error *err)
{
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        double utilization;
        if (graph->measure (graph->arg, middle, &utilization, err) < 0)
            return -1;
        if (on_line (graph, middle, utilization))
            low = middle;
        else
            high = middle;
    }
    *ret_load = low;
    return 0;
}

int graph_read (const struct graph *graph, struct reading *ret_reading,
                tori_error *err)
{
    struct reading reading = {.load = 0, .beyond = true};
    for (size_t i = 0; i < graph->n && reading.beyond; i++) {
        reading.beyond =
            on_line (graph, graph->load[i], graph->utilization[i]);
        if (reading.beyond)
            reading.load = graph->load[i];
        else if (bisect (graph, reading.load, graph->load[i], &reading.load,
                         err)
                 < 0)
            return -1;
    }
    *ret_reading = reading;
    return 0;
}
