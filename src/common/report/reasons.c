/* reasons.c - why a job of a service waits, in a few words. */
#include "whycase.h"

#include <stdio.h>
#include <string.h>

const char *reason_text (const char *reason)
{
    static const char *const all[][2] = {
        {"starts", "starts now"},
        {"numerical", "not enough free nodes"},
        {"topological",
         "fragmented: enough nodes are free, but no box of this shape"},
        {"wiring", "its links are taken"},
        {"order", "jobs before it come first"},
        {"reserved", "it would delay the planned start of another job"},
        {"window", "it would run into a reservation"},
        {"held", "held"},
        {"not-yet", "it may not start yet"},
        {"nodes", "it has no place among the nodes in service that it may use"},
        {"never", "it can never run here"},
        {"gave-up", "the search for a place was given up"},
        {"unknown", "about to be planned"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp (reason, all[i][0]))
            return all[i][1];
    return *reason ? reason : "about to be looked at";
}

/* "waits for ok:17, any:18". */
static void after_format (const json_t *after, char *text, size_t size)
{
    size_t n = (size_t)snprintf (text, size, "waits for %.100s",
                                 json_is_string (after)
                                     ? json_string_value (after)
                                     : "");
    for (size_t i = 0; i < json_array_size (after) && n < size / 2; i++)
        n += (size_t)snprintf (
            text + n, size - n, "%s%.40s", i ? ", " : "",
            json_string_value (json_array_get (after, i)));
}

static const char *member_text (const json_t *job, const char *key)
{
    const char *text = json_string_value (json_object_get (job, key));
    return text ? text : "";
}

void waiting_format (const json_t *job, char *text, size_t size)
{
    const char *hold = member_text (job, "hold");
    if (!strcmp (member_text (job, "reason"), "never")
        && *member_text (job, "limit"))
        snprintf (text, size, "can never start: it has more nodes than %.200s",
                  member_text (job, "limit"));
    else if (!strcmp (hold, "dependency"))
        after_format (json_object_get (job, "after"), text, size);
    else if (!strcmp (hold, "array"))
        snprintf (text, size, "others of its array run first");
    else if (!strcmp (hold, "user") && *member_text (job, "why"))
        snprintf (text, size, "%.200s", member_text (job, "why"));
    else if (*member_text (job, "limit"))
        snprintf (text, size, "waits for %.200s", member_text (job, "limit"));
    else
        snprintf (text, size, "%.200s",
                  reason_text (member_text (job, "reason")));
}
