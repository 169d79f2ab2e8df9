/* trial.h - what would become of a job if it were submitted now. */
#ifndef TORI_CLI_TRIAL_H
#define TORI_CLI_TRIAL_H

#include <jansson.h>

#include <tori/error.h>

#include "asked.h"

/* Ask the running torid how things are, add a submission to the end of its
 * queue, and tell what becomes of it: for people, or as the answer of a
 * command, which has the members of `tori why`. 0 if it would start at once,
 * else -1 and TORI_NOT_NOW without a text, or TORI_NEVER. */
int trial (const char *socket, const json_t *job, const struct asked *asked,
           bool json, FILE *out, tori_error *err);

#endif
