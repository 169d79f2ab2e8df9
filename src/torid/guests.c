#include "guests.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "array.h"

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

void peer_find (int fd, const struct strings *operators,
                struct peer *ret_peer)
{
    struct ucred who;
    socklen_t length = sizeof who;
    const struct passwd *entry;
    ret_peer->role = ROLE_NONE;
    if (getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &who, &length) < 0)
        return;
    ret_peer->role = ROLE_USER;
    entry = getpwuid (who.uid);
    if (entry)
        snprintf (ret_peer->name, sizeof ret_peer->name, "%s",
                  entry->pw_name);
    else
        snprintf (ret_peer->name, sizeof ret_peer->name, "%lu",
                  (unsigned long)who.uid);
    if (who.uid == 0 || who.uid == geteuid ()
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

/* ---- how often ---- */

static struct rate *find_rate (struct rates *rates, const char *name)
{
    struct rate *more;
    for (size_t i = 0; i < rates->n; i++)
        if (!strcmp (rates->items[i].name, name))
            return &rates->items[i];
    more = array_room (rates->items, &rates->room, rates->n + 1,
                       sizeof *more);
    if (!more)
        return NULL;
    rates->items = more;
    more += rates->n++;
    snprintf (more->name, sizeof more->name, "%s", name);
    more->left = 0;
    more->at = 0;
    return more;
}

bool rate_take (struct rates *rates, const char *name, int64_t per_second,
                uint64_t now)
{
    struct rate *rate = per_second > 0 ? find_rate (rates, name) : NULL;
    if (!rate)
        return true;
    rate->left += (double)(now - rate->at) / 1e3 * (double)per_second;
    rate->at = now;
    if (rate->left > (double)per_second)
        rate->left = (double)per_second;
    if (rate->left < 1)
        return false;
    rate->left -= 1;
    return true;
}
