/* events.c - those who watch what happens, each at their own pace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "torid.h"

/* The last events are kept, for those who were away for a moment. Everybody
 * reads them from there, at their own pace; who falls behind misses some, and
 * is told so by the numbers. When nobody has watched for a while, there are
 * none. */
enum { KEPT = 4096, AWAY_MS = 60000 };

struct watcher {
    struct torid *torid;
    struct MHD_Connection *connection;
    uint64_t next; /* the event to send */
    size_t sent;   /* bytes of it */
    bool asleep;
    struct watcher *following, *before;
};

struct watchers {
    char *texts[KEPT];
    size_t sizes[KEPT];
    uint64_t first, next; /* those that are kept */
    struct watcher *all;
    bool awake;    /* events are kept */
    uint64_t left; /* when the last one went, by the clock of the loop */
};

static struct watchers *get (struct torid *torid)
{
    if (!torid->watchers)
        torid->watchers = calloc (1, sizeof *torid->watchers);
    if (torid->watchers && torid->watchers->next == 0)
        torid->watchers->first = torid->watchers->next = 1;
    return torid->watchers;
}

/* The first after a while finds none of what was missed, and a number that
 * says so. */
static void wake (struct torid *torid)
{
    struct watchers *all = torid->watchers;
    if (all->awake)
        return;
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
    size_t at;
    if (!all || !all->awake)
        return;
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
    at = all->next % KEPT;
    free (all->texts[at]);
    all->texts[at] = text;
    all->sizes[at] = strlen (text);
    all->next++;
    if (all->next - all->first > KEPT)
        all->first = all->next - KEPT;
    for (struct watcher *one = all->all; one; one = one->following)
        if (one->asleep) {
            one->asleep = false;
            MHD_resume_connection (one->connection);
        }
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

static ssize_t on_more (void *arg, uint64_t position, char *to, size_t room)
{
    struct watcher *watcher = arg;
    struct watchers *all = watcher->torid->watchers;
    size_t at, n;
    if (watcher->torid->ending)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (watcher->next < all->first) {
        watcher->torid->counts.dropped += all->first - watcher->next;
        watcher->next = all->first;
        watcher->sent = 0;
    }
    if (watcher->next == all->next) {
        watcher->asleep = true;
        MHD_suspend_connection (watcher->connection);
        return 0;
    }
    at = watcher->next % KEPT;
    n = all->sizes[at] - watcher->sent;
    if (n > room)
        n = room;
    memcpy (to, all->texts[at] + watcher->sent, n);
    watcher->sent += n;
    if (watcher->sent == all->sizes[at]) {
        watcher->next++;
        watcher->sent = 0;
    }
    return (ssize_t)n;
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

struct MHD_Response *watch_begin (struct torid *torid,
                                  struct MHD_Connection *connection,
                                  const char *last_id)
{
    struct watchers *all = get (torid);
    struct watcher *watcher = all ? calloc (1, sizeof *watcher) : NULL;
    struct MHD_Response *response;
    if (!watcher)
        return NULL;
    wake (torid);
    *watcher = (struct watcher){.torid = torid,
                                .connection = connection,
                                .next = all->next,
                                .following = all->all};
    if (last_id) {
        uint64_t id = strtoull (last_id, NULL, 10) + 1;
        watcher->next = id < all->first ? all->first
                        : id > all->next ? all->next
                                         : id;
    }
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

void watch_end (struct torid *torid)
{
    struct watchers *all = torid->watchers;
    for (struct watcher *one = all ? all->all : NULL; one;
         one = one->following)
        if (one->asleep) {
            one->asleep = false;
            MHD_resume_connection (one->connection);
        }
}

void watch_free (struct torid *torid)
{
    struct watchers *all = torid->watchers;
    for (size_t i = 0; all && i < KEPT; i++)
        free (all->texts[i]);
    free (all);
}
