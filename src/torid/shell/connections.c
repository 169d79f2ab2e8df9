#include "connections.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- who it is ---- */

static bool in_group (const struct passwd *user, const char *name)
{
    enum { MOST = 1024 };
    const struct group *group = getgrnam (name);
    gid_t ids[MOST];
    int n = MOST;
    if (!group || getgrouplist (user->pw_name, user->pw_gid, ids, &n) < 0)
        return false;
    while (n > 0 && ids[n - 1] != group->gr_gid)
        n--;
    return n > 0;
}

static bool is_named (const struct passwd *user,
                      const struct strings *operators)
{
    for (size_t i = 0; i < operators->n; i++) {
        const char *name = operators->item[i];
        if (*name == '@' ? in_group (user, name + 1)
                         : !strcmp (name, user->pw_name))
            return true;
    }
    return false;
}

void peer_look (uid_t uid, const struct strings *operators,
                struct peer *ret_peer)
{
    const struct passwd *entry = getpwuid (uid);
    ret_peer->role = ROLE_USER;
    if (entry)
        snprintf (ret_peer->name, sizeof ret_peer->name, "%s",
                  entry->pw_name);
    else
        snprintf (ret_peer->name, sizeof ret_peer->name, "%lu",
                  (unsigned long)uid);
    if (uid == 0 || uid == geteuid ()
        || (entry && is_named (entry, operators)))
        ret_peer->role = ROLE_OPERATOR;
}

/* ---- the line ---- */

static void leave (struct guests *guests, struct guest *guest)
{
    if (!guest->waited_for)
        return;
    if (guest->before)
        guest->before->after = guest->after;
    else
        guests->first = guest->after;
    if (guest->after)
        guest->after->before = guest->before;
    else
        guests->last = guest->before;
    guest->before = guest->after = NULL;
    guest->waited_for = false;
}

/* The end of what it says is all that the server hears of it. */
static void show_out (struct guests *guests, struct guest *guest)
{
    leave (guests, guest);
    (void)shutdown (guest->fd, SHUT_RDWR);
}

void guest_waits (struct guests *guests, struct guest *guest, uint64_t now)
{
    leave (guests, guest);
    guest->since = now;
    guest->before = guests->last;
    if (guests->last)
        guests->last->after = guest;
    else
        guests->first = guest;
    guests->last = guest;
    guest->waited_for = true;
}

void guest_asks (struct guests *guests, struct guest *guest)
{
    leave (guests, guest);
}

void guest_come (struct guests *guests, struct guest *guest, uint64_t now)
{
    guests->n++;
    guest_waits (guests, guest, now);
    if (guests->n > guests->most)
        show_out (guests, guests->first);
}

void guest_go (struct guests *guests, struct guest *guest)
{
    leave (guests, guest);
    guests->n--;
}

void guests_sweep (struct guests *guests, uint64_t now, uint64_t patience)
{
    while (guests->first && now - guests->first->since >= patience)
        show_out (guests, guests->first);
}
