#include "account.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "job.h"

/* ---- by name ---- */

static size_t find_position (const struct accounts *accounts, const char *name)
{
    size_t low = 0, high = accounts->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp (accounts->all[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at (const struct accounts *accounts, size_t at,
                   const char *name)
{
    return at < accounts->n && !strcmp (accounts->all[at].name, name);
}

struct account *account_find (const struct accounts *accounts,
                              const char *name)
{
    size_t at = find_position (accounts, name);
    return is_at (accounts, at, name) ? &accounts->all[at] : NULL;
}

struct account *account_get (struct accounts *accounts, const char *name)
{
    size_t at = find_position (accounts, name);
    struct account *more;
    char *copy;
    if (is_at (accounts, at, name))
        return &accounts->all[at];
    more = array_room (accounts->all, &accounts->room, accounts->n + 1,
                       sizeof *more);
    if (!more)
        return NULL;
    accounts->all = more;
    copy = strdup (name);
    if (!copy)
        return NULL;
    memmove (more + at + 1, more + at, (accounts->n - at) * sizeof *more);
    more[at] = (struct account){.name = copy};
    accounts->n++;
    return &more[at];
}

void accounts_tidy (struct accounts *accounts)
{
    size_t kept = 0;
    for (size_t i = 0; i < accounts->n; i++) {
        if (account_hash (&accounts->all[i]) == 0)
            free (accounts->all[i].name);
        else
            accounts->all[kept++] = accounts->all[i];
    }
    accounts->n = kept;
}

void accounts_clear (struct accounts *accounts)
{
    for (size_t i = 0; i < accounts->n; i++)
        free (accounts->all[i].name);
    free (accounts->all);
    *accounts = (struct accounts){0};
}

/* ---- usage ---- */

void account_nodes (struct account *account, int64_t nodes, tori_time at)
{
    account->nodes += nodes;
    account->due -= nodes * at;
}

void account_age (struct account *account, double factor)
{
    double used = (double)(account->due + account->nodes * EPOCH)
                  / (double)TORI_SECOND;
    account->usage = account->usage * factor + used;
    if (account->usage < 1) /* so that it is forgotten some day */
        account->usage = 0;
    account->due = 0;
    account->recent = 0;
}

/* ---- to compare ---- */

uint64_t account_hash (const struct account *account)
{
    const int64_t counts[] = {account->queued,  account->running,
                              account->nodes,   account->due,
                              account->recent,  account->penalty,
                              account->kept};
    uint64_t usage, hash = 0, any;
    memcpy (&usage, &account->usage, sizeof usage);
    any = usage;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        any |= (uint64_t)counts[i];
    if (!any)
        return 0;
    for (const char *at = account->name; *at; at++)
        hash = hash_mix (hash, (unsigned char)*at);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        hash = hash_mix (hash, (uint64_t)counts[i]);
    return hash_mix (hash, usage) | 1;
}

/* ---- kept ---- */

/* Jobs are counted again. */
json_t *accounts_save (const struct accounts *accounts)
{
    json_t *list = json_array ();
    for (size_t i = 0; i < accounts->n; i++) {
        const struct account *account = &accounts->all[i];
        if (account_hash (account) != 0)
            json_array_append_new (
                list,
                json_pack ("[s, I, I, f, I]", account->name,
                           (json_int_t)account->due,
                           (json_int_t)account->recent, account->usage,
                           (json_int_t)account->penalty));
    }
    return list;
}

int accounts_load (struct accounts *accounts, const json_t *saved,
                   tori_error *err)
{
    for (size_t i = 0; i < json_array_size (saved); i++) {
        json_int_t due, recent, penalty;
        struct account *account;
        const char *name;
        double usage;
        if (json_unpack (json_array_get (saved, i), "[s, I, I, F, I]", &name,
                         &due, &recent, &usage, &penalty)
            < 0)
            return tori_error_set (err, TORI_INVALID, "not an account");
        account = account_get (accounts, name);
        if (!account)
            return tori_error_nomem (err);
        account->due = due;
        account->recent = recent;
        account->usage = usage;
        account->penalty = penalty;
    }
    return 0;
}
