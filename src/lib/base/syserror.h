/* syserror.h - failures of the system, in words.
 *
 *     FILE *file = fopen (path, "re");
 *     if (!file)
 *         return system_error (path, errno, err);
 */
#ifndef TORI_BASE_SYSERROR_H
#define TORI_BASE_SYSERROR_H

#include <tori/error.h>

/* TORI_FAILED with "WHAT: reason". `error` is a value of errno. Returns -1. */
int system_error (const char *what, int error, tori_error *err);

#endif
