/* ledger.h - jobs from their start until they are reported.
 *
 * A job is reported when it has ended, but in the order of starts: it is kept
 * until all jobs that started before it have ended, too. When a job that was
 * stopped starts again, its last start counts.
 */
#ifndef TORI_SIM_LEDGER_H
#define TORI_SIM_LEDGER_H

#include <tori/sim.h>

struct ledger_entry;

/* All zero: empty. */
struct ledger {
    struct ledger_entry *entries; /* from `told` on, in start order */
    size_t n, told, room;
    uint64_t gone;       /* entries that were before the first */
    tori_placement last; /* of the job reported last */
};

void ledger_clear (struct ledger *ledger);

/* A job starts in this place, which is copied. Its number here is returned. */
int ledger_add (struct ledger *ledger, tori_time start,
                const tori_placement *place, uint64_t *ret_number,
                tori_error *err);

/* The job of this number goes on in another place. */
int ledger_move (struct ledger *ledger, uint64_t number,
                 const tori_placement *place, tori_error *err);

/* The job of this number has started again, by another number. */
void ledger_drop (struct ledger *ledger, uint64_t number);

/* The job of this number has ended, with this report, except for its start and
 * place. */
void ledger_end (struct ledger *ledger, uint64_t number,
                 const tori_sim_job *job);

/* The next job in start order if it has ended: false if not. Valid until the
 * next call. */
bool ledger_next (struct ledger *ledger, tori_sim_job *ret_job);

#endif
