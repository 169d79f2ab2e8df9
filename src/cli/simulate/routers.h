/* routers.h - the options of a network's routers. */
#ifndef TORI_CLI_ROUTERS_H
#define TORI_CLI_ROUTERS_H

#include <tori/net.h>

#include "sheet.h"
#include "options.h"

/* As typed; zero is the default of vcs and packet. */
struct routers {
    int switching; /* a tori_switching */
    int64_t vcs, buffer, width, packet;
};

/* Rows of option tables, for values that hold a struct routers `routers`. The
 * macros take the defaults and the ends of the help texts, because these
 * differ between commands. */
#define ROUTERS_NUMBER(values, member, most, text, ...)                \
    {                                                                  \
        .name = #member, .kind = OPTION_INTEGER,                       \
        OPTION_AT (values, routers.member), .value = "N", .min = 1,    \
        .max = most, .help = text, __VA_ARGS__                         \
    }
#define ROUTERS_SWITCHING(values, usual, more)                         \
    {                                                                  \
        .name = "switching", .kind = OPTION_CHOICE,                    \
        OPTION_AT (values, routers.switching), .value = "NAME",        \
        .fallback = usual, .choices = routers_switching,               \
        .help = "how packets are passed on" more                       \
    }
#define ROUTERS_CHANNELS(values, usual_vcs, usual_buffer, more)        \
    ROUTERS_NUMBER (values, vcs, TORI_NET_MAX_VCS,                     \
                    "virtual channels of a link" usual_vcs,            \
                    .fallback = NULL),                                 \
    ROUTERS_NUMBER (values, buffer, TORI_NET_MAX_BUFFER,               \
                    "flits that a virtual channel holds" more,         \
                    .fallback = usual_buffer),                         \
    ROUTERS_NUMBER (values, width, TORI_NET_MAX_WIDTH,                 \
                    "flits that a link carries per cycle",             \
                    .fallback = "1")
#define ROUTERS_PACKET(values, more)                                   \
    ROUTERS_NUMBER (values, packet, UINT32_MAX,                        \
                    "cut messages into packets of N flits; if not "    \
                    "given, " more,                                    \
                    .fallback = NULL)

/* The names of tori_switching. */
const char *routers_switching (size_t i);

/* The options as a configuration of a network. */
tori_net_config routers_config (const struct routers *routers);

/* Complete a configuration with the defaults that the machine gives it. */
int routers_complete (const tori_machine *machine, tori_net_config *config,
                      tori_error *err);

/* A complete configuration (tori_net_config) as members of a JSON object, and
 * as the end of a line: "2 virtual channels of 8 flits, 1 flit per cycle and
 * link". */
extern const struct sheet routers_sheet;
void routers_print (const tori_net_config *config, FILE *out);

#endif
