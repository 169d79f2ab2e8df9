/* strict.c - what would be accepted, but cannot have been meant: a misspelt
 * member, a variable without a name. Only those who submit are told; what was
 * accepted once, as by an earlier version, is. */
#include <string.h>

#include "inside.h"
#include "jobread.h"
#include "misspelt.h"

/* Members that are not shown: ticket_shown. */
static const char *const hidden[]
    = {"environment", "script", "hold", "warn", "warning", "runtime", NULL};
static const char *const wishes[]
    = {"shape", "count", "wiring", "fold", "fixed", "wrap", NULL};

static const char *ask_name (const void *arg, size_t i)
{
    size_t n = 0;
    while (ticket_shown (n))
        n++;
    return i < n ? ticket_shown (i) : hidden[i - n];
}

static const char *wish_name (const void *arg, size_t i)
{
    return wishes[i];
}

typedef const char *known_fn (const void *arg, size_t i);

/* Names that begin with an underscore are remarks, as in snapshots. */
static bool is_known (known_fn *known, const char *key)
{
    const char *name;
    for (size_t i = 0; (name = known (NULL, i)); i++)
        if (!strcmp (name, key))
            return true;
    return key[0] == '_';
}

static int check_members (const struct member_of *of, known_fn *known,
                          tori_error *err)
{
    const char *key, *near;
    json_t *value;
    json_object_foreach ((json_t *)(uintptr_t)of->object, key, value)
    {
        if (is_known (known, key))
            continue;
        near = nearest_name (key, known, NULL);
        return near ? member_bad (of, key, err,
                                  "there is no such member; did you mean "
                                  "'%s'?",
                                  near)
                    : member_bad (of, key, err, "there is no such member");
    }
    return 0;
}

static int check_alternatives (const struct member_of *of, tori_error *err)
{
    const json_t *list = json_object_get (of->object, "alternatives");
    for (size_t i = 0; i < json_array_size (list); i++) {
        char within[40];
        struct member_of item = *of;
        snprintf (within, sizeof within, "alternatives[%zu]", i);
        item.object = json_array_get (list, i);
        item.within = within;
        if (check_members (&item, wish_name, err) < 0)
            return -1;
    }
    return 0;
}

static int check_environment (const struct member_of *of, tori_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach (json_object_get (of->object, "environment"), key,
                         value)
        if (!*key || strchr (key, '='))
            return member_bad (of, "environment", err,
                               "'%.40s' is not the name of a variable", key);
    return 0;
}

static int check_directory (const struct member_of *of, tori_error *err)
{
    const char *path
        = json_string_value (json_object_get (of->object, "directory"));
    return path && *path != '/'
               ? member_bad (of, "directory", err, "expected a path that "
                                                   "begins with '/'")
               : 0;
}

int strict_estimate (const struct member_of *of, tori_time estimate,
                     tori_error *err)
{
    const tori_time most = 365000 * (86400 * TORI_SECOND);
    return estimate <= 0 || estimate > most
               ? member_bad (of, "estimate", err, "expected more than 0 "
                                                  "seconds, and at most 1000 "
                                                  "years")
               : 0;
}

int strict_check (const struct member_of *of, const tori_job_spec *spec,
                  tori_error *err)
{
    return check_members (of, ask_name, err) < 0
                   || check_alternatives (of, err) < 0
                   || check_environment (of, err) < 0
                   || check_directory (of, err) < 0
                   || strict_estimate (of, spec->estimate, err) < 0
               ? -1
               : 0;
}

int ask_read_strict (const struct service *service, const json_t *ask,
                     size_t i, tori_snapshot_job *job, tori_error *err)
{
    const struct member_of of = {.object = ask, .list = "jobs", .i = i};
    return ask_read (service, ask, i, job, err) < 0
                   || strict_check (&of, &job->spec, err) < 0
               ? -1
               : 0;
}
