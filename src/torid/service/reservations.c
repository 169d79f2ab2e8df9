/* reservations.c - nodes that are kept free for a time: by operators, or by an
 * executor whose own system has reservations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "service_internal.h"
#include "jobread.h"

/* A reservation. `is.id` is its name, for people; the scheduler uses the
 * number `id`. */
struct node_reservation {
    uint64_t id;
    char *key;               /* by which the executor knows it, or NULL */
    tori_snapshot_window is; /* its place is known; `count` is what was asked
                                for, or 0 */
    uint64_t mark;
};

static void reservation_clear (struct node_reservation *reservation)
{
    snapshot_window_clear (&reservation->is);
    free (reservation->key);
}

/* ---- a list of them ---- */

static uint64_t reservation_hash (const struct node_reservation *reservation)
{
    const tori_snapshot_window *is = &reservation->is;
    uint64_t hash = hash_mix (UINT64_C (0x77696e646f77), reservation->id);
    hash = hash_mix (hash, (uint64_t)is->from);
    hash = hash_mix (hash, (uint64_t)is->until);
    for (size_t i = 0; i < is->ntags; i++)
        hash = hash_mix (hash, is->tags[i]);
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

static void drop_reservation (struct service *service, size_t i)
{
    struct node_reservation *at = &service->reservations[i];
    service->hash -= at->mark;
    reservation_clear (at);
    service->nreservations--;
    memmove (at, at + 1, (service->nreservations - i) * sizeof *at);
}

void reservations_expire (struct service *service)
{
    for (size_t i = service->nreservations; i-- > 0;)
        if (service->reservations[i].is.until <= service->now)
            drop_reservation (service, i);
}

void reservations_clear (struct service *service)
{
    while (service->nreservations > 0)
        drop_reservation (service, service->nreservations - 1);
    free (service->reservations);
}

/* ---- the scheduler ---- */

enum { NAME = 80 };

/* Its number, and what people call it. */
static void name_reservation (const struct node_reservation *reservation,
                              char name[NAME])
{
    const char *called = reservation->is.id ? reservation->is.id : "";
    int n = (int)strnlen (called, NAME / 2);
    while (n > 0 && (called[n] & 0xc0) == 0x80) /* within a character */
        n--;
    snprintf (name, NAME, n > 0 ? "%llu (%.*s)" : "%llu%.*s",
              (unsigned long long)reservation->id, n, called);
}

static int tell_scheduler (struct service *service,
                           const struct node_reservation *reservation,
                           tori_error *err)
{
    const tori_snapshot_window *is = &reservation->is;
    char name[NAME];
    const tori_window window = {.size = sizeof window,
                                .name = name,
                                .from = is->from,
                                .until = is->until,
                                .place =
                                    is->place.count > 0 ? &is->place : NULL,
                                .count = is->count,
                                .tags = is->tags,
                                .ntags = is->ntags};
    name_reservation (reservation, name);
    return tori_sched_add_window (service->sched, service->now, &window, err);
}

int reservations_tell (struct service *service, tori_error *err)
{
    for (size_t i = 0; i < service->nreservations; i++)
        if (tell_scheduler (service, &service->reservations[i], err) < 0)
            return -1;
    return 0;
}

/* The nodes that it chose. */
static int take_place (struct service *service,
                       struct node_reservation *reservation, tori_error *err)
{
    tori_window window = {.size = sizeof window};
    char name[NAME];
    name_reservation (reservation, name);
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

json_t *service_reservations (const struct service *service)
{
    return list_all (service, true);
}

json_t *reservations_save (const struct service *service)
{
    return list_all (service, false);
}

/* ---- reading ---- */

static int set_name (const json_t *from, struct node_reservation *reservation,
                     tori_error *err)
{
    const char *name = json_string_value (json_object_get (from, "name"));
    reservation->is.id = strdup (name ? name : "");
    return reservation->is.id ? 0 : tori_error_nomem (err);
}

static int set_key (const json_t *from, struct node_reservation *reservation,
                    tori_error *err)
{
    const char *key = json_string_value (json_object_get (from, "key"));
    reservation->key = key ? strdup (key) : NULL;
    return reservation->key || !key ? 0 : tori_error_nomem (err);
}

/* As it was saved, or chosen before. */
static int load_reservation (const struct service *service,
                             const json_t *saved,
                             struct node_reservation *reservation,
                             tori_error *err)
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
    return set_key (saved, reservation, err) < 0
               ? -1
               : set_name (saved, reservation, err);
}

static int add_saved (struct service *service, const json_t *saved,
                      tori_error *err)
{
    struct node_reservation reservation = {0};
    int status = load_reservation (service, saved, &reservation, err);
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

/* One text stands for a list of nodes and boxes. A new reference. */
static json_t *with_list (const json_t *input)
{
    json_t *copy = json_copy ((json_t *)(uintptr_t)input);
    json_t *nodes = json_object_get (copy, "nodes");
    if (json_is_string (nodes))
        json_object_set_new (copy, "nodes", json_pack ("[O]", nodes));
    return copy;
}

static int read_input (const struct service *service, const json_t *input,
                       struct node_reservation *reservation, tori_error *err)
{
    json_t *copy = with_list (input);
    const struct member_of of = {.object = copy};
    const char *name;
    int status = copy ? window_read (&of, service->machine, service->now,
                                     &reservation->is, err)
                      : tori_error_nomem (err);
    if (status == 0 && !json_object_get (copy, "until"))
        status = member_bad (&of, "until", err, "is missing");
    if (status == 0 && reservation->is.until <= service->now)
        status = member_bad (&of, "until", err, "in the past");
    if (status == 0 && member_text (&of, "name", &name, err) < 0)
        status = -1;
    if (status == 0)
        status = set_name (input, reservation, err);
    json_decref (copy);
    return status;
}

/* ---- inputs ---- */

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
    service->chosen = reservation_json (service, reservation, false);
    return service->chosen ? enter_reservation (service, reservation, err)
                           : tori_error_nomem (err);
}

int do_reserve (struct service *service, const json_t *input,
                struct reply *reply, tori_error *err)
{
    const json_t *chosen = json_object_get (input, "chosen");
    struct node_reservation reservation = {.id =
                                               service->last_reservation + 1};
    json_int_t id = (json_int_t)reservation.id;
    tori_error why = {0};
    int status = check_operator (input, reply);
    if (status == 0 && service->replaying)
        status = add_saved (service, chosen, err);
    else if (status == 0
             && (read_input (service, input, &reservation, &why) < 0
                 || tell_scheduler (service, &reservation, &why) < 0))
        status = refuse_error (&why, reply, err);
    else if (status == 0)
        status = enter_chosen (service, &reservation, err);
    reservation_clear (&reservation);
    if (status == 0)
        *reply = (struct reply){201, json_pack ("{s:I}", "id", id)};
    return status;
}

static int remove_reservation (struct service *service, size_t i,
                               tori_error *err)
{
    char name[NAME];
    name_reservation (&service->reservations[i], name);
    if (!service->replaying
        && tori_sched_remove_window (service->sched, service->now, name, err)
               < 0)
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
    if (read_input (service, word, reservation, err) < 0)
        return -1;
    if (reservation->is.place.count == 0)
        return tori_error_set (err, TORI_INVALID, "it has no place");
    return set_key (word, reservation, err);
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
