#include "order.h"

#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobmembers.h"
#include "number.h"

static void clear_words (char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free (words[i]);
    free (words);
}

void order_clear (struct order *order)
{
    free (order->badge);
    clear_words (order->argv);
    clear_words (order->environ);
    free (order->dir);
    free (order->in);
    free (order->out);
    free (order->err);
    free (order->hosts);
    free (order->script);
    free (order->user);
    free (order->hosts_path);
    json_decref (order->message);
    *order = (struct order){0};
}

static int refuse_member (const char *name, const char *expected,
                          tori_error *err)
{
    return tori_error_set (err, TORI_INVALID, "\"%s\": expected %s", name,
                           expected);
}

/* ---- members ---- */

static int read_number (const json_t *message, const char *name,
                        double *ret_value, tori_error *err)
{
    const json_t *value = json_object_get (message, name);
    if (!value || json_is_null (value))
        return 0;
    if (!json_is_number (value) || json_number_value (value) < 0)
        return refuse_member (name, "a number of seconds", err);
    *ret_value = json_number_value (value);
    return 0;
}

static int read_text (const json_t *message, const char *name,
                      char **ret_text, tori_error *err)
{
    const json_t *value = json_object_get (message, name);
    if (!value || json_is_null (value))
        return 0;
    if (!json_is_string (value)
        || strlen (json_string_value (value)) != json_string_length (value))
        return refuse_member (name, "a text", err);
    *ret_text = strdup (json_string_value (value));
    return *ret_text ? 0 : tori_error_nomem (err);
}

static int read_command (const json_t *message, struct order *order,
                         tori_error *err)
{
    const json_t *list = json_object_get (message, JOB_KEY (command));
    size_t n = json_array_size (list);
    if (n == 0)
        return refuse_member (JOB_KEY (command), "a list of words", err);
    order->argv = calloc (n + 1, sizeof *order->argv);
    for (size_t i = 0; order->argv && i < n; i++) {
        const json_t *word = json_array_get (list, i);
        if (!json_is_string (word)
            || strlen (json_string_value (word)) != json_string_length (word))
            return refuse_member (JOB_KEY (command), "a list of words", err);
        order->argv[i] = strdup (json_string_value (word));
        if (!order->argv[i])
            return tori_error_nomem (err);
    }
    return order->argv ? 0 : tori_error_nomem (err);
}

/* The text of a script goes to a file, and that is the program. */
static int read_script (const json_t *message, const char *hosts,
                        struct order *order, tori_error *err)
{
    const char *end = strrchr (hosts, '/');
    char *path = NULL;
    if (read_text (message, JOB_KEY (script), &order->script, err) < 0)
        return -1;
    if (!order->script)
        return 0;
    if (asprintf (&path, "%.*s/script", end ? (int)(end - hosts) : 0, hosts)
        < 0)
        return tori_error_nomem (err);
    free (order->argv[0]);
    order->argv[0] = path;
    return 0;
}

static int read_which (const json_t *message, struct attempt *ret,
                       tori_error *err)
{
    const json_t *job = json_object_get (message, "job");
    const json_t *attempt = json_object_get (message, "attempt");
    if (!json_is_integer (job) || json_integer_value (job) < 0)
        return refuse_member ("job", "a number", err);
    if (!json_is_integer (attempt) || json_integer_value (attempt) < 0)
        return refuse_member ("attempt", "a number", err);
    *ret = (struct attempt){json_integer_value (job),
                            json_integer_value (attempt)};
    return 0;
}

/* ---- whose it is ---- */

/* Whether the lookup itself failed. A user that does not exist has other error
 * numbers, which differ from system to system. */
static bool is_trouble (int error)
{
    return error == EIO || error == EAGAIN || error == ENOMEM
           || error == EMFILE || error == ENFILE || error == ETIMEDOUT
           || error == ECONNREFUSED;
}

