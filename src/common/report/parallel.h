/* parallel.h - independent pieces of work on several processors.
 *
 * An experiment is some hundred simulations that share only their input. They
 * are handed out in order to threads; each of them writes to its own place, so
 * the outcome does not depend on the threads.
 */
#ifndef TORI_REPORT_PARALLEL_H
#define TORI_REPORT_PARALLEL_H

#include <stddef.h>

#include <tori/error.h>

struct parallel {
    size_t n;         /* pieces */
    unsigned workers; /* threads, the caller's own among them; 0: one for each
                         processor that this process may use */
    int (*work) (void *arg, size_t piece, tori_error *err);

    /* Called after each piece with the number of those done, never by two
     * threads at a time. May be NULL. */
    void (*on_done) (void *arg, size_t done);
    void *arg;
};

/* Do all pieces, 0 to n-1. After a failure no further piece is begun; of
 * several failures the one of the first piece is reported. If the system gives
 * fewer threads the work takes longer, which is not a failure. */
int parallel_run (const struct parallel *parallel, tori_error *err);

#endif
