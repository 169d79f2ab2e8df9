/* reservations.c - nodes that are kept free for a time: by operators, or by an
 * executor whose own system has reservations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array.h"
#include "hours.h"
#include "placement.h"
#include "reservation.h"

/* ---- a list of them ---- */

static uint64_t text_hash (uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = hash_mix (hash, (unsigned char)*text);
    return hash;
}

static uint64_t names_hash (uint64_t hash, const json_t *names)
{
    for (size_t i = 0; i < json_array_size (names); i++)
        hash = text_hash (hash,
                          json_string_value (json_array_get (names, i)));
    return hash;
}

/* The times of one that comes again depend on the clock of the host, and are
 * left out. */
static uint64_t reservation_hash (const struct node_reservation *reservation)
{
    const tori_snapshot_window *is = &reservation->is;
    uint64_t hash = hash_mix (UINT64_C (0x77696e646f77), reservation->id);
    if (reservation->every)
        hash = text_hash (hash, reservation->every);
    else
        hash = hash_mix (hash_mix (hash, (uint64_t)is->from),
                         (uint64_t)is->until);
    for (size_t i = 0; i < is->ntags; i++)
        hash = hash_mix (hash, is->tags[i]);
    hash = names_hash (hash, reservation->users);
    hash = names_hash (hash, reservation->groups);
    hash = names_hash (hash, reservation->accounts);
    hash = names_hash (hash, reservation->members);
    return place_hash (hash, &is->place);
}

static size_t find_id (const struct service *service, uint64_t id)
{
    size_t i = 0;
    while (i < service->nreservations && service->reservations[i].id != id)
        i++;
    return i;
}

