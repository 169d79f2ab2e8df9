#include "routers.h"

#include <inttypes.h>

const char *routers_switching (size_t i)
{
    static const char *const names[] = {[TORI_WORMHOLE] = "wormhole",
                                        [TORI_CUT_THROUGH] = "cut-through",
                                        NULL};
    return names[i];
}

tori_net_config routers_config (const struct routers *routers)
{
    return (tori_net_config){.size = sizeof (tori_net_config), .switching = (tori_switching)routers->switching,
                             .vcs = (uint32_t)routers->vcs,
                             .buffer = (uint32_t)routers->buffer,
                             .width = (uint32_t)routers->width,
                             .packet = (uint32_t)routers->packet};
}

int routers_complete (const tori_machine *machine, tori_net_config *config,
                      tori_error *err)
{
    tori_net *net;
    if (tori_net_create (machine, config, &net, err) < 0)
        return -1;
    *config = *tori_net_configuration (net);
    tori_net_destroy (net);
    return 0;
}

#define AT(member) FIELD_AT (tori_net_config, member)
static const struct field routers_fields[] = {
    {"vcs", FIELD_UINT, AT (vcs), "virtual channels of a link"},
    {"buffer", FIELD_UINT, AT (buffer), "flits that a channel holds"},
    {"width", FIELD_UINT, AT (width), "flits per cycle that a link carries"},
    {"packet", FIELD_UINT, AT (packet),
     "flits of a packet, if not of any length", .when = field_is_set},
};
const struct sheet routers_sheet = {"routers", SHEET_FIELDS (routers_fields)};

static const char *plural (uint32_t n)
{
    return n == 1 ? "" : "s";
}

void routers_print (const tori_net_config *config, FILE *out)
{
    fprintf (out,
             "%" PRIu32 " virtual channel%s of %" PRIu32 " flit%s, %" PRIu32
             " flit%s per cycle and link\n",
             config->vcs, plural (config->vcs), config->buffer,
             plural (config->buffer), config->width, plural (config->width));
}
