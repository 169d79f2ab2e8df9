/* audit_table.h - the record of changes of a running torid. */
#ifndef TORI_CLI_AUDIT_TABLE_H
#define TORI_CLI_AUDIT_TABLE_H

#include <stdio.h>

#include <jansson.h>

#include <tori/error.h>
#include <tori/workload.h>

/* Which changes: from `from` on and before `to`; NULL: of any user, of any
 * job, which may be the name that another system gives it. */
struct changes_wanted {
    const char *socket, *user, *job;
    tori_time from, to;
};

/* Append them to a list, by number. */
int changes_fetch (const struct changes_wanted *wanted, json_t *list,
                   tori_error *err);

/* Print them as a table or as CSV. */
int changes_print (const json_t *list, bool csv, FILE *out, tori_error *err);

#endif