/* Takes over what is in it. */
static int add_reservation (struct service *service,
                            struct node_reservation *reservation,
                            tori_error *err)
{
    struct node_reservation *more =
        array_room (service->reservations, &service->reservations_room,
                    service->nreservations + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    service->reservations = more;
    reservation->mark = reservation_hash (reservation);
    service->hash += reservation->mark;
    more[service->nreservations++] = *reservation;
    *reservation = (struct node_reservation){0};
    return 0;
}

static void tell_watchers (struct service *service, const char *event,
                           const struct node_reservation *reservation);

static void drop_reservation (struct service *service, size_t i)
{
    struct node_reservation *at = &service->reservations[i];
    service->hash -= at->mark;
    reservation_clear (at);
    service->nreservations--;
    memmove (at, at + 1, (service->nreservations - i) * sizeof *at);
}

void reservations_clear (struct service *service)
{
    while (service->nreservations > 0)
        drop_reservation (service, service->nreservations - 1);
    free (service->reservations);
}

/* ---- the scheduler ---- */

enum { NAME = 120 };

/* Its number, and what people call it; and when it begins, if it comes again.
 */
static void name_reservation (const struct node_reservation *reservation,
                              tori_time from, char name[NAME])
{
    const char *called = reservation->is.id ? reservation->is.id : "";
    int n = (int)strnlen (called, NAME / 3), end;
    time_t seconds = (time_t)(from / TORI_SECOND);
    struct tm local;
    while (n > 0 && (called[n] & 0xc0) == 0x80) /* within a character */
        n--;
    end = snprintf (name, NAME, n > 0 ? "%llu (%.*s)" : "%llu%.*s",
                    (unsigned long long)reservation->id, n, called);
    if (reservation->every && localtime_r (&seconds, &local))
        strftime (name + end, NAME - (size_t)end, " of %Y-%m-%d %H:%M %Z",
                  &local);
}

/* Keep its place from one time to another. */
static int tell_times (struct service *service,
                       const struct node_reservation *reservation,
                       tori_time from, tori_time until, tori_error *err)
{
    const tori_snapshot_window *is = &reservation->is;
    char name[NAME];
    tori_window window = {.size = sizeof window,
                          .name = name,
                          .from = from,
                          .until = until,
                          .place = is->place.count > 0 ? &is->place : NULL,
                          .count = is->count};
    uint64_t *tags = NULL;
    int status;
    if (reservation_tags (service, reservation, &tags, &window.ntags, err) < 0)
        return -1;
    window.tags = tags;
    name_reservation (reservation, from, name);
    status = tori_sched_add_window (service->sched, service->now, &window,
                                    err);
    free (tags);
    return status;
}

/* A reservation that comes again is planned for so long. */
#define HORIZON (28 * 24 * 3600 * TORI_SECOND)

/* Tell of the later ones that are not known yet. */
static int tell_later (struct service *service,
                       struct node_reservation *reservation, tori_error *err)
{
    tori_time from, until;
    if (reservation->known < service->now)
        reservation->known = service->now;
    while (reservation->every
           && hours_span (reservation->every, reservation->known, &from,
                          &until)
           && from < service->now + HORIZON) {
        if (tell_times (service, reservation, from, until, err) < 0)
            return -1;
        reservation->known = until;
    }
    return 0;
}

/* The first, whose place may have to be chosen yet. */
static int tell_first (struct service *service,
                       struct node_reservation *reservation, tori_error *err)
{
    const tori_snapshot_window *is = &reservation->is;
    reservation->known = is->until;
    return tell_times (service, reservation, is->from, is->until, err);
}

static int tell_scheduler (struct service *service,
                           struct node_reservation *reservation,
                           tori_error *err)
{
    return tell_first (service, reservation, err) < 0
               ? -1
               : tell_later (service, reservation, err);
}

/* The name of one of its windows, from the i-th on, and the next i; 0 if there
 * are no more. */
static size_t find_told (const struct service *service,
                         const struct node_reservation *reservation, size_t i,
                         char name[NAME])
{
    tori_window window = {.size = sizeof window};
    for (; tori_sched_window (service->sched, i, &window); i++)
        if (strtoull (window.name, NULL, 10) == reservation->id) {
            snprintf (name, NAME, "%s", window.name);
            return i + 1;
        }
    return 0;
}

static int untell_scheduler (struct service *service,
                             const struct node_reservation *reservation,
                             tori_error *err)
{
    char name[NAME];
    while (find_told (service, reservation, 0, name))
        if (tori_sched_remove_window (service->sched, service->now, name, err)
            < 0)
            return -1;
    return 0;
}

/* It is over: false; or it comes again, and `is` has the next times. */
static bool roll_on (const struct service *service,
                     struct node_reservation *reservation)
{
    tori_snapshot_window *is = &reservation->is;
    while (is->until <= service->now)
        if (!reservation->every
            || !hours_span (reservation->every, is->until, &is->from,
                            &is->until))
            return false;
    return true;
}

int reservations_expire (struct service *service, tori_error *err)
{
    for (size_t i = service->nreservations; i-- > 0;) {
        struct node_reservation *at = &service->reservations[i];
        if (at->is.until > service->now)
            continue;
        if (!roll_on (service, at))
            drop_reservation (service, i);
        else if (!service->replaying) {
            tell_watchers (service, "window", at);
            if (tell_later (service, at, err) < 0)
                return -1;
        }
    }
    return 0;
}

int reservations_tell (struct service *service, tori_error *err)
{
    for (size_t i = 0; i < service->nreservations; i++)
        if (tell_scheduler (service, &service->reservations[i], err) < 0)
            return -1;
    return 0;
}

/* A user in one of its groups has submitted jobs: note that. */
static int learn_member (struct service *service,
                         struct node_reservation *reservation,
                         const json_t *user, tori_error *err)
{
    if (!reservation->members)
        reservation->members = json_array ();
    if (json_array_append (reservation->members, (json_t *)(uintptr_t)user)
        < 0)
        return tori_error_nomem (err);
    service->hash -= reservation->mark;
    reservation->mark = reservation_hash (reservation);
    service->hash += reservation->mark;
    if (service->replaying)
        return 0;
    return untell_scheduler (service, reservation, err) < 0
               ? -1
               : tell_scheduler (service, reservation, err);
}

static int admit_jobs (struct service *service,
                       const struct node_reservation *reservation,
                       uint64_t first, tori_error *err)
{
    char name[NAME];
    size_t at = 0;
    while ((at = find_told (service, reservation, at, name)))
        for (size_t i = job_table_from (&service->jobs, first);
             i < service->jobs.n; i++)
            if (tori_sched_admit (service->sched, service->now, name,
                                  service->jobs.all[i]->id, err)
                < 0)
                return -1;
    return 0;
}

int reservations_follow (struct service *service, const json_t *input,
                         uint64_t first, tori_error *err)
{
    const json_t *user = json_object_get (input, "user");
    const char *groups = json_string_value (json_object_get (input, "groups"));
    const char *name = json_string_value (user);
    for (size_t i = 0; name && i < service->nreservations; i++) {
        struct node_reservation *at = &service->reservations[i];
        int status = 0;
        if (!reservation_admits (service, at, name) && reservation_names_group (at, groups))
            status = learn_member (service, at, user, err);
        else if (!service->replaying && reservation_admits (service, at, name))
            status = admit_jobs (service, at, first, err);
        if (status < 0)
            return -1;
    }
    return 0;
}

int reservations_review (struct service *service, tori_error *err)
{
    for (size_t i = 0; i < service->nreservations; i++) {
        struct node_reservation *at = &service->reservations[i];
        if (at->accounts
            && (untell_scheduler (service, at, err) < 0
                || tell_scheduler (service, at, err) < 0))
            return -1;
    }
    return 0;
}

/* The nodes that it chose. */
static int take_place (struct service *service,
                       struct node_reservation *reservation, tori_error *err)
{
    tori_window window = {.size = sizeof window};
    char name[NAME];
    name_reservation (reservation, reservation->is.from, name);
    for (size_t i = 0; tori_sched_window (service->sched, i, &window); i++)
        if (!strcmp (window.name, name) && reservation->is.place.count == 0)
            return tori_placement_copy (&reservation->is.place, window.place,
                                        err);
    return 0;
}

/* ---- as JSON ---- */

static json_t *tags_json (const tori_snapshot_window *is)
{
    json_t *list = json_array ();
    for (size_t i = 0; i < is->ntags; i++)
        json_array_append_new (list, json_integer ((json_int_t)is->tags[i]));
    return list;
}

/* The times that are planned for one that comes again. */
static json_t *times_json (const struct service *service,
                           const struct node_reservation *reservation)
{
    const tori_snapshot_window *is = &reservation->is;
    tori_time from = is->from, until = is->until;
    json_t *list = json_array ();
    do
        json_array_append_new (list, json_pack ("{s:o, s:o}", "from",
                                                seconds_json (from), "until",
                                                seconds_json (until)));
    while (hours_span (reservation->every, until, &from, &until)
           && from < service->now + HORIZON);
    return list;
}

/* Times are in seconds, for users, or in ticks, by other names. */
static json_t *reservation_json (const struct service *service,
                                 const struct node_reservation *reservation,
                                 bool shown)
{
    const tori_snapshot_window *is = &reservation->is;
    json_t *to = json_pack (
        "{s:I, s:s, s:o, s:o}", "id", (json_int_t)reservation->id, "name",
        is->id ? is->id : "", shown ? "from" : "begin",
        shown ? seconds_json (is->from) : json_integer (is->from),
        shown ? "until" : "over",
        shown ? seconds_json (is->until) : json_integer (is->until));
    json_t *place = place_save (service->machine, &is->place);
    json_object_update (to, place);
    json_decref (place);
    if (is->count > 0)
        json_object_set_new (to, "count",
                             json_integer ((json_int_t)is->count));
    if (is->ntags > 0)
        json_object_set_new (to, "jobs", tags_json (is));
    if (reservation->key)
        json_object_set_new (to, "key", json_string (reservation->key));
    if (reservation->why)
        json_object_set_new (to, "why", json_string (reservation->why));
    if (reservation->every)
        json_object_set_new (to, "every", json_string (reservation->every));
    if (reservation->every && shown)
        json_object_set_new (to, "times", times_json (service, reservation));
    if (reservation->users)
        json_object_set (to, "users", reservation->users);
    if (reservation->groups)
        json_object_set (to, shown ? "groups" : "of_groups",
                         reservation->groups);
    if (reservation->accounts)
        json_object_set (to, "accounts", reservation->accounts);
    if (reservation->members && !shown)
        json_object_set_new (to, "members",
                             json_deep_copy (reservation->members));
    return to;
}

static json_t *list_all (const struct service *service, bool shown)
{
    json_t *all = json_array ();
    for (size_t i = 0; i < service->nreservations; i++)
        json_array_append_new (
            all, reservation_json (service, &service->reservations[i], shown));
    return all;
}

bool service_reserved (const struct service *service, uint64_t *ids)
{
    uint32_t n = tori_machine_nodes (service->machine);
    uint32_t *nodes = calloc (n, sizeof *nodes);
    if (!nodes)
        return false;
    for (size_t i = service->nreservations; i-- > 0;) {
        const struct node_reservation *at = &service->reservations[i];
        if (at->is.from > service->now || at->is.until <= service->now)
            continue;
        tori_placement_nodes (&at->is.place, service->machine, nodes);
        for (uint32_t k = 0; k < at->is.place.count; k++)
            ids[nodes[k]] = at->id;
    }
    free (nodes);
    return true;
}

char *service_reserved_groups (const struct service *service)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream (&text, &size);
    for (size_t i = 0; to && i < service->nreservations; i++) {
        const json_t *groups = service->reservations[i].groups;
        for (size_t k = 0; k < json_array_size (groups); k++)
            fprintf (to, " @%s",
                     json_string_value (json_array_get (groups, k)));
    }
    if (!to || fclose (to) == 0)
        return text;
    free (text);
    return NULL;
}

