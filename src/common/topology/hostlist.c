#include "hostlist.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

static const char between[] = ", \t\n";

/* A part between commas in brackets: numbers from `first` on, or the box from
 * the digits at `low` to those at `high`. */
struct host_range {
    const char *low, *high; /* high is NULL for numbers */
    size_t width;
    uint64_t first, n;
};

static int refuse_pattern (const char *pattern, const char *why,
                           tori_error *err)
{
    return tori_error_set (err, TORI_INVALID, "bad list of hosts '%.80s': %s",
                           pattern, why);
}

/* ---- ranges ---- */

static int digit_of (char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                  : -1;
}

static size_t digits_at (const char *text)
{
    size_t n = 0;
    while (digit_of (text[n]) >= 0)
        n++;
    return n;
}

static bool multiply_counts (uint64_t a, uint64_t b, uint64_t *ret_product)
{
    return !__builtin_mul_overflow (a, b, ret_product)
           && *ret_product <= UINT32_MAX;
}

static bool scan_box (const char **at, struct host_range *range)
{
    range->width = digits_at (*at);
    range->low = *at;
    range->high = *at + range->width + 1;
    range->n = 1;
    if (range->width == 0 || range->high[-1] != 'x'
        || digits_at (range->high) != range->width)
        return false;
    for (size_t i = 0; i < range->width; i++) {
        int more = digit_of (range->high[i]) - digit_of (range->low[i]);
        if (more < 0
            || !multiply_counts (range->n, (uint64_t)more + 1, &range->n))
            return false;
    }
    *at = range->high + range->width;
    return true;
}

static bool scan_numbers (const char **at, struct host_range *range)
{
    uint64_t last;
    range->low = *at;
    range->high = NULL;
    if (!number_scan (at, INT64_MAX, &range->first))
        return false;
    range->width = (size_t)(*at - range->low);
    last = range->first;
    if (**at == '-' && (++*at, !number_scan (at, INT64_MAX, &last)))
        return false;
    range->n = last - range->first + 1;
    return last >= range->first && range->n <= UINT32_MAX;
}

/* The range at *at, which moves past it and the comma or bracket after it. */
static bool scan_range (const char **at, struct host_range *range)
{
    const char *start = *at;
    if (!scan_box (at, range)) {
        *at = start;
        if (!scan_numbers (at, range))
            return false;
    }
    return (**at == ',' || **at == ']') && ++*at;
}

/* The i-th text of a range, as long as it fits. */
static size_t range_text (const struct host_range *range, uint64_t i, char *to,
                          size_t room)
{
    if (!range->high)
        return (size_t)snprintf (to, room, "%0*llu", (int)range->width,
                                 (unsigned long long)(range->first + i));
    if (range->width >= room)
        return range->width;
    to[range->width] = '\0';
    for (size_t d = range->width; d-- > 0;) {
        int low = digit_of (range->low[d]);
        int sides = digit_of (range->high[d]) - low + 1;
        int digit = low + (int)(i % (uint64_t)sides);
        to[d] = (char)(digit < 10 ? '0' + digit : 'A' + digit - 10);
        i /= (uint64_t)sides;
    }
    return range->width;
}

/* ---- counting ---- */

/* All ranges of the brackets that are open at *at. */
static bool count_bracket (const char **at, uint64_t *ret_n)
{
    struct host_range range;
    *ret_n = 0;
    do {
        if (!scan_range (at, &range))
            return false;
        *ret_n += range.n;
    } while ((*at)[-1] == ',' && *ret_n <= UINT32_MAX);
    return *ret_n <= UINT32_MAX;
}

/* The names of the item at *at. */
static bool count_item (const char **at, uint64_t *ret_n)
{
    uint64_t more;
    *ret_n = 1;
    for (;;) {
        *at += strcspn (*at, ", \t\n[]");
        if (**at != '[')
            return **at != ']';
        ++*at;
        if (!count_bracket (at, &more)
            || !multiply_counts (*ret_n, more, ret_n))
            return false;
    }
}

