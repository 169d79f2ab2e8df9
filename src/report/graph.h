/* graph.h - what is read off a graph of utilization over offered load. */
#ifndef TORI_REPORT_GRAPH_H
#define TORI_REPORT_GRAPH_H

#include <stddef.h>

/* Where the graph first leaves the straight line y = x: the least load at
 * which utilization falls below `share` of the load, on straight lines between
 * the points. Loads ascend. 0 if the first point is below already, INFINITY if
 * none is. */
double graph_straight (const double load[], const double utilization[],
                       size_t n, double share);

#endif
