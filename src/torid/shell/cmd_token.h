/* cmd_token.h - torid token. */
#ifndef TORI_TORID_CMD_TOKEN_H
#define TORI_TORID_CMD_TOKEN_H

#include "options.h"

extern const struct command command_token;

#endif
