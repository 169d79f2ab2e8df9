/* lab_command.h - commands that are modules of the Python package. Their
 * options are read and checked here, by the tables that help, completion and
 * manual pages are made of. */
#ifndef TORI_CLI_LAB_COMMAND_H
#define TORI_CLI_LAB_COMMAND_H

#include "options.h"

/* Become tori.lab.commands.NAME, which gets one word, JSON: the path of this
 * program ("tori"), all options ("options"), the beginning of a JSON answer
 * ("beginning"), and whether tables have a bold heading ("bold"). Returns only
 * on failure, -1. */
int lab_become (const struct command *command, const void *values,
                tori_error *err);

/* The fields of the answers of these commands, printed by the package. */
struct sibling;
int lab_fields_open (struct sibling *sibling);

#endif