json_t *service_reservations (const struct service *service)
{
    return list_all (service, true);
}

json_t *reservations_save (const struct service *service)
{
    return list_all (service, false);
}

/* ---- saved ones ---- */

static int add_saved (struct service *service, const json_t *saved,
                      tori_error *err)
{
    struct node_reservation reservation = {0};
    int status = reservation_load (service, saved, &reservation, err);
    if (status == 0) {
        if (service->last_reservation < reservation.id)
            service->last_reservation = reservation.id;
        status = add_reservation (service, &reservation, err);
    }
    reservation_clear (&reservation);
    return status;
}

int reservations_load (struct service *service, const json_t *all,
                       tori_error *err)
{
    for (size_t i = 0; i < json_array_size (all); i++)
        if (add_saved (service, json_array_get (all, i), err) < 0)
            return -1;
    return 0;
}

/* ---- inputs ---- */

json_t *reservations_look (const struct service *service, const json_t *input)
{
    const json_t *id = json_object_get (input, "id");
    uint64_t number = id ? (uint64_t)json_integer_value (id)
                         : service->last_reservation;
    size_t i = find_id (service, number);
    json_t *is = i < service->nreservations
                     ? reservation_json (service, &service->reservations[i],
                                         true)
                     : json_object ();
    json_object_del (is, "times"); /* they follow from `every` */
    return is;
}

