#include "graph.h"

#include <math.h>

double graph_straight (const double load[], const double utilization[],
                       size_t n, double share)
{
    double before = 0; /* how far the last point was above the bound */
    for (size_t i = 0; i < n; i++) {
        double above = utilization[i] - share * load[i];
        if (above < 0 && i == 0)
            return 0;
        if (above < 0)
            return load[i - 1]
                   + (load[i] - load[i - 1]) * before / (before - above);
        before = above;
    }
    return INFINITY;
}
