/* reservation.h - one reservation, and how it is read. reservations.c has all
 * of them. */
#ifndef TORI_SERVICE_RESERVATION_H
#define TORI_SERVICE_RESERVATION_H

#include "jobread.h"
#include "service_internal.h"

/* A reservation. `is.id` is its name, for people; the scheduler uses the
 * number `id`. */
struct node_reservation {
    uint64_t id;
    char *key;               /* by which the executor knows it, or NULL */
    tori_snapshot_window is; /* its place is known; `count` is what was asked
                                for, or 0 */
    char *why;       /* the given reason, or NULL */
    char *every;     /* the hours at which it comes again (hours.h), or NULL;
                        `is` has the times of the current or next one */
    tori_time known; /* the scheduler knows those up to this time */
    json_t *users, *groups, *accounts; /* whose jobs may run there; or NULL */
    json_t *members;        /* users known to be in these groups, or NULL */
    uint64_t mark;
};

/* Clear it, also after one of the following has failed. */
void reservation_clear (struct node_reservation *reservation);

/* Read one as it was asked for. TORI_INVALID names the member. */
int reservation_read (const struct service *service, const json_t *input,
                      struct node_reservation *reservation, tori_error *err);

/* Read the key by which the executor knows it. */
int reservation_set_key (const json_t *from,
                         struct node_reservation *reservation,
                         tori_error *err);

/* Read one as it was saved, or chosen before. */
int reservation_load (const struct service *service, const json_t *saved,
                      struct node_reservation *reservation, tori_error *err);

/* The others that keep some of the same nodes at the same time, each with the
 * first such time. NULL without memory. */
json_t *reservation_overlaps (const struct service *service,
                              const struct node_reservation *reservation);

/* Whether the jobs of a user may run there; and whether a text of words names
 * one of its groups. */
bool reservation_admits (const struct service *service,
                         const struct node_reservation *reservation,
                         const char *user);
bool reservation_names_group (const struct node_reservation *reservation,
                              const char *groups);

/* The jobs that may run there: those that are named, and those of users. The
 * caller frees them. */
int reservation_tags (const struct service *service,
                      const struct node_reservation *reservation,
                      uint64_t **ret_tags, size_t *ret_n, tori_error *err);

#endif