static int check_operator (const json_t *input, struct reply *reply)
{
    return is_operator (input) ? 0
                               : refuse (reply, 403, "forbidden",
                                         "only operators may keep nodes free");
}

static void tell_watchers (struct service *service, const char *event,
                           const struct node_reservation *reservation)
{
    json_t *shown;
    if (service->replaying || service->unwatched)
        return;
    shown = reservation_json (service, reservation, true);
    service_put (service, EFFECT_EVENT,
                 json_pack ("{s:s, s:O, s:o}", "event", event, "reservation",
                            shown, "window", shown));
}

static int enter_reservation (struct service *service,
                              struct node_reservation *reservation,
                              tori_error *err)
{
    service->last_reservation = reservation->id;
    tell_watchers (service, "window", reservation);
    return add_reservation (service, reservation, err);
}

/* Choose a place, and record it with the input. */
static int enter_chosen (struct service *service,
                         struct node_reservation *reservation, tori_error *err)
{
    if (take_place (service, reservation, err) < 0)
        return -1;
    if (tell_later (service, reservation, err) < 0)
        return -1;
    service->chosen = reservation_json (service, reservation, false);
    return service->chosen ? enter_reservation (service, reservation, err)
                           : tori_error_nomem (err);
}

/* Whether a job that runs is on its nodes when it begins, and may not be. */
static bool is_in_the_way (const struct service *service,
                           const struct node_reservation *reservation,
                           const struct service_job *job, tori_time *ret_end)
{
    const tori_snapshot_window *is = &reservation->is;
    tori_job_info info = {.size = sizeof info};
    if (job->state != JOB_RUNNING
        || !tori_sched_look (service->sched, job->number, &info)
        || !info.place || (info.end <= is->from && is->from > service->now)
        || reservation_admits (service, reservation, job->user))
        return false;
    for (size_t i = 0; i < is->ntags; i++)
        if (is->tags[i] == job->id)
            return false;
    *ret_end = info.end;
    return placement_overlap (info.place, &is->place, service->machine);
}

