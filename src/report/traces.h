/* traces.h - where job logs are.
 *
 * They are too large, and some too restricted, to come with the program. A
 * folder that was named is the only one that is looked into; else it is that
 * of $TORI_TRACES, then ../shared/traces.
 */
#ifndef TORI_REPORT_TRACES_H
#define TORI_REPORT_TRACES_H

#include <stddef.h>

#include <tori/error.h>

/* Find a log by its name without .gz, packed or not, in `folder` or, if that
 * is NULL, in the usual places. 1 with a path for the caller to free, 0 if it
 * is nowhere, -1 without memory. */
int traces_find (const char *folder, const char *name, char **ret_path,
                 tori_error *err);

/* All logs, NAME.swf or NAME.swf.gz, of the first place that has any, by name:
 * paths for the caller to release. TORI_FAILED if `folder` was named and
 * cannot be read; no logs are no failure. */
struct traces {
    char **path;
    size_t n;
};

int traces_all (const char *folder, struct traces *ret_traces,
                tori_error *err);
void traces_clear (struct traces *traces);

/* The places looked into, for messages: "DIR, ../shared/traces". */
void traces_places (const char *folder, char *text, size_t size);

#endif
