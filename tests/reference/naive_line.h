/* naive_line.h - rings of a line with any links, by trying every walk. */
#ifndef TORI_TESTS_NAIVE_LINE_H
#define TORI_TESTS_NAIVE_LINE_H

#include <stdbool.h>
#include <stdint.h>

enum { NAIVE_LINE_LINKS = 32 };

struct naive_line {
    uint32_t size, links;
    uint32_t ends[NAIVE_LINE_LINKS][2];
    bool busy[NAIVE_LINE_LINKS];
};

/* The least cost of a closed walk that goes over no link twice or that is
 * busy, and comes by every node of the set: 1 for a link, and
 * NAIVE_LINE_OUTSIDE more for one with an end outside the set. -1 if there is
 * no such walk. */
enum { NAIVE_LINE_OUTSIDE = 1000 };
int naive_line_ring (const struct naive_line *line, uint32_t nodes);

/* Whether some walks, one for each set, have no link in common. */
bool naive_line_rings (const struct naive_line *line, const uint32_t nodes[],
                       int n);

/* Whether the nodes can follow each other in this order: walks from each to
 * the next and back to the first, no link twice, over links that are not
 * busy. */
bool naive_line_in_order (const struct naive_line *line,
                          const uint32_t nodes[], uint32_t n);

#endif
