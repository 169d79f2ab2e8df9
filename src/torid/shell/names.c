/* names.c - which users of this host are at the other end of Unix sockets, and
 * the groups of users with tokens, if queues or reservations name any.
 *
 * Names may come from a directory far away, which may not answer. So they are
 * looked up by processes of their own (errand.h), and requests of a user whose
 * name is not known wait for it; all others go on. A name is remembered for a
 * while, as long as the settings stay the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "admit.h"
#include "torid.h"

/* Milliseconds that a name is remembered, and that a failed lookup is; how
 * many names are looked up at once, and remembered. */
enum { KEPT = 60000, KEPT_BRIEFLY = 1000, AT_ONCE = 8, MOST = 1000 };

struct name {
    struct name *next;
    struct torid *torid;
    uid_t uid;
    char user[sizeof (((struct peer *)0)->name)]; /* of a token; or empty */
    unsigned era; /* of the settings; 0: it is not known */
    uint64_t until;
    struct peer peer;
    bool wanted; /* it has to be looked up */
    struct errand errand;
    struct request *waiting;
};

static bool is_idle (const struct name *name)
{
    return !name->waiting && !name->wanted && name->errand.pid == 0;
}

static void forget_idle (struct torid *torid)
{
    struct name **at = &torid->names;
    while (*at) {
        struct name *name = *at;
        if (is_idle (name)) {
            *at = name->next;
            free (name);
        } else {
            at = &name->next;
        }
    }
    torid->nnames = 0;
}

/* By the number of a user, or, if it is not empty, by the name. */
static struct name *name_of (struct torid *torid, uid_t uid, const char *user)
{
    struct name *name = torid->names;
    while (name && (name->uid != uid || strcmp (name->user, user)))
        name = name->next;
    if (name)
        return name;
    if (torid->nnames >= MOST)
        forget_idle (torid);
    name = calloc (1, sizeof *name);
    if (!name)
        return NULL;
    *name = (struct name){
        .next = torid->names, .torid = torid, .uid = uid};
    snprintf (name->user, sizeof name->user, "%s", user);
    torid->names = name;
    torid->nnames++;
    return name;
}

/* ---- looking them up ---- */

static void look_at_peer (const struct name *name, struct peer *ret_peer)
{
    const struct settings *settings = &name->torid->setup.values;
    char *others = service_reserved_groups (name->torid->service);
    *ret_peer = (struct peer){.role = ROLE_USER};
    if (!*name->user)
        peer_look (name->uid, settings, others, ret_peer);
    else {
        snprintf (ret_peer->name, sizeof ret_peer->name, "%s", name->user);
        peer_look_groups (name->user, settings, others, ret_peer);
    }
    free (others);
}

static int look_up (struct errand *errand, int fd)
{
    const struct name *name = errand->arg;
    struct peer peer;
    char text[sizeof peer.name + sizeof peer.groups + 16];
    look_at_peer (name, &peer);
    snprintf (text, sizeof text, "%d %s\n%s", (int)peer.role, peer.name,
              peer.groups);
    return errand_write (fd, text, strlen (text));
}

/* Without an answer a user is a number. */
static void take_answer (struct name *name, const char *text)
{
    int role = ROLE_USER, n = 0;
    bool good = text && sscanf (text, "%d %n", &role, &n) == 1 && n > 0;
    const char *line = good ? strchr (text + n, '\n') : NULL;
    snprintf (name->peer.name, sizeof name->peer.name, "%.*s",
              line ? (int)(line - text - n) : 0, good ? text + n : "");
    snprintf (name->peer.groups, sizeof name->peer.groups, "%s",
              line ? line + 1 : "");
    if (!good)
        snprintf (name->peer.name, sizeof name->peer.name, "%lu",
                  (unsigned long)name->uid);
    name->peer.role = (enum role)role;
    name->until
        = uv_now (&name->torid->loop) + (good ? KEPT : KEPT_BRIEFLY);
}

static void let_go (struct name *name)
{
    struct request *request = name->waiting;
    name->waiting = NULL;
    while (request) {
        struct request *next = request->next;
        MHD_resume_connection (request->connection);
        request = next;
    }
}

static void look_up_some (struct torid *torid);

static void on_answer (struct errand *errand, char *text, size_t n)
{
    struct name *name = errand->arg;
    struct torid *torid = name->torid;
    take_answer (name, text);
    free (text);
    look_up_some (torid);
    let_go (name);
    http_run (torid);
}

/* Look a name up in a process of its own, or here if there can be none. */
static void begin_look (struct name *name)
{
    struct torid *torid = name->torid;
    name->era = torid->era;
    name->until = 0;
    name->wanted = false;
    if (errand_begin (&name->errand, &torid->loop, look_up, on_answer, name,
                      NULL)
        == 0)
        return;
    look_at_peer (name, &name->peer);
    name->until = uv_now (&torid->loop) + KEPT;
    let_go (name);
}

static void look_up_some (struct torid *torid)
{
    size_t busy = 0;
    for (struct name *name = torid->names; name; name = name->next)
        busy += name->errand.pid > 0;
    for (struct name *name = torid->names; name && busy < AT_ONCE;
         name = name->next)
        if (name->wanted && name->errand.pid == 0) {
            begin_look (name);
            busy++;
        }
}

/* ---- asking ---- */

static bool is_known (const struct name *name)
{
    return name->era == name->torid->era && name->errand.pid == 0
           && name->until > uv_now (&name->torid->loop);
}

/* The name, if it is known; if not, the request waits for it: NULL. */
static const struct name *find_known (struct request *request,
                                      struct name *name)
{
    struct torid *torid = request->torid;
    if (!is_known (name)) {
        name->wanted = name->errand.pid == 0;
        look_up_some (torid);
    }
    if (!is_known (name)) {
        request->next = name->waiting;
        name->waiting = request;
        return NULL;
    }
    return name;
}

bool names_find (struct request *request, int fd, struct peer *ret_peer)
{
    struct name *name;
    struct ucred who;
    socklen_t length = sizeof who;
    ret_peer->role = ROLE_NONE;
    if (getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &who, &length) < 0
        || !(name = name_of (request->torid, who.uid, "")))
        return true;
    if (!find_known (request, name))
        return false;
    *ret_peer = name->peer;
    return true;
}

bool names_find_groups (struct request *request, struct peer *peer)
{
    struct name *name = name_of (request->torid, 0, peer->name);
    if (name && !find_known (request, name))
        return false;
    snprintf (peer->groups, sizeof peer->groups, "%s",
              name ? name->peer.groups : "");
    return true;
}

void names_end (struct torid *torid)
{
    for (struct name *name = torid->names; name; name = name->next) {
        errand_stop (&name->errand);
        while (name->waiting) {
            struct request *request = name->waiting;
            name->waiting = request->next;
            request->begun = true;
            request->next = torid->waiting;
            torid->waiting = request;
        }
    }
}

void names_free (struct torid *torid)
{
    while (torid->names) {
        struct name *next = torid->names->next;
        free (torid->names);
        torid->names = next;
    }
}
