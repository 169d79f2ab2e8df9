#include "tokens.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <nettle/base64.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "syserror.h"

const char *role_name (size_t i)
{
    static const char *const names[] = {"reader", "user", "operator"};
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

static void hash_token (const char *text, unsigned char to[TOKEN_HASH])
{
    struct sha256_ctx context;
    sha256_init (&context);
    sha256_update (&context, strlen (text), (const uint8_t *)text);
    sha256_digest (&context, TOKEN_HASH, to);
}

static struct token *find_by (struct tokens *tokens,
                              const unsigned char wanted[TOKEN_HASH],
                              bool by_code)
{
    struct token *found = NULL;
    int64_t now = time (NULL);
    for (size_t i = 0; i < tokens->n; i++) {
        struct token *one = &tokens->items[i];
        bool same = memeql_sec (by_code ? one->code : one->hash, wanted,
                                TOKEN_HASH);
        if (same && (one->expires == 0 || now < one->expires)
            && (!by_code || now < one->code_expires))
            found = one;
    }
    if (found && found->used != now) {
        tokens->first |= !found->used;
        found->used = now;
        tokens->used = true;
    }
    return found;
}

const struct token *tokens_find (struct tokens *tokens, const char *text)
{
    unsigned char wanted[TOKEN_HASH];
    hash_token (text, wanted);
    return find_by (tokens, wanted, false);
}

bool tokens_is_expired (const struct tokens *tokens, const char *text)
{
    unsigned char wanted[TOKEN_HASH];
    int64_t now = time (NULL);
    bool found = false;
    hash_token (text, wanted);
    for (size_t i = 0; i < tokens->n; i++) {
        const struct token *one = &tokens->items[i];
        found |= memeql_sec (one->hash, wanted, TOKEN_HASH)
                 && one->expires != 0 && now >= one->expires;
    }
    return found;
}

const struct token *tokens_find_hash (struct tokens *tokens,
                                      const unsigned char wanted[TOKEN_HASH])
{
    return find_by (tokens, wanted, false);
}

const struct token *tokens_find_code (struct tokens *tokens, const char *text)
{
    unsigned char wanted[TOKEN_HASH];
    struct token *found;
    hash_token (text, wanted);
    found = find_by (tokens, wanted, true);
    if (found)
        found->code_expires = 0;
    return found;
}

void tokens_free (struct tokens *tokens)
{
    free (tokens->items);
    *tokens = (struct tokens){0};
}

/* ---- as JSON ---- */

/* A name is also that of a user, and stands in logs and lists. */
static bool is_name (const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-";
    size_t n = text ? strlen (text) : 0;
    return n > 0 && n < TOKEN_NAME && *text != '-'
           && strspn (text, letters) == n;
}

static bool read_hash (const char *text, unsigned char to[TOKEN_HASH])
{
    static const char digits[] = "0123456789abcdef";
    if (!text || strlen (text) != 2 * (size_t)TOKEN_HASH
        || strspn (text, digits) != 2 * (size_t)TOKEN_HASH)
        return false;
    for (size_t i = 0; i < TOKEN_HASH; i++)
        to[i] = (unsigned char)((strchr (digits, text[2 * i]) - digits) << 4
                                | (strchr (digits, text[2 * i + 1])
                                   - digits));
    return true;
}

static enum role read_role (const char *text)
{
    for (size_t i = 0; text && role_name (i); i++)
        if (!strcmp (role_name (i), text))
            return (enum role) (i + 1);
    return ROLE_NONE;
}

static bool read_token (json_t *from, struct token *to)
{
    const char *name = NULL, *user = NULL, *role = NULL, *sum = NULL;
    const char *code = NULL;
    json_int_t added = 0, expires = 0, code_expires = 0;
    *to = (struct token){0};
    if (json_unpack (from, "{s:s, s:s, s:s, s:s, s:I, s?I, s?{s:s, s:I}}",
                     "name", &name, "user", &user, "role", &role, "sha256",
                     &sum, "added", &added, "expires", &expires, "code",
                     "sha256", &code, "expires", &code_expires)
            < 0
        || !is_name (name) || !is_name (user) || !read_hash (sum, to->hash)
        || (code && !read_hash (code, to->code)))
        return false;
    to->expires = expires;
    to->code_expires = code_expires;
    snprintf (to->name, sizeof to->name, "%s", name);
    snprintf (to->user, sizeof to->user, "%s", user);
    to->role = read_role (role);
    to->added = added;
    return to->role != ROLE_NONE;
}

static void write_hash (const unsigned char from[TOKEN_HASH],
                        char to[2 * TOKEN_HASH + 1])
{
    for (size_t i = 0; i < TOKEN_HASH; i++)
        snprintf (to + 2 * i, 3, "%02x", from[i]);
}

static json_t *token_json (const struct token *token)
{
    char sum[2 * TOKEN_HASH + 1], code[2 * TOKEN_HASH + 1];
    write_hash (token->hash, sum);
    write_hash (token->code, code);
    return json_pack (
        "{s:s, s:s, s:s, s:s, s:I, s:o*, s:o*}", "name", token->name, "role",
        role_name ((size_t)token->role - 1), "user", token->user, "sha256",
        sum, "added", (json_int_t)token->added, "expires",
        token->expires ? json_integer (token->expires) : NULL, "code",
        token->code_expires ? json_pack ("{s:s, s:I}", "sha256", code,
                                         "expires",
                                         (json_int_t)token->code_expires)
                            : NULL);
}

/* ---- the file ---- */

static int add_token (struct tokens *tokens, const struct token *token,
                      tori_error *err)
{
    struct token *more = array_room (tokens->items, &tokens->room,
                                     tokens->n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    tokens->items = more;
    more[tokens->n++] = *token;
    return 0;
}

static int read_all (struct tokens *to, json_t *from, const char *path,
                     tori_error *err)
{
    struct token token;
    json_t *value;
    size_t i;
    if (!json_is_array (from))
        return tori_error_set (err, TORI_INVALID, "%s: no list", path);
    json_array_foreach (from, i, value) {
        if (!read_token (value, &token))
            return tori_error_set (err, TORI_INVALID,
                                   "%s: token %zu is damaged", path, i + 1);
        if (add_token (to, &token, err) < 0)
            return -1;
    }
    return 0;
}

static bool same_file (const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size
           && a->st_ctim.tv_sec == b->st_ctim.tv_sec
           && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static int read_from (struct tokens *fresh, const char *path, tori_error *err)
{
    FILE *from = fopen (path, "re");
    json_error_t why;
    json_t *list;
    int status;
    if (!from)
        return errno == ENOENT ? 0 : system_error (path, errno, err);
    if (fstat (fileno (from), &fresh->seen) == 0
        && (fresh->seen.st_mode & 077)) {
        fclose (from);
        return tori_error_set (err, TORI_INVALID,
                               "%s: others can read it; use chmod 600", path);
    }
    list = json_loadf (from, 0, &why);
    status = list ? read_all (fresh, list, path, err)
                  : tori_error_set (err, TORI_INVALID, "%s:%d: %.200s", path,
                                    why.line, why.text);
    json_decref (list);
    fclose (from);
    return status;
}

/* Keep the last use of tokens that were there before. A code that was used
 * stays used. */
static void keep_used (struct tokens *fresh, const struct tokens *old)
{
    fresh->used = old->used;
    fresh->first = old->first;
    for (size_t i = 0; i < fresh->n; i++)
        for (size_t k = 0; k < old->n; k++) {
            struct token *new = &fresh->items[i];
            const struct token *was = &old->items[k];
            if (memcmp (new->hash, was->hash, TOKEN_HASH))
                continue;
            new->used = was->used;
            if (!was->code_expires
                && !memcmp (new->code, was->code, TOKEN_HASH))
                new->code_expires = 0;
        }
}

int tokens_read (struct tokens *tokens, const char *state, tori_error *err)
{
    struct tokens fresh = {0};
    struct stat now = {0};
    char path[4096];
    snprintf (path, sizeof path, "%s/tokens", state);
    if (stat (path, &now) < 0)
        now = (struct stat){0};
    if (same_file (&now, &tokens->seen))
        return 0;
    tokens->seen = now; /* a problem is reported once */
    if (read_from (&fresh, path, err) < 0) {
        tokens_free (&fresh);
        return -1;
    }
    keep_used (&fresh, tokens);
    free (tokens->items);
    *tokens = fresh;
    return 1;
}

/* The file gets the owner of the directory, who runs torid and reads it. */
static bool write_list (int fd, const char *state, const json_t *list)
{
    struct stat dir;
    FILE *to = fdopen (fd, "w");
    bool good = to && stat (state, &dir) == 0
                && fchown (fd, dir.st_uid, dir.st_gid) == 0
                && json_dumpf (list, to, JSON_INDENT (1)) == 0
                && fputc ('\n', to) != EOF && fflush (to) == 0
                && fsync (fd) == 0;
    if (to)
        fclose (to);
    else
        close (fd);
    return good;
}

static int write_all (const struct tokens *tokens, const char *state, int dir,
                      tori_error *err)
{
    json_t *list = json_array ();
    int fd = openat (dir, "tokens.new",
                     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool good;
    for (size_t i = 0; i < tokens->n; i++)
        json_array_append_new (list, token_json (&tokens->items[i]));
    good = fd >= 0 && write_list (fd, state, list)
           && renameat (dir, "tokens.new", dir, "tokens") == 0
           && fsync (dir) == 0;
    json_decref (list);
    return good ? 0 : system_error (state, errno, err);
}

/* ---- when they were used ---- */

/* By hash: another token of the same name is another one. A code that was
 * used is in the list, too. */
static json_t *used_json (const struct tokens *tokens)
{
    json_t *list = json_object ();
    char sum[2 * TOKEN_HASH + 1];
    for (size_t i = 0; i < tokens->n; i++) {
        const struct token *one = &tokens->items[i];
        static const unsigned char none[TOKEN_HASH];
        write_hash (one->hash, sum);
        if (one->used)
            json_object_set_new (list, sum, json_integer (one->used));
        write_hash (one->code, sum);
        if (!one->code_expires && memcmp (one->code, none, TOKEN_HASH))
            json_object_set_new (list, sum, json_integer (one->used));
    }
    return list;
}

void tokens_read_used (struct tokens *tokens, const char *state)
{
    char path[4096], sum[2 * TOKEN_HASH + 1];
    json_t *list;
    snprintf (path, sizeof path, "%s/tokens.used", state);
    list = json_load_file (path, 0, NULL);
    for (size_t i = 0; i < tokens->n; i++) {
        struct token *one = &tokens->items[i];
        write_hash (one->hash, sum);
        one->used = json_integer_value (json_object_get (list, sum));
        write_hash (one->code, sum);
        if (json_object_get (list, sum))
            one->code_expires = 0;
    }
    json_decref (list);
}

int tokens_write_used (struct tokens *tokens, const char *state,
                       tori_error *err)
{
    json_t *list = used_json (tokens);
    int dir = open (state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = dir < 0 ? -1
                     : openat (dir, "tokens.used.new",
                               O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                               0600);
    bool good = fd >= 0 && list && write_list (fd, state, list)
                && renameat (dir, "tokens.used.new", dir, "tokens.used") == 0;
    int status = good ? 0 : system_error (state, errno, err);
    tokens->used = tokens->first = false;
    if (dir >= 0)
        close (dir);
    json_decref (list);
    return status;
}

/* ---- changes ---- */

/* Lock the directory, so that no other process changes the file meanwhile. */
static int begin_change (const char *state, struct tokens *tokens,
                         int *ret_lock, tori_error *err)
{
    int lock = open (state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0)
        return system_error (state, errno, err);
    if (flock (lock, LOCK_EX) < 0)
        system_error (state, errno, err);
    else if (tokens_read (tokens, state, err) >= 0) {
        *ret_lock = lock;
        return 0;
    }
    close (lock);
    return -1;
}

static size_t find_name (const struct tokens *tokens, const char *name)
{
    size_t i = 0;
    while (i < tokens->n && strcmp (tokens->items[i].name, name))
        i++;
    return i;
}

/* A text that nobody can guess. */
static int make_text (char to[TOKEN_TEXT], tori_error *err)
{
    unsigned char bytes[32];
    char text[BASE64_ENCODE_RAW_LENGTH (sizeof bytes)];
    if (getrandom (bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return system_error ("random numbers", errno, err);
    base64_encode_raw (text, sizeof bytes, bytes);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = text[i] == '+'   ? '-'
                  : text[i] == '/' ? '_'
                                   : text[i];
    snprintf (to, TOKEN_TEXT, "tori_%.43s", text);
    return 0;
}

int token_add (const char *state, const char *name, const char *user,
               enum role role, int64_t expires, char ret_text[TOKEN_TEXT],
               tori_error *err)
{
    struct tokens tokens = {0};
    struct token token
        = {.role = role, .added = time (NULL), .expires = expires};
    int status = -1, lock = -1;
    if (!is_name (name) || !is_name (user))
        return tori_error_set (err, TORI_INVALID,
                               "'%.80s' is not a name: letters, digits and "
                               "._@- only, at most %d",
                               is_name (name) ? user : name, TOKEN_NAME - 1);
    if (begin_change (state, &tokens, &lock, err) < 0)
        return -1;
    snprintf (token.name, sizeof token.name, "%s", name);
    snprintf (token.user, sizeof token.user, "%s", user);
    if (find_name (&tokens, name) < tokens.n)
        tori_error_set (err, TORI_INVALID,
                        "there is a token '%s'; remove it first", name);
    else if (make_text (ret_text, err) == 0) {
        hash_token (ret_text, token.hash);
        status = add_token (&tokens, &token, err);
        if (status == 0)
            status = write_all (&tokens, state, lock, err);
    }
    tokens_free (&tokens);
    close (lock);
    return status;
}

int token_remove (const char *state, const char *name, tori_error *err)
{
    struct tokens tokens = {0};
    int status = -1, lock = -1;
    size_t at;
    if (begin_change (state, &tokens, &lock, err) < 0)
        return -1;
    at = find_name (&tokens, name);
    if (at == tokens.n)
        tori_error_set (err, TORI_INVALID, "there is no token '%.60s'", name);
    else {
        memmove (&tokens.items[at], &tokens.items[at + 1],
                 (tokens.n - at - 1) * sizeof tokens.items[0]);
        tokens.n--;
        status = write_all (&tokens, state, lock, err);
    }
    tokens_free (&tokens);
    close (lock);
    return status;
}

int token_code (const char *state, const char *name, int64_t expires,
                char ret_text[TOKEN_TEXT], tori_error *err)
{
    struct tokens tokens = {0};
    int status = -1, lock = -1;
    size_t at;
    if (begin_change (state, &tokens, &lock, err) < 0)
        return -1;
    at = find_name (&tokens, name);
    if (at == tokens.n)
        tori_error_set (err, TORI_INVALID, "there is no token '%.60s'", name);
    else if (make_text (ret_text, err) == 0) {
        hash_token (ret_text, tokens.items[at].code);
        tokens.items[at].code_expires = expires;
        status = write_all (&tokens, state, lock, err);
    }
    tokens_free (&tokens);
    close (lock);
    return status;
}
