#include "reservation.h"

#include <stdlib.h>
#include <string.h>

#include "hours.h"
#include "placement.h"

void reservation_clear (struct node_reservation *reservation)
{
    snapshot_window_clear (&reservation->is);
    free (reservation->key);
    free (reservation->why);
    free (reservation->every);
    json_decref (reservation->users);
    json_decref (reservation->groups);
    json_decref (reservation->accounts);
    json_decref (reservation->members);
}

static int set_name (const json_t *from, struct node_reservation *reservation,
                     tori_error *err)
{
    const char *name = json_string_value (json_object_get (from, "name"));
    reservation->is.id = strdup (name ? name : "");
    return reservation->is.id ? 0 : tori_error_nomem (err);
}

/* Copy a text, if there is one. */
static int set_text (const json_t *from, const char *key, char **ret_text,
                     tori_error *err)
{
    const char *text = json_string_value (json_object_get (from, key));
    *ret_text = text ? strdup (text) : NULL;
    return *ret_text || !text ? 0 : tori_error_nomem (err);
}

int reservation_set_key (const json_t *from,
                         struct node_reservation *reservation, tori_error *err)
{
    return set_text (from, "key", &reservation->key, err);
}

/* The hours at which it comes again, and the reason. */
static int set_texts (const json_t *from,
                      struct node_reservation *reservation, tori_error *err)
{
    return set_text (from, "every", &reservation->every, err) < 0
               ? -1
               : set_text (from, "why", &reservation->why, err);
}

/* A list of names, if there is one: a new reference. */
static int read_names (const struct member_of *of, const char *key,
                       json_t **ret_names, tori_error *err)
{
    const json_t *list = NULL;
    if (member_list (of, key, &list, err) < 0)
        return -1;
    for (size_t i = 0; i < json_array_size (list); i++)
        if (!json_is_string (json_array_get (list, i)))
            return member_bad (of, key, err, "expected names");
    *ret_names = json_array_size (list) > 0 ? json_deep_copy (list) : NULL;
    return *ret_names || json_array_size (list) == 0 ? 0
                                                     : tori_error_nomem (err);
}

/* The groups of an input are those of the user who asks. */
static int set_names (const json_t *from, struct node_reservation *reservation,
                      tori_error *err)
{
    const struct member_of of = {.object = from};
    return read_names (&of, "users", &reservation->users, err) < 0
                   || read_names (&of, "of_groups", &reservation->groups, err)
                          < 0
                   || read_names (&of, "accounts", &reservation->accounts, err)
                          < 0
                   || read_names (&of, "members", &reservation->members, err)
                          < 0
               ? -1
               : 0;
}

int reservation_load (const struct service *service, const json_t *saved,
                      struct node_reservation *reservation, tori_error *err)
{
    const struct member_of of = {.object = saved, .list = "windows"};
    tori_snapshot_window *is = &reservation->is;
    json_int_t id = json_integer_value (json_object_get (saved, "id"));
    int64_t count = 0;
    if (window_read (&of, service->machine, -1, is, err) < 0
        || member_integer (&of, "count", 1, &count, err) < 0)
        return -1;
    if (is->place.count == 0 || id < 1)
        return member_bad (&of, "box", err, "is missing");
    reservation->id = (uint64_t)id;
    is->count = (uint64_t)count;
    is->from = json_integer_value (json_object_get (saved, "begin"));
    is->until = json_integer_value (json_object_get (saved, "over"));
    return reservation_set_key (saved, reservation, err) < 0
                   || set_texts (saved, reservation, err) < 0
                   || set_names (saved, reservation, err) < 0
               ? -1
               : set_name (saved, reservation, err);
}

/* One text stands for a list of nodes and boxes. A new reference. */
static json_t *with_list (const json_t *input)
{
    json_t *copy = json_copy ((json_t *)(uintptr_t)input);
    json_t *nodes = json_object_get (copy, "nodes");
    if (json_is_string (nodes))
        json_object_set_new (copy, "nodes", json_pack ("[O]", nodes));
    return copy;
}

/* Set the first times of one that comes again. */
static int set_first (const struct service *service, json_t *input,
                      tori_error *err)
{
    const struct member_of of = {.object = input};
    const char *every = NULL;
    tori_time from, until;
    tori_error why;
    if (member_text (&of, "every", &every, err) < 0)
        return -1;
    if (!every)
        return 0;
    if (json_object_get (input, "from") || json_object_get (input, "until"))
        return member_bad (&of, "every", err,
                           "has the times: expected neither from nor until");
    if (hours_check (every, &why) < 0)
        return member_blame (&of, "every", &why, err);
    if (!hours_span (every, service->now, &from, &until))
        return member_bad (&of, "every", err, "expected hours with an end");
    return json_object_set_new (input, "from",
                                json_integer (from / TORI_SECOND))
                       < 0
                   || json_object_set_new (input, "until",
                                           json_integer (until / TORI_SECOND))
                          < 0
               ? tori_error_nomem (err)
               : 0;
}

static int check_accounts (const struct service *service,
                           const struct node_reservation *reservation,
                           tori_error *err)
{
    const struct service_policy *policy = &service->policy;
    for (size_t i = 0; i < json_array_size (reservation->accounts); i++) {
        const char *name
            = json_string_value (json_array_get (reservation->accounts, i));
        if (policy_find_account (policy, name, strlen (name))
                == policy->naccounts
            && (policy->naccounts == 0 || strcmp (name, "other")))
            return tori_error_set (err, TORI_INVALID,
                                   "there is no account '%.60s'", name);
    }
    return 0;
}

