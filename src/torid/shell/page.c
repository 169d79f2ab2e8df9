/* page.c - the dashboard, at "/", as it was bundled from web/. */
#include <string.h>

#include "admit.h"
#include "api.h"
#include "pagedata.h"
#include "signin.h"

/* The page itself says, by their hashes, which scripts and styles it has, and
 * that it connects only to torid (web/build.mjs). */
static const struct header page_headers[] = {
    {"Content-Security-Policy",
     "frame-ancestors 'none'; form-action 'none'; base-uri 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Content-Encoding", "gzip"},
    {"Cache-Control", "no-cache"},
};

bool page_answer (struct request *request)
{
    const char *packed = MHD_lookup_connection_value (
        request->connection, MHD_HEADER_KIND, "Accept-Encoding");
    if (page_size == 0 || !packed || !strstr (packed, "gzip"))
        return false;
    memcpy (request->headers, page_headers, sizeof page_headers);
    request->nheaders = sizeof page_headers / sizeof *page_headers;
    request->reply.code = 200;
    request->type = "text/html; charset=utf-8";
    request->bytes = page_bytes;
    request->nbytes = page_size;
    return true;
}

bool get_page (struct asking *a)
{
    if (!page_answer (a->request))
        reply_text (a, 200, "text/plain; charset=utf-8",
                    strdup (page_size
                                ? "The dashboard is for browsers, and is sent "
                                  "only packed by gzip.\n"
                                : "This torid was built without its "
                                  "dashboard. Install npm and build it again "
                                  "to have it.\n"));
    return true;
}
