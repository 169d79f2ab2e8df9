/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_words.h"

#include <stdio.h>
#include <string.h>

#include "number.h"

/* ---- features ---- */

static bool has_word (const char *list, const char *word, size_t n)
{
    while (list && *list) {
        size_t length = strcspn (list, ",");
        if (length == n && !memcmp (list, word, n))
            return true;
        list += length + (list[length] == ',');
    }
    return false;
}

static int match_terms (const char **at, const char *has, int depth);

static int match_term (const char **at, const char *has, int depth)
{
    enum { DEEPEST = 20 };
    size_t n = strcspn (*at, "&|,()[]*");
    const char *word = *at;
    int met;
    *at += n;
    if (n > 0)
        return has_word (has, word, n);
    if (**at != '(' || depth == DEEPEST)
        return -1;
    ++*at;
    met = match_terms (at, has, depth + 1);
    if (met < 0 || **at != ')')
        return -1;
    ++*at;
    return met;
}

static int match_terms (const char **at, const char *has, int depth)
{
    int met = match_term (at, has, depth);
    while (met >= 0 && **at && strchr ("&|,", **at)) {
        bool either = *(*at)++ == '|';
        int next = match_term (at, has, depth);
        met = next < 0 ? -1 : either ? met | next : met & next;
    }
    return met;
}

int features_match (const char *asked, const char *has)
{
    int met = match_terms (&asked, has, 0);
    return *asked ? -1 : met;
}

/* ---- resources ---- */

/* The length of a field; what is in parentheses after it belongs to it. */
static size_t field_length (const char *text)
{
    size_t n = *text == '(' ? strcspn (text, ")") : 0;
    return n + strcspn (text + n, ":=,;(");
}

/* A number with its unit, as in "2" or "4K". */
static bool read_count (const char *text, size_t n, uint64_t *ret_count)
{
    static const char units[] = "kmgtp";
    const char *end = text, *unit;
    uint64_t count;
    if (!number_scan (&end, UINT32_MAX, &count))
        return false;
    if (end < text + n) {
        unit = strchr (units, *end | 0x20);
        if (!unit || end + 1 < text + n)
            return false;
        count <<= 10 * (unit - units + 1);
    }
    *ret_count = count;
    return true;
}

/* One item; what follows in parentheses, such as sockets, is left out. */
static void read_item (const char **list, struct gres *gres)
{
    const char *at = *list;
    size_t n = field_length (at);
    *gres = (struct gres){.count = 1};
    snprintf (gres->name, sizeof gres->name, "%.*s", (int)n, at);
    at += n;
    while (*at == ':' || *at == '=') {
        n = field_length (++at);
        if (!read_count (at, n, &gres->count) && *at != '('
            && strncmp (at, "no_consume", n) != 0)
            snprintf (gres->type, sizeof gres->type, "%.*s", (int)n, at);
        at += n;
    }
    while (*at && *at != ',' && *at != ';')
        at += *at == '(' ? strcspn (at, ")") : 1;
    *list = at + (*at != 0);
}

bool gres_next (const char **list, struct gres *ret_gres)
{
    while (*list && **list) {
        bool ours = !strncmp (*list, "gres", 4)
                    && ((*list)[4] == ':' || (*list)[4] == '/');
        if (ours)
            *list += 5;
        read_item (list, ret_gres);
        if (ours && *ret_gres->name && strcmp (ret_gres->name, "none") != 0)
            return true;
    }
    return false;
}

uint64_t gres_count (const char *has, const struct gres *asked)
{
    uint64_t count = 0;
    struct gres one;
    while (has && *has) {
        read_item (&has, &one);
        if (!strcmp (one.name, asked->name)
            && (!*asked->type || !strcmp (one.type, asked->type)))
            count += one.count;
    }
    return count;
}
