/* traces.h - finds job logs.
 *
 * They are too large, and some too restricted, to come with the program. If
 * places were named, folders or single logs, only these are searched.
 * Otherwise it is the folder $TORI_TRACES, then tori/traces in the folder of
 * the user's data: $XDG_DATA_HOME, or ~/.local/share if that is not set.
 */
#ifndef TORI_PAPERS_TRACES_H
#define TORI_PAPERS_TRACES_H

#include <stdbool.h>
#include <stddef.h>

#include <tori/error.h>

/* The public source of logs, for messages. */
#define TRACES_ARCHIVE                                                        \
    "the Parallel Workloads Archive "                                         \
    "(https://www.cs.huji.ac.il/labs/parallel/workload/)"

/* The places that were named; none: the usual ones. */
struct traces_places {
    const char *const *item;
    size_t n;
};

/* Find a log by its name without .gz, packed or not, in the first place that
 * has it. 1 with a path for the caller to free, 0 if it is nowhere, -1 without
 * memory. */
int traces_find (struct traces_places places, const char *name,
                 char **ret_path, tori_error *err);

/* All logs: of named places those that are logs, and NAME.swf or NAME.swf.gz
 * of those that are folders, by name; of the usual places, those of the first
 * that has any. Paths for the caller to release. Missing places are left out
 * (traces_absent), and an empty list is not a failure; TORI_FAILED if a place
 * that exists cannot be read. */
struct traces {
    char **path;
    size_t n, room;
};

int traces_all (struct traces_places places, struct traces *ret_traces,
                tori_error *err);
void traces_clear (struct traces *traces);

/* The name of a log, without its folder. */
const char *traces_name (const char *path);

/* Whether a place does not exist. */
bool traces_absent (const char *place);

/* The places looked at, for messages, separated by commas. */
void traces_say (struct traces_places places, char *text, size_t size);

#endif