/* The jobs that run where a new reservation begins. */
static json_t *list_in_the_way (const struct service *service,
                                const struct node_reservation *reservation)
{
    json_t *list = json_array ();
    for (size_t i = 0; i < service->jobs.n; i++) {
        const struct service_job *job = service->jobs.all[i];
        tori_time end;
        if (is_in_the_way (service, reservation, job, &end))
            json_array_append_new (
                list, json_pack ("{s:I, s:s, s:o}", "id", (json_int_t)job->id,
                                 "user", job->user, "end",
                                 seconds_json (end)));
    }
    return list;
}

/* Set a list, unless it is empty. */
static void set_list (json_t *to, const char *key, json_t *list)
{
    if (json_array_size (list) > 0)
        json_object_set (to, key, list);
    json_decref (list);
}

/* The number of the reservation that was made last, and what is in its way. */
static json_t *made_json (const struct service *service)
{
    const struct node_reservation *last
        = &service->reservations[service->nreservations - 1];
    json_t *to = json_pack ("{s:I}", "id",
                            (json_int_t)service->last_reservation);
    if (service->replaying)
        return to;
    set_list (to, "in_the_way", list_in_the_way (service, last));
    set_list (to, "overlaps", reservation_overlaps (service, last));
    return to;
}

int do_reserve (struct service *service, const json_t *input,
                struct reply *reply, tori_error *err)
{
    const json_t *chosen = json_object_get (input, "chosen");
    struct node_reservation reservation = {.id =
                                               service->last_reservation + 1};
    tori_error why = {0};
    int status = check_operator (input, reply);
    if (status == 0 && service->replaying)
        status = add_saved (service, chosen, err);
    else if (status == 0
             && (reservation_read (service, input, &reservation, &why) < 0
                 || tell_first (service, &reservation, &why) < 0))
        status = refuse_error (&why, reply, err);
    else if (status == 0)
        status = enter_chosen (service, &reservation, err);
    reservation_clear (&reservation);
    if (status == 0)
        *reply = (struct reply){201, made_json (service)};
    return status;
}

static int remove_reservation (struct service *service, size_t i,
                               tori_error *err)
{
    if (!service->replaying
        && untell_scheduler (service, &service->reservations[i], err) < 0)
        return -1;
    tell_watchers (service, "unwindow", &service->reservations[i]);
    drop_reservation (service, i);
    return 0;
}

int do_unreserve (struct service *service, const json_t *input,
                  struct reply *reply, tori_error *err)
{
    json_int_t id = json_integer_value (json_object_get (input, "id"));
    size_t i = find_id (service, (uint64_t)id);
    if (check_operator (input, reply))
        return 1;
    if (i == service->nreservations)
        return refuse (reply, 404, "no-such-window", "there is no reservation %lld",
                       (long long)id);
    *reply = (struct reply){200, json_pack ("{s:I}", "id", id)};
    return remove_reservation (service, i, err);
}

/* ---- reservations of the executor ---- */

