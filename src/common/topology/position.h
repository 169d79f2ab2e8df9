/* position.h - errors with their position in a file. */
#ifndef TORI_TOPOLOGY_POSITION_H
#define TORI_TOPOLOGY_POSITION_H

#include <stddef.h>

#include <tori/error.h>

/* The error "PATH:LINE: why", in one line even if the file has control
 * characters; without a line (0), "PATH: why". Returns -1. */
int refuse_at (const char *path, size_t line, const tori_error *why,
               tori_error *err);

#endif
