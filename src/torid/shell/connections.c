#include "connections.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "settings.h"

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

/* Whether a word is in a text of words. */
static bool has_word (const char *text, const char *word)
{
    size_t n = strlen (word);
    for (const char *at = text; (at = strstr (at, word)); at += n)
        if ((at == text || at[-1] == ' ') && (!at[n] || at[n] == ' '))
            return true;
    return false;
}

/* Add the groups of a list that the user is in. A name without an entry in the
 * directory is in none. */
static void add_groups (const struct passwd *user, const char *list,
                        char groups[PEER_GROUPS])
{
    size_t n;
    for (; list && *(list += strspn (list, " ")); list += n) {
        size_t used = strlen (groups);
        char name[256];
        n = strcspn (list, " ");
        snprintf (name, sizeof name, "%.*s", (int)n - 1, list + 1);
        if (*list == '@' && used + n + 1 < PEER_GROUPS
            && !has_word (groups, name) && in_group (user, name))
            snprintf (groups + used, PEER_GROUPS - used, "%s%s",
                      used ? " " : "", name);
    }
}

static void find_groups (const struct passwd *user,
                         const struct settings *settings, const char *others,
                         char groups[PEER_GROUPS])
{
    const struct service_policy *policy = &settings->policy;
    *groups = '\0';
    if (user)
        add_groups (user, others, groups);
    for (size_t i = 0; user && i < policy->nqueues; i++) {
        add_groups (user, policy->queues[i].deny, groups);
        add_groups (user, policy->queues[i].allow, groups);
    }
}

bool user_in_groups (const char *user, const char *groups)
{
    const struct passwd *entry = getpwnam (user);
    char found[PEER_GROUPS] = "";
    if (entry)
        add_groups (entry, groups, found);
    return *found != '\0';
}

bool settings_name_groups (const struct settings *settings)
{
    const struct service_policy *policy = &settings->policy;
    for (size_t i = 0; i < policy->nqueues; i++) {
        const struct service_queue *queue = &policy->queues[i];
        if ((queue->allow && strchr (queue->allow, '@'))
            || (queue->deny && strchr (queue->deny, '@')))
            return true;
    }
    return false;
}

void peer_look_groups (const char *user, const struct settings *settings,
                       const char *others, struct peer *ret_peer)
{
    find_groups (getpwnam (user), settings, others, ret_peer->groups);
}

bool peer_look_here (uid_t uid, struct peer *ret_peer)
{
    FILE *file = fopen ("/etc/passwd", "re");
    struct passwd entry, *found = NULL;
    char text[4096];
    const char *name = uid == 0 ? "root" : NULL;
    while (file && !fgetpwent_r (file, &entry, text, sizeof text, &found)
           && found->pw_uid != uid)
        found = NULL;
    if (found)
        name = found->pw_name;
    if (name) {
        *ret_peer = (struct peer){.role = ROLE_OPERATOR};
        snprintf (ret_peer->name, sizeof ret_peer->name, "%s", name);
    }
    if (file)
        fclose (file);
    return name != NULL;
}

void peer_look (uid_t uid, const struct settings *settings,
                const char *others, struct peer *ret_peer)
{
    const struct strings *operators = &settings->operators;
    const struct passwd *entry = getpwuid (uid);
    ret_peer->role = ROLE_USER;
    find_groups (entry, settings, others, ret_peer->groups);
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
    client->asked = true;
    leave_queue (clients, client);
}

bool connections_expect (const struct connections *clients, uint64_t since)
{
    const struct connection *client = clients->last;
    while (client && client->since >= since && client->asked)
        client = client->before;
    return client && client->since >= since;
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
