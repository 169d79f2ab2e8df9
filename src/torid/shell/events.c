/* events.c - watchers of events, each at its own pace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "torid.h"

/* The last events are kept, for watchers that were away for a moment. Every
 * watcher reads them from there, at its own pace, so memory is bounded however
 * slow watchers are. A watcher that is too slow, or comes back too late,
 * misses events; the event `reset` tells it so. After a while without
 * watchers, no events are kept.
 *
 * Numbers begin with the clock, so that numbers from before a restart are
 * recognised. */
enum {
    KEPT = 4096,
    BYTES_MOST = 32 << 20,
    AWAY_MS = 60000,
    BEAT_SECONDS = 15,
    FIRST_SHIFT = 20 /* more events in a second are not to be had */
};

struct watcher {
    struct torid *torid;
    struct MHD_Connection *connection;
    uint64_t next; /* the event to send */
    size_t sent;   /* bytes of it */
    bool missed;   /* it is to be told so */
    bool asleep;
    bool has_token; /* by which it came: */
    unsigned char token[TOKEN_HASH];
    bool over; /* it is no longer good */
    uint64_t beat, beaten; /* every so many milliseconds; and when last */
    struct watcher *following, *before;
};

struct watchers {
    char *texts[KEPT];
    size_t sizes[KEPT];
    uint64_t first, next; /* those that are kept */
    size_t bytes;         /* of them all */
    struct watcher *all;
    bool awake;    /* events are kept */
    uint64_t left; /* when the last one went, by the clock of the loop */
};

static void resume_watcher (struct watcher *watcher)
{
    if (!watcher->asleep)
        return;
    watcher->asleep = false;
    MHD_resume_connection (watcher->connection);
}

/* Send a comment to watchers that got nothing for a while, so that they, and
 * proxies in between, know that the connection holds. */
static void on_beat (uv_timer_t *timer)
{
    struct torid *torid = timer->data;
    uint64_t now = uv_now (&torid->loop);
    bool any = false;
    for (struct watcher *one = torid->watchers->all; one;
         one = one->following)
        if (one->asleep && now >= one->beaten + one->beat) {
            resume_watcher (one);
            any = true;
        }
    if (any)
        http_run (torid);
}

static struct watchers *get_watchers (struct torid *torid)
{
    struct watchers *all = torid->watchers;
    if (all)
        return all;
    all = torid->watchers = calloc (1, sizeof *all);
    if (!all)
        return NULL;
    all->first = all->next
        = (uint64_t)(torid_now (torid) / TORI_SECOND) << FIRST_SHIFT;
    uv_timer_init (&torid->loop, &torid->beat);
    torid->beat.data = torid;
    uv_timer_start (&torid->beat, on_beat, 1000, 1000);
    return all;
}

static void forget_first (struct watchers *all)
{
    size_t at = all->first++ % KEPT;
    all->bytes -= all->sizes[at];
    free (all->texts[at]);
    all->texts[at] = NULL;
    all->sizes[at] = 0;
}

static void keep_event (struct watchers *all, char *text)
{
    size_t at = all->next % KEPT;
    if (all->next - all->first == KEPT)
        forget_first (all);
    all->texts[at] = text;
    all->sizes[at] = strlen (text);
    all->bytes += all->sizes[at];
    all->next++;
    while (all->bytes > BYTES_MOST && all->next - all->first > 1)
        forget_first (all);
}

/* The first after a while finds none of what was missed, and a number that
 * says so. */
static void wake_watchers (struct torid *torid)
{
    struct watchers *all = torid->watchers;
    if (all->awake)
        return;
    while (all->first < all->next)
        forget_first (all);
    all->first = ++all->next;
    all->awake = true;
    service_watch (torid->service, true);
}

void watch_turn (struct torid *torid)
{
    struct watchers *all = torid->watchers;
    if (all && (all->all || uv_now (&torid->loop) < all->left + AWAY_MS))
        return;
    if (all)
        all->awake = false;
    service_watch (torid->service, false);
}

void watch_tell (struct torid *torid, json_t *event)
{
    struct watchers *all = torid->watchers;
    const char *name
        = json_string_value (json_object_get (event, "event"));
    char *data, *text = NULL;
    if (!all || !all->awake)
        return;
    /* A thousand jobs of an array may share what is long. */
    service_leave_out (json_object_get (event, "job"));
    data = json_dumps (event, JSON_COMPACT);
    if (!data
        || asprintf (&text, "id: %llu\nevent: %s\ndata: %s\n\n",
                     (unsigned long long)all->next, name ? name : "event",
                     data)
               < 0) {
        free (data);
        return;
    }
    free (data);
    keep_event (all, text);
    for (struct watcher *one = all->all; one; one = one->following)
        resume_watcher (one);
}

size_t watch_count (const struct torid *torid)
{
    size_t n = 0;
    for (const struct watcher *one
         = torid->watchers ? torid->watchers->all : NULL;
         one; one = one->following)
        n++;
    return n;
}

/* A piece of a text that is short. */
static ssize_t send_short (char *to, size_t room, const char *text)
{
    size_t n = strlen (text);
    if (n > room)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    memcpy (to, text, n);
    return (ssize_t)n;
}

