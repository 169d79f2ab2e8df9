/* links.h - the links of a wired box, for `tori wire` and `tori place`. */
#ifndef TORI_CLI_LINKS_H
#define TORI_CLI_LINKS_H

#include <tori/wiring.h>

#include "emit.h"

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
