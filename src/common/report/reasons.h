/* reasons.h - why a job of a service waits, in a few words; `tori why` says
 * more. */
#ifndef TORI_REPORT_REASONS_H
#define TORI_REPORT_REASONS_H

#include <jansson.h>

/* A reason by its name (tori_reason_name), as a sentence. */
const char *reason_text (const char *reason);

/* Of a job that waits, as the service shows it. */
void waiting_format (const json_t *job, char *text, size_t size);

#endif
