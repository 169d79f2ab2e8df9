/* submit_dry_run.h - the fate of a job if it were submitted now. */
#ifndef TORI_CLI_SUBMIT_DRY_RUN_H
#define TORI_CLI_SUBMIT_DRY_RUN_H

#include <jansson.h>

#include <tori/error.h>

#include "asked.h"

/* Fetch the state of the running torid, add a submission to the end of its
 * queue, and report when it would start: for people, or as the answer of a
 * command with the members of `tori why`. 0 if it would start at once, else -1
 * and TORI_NOT_NOW without a text, or TORI_NEVER. */
int submit_dry_run (const char *socket, const json_t *job,
                    const struct asked *asked, bool json, FILE *out,
                    tori_error *err);

#endif
