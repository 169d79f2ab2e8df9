/* inquiry.h - an operator asks a run for the state of each job.
 *
 * Whether a job has its turn, sleeps or ends is known only where its node is,
 * and changes every slot. So ranks report it only on request: rank 0 asks all
 * ranks, which answer at once. Messages sent before an answer arrive before
 * it, so together the answers are true: the rank that has a job's node reports
 * the job, unless that rank does not answer. A rank that is stuck is not
 * waited for, but named.
 */
#ifndef TORI_GANGRUN_INQUIRY_H
#define TORI_GANGRUN_INQUIRY_H

#include "record.h"

struct inquiry {
    uint64_t number;
    int64_t until;  /* when the wait for answers ends */
    uint32_t left;  /* ranks that have not answered: */
    bool *silent;   /* a rank */
    uint32_t by_groups, by_signals; /* number of ranks, by how they stop
                                       processes */
    struct bytes states;
};

/* Every rank: answer with the jobs whose node is here. */
rank_handler inquiry_answer;

/* Rank 0: ask all that live. NULL if it fails. */
struct inquiry *inquiry_create (struct rank *rank, uint64_t number);
void inquiry_destroy (struct inquiry *inquiry);

/* An answer has come, or a rank has died. */
void inquiry_told (struct rank *rank, struct inquiry *inquiry,
                   const struct wire *wire, const char *data);
void inquiry_lost (struct inquiry *inquiry, uint32_t dead);

/* All that is known, as a JSON object with a newline, of `all` jobs or of
 * those that have not ended; the caller frees it. NULL if it fails. */
char *inquiry_write (const struct inquiry *inquiry, struct rank *rank,
                     bool all, size_t *ret_n);

#endif
