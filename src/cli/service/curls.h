/* curls.h - libcurl, loaded when a command first speaks to torid.
 *
 * With the thirty or so libraries that it needs, loading it takes several
 * times as long as all else that a command such as `tori place` does, and most
 * commands use no network. Its functions have their own names here. */
#ifndef TORI_CLI_CURLS_H
#define TORI_CLI_CURLS_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include <tori/error.h>

#undef curl_easy_getinfo
#undef curl_easy_setopt

#define CURLS_ALL(each)                                                       \
    each (easy_cleanup) each (easy_getinfo) each (easy_init)                  \
    each (easy_perform) each (easy_setopt) each (easy_strerror)               \
    each (multi_add_handle) each (multi_cleanup) each (multi_info_read)       \
    each (multi_init) each (multi_perform) each (multi_poll)                  \
    each (multi_remove_handle)

struct curls {
#define CURLS_MEMBER(name) __typeof__ (curl_##name) *name;
    CURLS_ALL (CURLS_MEMBER)
#undef CURLS_MEMBER
};

/* The functions; NULL and TORI_FAILED if libcurl is not installed. */
const struct curls *curls_load (tori_error *err);

#endif
