#include "address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

static bool is_loopback (const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in four;
        memcpy (&four, address, sizeof four);
        return ntohl (four.sin_addr.s_addr) >> 24 == 127;
    }
    struct sockaddr_in6 six;
    memcpy (&six, address, sizeof six);
    return IN6_IS_ADDR_LOOPBACK (&six.sin6_addr);
}

/* The host, without the brackets of IPv6, and where the port begins; NULL if
 * there is none. */
static const char *split_port (const char *text, char *host, size_t size)
{
    const char *colon = strrchr (text, ':');
    bool brackets = *text == '[';
    if (!colon || colon == text || !colon[1]
        || (brackets && colon[-1] != ']')
        || (!brackets && memchr (text, ':', (size_t)(colon - text))))
        return NULL;
    snprintf (host, size, "%.*s", (int)(colon - text) - 2 * brackets,
              text + brackets);
    return colon + 1;
}

int address_parse (const char *text, struct address *ret_address,
                   tori_error *err)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                             .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char host[64];
    const char *port = split_port (text, host, sizeof host);
    if (!port || getaddrinfo (host, port, &hints, &found) != 0)
        return tori_error_set (err, TORI_INVALID,
                               "'%.60s' is not ADDRESS:PORT, such as "
                               "127.0.0.1:8470 or [::1]:8470",
                               text);
    memcpy (&ret_address->to, found->ai_addr, found->ai_addrlen);
    ret_address->length = found->ai_addrlen;
    ret_address->loopback = is_loopback (found->ai_addr);
    freeaddrinfo (found);
    return 0;
}
