/* strict.c - what would be accepted, but cannot have been meant: a misspelt
 * member, a variable without a name. Only those who submit are told; what was
 * accepted once, as by an earlier version, is. */
#include <string.h>

#include "service_internal.h"
#include "misspelt.h"

static const char *ask_name (const void *arg, size_t i)
{
    while (i < JOB_MEMBERS && (job_members[i].flags & JOB_IS_FOREIGN))
        i++;
    return i < JOB_MEMBERS ? job_members[i].name : NULL;
}

static const char *wish_name (const void *arg, size_t i)
{
    size_t at = 0;
    for (; at < JOB_MEMBERS; at++)
        if (job_is_wish[at] && i-- == 0)
            return job_members[at].name;
    return NULL;
}

typedef const char *known_fn (const void *arg, size_t i);

/* Names that begin with an underscore are remarks, as in snapshots. */
static bool is_known (known_fn *known, const char *key)
{
    const char *name;
    for (size_t i = 0; (name = known (NULL, i)); i++)
        if (!strcmp (name, key))
            return true;
    return key[0] == '_' || (known == ask_name && job_name_is_old (key));
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
    const json_t *list = json_object_get (of->object, JOB_KEY (alternatives));
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

static int check_environment (const struct member_of *of,
                              const struct job_ask *ask, tori_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)(uintptr_t)ask->environment, key, value)
        if (!*key || strchr (key, '='))
            return member_bad (of, JOB_KEY (environment), err,
                               "'%.40s' is not the name of a variable", key);
    return 0;
}

int strict_estimate (const struct member_of *of, tori_time estimate,
                     tori_error *err)
{
    const tori_time most = 365000 * (86400 * TORI_SECOND);
    return estimate <= 0 || estimate > most
               ? member_bad (of, JOB_KEY (time_limit), err,
                             "expected more than 0 seconds, and at most 1000 "
                             "years")
               : 0;
}

int strict_name (const struct member_of *of, const char *name, tori_error *err)
{
    enum { NAME_MOST = 1024 };
    return name && strlen (name) > NAME_MOST
               ? member_bad (of, JOB_KEY (name), err,
                             "it has %zu bytes, and may have at most %d",
                             strlen (name), NAME_MOST)
               : 0;
}

/* Orders have all of them, and an array has as many orders as jobs. */
static int check_extent (const struct member_of *of, const char *name,
                         const char *what, size_t n, tori_error *err)
{
    enum { MOST = 4096 };
    return n > MOST ? member_bad (of, name, err,
                                  "it has %zu %s, and may have at most %d", n,
                                  what, MOST)
                    : 0;
}

static int check_extents (const struct member_of *of,
                          const struct job_ask *ask, tori_error *err)
{
    const char *command = JOB_KEY (command);
    if (check_extent (of, command, "words",
                      json_array_size (json_object_get (of->object, command)),
                      err)
        < 0)
        return -1;
    return check_extent (of, JOB_KEY (environment), "variables",
                         json_object_size (ask->environment), err);
}

static int check_submission (const struct member_of *of,
                             const struct job_ask *ask, tori_error *err)
{
    if (check_members (of, ask_name, err) < 0
        || check_alternatives (of, err) < 0
        || check_extents (of, ask, err) < 0
        || check_environment (of, ask, err) < 0)
        return -1;
    if (ask->directory && *ask->directory != '/')
        return member_bad (of, JOB_KEY (directory), err,
                           "expected a path that begins with '/'");
    if (ask->spec.patience > 0 && ask->spec.nalternatives == 0)
        return member_bad (of, JOB_KEY (patience), err,
                           "there are no alternatives to take afterwards");
    return strict_name (of, ask->name, err) < 0
               ? -1
               : strict_estimate (of, ask->spec.estimate, err);
}

int ask_read (const struct service *service, json_t *members, size_t i,
              bool strict, struct job_ask **ret_ask, tori_error *err)
{
    const struct member_of of = {.object = members, .list = "jobs", .i = i};
    const struct job_reading how = {.machine = service->machine,
                                    .now = service->now,
                                    .strict = strict,
                                    .plain = service->replaying};
    struct job_ask *ask;
    if (job_ask_read (&of, &how, &ask, err) < 0)
        return -1;
    if (job_ask_whole (&of, ask, err) < 0
        || (strict && check_submission (&of, ask, err) < 0)) {
        job_ask_drop (ask);
        return -1;
    }
    *ret_ask = ask;
    return 0;
}
