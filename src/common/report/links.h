/* links.h - links as text and JSON, and the links of a placement. */
#ifndef TORI_REPORT_LINKS_H
#define TORI_REPORT_LINKS_H

#include <tori/alloc.h>

#include "sheet.h"

/* The other coordinates of the line that a link is in; returns how many. */
int link_line (const tori_machine *machine, const tori_link *link,
               uint32_t line[TORI_MAX_DIMS]);

/* A link as JSON: {"dim":0,"line":[y,z],"a":1,"b":2,"kind":"n"}. */
extern const struct sheet link_sheet;
void emit_link (struct emit *e, const tori_machine *machine,
                const tori_link *link);

/* The links of n placements as an array. */
void emit_links (struct emit *e, const char *key, const tori_machine *machine,
                 const tori_placement places[], size_t n);

/* For people: one line per dimension, since the lines of a box are all alike,
 * and one for each line that goes around links which are down; for a slice of
 * a pod, which cubes are joined. */
void print_links (const tori_machine *machine, const tori_placement *place,
                  FILE *out);

/* The number of links of n placements, ", 42 links" with the cross-connects of
 * slices. */
void print_link_count (const tori_machine *machine,
                       const tori_placement places[], size_t n, FILE *out);

/* On a pod: the pieces of n slices and their cross-connects, as arrays; and
 * the pieces of one for people, one per line. */
extern const struct sheet piece_sheet, cross_sheet;
void emit_pieces (struct emit *e, const char *key, const tori_machine *machine,
                  const tori_placement places[], size_t n);
void emit_crosses (struct emit *e, const char *key,
                   const tori_machine *machine, const tori_placement places[],
                   size_t n);
void print_pieces (const tori_machine *machine, const tori_placement *place,
                   FILE *out);

#endif
