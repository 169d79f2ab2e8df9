/* position.h - where in a file something is wrong. */
#ifndef TORI_TOPOLOGY_POSITION_H
#define TORI_TOPOLOGY_POSITION_H

#include <stddef.h>

#include <tori/error.h>

/* The error "PATH:LINE: why", in one line whatever the file has in it; without
 * a line (0), "PATH: why". Returns -1. */
int refuse_at (const char *path, size_t line, const tori_error *why,
               tori_error *err);

#endif
