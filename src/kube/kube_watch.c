#include "kube_watch.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 500, WATCH_SECONDS = 290, QUIET_SECONDS = 100 };

void kube_watch_begin (struct kube_watch *watch, struct api *api)
{
    watch->api = api;
    watch->pause = watch->next = 0;
}

void kube_watch_clear (struct kube_watch *watch)
{
    free (watch->more);
    watch->more = NULL;
}

/* Try again, first soon, then less and less often. */
static void wait_a_while (struct kube_watch *watch, const char *why)
{
    enum { MOST = 5 };
    snprintf (watch->why, sizeof watch->why, "%.250s", why);
    watch->pause = watch->pause <= 0 ? 0.1 : 2 * watch->pause;
    if (watch->pause > MOST)
        watch->pause = MOST;
    watch->next = api_clock () + watch->pause;
}

static void note_version (struct kube_watch *watch, const json_t *object)
{
    const json_t *meta = json_object_get (object, "metadata");
    const char *version
        = json_string_value (json_object_get (meta, "resourceVersion"));
    if (version)
        snprintf (watch->version, sizeof watch->version, "%s", version);
}

/* Versions expire: that is no trouble, unless it happens again and again. */
static const char *find_trouble (const struct kube_watch *watch,
                                 const struct api_answer *answer)
{
    if (answer->code == 200 || (answer->code == 410 && watch->pause < 1))
        return "";
    return *answer->why ? answer->why : "no answer";
}

static void list_again (struct kube_watch *watch)
{
    *watch->version = 0;
    free (watch->more);
    watch->more = NULL;
}

/* ---- the list ---- */

static void take_page (struct kube_watch *watch, json_t *page)
{
    const json_t *meta = json_object_get (page, "metadata");
    const char *more = json_string_value (json_object_get (meta, "continue"));
    json_t *items = json_object_get (page, "items"), *item;
    size_t i;
    if (!watch->more)
        watch->list (watch->arg, true);
    json_array_foreach (items, i, item)
        watch->object (watch->arg, item, false);
    free (watch->more);
    watch->more = more && *more ? curl_easy_escape (NULL, more, 0) : NULL;
    if (more && *more)
        return;
    note_version (watch, page);
    watch->list (watch->arg, false);
    watch->synced = true;
}

static void on_page (void *arg, const struct api_answer *answer)
{
    struct kube_watch *watch = arg;
    watch->listing = false;
    if (answer->code == 200 && answer->body) {
        watch->pause = 0;
        *watch->why = 0;
        take_page (watch, answer->body);
        return;
    }
    if (answer->code == 410)
        list_again (watch);
    wait_a_while (watch, find_trouble (watch, answer));
}

static void send_list (struct kube_watch *watch)
{
    char *path;
    if (asprintf (&path, "%s?limit=%d&%s%s%s", watch->path, PAGE, watch->query,
                  watch->more ? "&continue=" : "",
                  watch->more ? watch->more : "")
        < 0)
        return;
    watch->listing
        = api_send (watch->api, "GET", path, BODY_JSON, NULL, on_page, watch)
          == 0;
    free (path);
}

/* ---- the watch ---- */

static void on_event (void *arg, json_t *event)
{
    struct kube_watch *watch = arg;
    const char *type = json_string_value (json_object_get (event, "type"));
    json_t *object = json_object_get (event, "object");
    if (!type || !object)
        return;
    watch->pause = 0;
    watch->heard = true;
    if (!strcmp (type, "ERROR")) {
        watch->expired
            = json_integer_value (json_object_get (object, "code")) == 410;
        return;
    }
    note_version (watch, object);
    if (strcmp (type, "BOOKMARK"))
        watch->object (watch->arg, object, !strcmp (type, "DELETED"));
}

/* The server ends a watch after a while, or something between us and it does:
 * go on from the last version. If the server is away, the next request tells.
 * But a watch that brought nothing, not even a bookmark, may wait for a version
 * that the server will not have for long, as after a backup of etcd was put
 * back. */
static void on_stream_end (void *arg, const struct api_answer *answer)
{
    struct kube_watch *watch = arg;
    watch->streaming = false;
    if (watch->expired || answer->code == 410
        || (!watch->heard && api_clock () - watch->began > QUIET_SECONDS))
        list_again (watch);
    watch->expired = false;
    if (answer->code != 200 || *answer->why)
        wait_a_while (watch, find_trouble (watch, answer));
    else
        *watch->why = 0;
}

static void send_watch (struct kube_watch *watch)
{
    char *path;
    if (asprintf (&path,
                  "%s?watch=1&allowWatchBookmarks=true&timeoutSeconds=%d"
                  "&resourceVersion=%s&%s",
                  watch->path, WATCH_SECONDS, watch->version, watch->query)
        < 0)
        return;
    watch->streaming
        = api_stream (watch->api, path, on_event, on_stream_end, watch) == 0;
    watch->began = api_clock ();
    watch->heard = false;
    free (path);
}

/* A watch without news is as silent as a server that is away, but a server
 * that is away ends it. */
void kube_watch_step (struct kube_watch *watch)
{
    if (watch->streaming && api_clock () - watch->began > 1)
        *watch->why = 0;
    if (watch->listing || watch->streaming || api_clock () < watch->next)
        return;
    if (*watch->version && !watch->more)
        send_watch (watch);
    else
        send_list (watch);
}