int hostlist_count (const char *pattern, uint64_t *ret_n, tori_error *err)
{
    const char *at = pattern + strspn (pattern, between);
    uint64_t n = 0, more;
    while (*at) {
        if (!count_item (&at, &more))
            return refuse_pattern (pattern, "expected names such as n[0-63]",
                                   err);
        n += more;
        if (n > UINT32_MAX)
            return refuse_pattern (pattern, "it has too many names", err);
        at += strspn (at, between);
    }
    *ret_n = n;
    return 0;
}

/* ---- all names ---- */

struct host_walk {
    const char *pattern;
    host_fn *each;
    void *arg;
    char name[HOST_TEXT];
};

/* The rest of an item, after the part that is already in the name. */
static int spread_item (struct host_walk *walk, size_t length,
                        const char *rest, tori_error *err)
{
    size_t n = strcspn (rest, ", \t\n[");
    struct host_range range;
    const char *end, *at = rest + n + 1;
    if (length + n >= HOST_TEXT)
        return refuse_pattern (walk->pattern, "a name is too long", err);
    memcpy (walk->name + length, rest, n);
    length += n;
    walk->name[length] = '\0';
    if (rest[n] != '[')
        return walk->each (walk->arg, walk->name, err);
    end = at + strcspn (at, "]") + 1;
    do {
        if (!scan_range (&at, &range))
            return refuse_pattern (walk->pattern,
                                   "expected names such as n[0-63]", err);
        for (uint64_t i = 0; i < range.n; i++) {
            size_t more = range_text (&range, i, walk->name + length,
                                      HOST_TEXT - length);
            if (more >= HOST_TEXT - length)
                return refuse_pattern (walk->pattern, "a name is too long",
                                       err);
            if (spread_item (walk, length + more, end, err) < 0)
                return -1;
        }
    } while (at[-1] == ',');
    return 0;
}

int hostlist_each (const char *pattern, host_fn *each, void *arg,
                   tori_error *err)
{
    struct host_walk walk = {.pattern = pattern, .each = each, .arg = arg};
    const char *at = pattern + strspn (pattern, between);
    uint64_t n;
    if (hostlist_count (pattern, &n, err) < 0)
        return -1;
    while (*at) {
        if (spread_item (&walk, 0, at, err) < 0)
            return -1;
        count_item (&at, &n);
        at += strspn (at, between);
    }
    return 0;
}

/* ---- the other way ---- */

/* The offset of the number at the end of a name; its length if there is
 * none. */
static size_t number_at (const char *name)
{
    size_t n = strlen (name), most = n > 18 ? n - 18 : 0;
    while (n > most && name[n - 1] >= '0' && name[n - 1] <= '9')
        n--;
    return n;
}

static bool is_same_front (const char *a, const char *b, size_t length)
{
    return !strncmp (a, b, length) && number_at (b) == length && b[length];
}

/* Whether a number follows `last`, in a range with numbers of this width. */
static bool is_next (const char *digits, uint64_t last, int width)
{
    char text[32];
    snprintf (text, sizeof text, "%0*llu", width,
              (unsigned long long)last + 1);
    return !strcmp (text, digits);
}

/* Names from the first on with the same prefix: all in one pair of
 * brackets. */
static size_t put_group (FILE *out, const char *const names[], size_t n)
{
    size_t front = number_at (names[0]), i, group = 1;
    while (group < n && names[0][front]
           && is_same_front (names[0], names[group], front))
        group++;
    fprintf (out, "%.*s%s", (int)front, names[0], group > 1 ? "[" : "");
    for (i = 0; i < group; i++) {
        const char *digits = names[i] + front, *start = digits;
        int width = (int)strlen (digits);
        while (i + 1 < group
               && is_next (names[i + 1] + front, strtoull (digits, NULL, 10),
                           width))
            digits = names[++i] + front;
        fprintf (out, "%s%s%s", start, digits == start ? "" : "-",
                 digits == start ? "" : digits);
        if (i + 1 < group)
            fputc (',', out);
    }
    if (group > 1)
        fputc (']', out);
    return group;
}

char *hostlist_format (const char *const names[], size_t n)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream (&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < n;) {
        if (i > 0)
            fputc (',', out);
        i += put_group (out, names + i, n - i);
    }
    if (ferror (out) | fclose (out)) {
        free (text);
        return NULL;
    }
    return text;
}
