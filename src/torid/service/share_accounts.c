/* share_accounts.c - accounts with shares, to which users belong.
 *
 * An account is a text of words: its name, its shares, and its users. Users
 * who are in none are in the account "other", which has one share unless it is
 * given. */
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "service_internal.h"

static const char others[] = "other";

/* The next of words with blanks between, and its length; 0 past the last. */
static size_t next_word (const char **at)
{
    *at += strspn (*at, " ");
    return strcspn (*at, " ");
}

/* The shares of an account, and its users; false if the text is not one. */
static bool read_account (const char *text, int64_t *ret_shares,
                          const char **ret_users)
{
    enum { MOST = 1000000 };
    const char *at = text;
    uint64_t shares;
    size_t n = next_word (&at);
    at += n;
    if (n == 0 || !next_word (&at) || !number_scan (&at, MOST, &shares)
        || shares == 0 || (*at && *at != ' '))
        return false;
    *ret_shares = (int64_t)shares;
    *ret_users = at;
    return true;
}

static bool is_named (const char *text, const char *name, size_t n)
{
    size_t length = next_word (&text);
    return length == n && !strncmp (text, name, n);
}

size_t policy_find_account (const struct service_policy *policy,
                            const char *name, size_t n)
{
    size_t i = 0;
    while (i < policy->naccounts && !is_named (policy->accounts[i], name, n))
        i++;
    return i;
}

size_t policy_account (const struct service_policy *policy, const char *user)
{
    for (size_t i = 0; i < policy->naccounts; i++) {
        const char *users;
        int64_t shares;
        if (read_account (policy->accounts[i], &shares, &users)
            && words_include (users, user, strlen (user)))
            return i;
    }
    return policy_find_account (policy, others, sizeof others - 1);
}

void policy_account_name (const struct service_policy *policy, size_t i,
                          char name[ACCOUNT_NAME])
{
    const char *at = i < policy->naccounts ? policy->accounts[i] : others;
    size_t n = next_word (&at);
    snprintf (name, ACCOUNT_NAME, "%.*s", (int)n, at);
}

static int64_t shares_of (const struct service_policy *policy, size_t i)
{
    const char *users;
    int64_t shares = 1;
    if (i < policy->naccounts)
        (void)read_account (policy->accounts[i], &shares, &users);
    return shares;
}

/* How many accounts there are, with the one of all others. */
static size_t count_accounts (const struct service_policy *policy)
{
    return policy->naccounts
           + (policy_find_account (policy, others, sizeof others - 1)
              == policy->naccounts);
}

/* ---- reading ---- */

/* Refuse a user who is in an earlier account. */
static int check_users (const struct service_policy *policy, size_t i,
                        const char *users, tori_error *err)
{
    for (size_t n; (n = next_word (&users)) > 0; users += n)
        for (size_t k = 0; k < i; k++) {
            const char *theirs;
            int64_t shares;
            if (read_account (policy->accounts[k], &shares, &theirs)
                && words_include (theirs, users, n))
                return tori_error_set (err, TORI_INVALID,
                                       "account '%.60s': user %.*s is in "
                                       "another account, too",
                                       policy->accounts[i], (int)n, users);
        }
    return 0;
}

int policy_check_accounts (const struct service_policy *policy,
                           tori_error *err)
{
    for (size_t i = 0; i < policy->naccounts; i++) {
        const char *at = policy->accounts[i], *users;
        size_t n = next_word (&at);
        int64_t shares;
        if (!read_account (at, &shares, &users) || n >= ACCOUNT_NAME)
            return tori_error_set (err, TORI_INVALID,
                                   "account '%.60s': expected NAME SHARES "
                                   "USER...",
                                   at);
        if (policy_find_account (policy, at, n) < i)
            return tori_error_set (err, TORI_INVALID,
                                   "account '%.*s' is given twice", (int)n,
                                   at);
        if (check_users (policy, i, users, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- usage ---- */

/* Sum up the usage of each account; the total. */
static double sum_usage (const struct service *service, double *used)
{
    const struct service_policy *policy = &service->policy;
    double total = 0;
    memset (used, 0, (policy->naccounts + 1) * sizeof *used);
    for (size_t i = 0; i < service->users.n; i++) {
        const struct account *user = &service->users.all[i];
        used[policy_account (policy, user->name)] += user->usage;
        total += user->usage;
    }
    return total;
}

static double target_of (const struct service_policy *policy, size_t i)
{
    double all = 0;
    for (size_t k = 0; k < count_accounts (policy); k++)
        all += (double)shares_of (policy, k);
    return (double)shares_of (policy, i) / all;
}

/* In whole percent: 0 without usage, 50 if the account has used its target,
 * and more beyond. */
static double account_excess (const struct service_policy *policy, size_t i,
                              double used, double total)
{
    double part = total > 0 ? used / total : 0;
    return (double)(int)(100 * (part / (part + target_of (policy, i))));
}

/* The excess of the account counts first, then the part of the user in the
 * usage of the account, also in whole percent. */
double account_penalty (const struct service *service,
                        const struct account *user, const double *used,
                        double total)
{
    enum { STEPS = 101, MOST = 100 * STEPS + 100 };
    size_t i = policy_account (&service->policy, user->name);
    double excess = account_excess (&service->policy, i, used[i], total);
    double part = used[i] > 0
                      ? (double)(int)(100 * (user->usage / used[i]))
                      : 0;
    return 100 * (excess * STEPS + part) / MOST;
}

double *accounts_sum (const struct service *service, double *ret_total)
{
    double *used
        = calloc (service->policy.naccounts + 1, sizeof *used);
    if (used)
        *ret_total = sum_usage (service, used);
    return used;
}

json_t *service_accounts (const struct service *service)
{
    const struct service_policy *policy = &service->policy;
    json_t *list = json_array ();
    double total = 0, *used = accounts_sum (service, &total);
    size_t n = policy->naccounts > 0 && used ? count_accounts (policy) : 0;
    for (size_t i = 0; i < n; i++) {
        char name[ACCOUNT_NAME];
        policy_account_name (policy, i, name);
        json_array_append_new (
            list,
            json_pack ("{s:s, s:I, s:f, s:f, s:f}", "account", name, "shares",
                       (json_int_t)shares_of (policy, i), "target",
                       target_of (policy, i), "usage", used[i], "share",
                       total > 0 ? used[i] / total : 0.0));
    }
    free (used);
    return list;
}

json_t *service_account (const struct service *service, const char *user)
{
    const struct service_policy *policy = &service->policy;
    char name[ACCOUNT_NAME];
    if (policy->naccounts == 0)
        return NULL;
    policy_account_name (policy, policy_account (policy, user), name);
    return json_string (name);
}
