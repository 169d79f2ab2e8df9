/* receive.h - what libmicrohttpd receives, and what it refuses by itself.
 *
 * The library takes a byte that is 0 as the end of a text, so what follows
 * such a byte would be lost: "chunked\0, gzip" would be read as "chunked".
 * It calls recv for all that it reads, and this program has a recv of its own,
 * which replaces these bytes by NUL_MARK, another control character. No text
 * of HTTP or JSON may have one.
 *
 * The library has no hook for its refusals, only for its log, which does not
 * say which connection it is about. It is the last one that the library read
 * from, or that it called torid about.
 */
#ifndef TORI_TORID_RECEIVE_H
#define TORI_TORID_RECEIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUL_MARK = 1 };

/* Whether a text has a control character other than a tab. */
bool has_control (const char *text);

/* The library receives nothing after this time of uv_hrtime: it serves all who
 * have sent something before it returns, and everybody else waits. What was
 * not received then waits for its next run. */
void receive_until (uint64_t time);

/* The library has called torid about a connection. */
void receive_note (int fd);

/* The connection that the library works at, or -1. */
int receive_current (void);

/* Send the whole of a short answer, if the system takes it at once, and let
 * the client know that nothing follows. */
void receive_tell (int fd, const char *text, size_t n);

#endif