int reservation_read (const struct service *service, const json_t *input,
                      struct node_reservation *reservation, tori_error *err)
{
    json_t *copy = with_list (input);
    const struct member_of of = {.object = copy};
    const char *name;
    int status = copy ? set_first (service, copy, err)
                      : tori_error_nomem (err);
    if (status == 0)
        status = window_read (&of, service->machine, service->now,
                              &reservation->is, err);
    if (status == 0 && !json_object_get (copy, "until"))
        status = member_bad (&of, "until", err, "is missing");
    if (status == 0 && reservation->is.until <= service->now)
        status = member_bad (&of, "until", err, "in the past");
    if (status == 0 && member_text (&of, "name", &name, err) < 0)
        status = -1;
    if (status == 0)
        status = set_name (input, reservation, err);
    if (status == 0)
        status = set_texts (input, reservation, err);
    if (status == 0)
        status = set_names (input, reservation, err);
    if (status == 0)
        status = check_accounts (service, reservation, err);
    json_decref (copy);
    return status;
}

/* ---- others at the same place and time ---- */

/* The scheduler knows a reservation by its number, and each of its times. */
static uint64_t window_number (const tori_window *window)
{
    return strtoull (window->name, NULL, 10);
}

static bool lists_number (const json_t *list, uint64_t id)
{
    for (size_t i = 0; i < json_array_size (list); i++)
        if ((uint64_t)json_integer_value (
                json_object_get (json_array_get (list, i), "id"))
            == id)
            return true;
    return false;
}

static const char *name_of (const struct service *service, uint64_t id)
{
    for (size_t i = 0; i < service->nreservations; i++)
        if (service->reservations[i].id == id && service->reservations[i].is.id)
            return service->reservations[i].is.id;
    return "";
}

/* List the others that meet one window. */
static int add_overlaps (const struct service *service,
                         const tori_window *window, json_t *list)
{
    tori_window other = {.size = sizeof other};
    for (size_t i = 0; tori_sched_window (service->sched, i, &other); i++) {
        uint64_t id = window_number (&other);
        tori_time from = other.from > window->from ? other.from : window->from;
        tori_time until
            = other.until < window->until ? other.until : window->until;
        if (id == window_number (window) || from >= until
            || lists_number (list, id)
            || !placement_overlap (window->place, other.place,
                                   service->machine))
            continue;
        if (json_array_append_new (
                list, json_pack ("{s:I, s:s, s:o, s:o}", "id", (json_int_t)id,
                                 "name", name_of (service, id), "from",
                                 seconds_json (from), "until",
                                 seconds_json (until)))
            < 0)
            return -1;
    }
    return 0;
}

json_t *reservation_overlaps (const struct service *service,
                              const struct node_reservation *reservation)
{
    tori_window window = {.size = sizeof window};
    json_t *list = json_array ();
    for (size_t i = 0;
         list && tori_sched_window (service->sched, i, &window); i++)
        if (window_number (&window) == reservation->id
            && add_overlaps (service, &window, list) < 0) {
            json_decref (list);
            return NULL;
        }
    return list;
}

/* ---- whose jobs may run there ---- */

static bool has_name (const json_t *names, const char *name)
{
    for (size_t i = 0; i < json_array_size (names); i++)
        if (!strcmp (json_string_value (json_array_get (names, i)), name))
            return true;
    return false;
}

static bool admits_account (const struct service *service,
                            const struct node_reservation *reservation,
                            const char *user)
{
    char name[ACCOUNT_NAME];
    if (!reservation->accounts)
        return false;
    policy_account_name (&service->policy,
                         policy_account (&service->policy, user), name);
    return has_name (reservation->accounts, name);
}

bool reservation_admits (const struct service *service,
                         const struct node_reservation *reservation,
                         const char *user)
{
    return has_name (reservation->users, user)
           || has_name (reservation->members, user)
           || admits_account (service, reservation, user);
}

bool reservation_names_group (const struct node_reservation *reservation,
                              const char *groups)
{
    for (size_t i = 0; i < json_array_size (reservation->groups); i++) {
        const char *name
            = json_string_value (json_array_get (reservation->groups, i));
        if (words_include (groups, name, strlen (name)))
            return true;
    }
    return false;
}

int reservation_tags (const struct service *service,
                      const struct node_reservation *reservation,
                      uint64_t **ret_tags, size_t *ret_n, tori_error *err)
{
    const tori_snapshot_window *is = &reservation->is;
    uint64_t *tags = calloc (is->ntags + service->jobs.n + 1, sizeof *tags);
    size_t n = 0;
    if (!tags)
        return tori_error_nomem (err);
    for (; n < is->ntags; n++)
        tags[n] = is->tags[n];
    for (size_t i = 0; i < service->jobs.n; i++) {
        const struct service_job *job = service->jobs.all[i];
        if (job->state != JOB_ENDED
            && reservation_admits (service, reservation, job->user))
            tags[n++] = job->id;
    }
    *ret_tags = tags;
    *ret_n = n;
    return 0;
}
