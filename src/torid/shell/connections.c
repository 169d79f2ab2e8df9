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

/* ---- the queue ---- */

static void leave_queue (struct connections *clients,
                         struct connection *client)
{
    if (!client->waited_for)
        return;
    if (client->before)
        client->before->after = client->after;
    else
        clients->first = client->after;
    if (client->after)
        client->after->before = client->before;
    else
        clients->last = client->before;
    client->before = client->after = NULL;
    client->waited_for = false;
}

void connection_cut (const struct connection *client)
{
    (void)shutdown (client->fd, SHUT_RDWR);
}

static void show_out (struct connections *clients, struct connection *client)
{
    leave_queue (clients, client);
    connection_cut (client);
}

void connection_waits (struct connections *clients, struct connection *client,
                       uint64_t now)
{
    leave_queue (clients, client);
    client->since = now;
    client->before = clients->last;
    if (clients->last)
        clients->last->after = client;
    else
        clients->first = client;
    clients->last = client;
    client->waited_for = true;
}

void connection_asks (struct connections *clients, struct connection *client)
{
    leave_queue (clients, client);
}

void connection_open (struct connections *clients, struct connection *client,
                      uint64_t now)
{
    clients->n++;
    connection_waits (clients, client, now);
    if (clients->n > clients->most)
        show_out (clients, clients->first);
}

void connection_close (struct connections *clients, struct connection *client)
{
    leave_queue (clients, client);
    clients->n--;
}

void connections_sweep (struct connections *clients, uint64_t now,
                        uint64_t patience)
{
    while (clients->first && now - clients->first->since >= patience)
        show_out (clients, clients->first);
}
