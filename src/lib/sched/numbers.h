/* numbers.h - from the number of a job to its slot.
 *
 * Numbers have 64 bits and are never given twice, so a late message about a
 * job never hits another. Jobs are kept in slots of an array, and slots are
 * used again. Structures of which there are many (queues, planned starts) name
 * a slot. This table leads from a number to its slot. It uses open addressing
 * and is at most half full. */
#ifndef TORI_SCHED_NUMBERS_H
#define TORI_SCHED_NUMBERS_H

#include <tori/sched.h>

typedef uint32_t job_slot;

#define NO_SLOT UINT32_MAX

struct numbered {
    tori_job number; /* TORI_NO_JOB if there is none */
    job_slot slot;
};

struct numbers {
    struct numbered *all; /* a power of two of them, or none */
    size_t size;
};

void numbers_clear (struct numbers *numbers);

/* Room for so many at once. */
int numbers_room (struct numbers *numbers, size_t n, tori_error *err);

/* Add a new number. There is room. */
void numbers_add (struct numbers *numbers, tori_job number, job_slot slot);

/* Remove a number that is there. */
void numbers_remove (struct numbers *numbers, tori_job number);

/* The slot of a job, or NO_SLOT. */
job_slot numbers_find (const struct numbers *numbers, tori_job number);

#endif
