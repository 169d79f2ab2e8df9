#include "graph.h"

static bool on_line (const struct graph *graph, int load, double utilization)
{
    return utilization >= graph->share * load;
}

/* From the top down: the first load that is on the line, of those between
 * `low`, which is, and `high`, which is not. */
static int step_down (const struct graph *graph, int low, int high,
                      int *ret_load, tori_error *err)
{
    double utilization;
    while (--high > low) {
        if (graph->measure (graph->arg, high, &utilization, err) < 0)
            return -1;
        if (on_line (graph, high, utilization))
            break;
    }
    *ret_load = high;
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
        else if (step_down (graph, reading.load, graph->load[i],
                            &reading.load, err)
                 < 0)
            return -1;
    }
    *ret_reading = reading;
    return 0;
}
