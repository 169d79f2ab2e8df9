#include "ledger.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

struct ledger_entry {
    tori_sim_job job;
    tori_time start;
    tori_placement place;
    bool ended, dropped;
};

void ledger_clear (struct ledger *ledger)
{
    for (size_t i = ledger->told; i < ledger->n; i++)
        tori_placement_clear (&ledger->entries[i].place);
    tori_placement_clear (&ledger->last);
    free (ledger->entries);
}

/* Room for one more entry; first, reported entries are removed. */
static int make_room (struct ledger *ledger, tori_error *err)
{
    struct ledger_entry *more;
    if (ledger->n == ledger->room && ledger->told > ledger->n / 2) {
        memmove (ledger->entries, ledger->entries + ledger->told,
                 (ledger->n - ledger->told) * sizeof *ledger->entries);
        ledger->gone += ledger->told;
        ledger->n -= ledger->told;
        ledger->told = 0;
    }
    more = array_room (ledger->entries, &ledger->room, ledger->n + 1,
                       sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    ledger->entries = more;
    return 0;
}

int ledger_add (struct ledger *ledger, tori_time start,
                const tori_placement *place, uint64_t *ret_number,
                tori_error *err)
{
    struct ledger_entry *entry;
    if (make_room (ledger, err) < 0)
        return -1;
    entry = &ledger->entries[ledger->n];
    if (tori_placement_copy (&entry->place, place, err) < 0)
        return -1;
    entry->start = start;
    entry->ended = entry->dropped = false;
    *ret_number = ledger->gone + ledger->n++;
    return 0;
}

static struct ledger_entry *entry_of (const struct ledger *ledger,
                                      uint64_t number)
{
    return &ledger->entries[number - ledger->gone];
}

int ledger_move (struct ledger *ledger, uint64_t number,
                 const tori_placement *place, tori_error *err)
{
    struct ledger_entry *entry = entry_of (ledger, number);
    tori_placement copy = {0};
    if (tori_placement_copy (&copy, place, err) < 0)
        return -1;
    tori_placement_clear (&entry->place);
    entry->place = copy;
    return 0;
}

void ledger_drop (struct ledger *ledger, uint64_t number)
{
    struct ledger_entry *entry = entry_of (ledger, number);
    tori_placement_clear (&entry->place);
    entry->dropped = true;
}

void ledger_end (struct ledger *ledger, uint64_t number,
                 const tori_sim_job *job)
{
    struct ledger_entry *entry = entry_of (ledger, number);
    entry->job = *job;
    entry->ended = true;
}

bool ledger_next (struct ledger *ledger, tori_sim_job *ret_job)
{
    struct ledger_entry *entry;
    while (ledger->told < ledger->n && ledger->entries[ledger->told].dropped)
        ledger->told++;
    entry = &ledger->entries[ledger->told];
    if (ledger->told == ledger->n || !entry->ended)
        return false;
    tori_placement_clear (&ledger->last);
    ledger->last = entry->place;
    ledger->told++;
    *ret_job = entry->job;
    ret_job->start = entry->start;
    ret_job->place = &ledger->last;
    return true;
}
