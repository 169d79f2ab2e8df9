/* questions.h - the bodies of POST /v1/what-if, /v1/snapshot and /v1/defrag as
 * questions. Errors name the member that is wrong. */
#ifndef TORI_TORID_QUESTIONS_H
#define TORI_TORID_QUESTIONS_H

#include "defrag.h"
#include "service.h"
#include "sheet.h"
#include "whatif.h"

/* TORI_INVALID unless it is an object all of whose members are known. */
int members_check (const json_t *body, const struct sheet *known,
                   tori_error *err);

/* Read into a zeroed question, without the jobs. The snapshot is that of the
 * service. */
int what_if_read (const json_t *body, const tori_snapshot *snapshot,
                  struct what_if_question *q, tori_error *err);

/* Check the members of a body of POST /v1/snapshot. */
int submission_check (const json_t *body, tori_error *err);
int defrag_read (const json_t *body, struct defrag_question *q,
                 tori_error *err);

#endif
