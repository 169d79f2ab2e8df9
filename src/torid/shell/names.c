/* names.c - which users of this host are at the other end of Unix sockets, and
 * the groups of users with tokens, if queues or reservations name any.
 *
 * Names may come from a directory far away, which may not answer. So each is
 * looked up by a process of its own (errand.h): a look-up that hangs in
 * getpwuid can only be ended from outside. Requests of a user whose name is
 * not known wait for it; all others go on. A look-up has a deadline, after
 * which its user has the name that was known before, or is refused. No user
 * waits for the look-up of another one: if there are too many at once, the
 * oldest is given up. Root, and the user that torid runs as, are known by the
 * host's own file of users.
 *
 * A name is remembered for a while, as long as the settings stay the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "admit.h"
#include "torid.h"

/* Milliseconds that a name is remembered, and that pass between a look-up
 * without an answer and the next; that a look-up may take, and if it is about
 * root or torid's own user; how many run at once, and names are remembered. */
enum {
    KEPT = 60000,
    PAUSE = 1000,
    DEADLINE = 10000,
    DEADLINE_OWN = 1000,
    AT_ONCE = 64,
    MOST = 1000
};

struct name {
    struct name *next;
    struct torid *torid;
    uid_t uid;
    char user[sizeof (((struct peer *)0)->name)]; /* of a token; or empty */
    struct peer peer;
    unsigned era;   /* of the settings by which it was found; 0: never */
    uint64_t until; /* it is remembered */
    struct errand errand;
    unsigned asked; /* the era when it began, */
    uint64_t since; /* and the time */
    bool stopped;   /* it was given up; it ends at once */
    bool failed;    /* the last one had no answer, */
    uint64_t again; /* and the next is not before this time */
    struct request *waiting;
};

static uint64_t now_of (const struct name *name)
{
    return uv_now (&name->torid->loop);
}

/* Root, or the user that torid runs as, who are operators by any name. */
static bool is_own (const struct name *name)
{
    return !*name->user && (name->uid == 0 || name->uid == geteuid ());
}

static void forget_idle (struct torid *torid)
{
    struct name **at = &torid->names;
    while (*at) {
        struct name *name = *at;
        if (name->waiting || name->errand.pid) {
            at = &name->next;
            continue;
        }
        *at = name->next;
        free (name);
        torid->nnames--;
    }
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

/* From the host's own file; if it does not have the user, a number. */
static void take_own (struct name *name)
{
    if (!peer_look_here (name->uid, &name->peer)) {
        name->peer = (struct peer){.role = ROLE_OPERATOR};
        snprintf (name->peer.name, sizeof name->peer.name, "%lu",
                  (unsigned long)name->uid);
    }
    name->era = name->torid->era;
    name->until = 0;
}

/* What was known before stays. */
static void miss_answer (struct name *name)
{
    name->failed = true;
    name->again = now_of (name) + PAUSE;
    if (is_own (name) && name->era != name->torid->era)
        take_own (name);
}

static void take_answer (struct name *name, const char *text)
{
    int role = ROLE_USER, n = 0;
    const char *line = NULL;
    if (text && sscanf (text, "%d %n", &role, &n) == 1 && n > 0)
        line = strchr (text + n, '\n');
    if (!line) {
        miss_answer (name);
        return;
    }
    snprintf (name->peer.name, sizeof name->peer.name, "%.*s",
              (int)(line - text - n), text + n);
    snprintf (name->peer.groups, sizeof name->peer.groups, "%s", line + 1);
    name->peer.role = (enum role)role;
    name->era = name->asked;
    name->until = now_of (name) + KEPT;
    name->failed = false;
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

/* At the end, there is no server any longer. */
static void on_answer (struct errand *errand, char *text, size_t n)
{
    struct name *name = errand->arg;
    if (!name->torid->ending) {
        take_answer (name, text);
        let_go (name);
        http_run (name->torid);
    }
    free (text);
}

static bool is_under_way (const struct name *name)
{
    return name->errand.pid && !name->stopped;
}

static void stop_look (struct name *name)
{
    name->stopped = true;
    errand_stop (&name->errand);
}

/* Give up the look-up that began first, if there is no room for another. */
static void make_room (struct torid *torid)
{
    struct name *oldest = NULL;
    size_t busy = 0;
    for (struct name *name = torid->names; name; name = name->next)
        if (is_under_way (name)) {
            busy++;
            if (!oldest || name->since <= oldest->since)
                oldest = name;
        }
    if (busy >= AT_ONCE)
        stop_look (oldest);
}

static void begin_look (struct name *name)
{
    struct torid *torid = name->torid;
    if (name->errand.pid || now_of (name) < name->again
        || errands_left (&torid->errands, name) > 0)
        return;
    make_room (torid);
    name->asked = torid->era;
    name->since = now_of (name);
    name->stopped = false;
    if (errand_begin (&name->errand, &torid->errands, look_up, on_answer,
                      name, NULL)
        < 0)
        miss_answer (name);
    name->errand.owner = name; /* one that does not die has no successor */
}

void names_sweep (struct torid *torid)
{
    for (struct name *name = torid->names; name; name = name->next) {
        uint64_t most = is_own (name) ? DEADLINE_OWN : DEADLINE;
        if (!is_under_way (name) || now_of (name) - name->since < most)
            continue;
        torid_log (torid, LEVEL_WARNING, "name-late", "{s:I, s:s, s:I}",
                   "uid", (json_int_t)name->uid, "user",
                   *name->user ? name->user : name->peer.name, "seconds",
                   (json_int_t)(most / 1000));
        stop_look (name);
    }
}

/* ---- asking ---- */

static bool is_fresh (const struct name *name)
{
    return name->era == name->torid->era && name->until > now_of (name);
}

static void refuse_unnamed (struct request *request, const struct name *name)
{
    add_header (request, "Retry-After", "1");
    if (*name->user)
        turn_away (request, 503, "no-name",
                   "this host does not tell which groups %.60s is in; try "
                   "again later",
                   name->user);
    else
        turn_away (request, 503, "no-name",
                   "this host does not tell the name of user %lu; try again "
                   "later",
                   (unsigned long)name->uid);
}

/* Whether the name is known. If not, the request waits for it, or it has a
 * reply. */
static bool find_known (struct request *request, struct name *name)
{
    struct torid *torid = request->torid;
    if (torid->ending) {
        turn_away (request, 503, "ending", "torid is ending");
        return false;
    }
    if (is_own (name) && !is_fresh (name) && !admit_counts_groups (torid)
        && peer_look_here (name->uid, &name->peer)) {
        name->era = torid->era;
        name->until = now_of (name) + KEPT;
    }
    if (!is_fresh (name))
        begin_look (name);
    if (is_fresh (name) || (name->failed && name->era == torid->era))
        return true;
    if (!name->errand.pid) {
        refuse_unnamed (request, name);
        return false;
    }
    request->next = name->waiting;
    name->waiting = request;
    return false;
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
        stop_look (name);
        let_go (name);
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