static int read_external (const struct service *service, const json_t *word,
                          struct node_reservation *reservation,
                          tori_error *err)
{
    if (!json_is_string (json_object_get (word, "key")))
        return tori_error_set (err, TORI_INVALID, "it has no key");
    if (reservation_read (service, word, reservation, err) < 0)
        return -1;
    if (reservation->is.place.count == 0)
        return tori_error_set (err, TORI_INVALID, "it has no place");
    return reservation_set_key (word, reservation, err);
}

/* Find the position of a reservation by its key, or nreservations. *ret_same
 * says whether it is the same in all else as well. */
static size_t find_key (const struct service *service,
                        struct node_reservation *reservation, bool *ret_same)
{
    size_t i = 0;
    while (
        i < service->nreservations
        && (!service->reservations[i].key
            || strcmp (service->reservations[i].key, reservation->key) != 0))
        i++;
    *ret_same = false;
    if (i < service->nreservations) {
        uint64_t id = reservation->id;
        reservation->id = service->reservations[i].id;
        *ret_same =
            reservation_hash (reservation) == service->reservations[i].mark;
        reservation->id = id;
    }
    return i;
}

/* Take a reservation of the executor; skip it if it is over or invalid. */
static int take_external (struct service *service, const json_t *word,
                          bool *changed, tori_error *err)
{
    struct node_reservation reservation = {.id =
                                               service->last_reservation + 1};
    tori_error why = {0};
    bool same = true;
    size_t at = 0;
    int status = 0;
    if (read_external (service, word, &reservation, &why) == 0)
        at = find_key (service, &reservation, &same);
    if (!same) {
        *changed = true;
        if (at < service->nreservations)
            status = remove_reservation (service, at, err);
        if (status == 0 && tell_scheduler (service, &reservation, &why) == 0)
            status = enter_reservation (service, &reservation, err);
    }
    reservation_clear (&reservation);
    return why.status == TORI_FAILED
               ? tori_error_set (err, why.status, "%s", why.text)
               : status;
}

static bool is_listed (const json_t *list, const char *key)
{
    for (size_t i = 0; i < json_array_size (list); i++) {
        const char *other = json_string_value (
            json_object_get (json_array_get (list, i), "key"));
        if (other && !strcmp (other, key))
            return true;
    }
    return false;
}

/* Remove reservations of the executor that are not in the list; NULL: all. */
static int remove_others (struct service *service, const json_t *list,
                          bool *changed, tori_error *err)
{
    for (size_t i = service->nreservations; i-- > 0;)
        if (service->reservations[i].key
            && !is_listed (list, service->reservations[i].key)) {
            *changed = true;
            if (remove_reservation (service, i, err) < 0)
                return -1;
        }
    return 0;
}

static json_t *list_external (const struct service *service)
{
    json_t *all = json_array ();
    for (size_t i = 0; i < service->nreservations; i++)
        if (service->reservations[i].key)
            json_array_append_new (
                all,
                reservation_json (service, &service->reservations[i], false));
    return all;
}

static int replay_external (struct service *service, const json_t *chosen,
                            tori_error *err)
{
    bool changed;
    return remove_others (service, NULL, &changed, err) < 0
               ? -1
               : reservations_load (service, chosen, err);
}

int do_reservations (struct service *service, const json_t *input,
                     struct reply *reply, tori_error *err)
{
    const char *name = json_object_get (input, "reservations")
                           ? "reservations"
                           : "windows";
    const json_t *list = json_object_get (input, name);
    bool changed = false;
    if (service->replaying)
        return replay_external (service, json_object_get (input, "chosen"),
                                err);
    if (!json_is_array (list))
        return 1;
    if (remove_others (service, list, &changed, err) < 0)
        return -1;
    for (size_t i = 0; i < json_array_size (list); i++)
        if (take_external (service, json_array_get (list, i), &changed, err)
            < 0)
            return -1;
    if (!changed)
        return 1;
    service->chosen = list_external (service);
    return service->chosen ? 0 : tori_error_nomem (err);
}