/* Nothing has happened: sleep, unless it is time for a sign of life. */
static ssize_t send_idle (struct watcher *watcher, char *to, size_t room)
{
    uint64_t now = uv_now (&watcher->torid->loop);
    if (now >= watcher->beaten + watcher->beat) {
        watcher->beaten = now;
        return send_short (to, room, ":\n\n");
    }
    watcher->asleep = true;
    MHD_suspend_connection (watcher->connection);
    return 0;
}

static size_t send_event (struct watcher *watcher, char *to, size_t room)
{
    const struct watchers *all = watcher->torid->watchers;
    size_t at = watcher->next % KEPT;
    size_t n = all->sizes[at] - watcher->sent;
    if (n > room)
        n = room;
    memcpy (to, all->texts[at] + watcher->sent, n);
    watcher->sent += n;
    if (watcher->sent == all->sizes[at]) {
        watcher->next++;
        watcher->sent = 0;
    }
    return n;
}

/* Send as many whole events as there is room for; part of one if it is longer.
 */
static ssize_t send_events (struct watcher *watcher, char *to, size_t room)
{
    const struct watchers *all = watcher->torid->watchers;
    size_t n = send_event (watcher, to, room);
    while (watcher->sent == 0 && watcher->next < all->next
           && all->sizes[watcher->next % KEPT] <= room - n)
        n += send_event (watcher, to + n, room - n);
    watcher->beaten = uv_now (&watcher->torid->loop);
    return (ssize_t)n;
}

/* Disconnect a watcher that has half of an event which is gone. When it comes
 * back, it learns that it missed events. */
static ssize_t on_more (void *arg, uint64_t position, char *to, size_t room)
{
    struct watcher *watcher = arg;
    struct watchers *all = watcher->torid->watchers;
    char text[100];
    if (watcher->torid->ending || watcher->over)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (watcher->next < all->first) {
        watcher->torid->counts.dropped += all->first - watcher->next;
        watcher->next = all->first;
        watcher->missed = true;
        if (watcher->sent > 0)
            return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    if (watcher->missed) {
        watcher->missed = false;
        snprintf (text, sizeof text,
                  "id: %llu\nevent: reset\n"
                  "data: {\"event\":\"reset\"}\n\n",
                  (unsigned long long)watcher->next - 1);
        return send_short (to, room, text);
    }
    return watcher->next == all->next ? send_idle (watcher, to, room)
                                      : send_events (watcher, to, room);
}

static void on_gone (void *arg)
{
    struct watcher *watcher = arg;
    struct watchers *all = watcher->torid->watchers;
    if (watcher->before)
        watcher->before->following = watcher->following;
    else
        all->all = watcher->following;
    if (watcher->following)
        watcher->following->before = watcher->before;
    all->left = uv_now (&watcher->torid->loop);
    free (watcher);
}

/* Find the event after the last one that the watcher saw. */
static void find_next (const struct watchers *all, struct watcher *watcher,
                       const char *last_id)
{
    uint64_t id;
    watcher->next = all->next;
    if (!last_id)
        return;
    watcher->missed = true;
    if (number_scan (&last_id, UINT64_MAX - 1, &id) && !*last_id
        && id + 1 >= all->first && id < all->next) {
        watcher->next = id + 1;
        watcher->missed = false;
    }
}

static uint64_t beat_of (struct MHD_Connection *connection)
{
    const char *text = MHD_lookup_connection_value (
        connection, MHD_GET_ARGUMENT_KIND, "beat");
    uint64_t seconds = BEAT_SECONDS;
    if (text)
        number_scan (&text, 3600, &seconds);
    return seconds * 1000;
}

struct MHD_Response *watch_begin (struct torid *torid,
                                  struct MHD_Connection *connection,
                                  const struct peer *peer,
                                  const char *last_id)
{
    struct watchers *all = get_watchers (torid);
    struct watcher *watcher = all ? calloc (1, sizeof *watcher) : NULL;
    struct MHD_Response *response;
    if (!watcher)
        return NULL;
    wake_watchers (torid);
    *watcher = (struct watcher){.torid = torid,
                                .connection = connection,
                                .has_token = peer->has_token,
                                .beat = beat_of (connection),
                                .beaten = uv_now (&torid->loop),
                                .following = all->all};
    memcpy (watcher->token, peer->token, TOKEN_HASH);
    find_next (all, watcher, last_id);
    response = MHD_create_response_from_callback (MHD_SIZE_UNKNOWN, 4096,
                                                  on_more, watcher, on_gone);
    if (!response) {
        free (watcher);
        return NULL;
    }
    if (all->all)
        all->all->before = watcher;
    all->all = watcher;
    MHD_add_response_header (response, "Content-Type", "text/event-stream");
    MHD_add_response_header (response, "Cache-Control", "no-store");
    return response;
}

void watch_check (struct torid *torid)
{
    struct watchers *all = torid->watchers;
    bool any = false;
    for (struct watcher *one = all ? all->all : NULL; one;
         one = one->following)
        if (one->has_token && !one->over
            && !tokens_find_hash (&torid->tokens, one->token)) {
            one->over = any = true;
            resume_watcher (one);
        }
    if (any)
        http_run (torid);
}

void watch_end (struct torid *torid)
{
    struct watchers *all = torid->watchers;
    for (struct watcher *one = all ? all->all : NULL; one;
         one = one->following)
        resume_watcher (one);
}

void watch_free (struct torid *torid)
{
    struct watchers *all = torid->watchers;
    for (size_t i = 0; all && i < KEPT; i++)
        free (all->texts[i]);
    free (all);
}
