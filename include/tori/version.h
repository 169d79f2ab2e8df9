/* tori/version.h - the version of libtori.
 *
 * The macros give the version of the headers that a program was compiled with.
 * tori_version gives that of the library that it runs with. A program can
 * compare the two.
 */
#ifndef TORI_VERSION_H
#define TORI_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define TORI_VERSION_MAJOR 0
#define TORI_VERSION_MINOR 1
#define TORI_VERSION_PATCH 0

/* "MAJOR.MINOR.PATCH". */
const char *tori_version (void);

#ifdef __cplusplus
}
#endif

#endif