/* Without a name the user is the executor's own. */
static int read_user (struct order *order, struct passwd **ret_user,
                      tori_error *err)
{
    struct passwd *entry;
    errno = 0;
    entry = order->user ? getpwnam (order->user) : getpwuid (geteuid ());
    if (!entry && order->user && is_trouble (errno))
        return tori_error_set (err, TORI_FAILED, "user %.100s: %s",
                               order->user, strerror (errno));
    if (!entry && order->user)
        return tori_error_set (err, TORI_INVALID, "no such user: %.100s",
                               order->user);
    *ret_user = entry;
    if (!entry)
        return 0;
    order->uid = entry->pw_uid;
    order->gid = entry->pw_gid;
    order->other = entry->pw_uid != geteuid ();
    if (order->other && geteuid () != 0)
        return tori_error_set (err, TORI_INVALID,
                               "only root can run jobs of %.100s",
                               order->user);
    return 0;
}

/* ---- its environment ---- */

struct variables {
    char **items;
    size_t n, room;
};

/* The first variable of a name counts. */
static bool is_set (const struct variables *all, const char *name)
{
    size_t length = strlen (name);
    for (size_t i = 0; i < all->n; i++)
        if (!strncmp (all->items[i], name, length)
            && all->items[i][length] == '=')
            return true;
    return false;
}

static int set_variable (struct variables *all, const char *name,
                         const char *value)
{
    if (!value || is_set (all, name))
        return 0;
    if (asprintf (&all->items[all->n], "%s=%s", name, value) < 0) {
        all->items[all->n] = NULL;
        return -1;
    }
    all->n++;
    return 0;
}

/* The words of a list with spaces between them; "" if there are none. */
static char *join_words (const json_t *list)
{
    char *text = NULL;
    size_t size, n = json_array_size (list);
    FILE *to = open_memstream (&text, &size);
    if (!to)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const json_t *word = json_array_get (list, i);
        if (i > 0)
            fputc (' ', to);
        if (json_is_string (word))
            fputs (json_string_value (word), to);
        else
            fprintf (to, "%lld", (long long)json_integer_value (word));
    }
    fclose (to);
    return text;
}

static int set_list (struct variables *all, const char *name,
                     const json_t *list)
{
    char *text = join_words (list);
    int bad = !text || set_variable (all, name, text) < 0;
    free (text);
    return bad;
}

/* One box, or the pieces of a slice and how many there are along each
 * dimension. */
static int set_boxes (struct variables *all, const json_t *message)
{
    const char *box = json_string_value (json_object_get (message, "box"));
    const json_t *boxes = json_object_get (message, "boxes");
    return set_variable (all, "TORI_BOX", box)
           | (boxes ? set_list (all, "TORI_BOXES", boxes)
                    : set_variable (all, "TORI_BOXES", box))
           | set_variable (
               all, "TORI_ACROSS",
               json_string_value (json_object_get (message, "across")));
}

static int set_own (struct variables *all, const struct order *order,
                    const json_t *message, const char *hosts)
{
    const json_t *map = json_object_get (message, "map");
    char job[32], attempt[32];
    snprintf (job, sizeof job, "%lld", (long long)order->which.job);
    snprintf (attempt, sizeof attempt, "%lld",
              (long long)order->which.attempt);
    return set_variable (all, "TORI_JOB_ID", job)
           | set_variable (all, "TORI_ATTEMPT", attempt)
           | set_list (all, "TORI_NODE_IDS", json_object_get (message, "ids"))
           | set_list (all, "TORI_NODES", /* their old name */
                       json_object_get (message, "ids"))
           | (map ? set_list (all, "TORI_MAP", map) : 0)
           | set_list (all, "TORI_COORDS", json_object_get (message, "nodes"))
           | set_variable (
               all, "TORI_SHAPE",
               json_string_value (json_object_get (message, JOB_KEY (shape))))
           | set_boxes (all, message)
           | set_variable (all, "TORI_HOSTS", hosts);
}

static int set_usual (struct variables *all, const struct passwd *user)
{
    int bad = set_variable (all, "PATH", "/usr/local/bin:/usr/bin:/bin");
    if (user)
        bad |= set_variable (all, "HOME", user->pw_dir)
               | set_variable (all, "SHELL", user->pw_shell)
               | set_variable (all, "USER", user->pw_name)
               | set_variable (all, "LOGNAME", user->pw_name);
    return bad;
}

