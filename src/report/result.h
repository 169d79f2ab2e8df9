/* result.h - what a simulation measured, for programs and for people. */
#ifndef TORI_REPORT_RESULT_H
#define TORI_REPORT_RESULT_H

#include <stdbool.h>
#include <stdio.h>

#include <tori/sim.h>

#include "emit.h"

/* The measures as members of the object that is open. What is not a number was
 * not measured: null, and not in a table. */
void result_emit (struct emit *e, const tori_sim_result *result);

void summary_emit (struct emit *e, const char *key,
                   const tori_summary *summary);

/* The measures as two small tables. */
int result_print (const tori_sim_result *result, FILE *out, bool bold,
                  tori_error *err);

#endif
