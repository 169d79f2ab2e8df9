/* reportdata.h - the report that was bundled from web/, packed by gzip, with a
 * place for its data. */
#ifndef TORI_CLI_REPORTDATA_H
#define TORI_CLI_REPORTDATA_H

#include <stddef.h>

#define REPORT_DATA "/* data */"

extern const unsigned char report_bytes[];
extern const size_t report_size; /* 0: there is none */

#endif
