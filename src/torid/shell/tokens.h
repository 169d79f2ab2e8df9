/* tokens.h - who may come in by TCP.
 *
 * A token is 32 random bytes, so nobody can guess one, and a single hash says
 * nothing about it. SHA-256 is enough: slow hashes, as for passwords, only
 * protect what can be guessed. The file in the state directory holds the
 * hashes, and only its owner may read it. It is replaced as a whole, and its
 * readers notice, so a change takes effect at once.
 */
#ifndef TORI_TORID_TOKENS_H
#define TORI_TORID_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <tori/error.h>

/* Each may do what those before it may. */
enum role { ROLE_NONE, ROLE_READER, ROLE_USER, ROLE_OPERATOR };

/* "reader", "user", "operator"; NULL past the end. */
const char *role_name (size_t i);

enum { TOKEN_TEXT = 64, TOKEN_NAME = 65, TOKEN_HASH = 32 };

/* Times are in seconds since 1970. */
struct token {
    char name[TOKEN_NAME], user[TOKEN_NAME]; /* user: whom it speaks for */
    enum role role;
    int64_t added;
    int64_t expires; /* 0: never */
    int64_t used;    /* when last, as far as is known; 0: not yet */
    unsigned char hash[TOKEN_HASH];
    int64_t code_expires; /* of a code for one sign-in (signin.h); 0: none */
    unsigned char code[TOKEN_HASH];
};

struct tokens {
    struct token *items;
    size_t n, room;
    struct stat seen; /* the file that they are from */
    bool used;        /* one of them was, since that was last written ... */
    bool first;       /* ... and for the first time */
};

/* Read the file of a state directory, if it is not the one that was read last.
 * On failure those from before are kept. 1 if there was another one. */
int tokens_read (struct tokens *tokens, const char *state, tori_error *err);
void tokens_free (struct tokens *tokens);

/* The token of this text, which is used now; or NULL. How long it takes does
 * not tell which bytes are right. An expired token is not found. */
const struct token *tokens_find (struct tokens *tokens, const char *text);

/* The same by its hash, and by a code, which is then no longer good. */
const struct token *tokens_find_hash (struct tokens *tokens,
                                      const unsigned char hash[TOKEN_HASH]);
const struct token *tokens_find_code (struct tokens *tokens,
                                      const char *text);

/* Whether this is the text of a token that has expired. */
bool tokens_is_expired (const struct tokens *tokens, const char *text);

/* When each was last used is kept in a file of its own, which torid writes. */
void tokens_read_used (struct tokens *tokens, const char *state);
int tokens_write_used (struct tokens *tokens, const char *state,
                       tori_error *err);

/* Make one more, or take one away. `expires` is 0 if it never does.
 * TORI_INVALID if there is one of this name, or none. */
int token_add (const char *state, const char *name, const char *user,
               enum role role, int64_t expires, char ret_text[TOKEN_TEXT],
               tori_error *err);
int token_remove (const char *state, const char *name, tori_error *err);

/* Make a code by which a browser signs in once as this token. There is one at
 * a time. */
int token_code (const char *state, const char *name, int64_t expires,
                char ret_text[TOKEN_TEXT], tori_error *err);

#endif
