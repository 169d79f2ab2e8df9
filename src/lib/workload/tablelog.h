/* tablelog.h - jobs from a table (columns.h). */
#ifndef TORI_WORKLOAD_TABLELOG_H
#define TORI_WORKLOAD_TABLELOG_H

#include "build.h"

struct cutter;

/* Add the jobs of a table to a workload; the line last cut is the first. */
int table_add (struct builder *b, struct cutter *lines, tori_error *err);

#endif
