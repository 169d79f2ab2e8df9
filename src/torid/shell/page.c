/* page.c - the dashboard, at "/", as it was bundled from web/. */
#define ZLIB_CONST /* what is unpacked is only read */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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
    {"Cache-Control", "no-cache"},
    {"Vary", "Accept-Encoding"},
    {"Content-Encoding", "gzip"}, /* the last: not if it is unpacked */
};
enum { HEADERS = sizeof page_headers / sizeof *page_headers };

/* The length of what was packed: the last four bytes, the lowest first. */
static size_t plain_size (void)
{
    size_t n = 0;
    for (size_t i = 1; i <= 4; i++)
        n = n << 8 | page_bytes[page_size - i];
    return n;
}

/* Unpack the page, once, for clients that take no gzip. False without
 * memory. */
static bool unpack_page (struct torid *torid)
{
    z_stream z = {.next_in = page_bytes, .avail_in = (uInt)page_size};
    size_t n = plain_size ();
    if (torid->page)
        return true;
    torid->page = malloc (n);
    if (!torid->page)
        return false;
    z.next_out = torid->page;
    z.avail_out = (uInt)n;
    if (inflateInit2 (&z, MAX_WBITS + 16) == Z_OK) {
        torid->page_size = inflate (&z, Z_FINISH) == Z_STREAM_END ? n : 0;
        inflateEnd (&z);
    }
    if (torid->page_size == n)
        return true;
    free (torid->page);
    torid->page = NULL;
    return false;
}

bool page_answer (struct request *request)
{
    const char *packed = MHD_lookup_connection_value (
        request->connection, MHD_HEADER_KIND, "Accept-Encoding");
    struct torid *torid = request->torid;
    bool plain = !packed || !strstr (packed, "gzip");
    if (page_size == 0 || (plain && !unpack_page (torid)))
        return false;
    memcpy (request->headers, page_headers, sizeof page_headers);
    request->nheaders = plain ? HEADERS - 1 : HEADERS;
    request->reply.code = 200;
    request->type = "text/html; charset=utf-8";
    request->bytes = plain ? torid->page : page_bytes;
    request->nbytes = plain ? torid->page_size : page_size;
    return true;
}

bool get_page (struct asking *a)
{
    if (!page_answer (a->request))
        reply_text (a, 200, "text/plain; charset=utf-8",
                    strdup (page_size
                                ? "Not enough memory for the dashboard.\n"
                                : "This torid was built without its "
                                  "dashboard. Install esbuild and build it "
                                  "again to have it.\n"));
    return true;
}