static int read_environment (const json_t *message, const char *hosts,
                             const struct passwd *user, struct order *order,
                             tori_error *err)
{
    enum { OURS = 16 };
    json_t *given = json_object_get (message, JOB_KEY (environment));
    struct variables all = {0};
    const char *name;
    json_t *value;
    int bad = 0;
    if (given && !json_is_object (given) && !json_is_null (given))
        return refuse_member (JOB_KEY (environment), "an object of texts",
                              err);
    all.items = order->environ
        = calloc (json_object_size (given) + OURS + 1, sizeof *all.items);
    if (!all.items)
        return tori_error_nomem (err);
    bad |= set_own (&all, order, message, hosts);
    json_object_foreach (given, name, value)
    {
        if (!json_is_string (value) || !*name || strchr (name, '='))
            return refuse_member (JOB_KEY (environment), "an object of texts",
                                  err);
        bad |= set_variable (&all, name, json_string_value (value));
    }
    bad |= set_usual (&all, user);
    return bad ? tori_error_nomem (err) : 0;
}

/* ---- the whole ---- */

static int read_hosts (const json_t *message, struct order *order,
                       tori_error *err)
{
    static const char line[] = "localhost\n";
    size_t n = json_array_size (json_object_get (message, "nodes"));
    order->hosts = calloc (n * (sizeof line - 1) + 1, 1);
    if (!order->hosts)
        return tori_error_nomem (err);
    for (size_t i = 0; i < n; i++)
        memcpy (order->hosts + i * (sizeof line - 1), line, sizeof line - 1);
    return 0;
}

static int settle_dir (const struct passwd *user, struct order *order,
                       tori_error *err)
{
    if (!order->dir)
        order->dir = strdup (user ? user->pw_dir : "/");
    return order->dir ? 0 : tori_error_nomem (err);
}

static int read_files (const json_t *message, struct order *order,
                       tori_error *err)
{
    if (read_text (message, JOB_KEY (directory), &order->dir, err) < 0
        || read_text (message, JOB_KEY (input), &order->in, err) < 0
        || read_text (message, JOB_KEY (output), &order->out, err) < 0
        || read_text (message, JOB_KEY (error), &order->err, err) < 0)
        return -1;
    return 0;
}

static int read_limits (const json_t *message, struct order *order,
                        tori_error *err)
{
    double warning = 0;
    order->grace = 30;
    if (read_number (message, "limit", &order->limit, err) < 0
        || read_number (message, JOB_KEY (warn), &order->warn, err) < 0
        || read_number (message, JOB_KEY (warning), &warning, err) < 0
        || read_number (message, "grace", &order->grace, err) < 0)
        return -1;
    if (warning >= NSIG)
        return refuse_member (JOB_KEY (warning), "the number of a signal",
                              err);
    order->warning
        = warning > 0 ? (int)number_clamp (warning, 0, NSIG - 1) : SIGUSR1;
    return 0;
}

static int read_all (json_t *message, const char *hosts, struct order *order,
                     tori_error *err)
{
    order->message = json_incref (message);
    order->hosts_path = strdup (hosts);
    if (!order->hosts_path)
        return tori_error_nomem (err);
    if (read_which (message, &order->which, err) < 0
        || read_command (message, order, err) < 0
        || read_script (message, hosts, order, err) < 0
        || read_files (message, order, err) < 0
        || read_limits (message, order, err) < 0
        || read_hosts (message, order, err) < 0)
        return -1;
    if (order->dir && order->dir[0] != '/')
        return refuse_member (JOB_KEY (directory), "an absolute path", err);
    return read_text (message, "user", &order->user, err);
}

int order_settle (struct order *order, tori_error *err)
{
    struct passwd *user = NULL;
    if (read_user (order, &user, err) < 0
        || settle_dir (user, order, err) < 0)
        return -1;
    return read_environment (order->message, order->hosts_path, user, order,
                             err);
}

int order_read (json_t *message, const char *hosts, struct order *ret_order,
                tori_error *err)
{
    struct order order = {0};
    if (read_all (message, hosts, &order, err) < 0) {
        order_clear (&order);
        return -1;
    }
    *ret_order = order;
    return 0;
}
