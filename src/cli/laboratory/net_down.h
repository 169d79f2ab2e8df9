/* net_down.h - messages and what is down.
 *
 * Routers know of no failures. So a run is refused if a message could meet a
 * node or link that is down: with dimension order on its only route, with
 * adaptive routing on any of its shortest routes. The messages are those of the
 * pattern, or of the file; by chance, any node may send to any other one of its
 * box. A node that is down passes nothing on.
 */
#ifndef TORI_CLI_NET_DOWN_H
#define TORI_CLI_NET_DOWN_H

#include <tori/net.h>

#include "netjobs.h"
#include "machine_options.h"

/* TORI_NOT_NOW, naming the first message and the failure in its way. */
int net_down_check (const struct site *site, tori_routing routing,
                    const struct netjobs *jobs, tori_error *err);

#endif
