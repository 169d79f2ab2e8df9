/* result.h - the measures of a simulation: their fields, and tables for
 * people. */
#ifndef TORI_REPORT_RESULT_H
#define TORI_REPORT_RESULT_H

#include <stdbool.h>
#include <stdio.h>

#include <tori/sim.h>

#include "sheet.h"

extern const struct sheet summary_sheet; /* of tori_summary */
extern const struct sheet result_sheet;  /* of tori_sim_result */
extern const struct sheet network_sheet;

/* The effects of interrupts; and urgent jobs apart from the others. */
extern const struct sheet losses_sheet;
extern const struct sheet levels_sheet; /* the same, of its network */

/* The measures as two small tables. */
int result_print (const tori_sim_result *result, FILE *out, bool bold,
                  tori_error *err);

#endif
