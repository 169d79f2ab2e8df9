#include "handshake.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <nettle/hmac.h>
#include <nettle/memops.h>

#include "wire.h"

static const uint32_t byte_order = 0x01020304;

/* The side that proves something: the proof of one side is void for the
 * other. */
enum side { SIDE_CONNECTS = 'c', SIDE_ACCEPTS = 'a' };

static bool refuse_handshake (char why[HANDSHAKE_WHY], const char *text)
{
    snprintf (why, HANDSHAKE_WHY, "%s", text);
    return false;
}

/* All of it, or nothing after some seconds. Without a limit, a process that is
 * stopped in the middle goes on where it was. */
static bool read_bytes (int fd, int seconds, void *to, size_t size)
{
    const struct timeval patience = {.tv_sec = seconds};
    char *at = to;
    setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    while (size > 0) {
        ssize_t n = recv (fd, at, size, MSG_WAITALL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ECONNRESET;
        if (n <= 0 || (seconds > 0 && (size_t)n < size))
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool send_bytes (int fd, const void *data, size_t size)
{
    return send (fd, data, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* ---- greetings ---- */

static bool make_greeting (const struct hello *hello,
                           unsigned char to[GREETING_SIZE])
{
    memcpy (to + GREETING_MARK, "tori", 4);
    memcpy (to + GREETING_ORDER, &byte_order, sizeof byte_order);
    number_put (to + GREETING_VERSION, HANDSHAKE_VERSION, 4);
    number_put (to + GREETING_FROM, hello->from, 4);
    number_put (to + GREETING_TO, hello->to, 4);
    number_put (to + GREETING_LEASH, hello->leash, 4);
    return getrandom (to + GREETING_NONCE, GREETING_SIZE - GREETING_NONCE, 0)
           == GREETING_SIZE - GREETING_NONCE;
}

static bool check_greeting (const unsigned char from[GREETING_SIZE],
                            char why[HANDSHAKE_WHY])
{
    unsigned version = (unsigned)number_get (from + GREETING_VERSION, 4);
    if (memcmp (from + GREETING_MARK, "tori", 4) != 0)
        return refuse_handshake (why, "it is not a rank of tori");
    if (version != HANDSHAKE_VERSION) {
        snprintf (
            why, HANDSHAKE_WHY,
            "it speaks version %u of the language of ranks, and this one "
            "%d: expected the same tori on all hosts",
            version, HANDSHAKE_VERSION);
        return false;
    }
    if (memcmp (from + GREETING_ORDER, &byte_order, sizeof byte_order) != 0)
        return refuse_handshake (
            why, "its processor has another byte order: expected "
                 "the same on all hosts");
    return true;
}

/* Only the first bytes of a rank that speaks another version are waited
 * for. */
static bool read_greeting (int fd, int seconds, struct guest *ret_guest,
                           char why[HANDSHAKE_WHY])
{
    unsigned char *is = ret_guest->greeting;
    if (!read_bytes (fd, seconds, is, GREETING_FROM))
        return refuse_handshake (why, "it does not answer");
    if (!check_greeting (is, why))
        return false;
    if (!read_bytes (fd, seconds, is + GREETING_FROM,
                     GREETING_SIZE - GREETING_FROM))
        return refuse_handshake (why, "it does not answer");
    ret_guest->hello
        = (struct hello){(uint32_t)number_get (is + GREETING_FROM, 4),
                         (uint32_t)number_get (is + GREETING_TO, 4),
                         (uint32_t)number_get (is + GREETING_LEASH, 4)};
    return true;
}

/* ---- proofs ---- */

static void make_proof (enum side side, const struct run_key *key,
                        const unsigned char connects[GREETING_SIZE],
                        const unsigned char accepts[GREETING_SIZE],
                        unsigned char to[PROOF_SIZE])
{
    const uint8_t label = (uint8_t)side;
    struct hmac_sha256_ctx code;
    hmac_sha256_set_key (&code, sizeof key->byte, key->byte);
    hmac_sha256_update (&code, 1, &label);
    hmac_sha256_update (&code, GREETING_SIZE, connects);
    hmac_sha256_update (&code, GREETING_SIZE, accepts);
    hmac_sha256_digest (&code, PROOF_SIZE, to);
}

/* The comparison takes constant time, since strangers may ask. */
static bool read_proof (int fd, int seconds,
                        const unsigned char expected[PROOF_SIZE],
                        char why[HANDSHAKE_WHY])
{
    unsigned char proof[PROOF_SIZE];
    if (!read_bytes (fd, seconds, proof, sizeof proof))
        return refuse_handshake (why,
                                 "it gives no proof that it knows the key");
    return memeql_sec (proof, expected, PROOF_SIZE)
           || refuse_handshake (why, "it does not know the key of this run");
}

/* ---- both ends ---- */

bool handshake_ask (int fd, const struct run_key *key,
                    const struct hello *hello, int seconds,
                    char why[HANDSHAKE_WHY])
{
    unsigned char own[GREETING_SIZE], proof[PROOF_SIZE];
    struct guest other;
    if (!make_greeting (hello, own) || !send_bytes (fd, own, sizeof own))
        return refuse_handshake (why, "nothing can be sent");
    if (!read_greeting (fd, seconds, &other, why))
        return false;
    if (other.hello.from != hello->to || other.hello.to != hello->from
        || other.hello.leash != hello->leash)
        return refuse_handshake (why, "it is another rank");
    make_proof (SIDE_ACCEPTS, key, own, other.greeting, proof);
    if (!read_proof (fd, seconds, proof, why))
        return false;
    make_proof (SIDE_CONNECTS, key, own, other.greeting, proof);
    return send_bytes (fd, proof, sizeof proof)
           || refuse_handshake (why, "nothing can be sent");
}

/* A rank that speaks another version is sent this rank's version. */
bool handshake_hear (int fd, int seconds, struct guest *ret_guest,
                     char why[HANDSHAKE_WHY])
{
    unsigned char own[GREETING_SIZE];
    if (read_greeting (fd, seconds, ret_guest, why))
        return true;
    if (memcmp (ret_guest->greeting, "tori", 4) == 0
        && make_greeting (&(struct hello){0}, own))
        send_bytes (fd, own, sizeof own);
    return false;
}

bool handshake_reply (int fd, const struct run_key *key, struct guest *guest,
                      char why[HANDSHAKE_WHY])
{
    const struct hello hello
        = {guest->hello.to, guest->hello.from, guest->hello.leash};
    unsigned char own[GREETING_SIZE + PROOF_SIZE];
    if (!make_greeting (&hello, own))
        return refuse_handshake (why, "nothing can be sent");
    make_proof (SIDE_ACCEPTS, key, guest->greeting, own, own + GREETING_SIZE);
    make_proof (SIDE_CONNECTS, key, guest->greeting, own, guest->proof);
    return send_bytes (fd, own, sizeof own)
           || refuse_handshake (why, "nothing can be sent");
}

bool handshake_check (int fd, const struct guest *guest, int seconds,
                      char why[HANDSHAKE_WHY])
{
    return read_proof (fd, seconds, guest->proof, why);
}

/* ---- keys that follow from it ---- */

void key_of_job (const struct run_key *run, uint64_t task,
                 struct run_key *ret_key)
{
    uint8_t text[1 + 8] = {'j'}; /* no proof begins with this byte */
    struct hmac_sha256_ctx code;
    number_put (text + 1, task, 8);
    hmac_sha256_set_key (&code, sizeof run->byte, run->byte);
    hmac_sha256_update (&code, sizeof text, text);
    hmac_sha256_digest (&code, sizeof ret_key->byte, ret_key->byte);
}
