/* address.h - where to listen: "127.0.0.1:8470", "[::1]:8470". */
#ifndef TORI_TORID_ADDRESS_H
#define TORI_TORID_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

#include <tori/error.h>

struct address {
    struct sockaddr_storage to;
    socklen_t length;
    bool loopback; /* only this host reaches it */
};

/* TORI_INVALID for anything but a number and a port: names are not looked up,
 * since they may come to mean something else. */
int address_parse (const char *text, struct address *ret_address,
                   tori_error *err);

#endif
