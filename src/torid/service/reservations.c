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
struct closure {
    uint64_t id;
    char *key;               /* by which the executor knows it, or NULL */
    tori_snapshot_window is; /* its place is known; `count` is what was asked
                                for, or 0 */
    uint64_t mark;
};

static void closure_clear (struct closure *closure)
{
    snapshot_window_clear (&closure->is);
    free (closure->key);
}

/* ---- a list of them ---- */

static uint64_t closure_hash (const struct closure *closure)
{
    const tori_snapshot_window *is = &closure->is;
    uint64_t hash = hash_mix (UINT64_C (0x77696e646f77), closure->id);
    hash = hash_mix (hash, (uint64_t)is->from);
    hash = hash_mix (hash, (uint64_t)is->until);
    for (size_t i = 0; i < is->ntags; i++)
        hash = hash_mix (hash, is->tags[i]);
    return place_hash (hash, &is->place);
}

static size_t find (const struct service *service, uint64_t id)
{
    size_t i = 0;
    while (i < service->nwindows && service->windows[i].id != id)
        i++;
    return i;
}

/* Takes over what is in it. */
static int add (struct service *service, struct closure *closure,
                tori_error *err)
{
    struct closure *more =
        array_room (service->windows, &service->windows_room,
                    service->nwindows + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    service->windows = more;
    closure->mark = closure_hash (closure);
    service->hash += closure->mark;
    more[service->nwindows++] = *closure;
    *closure = (struct closure){0};
    return 0;
}

static void drop (struct service *service, size_t i)
{
    struct closure *at = &service->windows[i];
    service->hash -= at->mark;
    closure_clear (at);
    service->nwindows--;
    memmove (at, at + 1, (service->nwindows - i) * sizeof *at);
}

void closures_expire (struct service *service)
{
    for (size_t i = service->nwindows; i-- > 0;)
        if (service->windows[i].is.until <= service->now)
            drop (service, i);
}

void closures_clear (struct service *service)
{
    while (service->nwindows > 0)
        drop (service, service->nwindows - 1);
    free (service->windows);
}

/* ---- the scheduler ---- */

enum { NAME = 80 };

/* Its number, and what people call it. */
static void name_window (const struct closure *closure, char name[NAME])
{
    const char *called = closure->is.id ? closure->is.id : "";
    int n = (int)strnlen (called, NAME / 2);
    while (n > 0 && (called[n] & 0xc0) == 0x80) /* within a character */
        n--;
    snprintf (name, NAME, n > 0 ? "%llu (%.*s)" : "%llu%.*s",
              (unsigned long long)closure->id, n, called);
}

static int tell (struct service *service, const struct closure *closure,
                 tori_error *err)
{
    const tori_snapshot_window *is = &closure->is;
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
    name_window (closure, name);
    return tori_sched_add_window (service->sched, service->now, &window, err);
}

int closures_tell (struct service *service, tori_error *err)
{
    for (size_t i = 0; i < service->nwindows; i++)
        if (tell (service, &service->windows[i], err) < 0)
            return -1;
    return 0;
}

/* The nodes that it chose. */
static int take_place (struct service *service, struct closure *closure,
                       tori_error *err)
{
    tori_window window = {.size = sizeof window};
    char name[NAME];
    name_window (closure, name);
    for (size_t i = 0; tori_sched_window (service->sched, i, &window); i++)
        if (!strcmp (window.name, name) && closure->is.place.count == 0)
            return tori_placement_copy (&closure->is.place, window.place, err);
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
static json_t *closure_json (const struct service *service,
                             const struct closure *closure, bool shown)
{
    const tori_snapshot_window *is = &closure->is;
    json_t *to = json_pack (
        "{s:I, s:s, s:o, s:o}", "id", (json_int_t)closure->id, "name",
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
    if (closure->key)
        json_object_set_new (to, "key", json_string (closure->key));
    return to;
}

static json_t *list (const struct service *service, bool shown)
{
    json_t *all = json_array ();
    for (size_t i = 0; i < service->nwindows; i++)
        json_array_append_new (
            all, closure_json (service, &service->windows[i], shown));
    return all;
}

json_t *service_windows (const struct service *service)
{
    return list (service, true);
}

json_t *closures_save (const struct service *service)
{
    return list (service, false);
}

/* ---- reading ---- */

static int set_name (const json_t *from, struct closure *closure,
                     tori_error *err)
{
    const char *name = json_string_value (json_object_get (from, "name"));
    closure->is.id = strdup (name ? name : "");
    return closure->is.id ? 0 : tori_error_nomem (err);
}

static int set_key (const json_t *from, struct closure *closure,
                    tori_error *err)
{
    const char *key = json_string_value (json_object_get (from, "key"));
    closure->key = key ? strdup (key) : NULL;
    return closure->key || !key ? 0 : tori_error_nomem (err);
}

/* As it was saved, or chosen before. */
static int load (const struct service *service, const json_t *saved,
                 struct closure *closure, tori_error *err)
{
    const struct member_of of = {.object = saved, .list = "windows"};
    tori_snapshot_window *is = &closure->is;
    json_int_t id = json_integer_value (json_object_get (saved, "id"));
    int64_t count = 0;
    if (window_read (&of, service->machine, -1, is, err) < 0
        || member_integer (&of, "count", 1, &count, err) < 0)
        return -1;
    if (is->place.count == 0 || id < 1)
        return member_bad (&of, "box", err, "is missing");
    closure->id = (uint64_t)id;
    is->count = (uint64_t)count;
    is->from = json_integer_value (json_object_get (saved, "begin"));
    is->until = json_integer_value (json_object_get (saved, "over"));
    return set_key (saved, closure, err) < 0 ? -1
                                             : set_name (saved, closure, err);
}

static int add_saved (struct service *service, const json_t *saved,
                      tori_error *err)
{
    struct closure closure = {0};
    int status = load (service, saved, &closure, err);
    if (status == 0) {
        if (service->last_window < closure.id)
            service->last_window = closure.id;
        status = add (service, &closure, err);
    }
    closure_clear (&closure);
    return status;
}

int closures_load (struct service *service, const json_t *all, tori_error *err)
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
                       struct closure *closure, tori_error *err)
{
    json_t *copy = with_list (input);
    const struct member_of of = {.object = copy};
    const char *name;
    int status = copy ? window_read (&of, service->machine, service->now,
                                     &closure->is, err)
                      : tori_error_nomem (err);
    if (status == 0 && !json_object_get (copy, "until"))
        status = member_bad (&of, "until", err, "is missing");
    if (status == 0 && closure->is.until <= service->now)
        status = member_bad (&of, "until", err, "in the past");
    if (status == 0 && member_text (&of, "name", &name, err) < 0)
        status = -1;
    if (status == 0)
        status = set_name (input, closure, err);
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
                           const struct closure *closure)
{
    json_t *shown;
    if (service->replaying || service->unwatched)
        return;
    shown = closure_json (service, closure, true);
    service_put (service, EFFECT_EVENT,
                 json_pack ("{s:s, s:O, s:o}", "event", event, "reservation",
                            shown, "window", shown));
}

static int enter (struct service *service, struct closure *closure,
                  tori_error *err)
{
    service->last_window = closure->id;
    tell_watchers (service, "window", closure);
    return add (service, closure, err);
}

/* Choose a place, and record it with the input. */
static int enter_chosen (struct service *service, struct closure *closure,
                         tori_error *err)
{
    if (take_place (service, closure, err) < 0)
        return -1;
    service->chosen = closure_json (service, closure, false);
    return service->chosen ? enter (service, closure, err)
                           : tori_error_nomem (err);
}

int do_window (struct service *service, const json_t *input,
               struct reply *reply, tori_error *err)
{
    const json_t *chosen = json_object_get (input, "chosen");
    struct closure closure = {.id = service->last_window + 1};
    json_int_t id = (json_int_t)closure.id;
    tori_error why = {0};
    int status = check_operator (input, reply);
    if (status == 0 && service->replaying)
        status = add_saved (service, chosen, err);
    else if (status == 0
             && (read_input (service, input, &closure, &why) < 0
                 || tell (service, &closure, &why) < 0))
        status = refuse_error (&why, reply, err);
    else if (status == 0)
        status = enter_chosen (service, &closure, err);
    closure_clear (&closure);
    if (status == 0)
        *reply = (struct reply){201, json_pack ("{s:I}", "id", id)};
    return status;
}

static int leave (struct service *service, size_t i, tori_error *err)
{
    char name[NAME];
    name_window (&service->windows[i], name);
    if (!service->replaying
        && tori_sched_remove_window (service->sched, service->now, name, err)
               < 0)
        return -1;
    tell_watchers (service, "unwindow", &service->windows[i]);
    drop (service, i);
    return 0;
}

int do_unwindow (struct service *service, const json_t *input,
                 struct reply *reply, tori_error *err)
{
    json_int_t id = json_integer_value (json_object_get (input, "id"));
    size_t i = find (service, (uint64_t)id);
    if (check_operator (input, reply))
        return 1;
    if (i == service->nwindows)
        return refuse (reply, 404, "no-such-window", "there is no reservation %lld",
                       (long long)id);
    *reply = (struct reply){200, json_pack ("{s:I}", "id", id)};
    return leave (service, i, err);
}

/* ---- reservations of the executor ---- */

static int read_foreign (const struct service *service, const json_t *word,
                         struct closure *closure, tori_error *err)
{
    if (!json_is_string (json_object_get (word, "key")))
        return tori_error_set (err, TORI_INVALID, "it has no key");
    if (read_input (service, word, closure, err) < 0)
        return -1;
    if (closure->is.place.count == 0)
        return tori_error_set (err, TORI_INVALID, "it has no place");
    return set_key (word, closure, err);
}

/* Find the position of a reservation by its key, or nwindows. *ret_same says
 * whether it is the same in all else as well. */
static size_t find_key (const struct service *service, struct closure *closure,
                        bool *ret_same)
{
    size_t i = 0;
    while (i < service->nwindows
           && (!service->windows[i].key
               || strcmp (service->windows[i].key, closure->key) != 0))
        i++;
    *ret_same = false;
    if (i < service->nwindows) {
        uint64_t id = closure->id;
        closure->id = service->windows[i].id;
        *ret_same = closure_hash (closure) == service->windows[i].mark;
        closure->id = id;
    }
    return i;
}

/* Take a reservation of the executor; skip it if it is over or invalid. */
static int take_foreign (struct service *service, const json_t *word,
                         bool *changed, tori_error *err)
{
    struct closure closure = {.id = service->last_window + 1};
    tori_error why = {0};
    bool same = true;
    size_t at = 0;
    int status = 0;
    if (read_foreign (service, word, &closure, &why) == 0)
        at = find_key (service, &closure, &same);
    if (!same) {
        *changed = true;
        if (at < service->nwindows)
            status = leave (service, at, err);
        if (status == 0 && tell (service, &closure, &why) == 0)
            status = enter (service, &closure, err);
    }
    closure_clear (&closure);
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
static int leave_others (struct service *service, const json_t *list,
                         bool *changed, tori_error *err)
{
    for (size_t i = service->nwindows; i-- > 0;)
        if (service->windows[i].key
            && !is_listed (list, service->windows[i].key)) {
            *changed = true;
            if (leave (service, i, err) < 0)
                return -1;
        }
    return 0;
}

static json_t *list_foreign (const struct service *service)
{
    json_t *all = json_array ();
    for (size_t i = 0; i < service->nwindows; i++)
        if (service->windows[i].key)
            json_array_append_new (
                all, closure_json (service, &service->windows[i], false));
    return all;
}

static int replay_foreign (struct service *service, const json_t *chosen,
                           tori_error *err)
{
    bool changed;
    return leave_others (service, NULL, &changed, err) < 0
               ? -1
               : closures_load (service, chosen, err);
}

int do_windows (struct service *service, const json_t *input,
                struct reply *reply, tori_error *err)
{
    const char *name = json_object_get (input, "reservations")
                           ? "reservations"
                           : "windows";
    const json_t *list = json_object_get (input, name);
    bool changed = false;
    if (service->replaying)
        return replay_foreign (service, json_object_get (input, "chosen"),
                               err);
    if (!json_is_array (list))
        return 1;
    if (leave_others (service, list, &changed, err) < 0)
        return -1;
    for (size_t i = 0; i < json_array_size (list); i++)
        if (take_foreign (service, json_array_get (list, i), &changed, err)
            < 0)
            return -1;
    if (!changed)
        return 1;
    service->chosen = list_foreign (service);
    return service->chosen ? 0 : tori_error_nomem (err);
}
