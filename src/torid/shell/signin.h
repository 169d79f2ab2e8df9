/* signin.h - coming in with a browser.
 *
 * A browser cannot be told to send a header with a token. The page posts the
 * token to /signin, or a code that is good once (torid token code), and gets a
 * session as a cookie. A session is random, names the token it is for and its
 * end, and is signed with a key that only torid knows. So torid keeps no list
 * of sessions, a session outlasts a restart, and it ends with its token. The
 * page itself is for everybody: it holds nothing, and asks for a token if it
 * needs one. /signout removes the cookie.
 *
 * A browser sends cookies whoever made the page that asks. So a request with a
 * cookie that changes something must come from torid's own page, and its body
 * must be JSON, which a form of another site cannot send.
 */
#ifndef TORI_TORID_SIGNIN_H
#define TORI_TORID_SIGNIN_H

#include "torid.h"

#define SIGNIN_COOKIE "tori"
#define SIGNIN_PATH "/signin"
#define SIGNOUT_PATH "/signout"

enum { SIGNIN_BODY = 4096 }; /* the most that is kept of a stranger's body */

/* Read the key of the state directory, or make one. */
int signin_open (struct torid *torid, tori_error *err);

/* The token of a session, or NULL. */
const struct token *signin_token (struct torid *torid, const char *cookie);

/* Whether a request by TCP wants to sign in or out, which everybody may. */
bool signin_asked (const struct request *request, const char *method,
                   const char *path);

/* Whether the page that makes a request may use a cookie for it: 0, or why
 * not. */
const char *signin_wrong_site (const struct request *request, bool looks);

#endif
