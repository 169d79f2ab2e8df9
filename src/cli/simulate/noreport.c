/* noreport.c - in place of the report, where it cannot be bundled. */
#include "reportpage.h"

const unsigned char report_bytes[] = {0};
const size_t report_size = 0;
