/* links.h - links as text and JSON, and those of a wired box. */
#ifndef TORI_REPORT_LINKS_H
#define TORI_REPORT_LINKS_H

#include <tori/wiring.h>

#include "emit.h"

/* A link by its ends and kind, "0,0-0,1 n". */
enum { LINK_TEXT = 2 * TORI_TEXT_MAX + 4 };
void link_format (const tori_machine *machine, const tori_link *link,
                  char text[LINK_TEXT]);

/* The other coordinates of the line that a link is in; returns how many. */
int link_line (const tori_machine *machine, const tori_link *link,
               uint32_t line[TORI_MAX_DIMS]);

/* A link as JSON: {"dim":0,"line":[y,z],"a":1,"b":2,"kind":"n"}. */
void emit_link (struct emit *e, const tori_machine *machine,
                const tori_link *link);

/* All of them as an array. */
void emit_links (struct emit *e, const char *key, const tori_machine *machine,
                 const tori_box *box, tori_wiring wiring);

/* For people: one line per dimension, as the lines of a box are all alike. */
void print_links (const tori_machine *machine, const tori_box *box,
                  tori_wiring wiring, FILE *out);

/* How many there are. */
uint64_t count_links (const tori_machine *machine, const tori_box *box,
                      tori_wiring wiring);

#endif
