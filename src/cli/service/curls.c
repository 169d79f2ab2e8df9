#include "curls.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* The name in Debian and elsewhere; its number has not changed since 2006. */
static void *open_library (void)
{
    void *library = dlopen ("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    return library ? library
                   : dlopen ("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
}

/* Copy the pointer of dlsym: ISO C does not convert it to a function. */
static bool find_function (void *library, const char *name, void *ret_function)
{
    void *symbol = dlsym (library, name);
    memcpy (ret_function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool find_all (struct curls *curls)
{
    void *library = open_library ();
    bool all = library != NULL;
#define FIND(name)                                                            \
    all = all && find_function (library, "curl_" #name, &curls->name);
    CURLS_ALL (FIND)
#undef FIND
    return all;
}

const struct curls *curls_load (tori_error *err)
{
    static struct curls curls;
    static bool loaded;
    loaded = loaded || find_all (&curls);
    if (loaded)
        return &curls;
    tori_error_set (err, TORI_FAILED,
                    "libcurl.so.4 is not installed, which tori needs to ask "
                    "torid");
    return NULL;
}
