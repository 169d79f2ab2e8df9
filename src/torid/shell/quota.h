/* quota.h - what each user takes of torid: requests per second, and bytes of
 * bodies and answers, questions and streams of events at a time. The settings say how much
 * of each a user may have, so that no user takes what others need. */
#ifndef TORI_TORID_QUOTA_H
#define TORI_TORID_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct request;

struct quota {
    char name[256];
    double left;   /* requests that may be made at once, */
    uint64_t at;   /* at this time, in milliseconds */
    uint64_t spent;    /* nanoseconds that requests took; half as many count */
    uint64_t spent_at; /* a second after this one */
    size_t bodies; /* bytes that are held for requests */
    size_t answers; /* bytes of answers that have not been read in full */
    size_t looks;  /* questions that have not got their answer in full, */
    size_t worked; /* and that are worked at; */
    uint64_t began; /* which of all torid's was the last that began */
    size_t read;   /* questions that read this user's files */
    size_t streams; /* of events */
    struct request *deferred, *last_deferred; /* wait for another turn of the
                                                 loop: http.c */
    struct quota *next_deferred;              /* another user with some */
};

struct quotas {
    struct quota **items; /* by name */
    size_t n, room;
    size_t bodies, answers; /* of all users */
};

/* The quota of a user, which stays where it is; NULL if memory runs out. */
struct quota *quota_of (struct quotas *quotas, const char *name);

/* Whether a request, or work that counts as n of them, is allowed now: as many
 * per second, and no more than that at once. Work that counts for more than
 * half a second needs half a second, and the next request waits for the rest.
 */
bool quota_ask (struct quota *quota, int64_t per_second, size_t n,
                uint64_t now);

/* An answer of so many bytes goes out: a long one counts as more than one
 * request. */
void quota_answer (struct quota *quota, size_t n);

/* A request took so long. Returns how long those of this user took lately, by
 * nanoseconds; now is in milliseconds. */
uint64_t quota_spend (struct quota *quota, uint64_t took, uint64_t now);

void quotas_free (struct quotas *quotas);

#endif
