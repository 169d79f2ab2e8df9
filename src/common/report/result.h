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

/* The measures of a run, with those that it has beyond a tori_sim_result. */
struct sim_measures {
    tori_sim_result result;
    bool losses;         /* jobs were interrupted */
    bool levels;         /* some were urgent */
    bool network;        /* there were messages */
    const char *pattern; /* of these, or NULL: not shown */
};
extern const struct sheet measures_sheet;

/* The measures as two small tables. */
int result_print (const tori_sim_result *result, FILE *out, bool bold,
                  tori_error *err);

#endif
