/* names.c - which users of this host are at the other end of Unix sockets.
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

static struct name *name_of (struct torid *torid, uid_t uid)
{
    struct name *name = torid->names;
    while (name && name->uid != uid)
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
    torid->names = name;
    torid->nnames++;
    return name;
}

/* ---- looking them up ---- */

static int look_up (struct errand *errand, int fd)
{
    const struct name *name = errand->arg;
    struct peer peer;
    char text[sizeof peer.name + 16];
    peer_look (name->uid, &name->torid->setup.values.operators, &peer);
    snprintf (text, sizeof text, "%d %s", (int)peer.role, peer.name);
    return errand_write (fd, text, strlen (text));
}

/* Without an answer a user is a number. */
static void take_answer (struct name *name, const char *text)
{
    int role = ROLE_USER, n = 0;
    bool good = text && sscanf (text, "%d %n", &role, &n) == 1 && n > 0;
    snprintf (name->peer.name, sizeof name->peer.name, "%s",
              good ? text + n : "");
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
    peer_look (name->uid, &torid->setup.values.operators, &name->peer);
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

bool names_find (struct request *request, int fd, struct peer *ret_peer)
{
    struct torid *torid = request->torid;
    struct name *name;
    struct ucred who;
    socklen_t length = sizeof who;
    ret_peer->role = ROLE_NONE;
    if (getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &who, &length) < 0
        || !(name = name_of (torid, who.uid)))
        return true;
    if (!is_known (name)) {
        name->wanted = name->errand.pid == 0;
        look_up_some (torid);
    }
    if (!is_known (name)) {
        request->next = name->waiting;
        name->waiting = request;
        return false;
    }
    *ret_peer = name->peer;
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
