/* numbers.h - where the jobs of these numbers are kept.
 *
 * Numbers have 64 bits and are never given twice, so a late message about a
 * job never hits another. Jobs are kept in slots of an array, and slots are
 * used again. Whatever is in memory many times (queues, reservations) names a
 * slot. This table leads from a number to its slot. It uses open addressing
 * and is at most half full.
 */
#ifndef TORI_SCHED_NUMBERS_H
#define TORI_SCHED_NUMBERS_H

#include <tori/sched.h>

typedef uint32_t job_slot;

#define NO_SLOT UINT32_MAX

struct numbered {
    tori_job number; /* TORI_NO_JOB where there is none */
    job_slot slot;
};

struct numbers {
    struct numbered *all; /* a power of two of them, or none */
    size_t size;
};

void numbers_clear (struct numbers *numbers);

/* Room for so many at once. */
int numbers_room (struct numbers *numbers, size_t n, tori_error *err);

/* Add a number that is not there. There is room. */
void numbers_add (struct numbers *numbers, tori_job number, job_slot slot);

/* Take out one that is there. */
void numbers_remove (struct numbers *numbers, tori_job number);

/* The slot of a job, or NO_SLOT. */
job_slot numbers_find (const struct numbers *numbers, tori_job number);

#endif
