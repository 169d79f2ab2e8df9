/* signin.h - coming in with a browser.
 *
 * A browser cannot be told to send a header with a token. It opens "/?token="
 * once, gets the token back as a cookie that no other site can make it send,
 * and goes on to "/", so that the token is not in its history. The page itself
 * is for everybody: it holds nothing, and asks for a token if it needs one.
 */
#ifndef TORI_TORID_SIGNIN_H
#define TORI_TORID_SIGNIN_H

#include "torid.h"

#define SIGNIN_COOKIE "tori"

/* Whether a look at "/" by somebody who comes by TCP was answered here.
 * `known` says whether it has a token that is good. */
bool signin_answer (struct request *request, bool known);

/* The bundled page, if there is one and the browser can have it. */
bool page_answer (struct request *request);

#endif
