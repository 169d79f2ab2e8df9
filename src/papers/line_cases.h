/* line_cases.h - lines of 8 nodes tried out: every order in which the tori of a
 * cut line can come, and every link that can be down. */
#ifndef TORI_PAPERS_LINE_CASES_H
#define TORI_PAPERS_LINE_CASES_H

#include <stdint.h>

#include <tori/error.h>

#include "sheet.h"

/* A line is cut into intervals in 128 ways. The tori of two nodes or more come
 * in some order; each is wired beside those before it. */
struct line_orders {
    const char *machine;
    uint32_t ways, all_ways; /* that can be wired in every order */
    uint32_t orders, all_orders;
};

/* Each partition of two nodes or more, with each link down. */
struct line_faults {
    const char *rule;
    uint32_t cases, tori, meshes;
};

enum { LINE_ORDERS = 5, LINE_FAULTS = 3 };

extern const struct sheet line_orders_sheet;
extern const struct sheet line_faults_sheet;

int line_orders_count (struct line_orders row[LINE_ORDERS], tori_error *err);
int line_faults_count (struct line_faults row[LINE_FAULTS], tori_error *err);

/* The same cases without links outside a partition: those that have a ring
 * inside, which passes every switch once, and those that have a closed trail,
 * which passes switches as often as needed, pairs of inner nodes to either
 * side. */
void line_rings_count (uint32_t *ret_rings, uint32_t *ret_trails);

#endif
