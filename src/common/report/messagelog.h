/* messagelog.h - the messages of a run, as they arrive: a JSON line each.
 *
 *     {"job":0,"src":[0,0],"dst":[3,3],"flits":8,"hops":6,"sent":10,
 *      "entered":10,"delivered":24,"blocked":0}
 *
 * Times are cycles, as in tori_net_message (tori/net.h); jobs are counted from
 * 0 in the order of the boxes.
 */
#ifndef TORI_REPORT_MESSAGELOG_H
#define TORI_REPORT_MESSAGELOG_H

#include <tori/traffic.h>

struct messagelog;

/* Begin. Nothing appears under `path` before it is committed; "-" is standard
 * output. The machine must outlive the log. */
int messagelog_create (const char *path, const tori_machine *machine,
                       struct messagelog **ret_log, tori_error *err);

/* For tori_traffic_config.on_message, with the log as its argument. A failure
 * sticks to the log, and committing reports it. */
void messagelog_add (void *log, size_t job, const tori_net_message *message);
int messagelog_commit (struct messagelog *log, tori_error *err);
void messagelog_destroy (struct messagelog *log);

#endif
