/* questions.h - the bodies of POST /v1/what-if and POST /v1/defrag as
 * questions. Errors name the member that is wrong. */
#ifndef TORI_TORID_QUESTIONS_H
#define TORI_TORID_QUESTIONS_H

#include "defrag.h"
#include "service.h"
#include "whatif.h"

/* Read into a zeroed question. The snapshot is that of the service. */
int what_if_read (const json_t *body, const struct service *service,
                  const tori_snapshot *snapshot, struct what_if_question *q,
                  tori_error *err);
int defrag_read (const json_t *body, struct defrag_question *q,
                 tori_error *err);

#endif
