#include "job_columns.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

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

/* ---- texts ---- */

void tori_sim_texts_clear (tori_sim_texts *texts)
{
    free (texts->bytes);
    *texts = (tori_sim_texts){0};
}

/* Room for some more bytes, and for a 0. */
static char *make_room (tori_sim_texts *texts, size_t bytes, tori_error *err)
{
    char *more = array_room (texts->bytes, &texts->room, texts->n + bytes + 1,
                             1);
    if (!more) {
        tori_error_nomem (err);
        return NULL;
    }
    texts->bytes = more;
    return more + texts->n;
}

/* Add to the text that is being written. */
static int write_text (tori_sim_texts *texts, const char *text,
                       tori_error *err)
{
    size_t n = strlen (text);
    char *to = make_room (texts, n, err);
    if (!to)
        return -1;
    memcpy (to, text, n + 1);
    texts->n += n;
    return 0;
}

/* Begin a text: where it is goes into the column. Before the first one there
 * is the empty one. */
static int begin_text (const tori_sim_columns *to, uint64_t *column, size_t i,
                       tori_error *err)
{
    char *end;
    if (to->texts->n == 0) {
        if (!(end = make_room (to->texts, 0, err)))
            return -1;
        *end = '\0';
        to->texts->n = 1;
    }
    column[i] = to->texts->n;
    return 0;
}

static void end_text (tori_sim_texts *texts)
{
    texts->n++; /* the final 0 */
}

static int write_boxes (tori_sim_texts *texts, const tori_placement *place,
                        tori_error *err)
{
    char text[TORI_TEXT_MAX];
    for (size_t i = 0; i < place->nboxes; i++) {
        tori_box_format (tori_placement_box (place, i), text);
        if ((i > 0 && write_text (texts, " ", err) < 0)
            || write_text (texts, text, err) < 0)
            return -1;
    }
    return 0;
}

/* A number in decimal; the end of it. */
static char *put_number (char *to, uint32_t number)
{
    char digits[10];
    size_t n = 0;
    do
        digits[n++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (n > 0)
        *to++ = digits[--n];
    return to;
}

/* "0-3 8 10-11". A job may have thousands of nodes, so this is no printf. */
static int write_ranges (tori_sim_texts *texts, const uint32_t ids[], size_t n,
                         tori_error *err)
{
    enum { RANGE = 1 + 10 + 1 + 10 };
    char *to;
    for (size_t i = 0, j; i < n; i = j) {
        if (!(to = make_room (texts, RANGE, err)))
            return -1;
        for (j = i + 1; j < n && ids[j] == ids[j - 1] + 1; j++)
            continue;
        if (i > 0)
            *to++ = ' ';
        to = put_number (to, ids[i]);
        if (j > i + 1) {
            *to++ = '-';
            to = put_number (to, ids[j - 1]);
        }
        *to = '\0';
        texts->n = (size_t)(to - texts->bytes);
    }
    return 0;
}

static int write_nodes (tori_sim_texts *texts, const tori_placement *place,
                        const tori_machine *machine, tori_error *err)
{
    uint32_t *ids = malloc (place->count * sizeof *ids);
    int status;
    if (!ids)
        return tori_error_nomem (err);
    tori_placement_nodes (place, machine, ids);
    status = write_ranges (texts, ids, place->count, err);
    free (ids);
    return status;
}

static int add_place (const tori_sim_config *config, size_t i,
                      const tori_placement *place, tori_error *err)
{
    const tori_sim_columns *to = config->columns;
    if (!to->placement || place->count == 0)
        return 0;
    if (begin_text (to, to->placement, i, err) < 0
        || (place->nboxes > 0
                ? write_boxes (to->texts, place, err)
                : write_nodes (to->texts, place, config->machine, err))
               < 0)
        return -1;
    end_text (to->texts);
    return 0;
}

static int add_reason (const tori_sim_columns *to, size_t i, const char *why,
                       tori_error *err)
{
    if (!to->reason || !why)
        return 0;
    if (begin_text (to, to->reason, i, err) < 0
        || write_text (to->texts, why, err) < 0)
        return -1;
    end_text (to->texts);
    return 0;
}

/* ---- columns ---- */

int job_columns_check (const tori_sim_columns *to, tori_error *err)
{
    return to && (to->placement || to->reason) && !to->texts
               ? tori_error_set (err, TORI_INVALID,
                                 "columns of texts need `texts`")
               : 0;
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
    fill_numbers (to->placement, n, sizeof *to->placement);
    fill_numbers (to->reason, n, sizeof *to->reason);
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
                     const tori_sim_job *job, const uint64_t *pairwise,
                     tori_error *err)
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
    if (to->pairwise && pairwise)
        to->pairwise[i] = *pairwise;
    else if (to->pairwise
             && tori_placement_pairwise (job->place, config->machine,
                                         &to->pairwise[i], err)
                    < 0)
        return -1;
    return add_place (config, i, job->place, err) < 0
                   || add_reason (to, i, job->why, err) < 0
               ? -1
               : 0;
}

int job_columns_reject (const tori_sim_columns *to, size_t i, const char *why,
                        tori_error *err)
{
    if (!to)
        return 0;
    set_fate (to, i, TORI_FATE_REJECTED);
    return add_reason (to, i, why, err);
}
