#include "place.h"

#include <math.h>

#include "conflicts.h"
#include "emit.h"

int place_parse_shape (const char *text, const struct place_space *space,
                       uint64_t count, tori_shape *ret_shape, tori_error *err)
{
    tori_shape shape;
    if (tori_shape_parse (text, &shape, err) < 0)
        return -1;
    /* 4x4 is a plane of a machine with more dimensions. */
    while (shape.ndims < space->ndims && space->planes)
        shape.size[shape.ndims++] = 1;
    if (shape.ndims != space->ndims && !space->folds)
        return tori_error_set (err, TORI_INVALID,
                               "--shape: '%.60s' has %d dimensions, the %s %d",
                               text, shape.ndims, space->name, space->ndims);
    if (count > tori_shape_volume (&shape))
        return tori_error_set (err, TORI_INVALID,
                               "--count: a box of %.60s has fewer than %llu "
                               "nodes",
                               text, (unsigned long long)count);
    *ret_shape = shape;
    return 0;
}

int place_refused (tori_outcome outcome, const char *detail,
                   const struct asked *json, const struct site *site,
                   FILE *out, tori_error *err)
{
    bool never = outcome == TORI_UNPLACEABLE;
    if (json) {
        struct emit e = emit_to (out);
        asked_open (&e, json->path, json->command, json->values);
        emit_flag (&e, "placed", false);
        emit_text (&e, "reason", tori_outcome_name (outcome));
        emit_text (&e, "detail", detail);
        if (site)
            hits_emit (&e, site);
        emit_close (&e, '}');
        if (emit_end (&e, err) < 0)
            return -1;
    } else {
        fprintf (out, "%s: %s\n",
                 never ? "never fits on this machine" : "does not fit now",
                 detail);
        if (site)
            hits_print (site, out);
    }
    return never ? TORI_NEVER : TORI_NOT_NOW;
}

/* Sums are integers, as long as a double holds them exactly. */
static void emit_sum (struct emit *e, const char *key, double sum)
{
    if (sum < 1e15 && sum == floor (sum))
        emit_count (e, key, (uint64_t)sum);
    else
        emit_real (e, key, sum);
}

void place_gave_up (struct emit *e, const struct asked *asked,
                    const tori_search *search, const char *detail)
{
    asked_open (e, asked->path, asked->command, asked->values);
    emit_flag (e, "placed", false);
    emit_text (e, "reason", "gave-up");
    emit_text (e, "detail", detail);
    emit_count (e, "steps", search->steps);
    if (search->limit > 0)
        emit_count (e, "limit", search->limit);
    if (search->found)
        emit_sum (e, "best", search->best);
    if (search->at_least > 0)
        emit_sum (e, "at_least", search->at_least);
}

void place_progress (void *arg, uint64_t steps, uint64_t limit)
{
    progress_update (arg, (size_t)steps, (size_t)limit, "steps");
}

int place_no_answer (const tori_error *why, const tori_search *search,
                     bool json, tori_error *err)
{
    return tori_error_set (err, why->status, "%s%s", why->text,
                           search->found && !json
                               ? "; --json prints the best set found"
                               : "");
}
