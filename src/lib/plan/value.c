#include "value.h"

#include <string.h>

/* ---- modulo the prime ---- */

static uint64_t residue_mul (uint64_t a, uint64_t b)
{
    value_pair product = (value_pair)a * b;
    return residue_add ((uint64_t)product & VALUE_PRIME,
                        (uint64_t)(product >> 61));
}

/* a^(P-2), which is 1/a. */
static uint64_t residue_inverse (uint64_t a)
{
    uint64_t power = 1;
    for (uint64_t e = VALUE_PRIME - 2; e; e >>= 1) {
        if (e & 1)
            power = residue_mul (power, a);
        a = residue_mul (a, a);
    }
    return power;
}

/* ---- digits ---- */

void value_add_long (int words, uint64_t *to, const uint64_t *a,
                     const uint64_t *b)
{
    uint64_t carry = 0;
    for (int i = 0; i < words; i++) {
        value_pair sum = (value_pair)a[i] + b[i] + carry;
        to[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}

void value_sub_long (int words, uint64_t *to, const uint64_t *a,
                     const uint64_t *b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < words; i++) {
        value_pair rest = (value_pair)a[i] - b[i] - borrow;
        to[i] = (uint64_t)rest;
        borrow = (uint64_t)(rest >> 64) & 1;
    }
}

double value_halve (const struct scale *scale, uint64_t *value, int bits)
{
    uint64_t lost = bits ? value[0] << (64 - bits) : 0;
    value[scale->words] = residue_halve (value[scale->words], bits);
    for (int i = 0; bits && i < scale->words; i++) {
        uint64_t above = i + 1 < scale->words ? value[i + 1] : 0;
        value[i] = value[i] >> bits | above << (64 - bits);
    }
    return lost ? scale->ulp : 0;
}

double value_expand (const struct scale *scale, uint64_t *value, int bits,
                     uint64_t divisor, double bound)
{
    uint64_t *residue = &value[scale->words], rest = 0;
    for (int i = scale->words - 1; bits && i >= 0; i--)
        value[i] = value[i] << bits | (i ? value[i - 1] >> (64 - bits) : 0);
    for (int i = scale->words - 1; i >= 0; i--) {
        value_pair part = (value_pair)rest << 64 | value[i];
        value[i] = (uint64_t)(part / divisor);
        rest = (uint64_t)(part % divisor);
    }
    *residue = residue_mul (residue_mul (*residue, UINT64_C (1) << bits),
                            residue_inverse (divisor));
    return ldexp (bound, bits) / (double)divisor * (1 + 0x1p-40)
           + (rest ? scale->ulp : 0);
}

bool value_of_exact (const struct scale *scale, tori_exact number,
                     uint64_t *to, bool *ret_rounded)
{
    value_pair whole = (value_pair)(number.num / number.den);
    value_pair rest = (value_pair)(number.num % number.den);
    value_pair den = (value_pair)number.den;
    uint64_t modulo = (uint64_t)(den % VALUE_PRIME);
    if (modulo == 0)
        return false;
    value_zero (scale, to);
    for (int i = 0; whole; i++, whole >>= 1)
        if (whole & 1)
            to[(scale->point + i) / 64] |= UINT64_C (1)
                                           << (scale->point + i) % 64;
    for (int i = scale->point - 1; rest && i >= 0; i--) {
        rest <<= 1;
        if (rest >= den) {
            rest -= den;
            to[i / 64] |= UINT64_C (1) << i % 64;
        }
    }
    *ret_rounded = rest != 0;
    to[scale->words] = (uint64_t)((value_pair)number.num % VALUE_PRIME);
    if (modulo != 1)
        to[scale->words] =
            residue_mul (to[scale->words], residue_inverse (modulo));
    return true;
}

/* ---- size and order ---- */

/* In units of 2^unit, from the two highest words that are not zero. */
static double magnitude_of (int words, const uint64_t *value, int unit)
{
    int i = words - 1;
    while (i > 0 && value[i] == 0)
        i--;
    if (i == 0)
        return ldexp ((double)value[0], -unit);
    return ldexp ((double)value[i] * 0x1p64 + (double)value[i - 1],
                  64 * (i - 1) - unit);
}

/* The first 53 bits, cut off. */
double value_approximate (const struct scale *scale, const uint64_t *value)
{
    int i = scale->words - 1, drop;
    value_pair top;
    while (i > 1 && value[i] == 0)
        i--;
    top = (value_pair)value[i] << 64 | value[i - 1];
    for (drop = 0; top >> 53; drop++)
        top >>= 1;
    return ldexp ((double)(uint64_t)top,
                  drop + 64 * (i - 1) - scale->point);
}

int value_compare_close (struct scale *scale, const uint64_t *a,
                         const uint64_t *b, double bounds)
{
    enum { SIGN = 63 };
    uint64_t apart[VALUE_MOST_WORDS];
    int words = scale->words;
    bool negative;
    double distance;
    value_sub_long (words, apart, a, b);
    negative = apart[words - 1] >> SIGN;
    for (int i = 0; negative && i < words; i++)
        apart[i] = ~apart[i];
    distance =
        magnitude_of (words, apart, scale->unit) + (negative ? scale->ulp : 0);
    if (distance > bounds * (1 + 0x1p-30))
        return negative ? -1 : 1;
    if (a[words] != b[words])
        scale->unclear = true;
    else
        return 0;
    return negative ? -1 : 1;
}

/* ---- text ---- */

/* As many decimal digits as fit a word are taken at a time. */
enum { CHUNK = 18 };
static const uint64_t chunk = UINT64_C (1000000000000000000);

/* Divide the digits by the chunk and return the rest. */
static uint64_t divide_digits (int words, uint64_t *digits)
{
    value_pair rest = 0;
    for (int i = words - 1; i >= 0; i--) {
        if (rest || digits[i]) {
            rest = rest << 64 | digits[i];
            digits[i] = (uint64_t)(rest / chunk);
            rest %= chunk;
        }
    }
    return (uint64_t)rest;
}

static void multiply_digits (int words, uint64_t *digits, uint64_t factor)
{
    value_pair carry = 0;
    for (int i = 0; i < words; i++) {
        carry += (value_pair)digits[i] * factor;
        digits[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

static void multiply_ten (int words, uint64_t *digits, int power)
{
    for (; power >= CHUNK; power -= CHUNK)
        multiply_digits (words, digits, chunk);
    for (; power > 0; power--)
        multiply_digits (words, digits, 10);
}

/* The digits rounded to a whole number: half of the last bit before the point
 * is added, then the fraction is dropped. */
static void round_off (int words, uint64_t *digits, int point)
{
    uint64_t carry = UINT64_C (1) << (point - 1) % 64;
    for (int i = (point - 1) / 64; carry && i < words; i++) {
        digits[i] += carry;
        carry = digits[i] < carry;
    }
    for (int i = 0; i < words; i++) {
        int from = i + point / 64, bits = point % 64;
        uint64_t low = from < words ? digits[from] : 0;
        uint64_t high = from + 1 < words ? digits[from + 1] : 0;
        digits[i] = bits ? low >> bits | high << (64 - bits) : low;
    }
}

/* The decimal digits of a whole number, the lowest first, `least` of them at
 * least. Returns how many. */
static int format_decimals (int words, uint64_t *digits, int least,
                            char ret[VALUE_TEXT])
{
    int n = 0;
    while (words > 0 || n < least) {
        uint64_t rest;
        while (words > 0 && digits[words - 1] == 0)
            words--;
        rest = divide_digits (words, digits);
        for (int i = 0; i < CHUNK && n < VALUE_TEXT - 2; i++, rest /= 10)
            ret[n++] = (char)('0' + rest % 10);
        if (n >= VALUE_TEXT - 2)
            break;
    }
    while (n > least && ret[n - 1] == '0')
        n--;
    return n;
}

void value_format (const struct scale *scale, const uint64_t *value,
                   int places, char text[VALUE_TEXT])
{
    uint64_t digits[VALUE_MOST_WORDS + 4] = {0};
    char reversed[VALUE_TEXT];
    int words = scale->words + 4; /* room for 10^60 */
    int n, zeros = 0;
    memcpy (digits, value, (size_t)scale->words * sizeof digits[0]);
    multiply_ten (words, digits, places);
    round_off (words, digits, scale->point);
    n = format_decimals (words, digits, places + 1, reversed);
    while (zeros < places && reversed[zeros] == '0')
        zeros++;
    for (int i = n - 1; i >= zeros; i--) {
        if (i == places - 1)
            *text++ = '.';
        *text++ = reversed[i];
    }
    *text = '\0';
}

/* ---- fractions ---- */

static bool bit_of (const uint64_t *value, int bit)
{
    return value[bit / 64] >> bit % 64 & 1;
}

bool value_exact (const struct scale *scale, const uint64_t *value,
                  tori_exact *ret_number)
{
    int bits = 64 * scale->words, low = 0;
    tori_wide num = 0;
    while (low < scale->point && !bit_of (value, low))
        low++;
    while (bits > low && !bit_of (value, bits - 1))
        bits--;
    if (bits - low > 126 || scale->point - low > 126)
        return false;
    while (bits > low)
        num = 2 * num + bit_of (value, --bits);
    *ret_number =
        tori_exact_make (num, (tori_wide)1 << (scale->point - low));
    return true;
}
