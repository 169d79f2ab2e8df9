/* livefields.h - the meaning of fields in answers of a running service,
 * both of commands and of HTTP. */
#ifndef TORI_REPORT_LIVEFIELDS_H
#define TORI_REPORT_LIVEFIELDS_H

#include "sheet.h"

extern const struct sheet service_job_sheet, service_node_sheet,
    service_link_sheet, service_reservation_sheet, service_change_sheet,
    in_the_way_sheet, overlap_sheet;
extern const struct sheet answer_submission,
    answer_job_change; /* of a client */
extern const struct sheet answer_submit;
extern const struct sheet answer_submitted;
extern const struct sheet answer_queue;
extern const struct sheet answer_show;
extern const struct sheet answer_history;
extern const struct sheet answer_nodes;
extern const struct sheet answer_queues;
extern const struct sheet answer_users;
extern const struct sheet answer_shadow;
extern const struct sheet answer_reserve;
extern const struct sheet answer_wait;
extern const struct sheet answer_changed;

#endif
