/* net_down.h - messages and what is down.
 *
 * Routers have fixed routes and know of no failures. So a run is refused if
 * any message between two nodes of a box could meet a node or link that is
 * down. With a file of messages, only the messages in it count. A node that is
 * down passes nothing on.
 */
#ifndef TORI_CLI_NET_DOWN_H
#define TORI_CLI_NET_DOWN_H

#include <tori/net.h>

#include "netjobs.h"
#include "machine_options.h"

/* TORI_NOT_NOW, naming the first message and the failure in its way. Adaptive
 * routing is refused if anything is down. */
int net_down_check (const struct site *site, tori_routing routing,
                    const struct netjobs *jobs, tori_error *err);

#endif
