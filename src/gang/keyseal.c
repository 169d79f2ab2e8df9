#include "keyseal.h"

#include <sys/random.h>

#include <nettle/curve25519.h>
#include <nettle/hmac.h>

int seal_make (struct seal *ret_seal, tori_error *err)
{
    if (getrandom (ret_seal->secret, SEAL_BYTES, 0) != SEAL_BYTES)
        return tori_error_set (err, TORI_FAILED, "no random numbers");
    curve25519_mul_g (ret_seal->open, ret_seal->secret);
    return 0;
}

void seal_turn (const struct seal *own, const unsigned char other[SEAL_BYTES],
                struct run_key *key)
{
    static const uint8_t label[] = "tori: the key of a run";
    uint8_t common[SEAL_BYTES], cover[sizeof key->byte];
    struct hmac_sha256_ctx code;
    curve25519_mul (common, own->secret, other);
    hmac_sha256_set_key (&code, sizeof common, common);
    hmac_sha256_update (&code, sizeof label, label);
    hmac_sha256_digest (&code, sizeof cover, cover);
    for (size_t i = 0; i < sizeof cover; i++)
        key->byte[i] ^= cover[i];
}
