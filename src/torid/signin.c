/* signin.c - coming in with a browser. */
#include "signin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_header (struct request *request, const char *name,
                        const char *value)
{
    struct header *header = &request->headers[request->nheaders++];
    header->name = name;
    snprintf (header->value, sizeof header->value, "%s", value);
}

static void give_cookie (struct request *request, const char *token)
{
    char cookie[TOKEN_TEXT + 80];
    snprintf (cookie, sizeof cookie,
              SIGNIN_COOKIE "=%.64s; Path=/; HttpOnly; SameSite=Strict",
              token);
    add_header (request, "Set-Cookie", cookie);
    add_header (request, "Location", "/");
    request->reply.code = 303;
    request->type = "text/plain";
    request->bytes = (const unsigned char *)"";
    request->nbytes = 0;
}

bool signin_answer (struct request *request, bool known)
{
    const char *token = MHD_lookup_connection_value (
        request->connection, MHD_GET_ARGUMENT_KIND, "token");
    if (token && tokens_find (&request->torid->tokens, token)) {
        give_cookie (request, token);
        return true;
    }
    return !known && !token && page_answer (request);
}
