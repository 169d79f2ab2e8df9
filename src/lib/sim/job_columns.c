#include "job_columns.h"

#include <string.h>

const char *tori_fate_name (tori_fate fate)
{
    static const char *const names[] = {"none", "done", "killed", "rejected"};
    return (unsigned)fate <= TORI_FATE_REJECTED ? names[fate] : NULL;
}

static void fill_times (tori_time *column, size_t n)
{
    for (size_t i = 0; column && i < n; i++)
        column[i] = -1;
}

static void fill_numbers (void *column, size_t n, size_t size)
{
    if (column && n > 0)
        memset (column, 0, n * size);
}

void job_columns_begin (const tori_sim_columns *to, size_t n)
{
    if (!to)
        return;
    fill_times (to->start, n);
    fill_times (to->finish, n);
    fill_times (to->waited, n);
    fill_times (to->ran, n);
    fill_numbers (to->fate, n, sizeof *to->fate);
    fill_numbers (to->starts, n, sizeof *to->starts);
    fill_numbers (to->moves, n, sizeof *to->moves);
    fill_numbers (to->nodes, n, sizeof *to->nodes);
    fill_numbers (to->pairwise, n, sizeof *to->pairwise);
}

static void set_time (tori_time *column, size_t i, tori_time value)
{
    if (column)
        column[i] = value;
}

static void set_number (uint32_t *column, size_t i, uint32_t value)
{
    if (column)
        column[i] = value;
}

static void set_fate (const tori_sim_columns *to, size_t i, tori_fate fate)
{
    if (to->fate)
        to->fate[i] = (uint8_t)fate;
}

int job_columns_add (const tori_sim_config *config, size_t i,
                     const tori_sim_job *job, tori_error *err)
{
    const tori_sim_columns *to = config->columns;
    if (!to)
        return 0;
    set_fate (to, i, job->killed ? TORI_FATE_KILLED : TORI_FATE_DONE);
    set_time (to->start, i, job->start);
    set_time (to->finish, i, job->finish);
    set_time (to->waited, i, job->waited);
    set_time (to->ran, i, job->ran);
    set_number (to->starts, i, job->starts);
    set_number (to->moves, i, job->moves);
    set_number (to->nodes, i, job->place->count);
    return to->pairwise
               ? tori_placement_pairwise (job->place, config->machine,
                                          &to->pairwise[i], err)
               : 0;
}

void job_columns_reject (const tori_sim_columns *to, size_t i)
{
    if (to)
        set_fate (to, i, TORI_FATE_REJECTED);
}
