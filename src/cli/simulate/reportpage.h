/* reportpage.h - a comparison as one HTML page, with a replay of one of its
 * simulations: for report and compare. */
#ifndef TORI_CLI_REPORTPAGE_H
#define TORI_CLI_REPORTPAGE_H

#include "standings.h"

/* TORI_FAILED if this program was built without the page. */
int report_page_check (tori_error *err);

/* The simulation with the shortest response in the last scene: the first seed
 * of the best policy. */
const struct cell *report_page_best (const struct standings *standings);

/* Run a simulation of the grid once more, and write the page with it. The file
 * appears whole or not at all; "-" is standard output. */
int report_page_write (const struct cells *cells,
                       const struct standings *standings,
                       const struct group_standings *groups,
                       const struct cell *cell, const char *path,
                       tori_error *err);

/* The report that was bundled from web/, packed by gzip, with a place for its
 * data. */
#define REPORT_DATA "/* data */"

extern const unsigned char report_bytes[];
extern const size_t report_size; /* 0: there is none */

#endif
