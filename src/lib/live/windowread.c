/* windowread.c - a window of a snapshot, from JSON. */
#include <stdlib.h>

#include "jobread.h"
#include "nodelist.h"

/* The jobs that may run in a window. */
static int read_tags (const struct member_of *of, tori_snapshot_window *window,
                      tori_error *err)
{
    const json_t *list = NULL;
    if (member_list (of, "jobs", &list, err) < 0)
        return -1;
    window->tags = calloc (json_array_size (list) + 1, sizeof *window->tags);
    if (!window->tags)
        return tori_error_nomem (err);
    for (; window->ntags < json_array_size (list); window->ntags++) {
        const json_t *id = json_array_get (list, window->ntags);
        if (!json_is_integer (id) || json_integer_value (id) < 0)
            return member_bad (of, "jobs", err, "expected numbers of jobs");
        window->tags[window->ntags] = (uint64_t)json_integer_value (id);
    }
    return 0;
}

static int read_span (const struct member_of *of, tori_time now,
                      tori_snapshot_window *window, tori_error *err)
{
    window->until = TORI_TIME_MAX;
    if (member_moment (of, "from", now, &window->from, err) < 0
        || member_moment (of, "until", now, &window->until, err) < 0)
        return -1;
    return window->until <= window->from
               ? member_bad (of, "until", err, "not after its beginning")
               : 0;
}

int window_read (const struct member_of *of, const tori_machine *machine,
                 tori_time now, tori_snapshot_window *window, tori_error *err)
{
    int64_t count = 0;
    int found;
    if (!json_is_object (of->object))
        return member_bad (of, NULL, err, "expected an object");
    if (read_span (of, now, window, err) < 0
        || read_tags (of, window, err) < 0)
        return -1;
    found = place_read (of, machine, TORI_WIRE_NONE, &window->place, err);
    if (found < 0 || member_integer (of, "count", 1, &count, err) < 0)
        return -1;
    if (found == 0 && count == 0)
        return member_bad (of, "box", err, "is missing, and so are its nodes");
    window->count = found ? 0 : (uint64_t)count;
    return 0;
}

void snapshot_window_clear (tori_snapshot_window *window)
{
    tori_placement_clear (&window->place);
    free (window->id);
    free (window->tags);
}
