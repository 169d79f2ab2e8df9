/* tori/version.h - the version of libtori.
 *
 * The macros are those of the headers that a program was compiled with; the
 * text is that of the library that it runs with. A program can compare them.
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
