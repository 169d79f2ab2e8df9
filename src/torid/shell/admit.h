/* admit.h - decisions on a request when its header has come: who asks, whether
 * the user may, and how much of the body is kept.
 *
 * No body is kept for unknown users. A refusal is decided before the body
 * comes. If the client sends the body all the same, it is read, up to a limit,
 * because an answer may never arrive if the connection is closed at once; but
 * it is dropped. If the body is longer than any may be, the answer does not
 * wait for its end, and nothing follows it on this connection.
 */
#ifndef TORI_TORID_ADMIT_H
#define TORI_TORID_ADMIT_H

#include "torid.h"

/* The most that the header of a request may hold. http.c gives the server
 * more, so that a refusal names the limit. */
enum { HEADER_MOST = 16 << 10 };

/* Find out who asks, and refuse the request if need be: it has a reply then.
 * If it has not begun after that, its user is looked up (names.c). False if
 * the connection is to be closed. */
bool admit (struct request *request, const char *method, const char *path,
            const char *version);

/* Whether queues or reservations name any group. */
bool admit_counts_groups (const struct torid *torid);

/* Whether the reply, which there is, must be sent in place of reading the
 * body; or while it is read, as it is too long to wait for its end. */
bool admit_hurries (const struct request *request);
bool admit_is_long (const struct request *request);

/* Read the tokens again if they have changed. */
void admit_read_tokens (struct torid *torid);

/* Whether the user has asked too much lately to do work that counts as n
 * requests; it is refused then. */
bool asks_too_much (struct request *request, size_t n);

/* Part of the body has come. False if the connection is to be closed. */
bool admit_body (struct request *request, const char *data, size_t n);

/* The body is not needed any longer. */
void admit_forget (struct request *request);

/* Whether the request is for the dashboard, from a browser. */
bool is_visit (const struct request *request, const char *method,
               const char *path);

/* The connection that it came by. */
struct connection *connection_of (const struct request *request);

/* The reply to what is refused; and to a client that is not known. */
void turn_away (struct request *request, int code, const char *name,
             const char *fmt, ...) __attribute__ ((format (printf, 4, 5)));
void refuse_stranger (struct request *request);

/* Add a header to the answer. */
void add_header (struct request *request, const char *name,
                 const char *value);

#endif
