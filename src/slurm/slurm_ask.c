/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"

/* The request in a comment. */
struct said {
    tori_request request;
    int64_t patience; /* ticks; 0: none */
    uint64_t count;   /* what it takes afterwards; 0: not given */
    tori_shaping rule; /* that made its shape; TORI_SHAPE_NONE: none did */
    bool boxes;        /* other boxes of as many nodes will do, too */
    bool held;         /* by its user */
};

static const char head[] = "tori:", hold_word[] = "hold";

/* The words of a comment for tori, and their length. */
static const char *find_words (const char *comment, size_t *ret_length)
{
    const char *words = comment && !strncmp (comment, head, sizeof head - 1)
                            ? comment + sizeof head - 1
                            : "";
    *ret_length = strcspn (words, " \t\n");
    return words;
}

/* "4x4x2" or "4x4x2@10m". */
static int read_shape (char *text, struct said *said, tori_error *err)
{
    char *at = strchr (text, '@');
    if (at)
        *at++ = 0;
    if (at && limit_parse (at, &said->patience, err) < 0)
        return -1;
    if (at && said->patience <= 0)
        return tori_error_set (err, TORI_INVALID,
                               "the comment has a shape with '@%.40s': "
                               "expected a time above 0",
                               at);
    return tori_shape_parse (text, &said->request.shape, err);
}

static int read_count (const char *text, struct said *said, tori_error *err)
{
    char *end;
    said->count = strtoull (text, &end, 10);
    return *text >= '1' && *text <= '9' && !*end && said->count <= UINT32_MAX
               ? 0
               : tori_error_set (err, TORI_INVALID,
                                 "the comment says 'count=%.40s': expected a "
                                 "number of nodes",
                                 text);
}

int slurm_ask_or (const char *text, bool *ret_boxes, tori_error *err)
{
    *ret_boxes = !strcmp (text, "boxes");
    return *ret_boxes || !strcmp (text, "none")
               ? 0
               : tori_error_set (err, TORI_INVALID,
                                 "'or=%.40s': expected none or boxes", text);
}

static int read_word (char *word, struct said *said, tori_error *err)
{
    static const char shape[] = "shape=", wiring[] = "wiring=",
                      count[] = "count=", rule[] = "rule=", or[] = "or=";
    if (!strncmp (word, shape, sizeof shape - 1))
        return read_shape (word + sizeof shape - 1, said, err);
    if (!strncmp (word, count, sizeof count - 1))
        return read_count (word + sizeof count - 1, said, err);
    if (!strncmp (word, wiring, sizeof wiring - 1))
        return tori_wiring_parse (word + sizeof wiring - 1,
                                  &said->request.wiring, err);
    if (!strncmp (word, rule, sizeof rule - 1))
        return tori_shaping_parse (word + sizeof rule - 1, &said->rule, err);
    if (!strncmp (word, or, sizeof or - 1))
        return slurm_ask_or (word + sizeof or - 1, &said->boxes, err);
    if (!strcmp (word, hold_word)) {
        said->held = true;
        return 0;
    }
    return tori_error_set (err, TORI_INVALID,
                           "the comment says '%.40s'; expected "
                           "tori:shape=SHAPE[@TIME[,count=N]][,or=boxes]"
                           "[,wiring=WIRING]",
                           word);
}

static int read_words (const char *text, size_t n, struct said *said,
                       tori_error *err)
{
    char *words = strndup (text, n), *rest = words, *word;
    int status = words ? 0 : tori_error_nomem (err);
    while (status == 0 && (word = strsep (&rest, ",")))
        status = read_word (word, said, err);
    free (words);
    return status;
}

/* Slurm gives a job one number of nodes. */
static int check_count (const struct said *said, uint64_t volume,
                        tori_error *err)
{
    if (said->count > 0 && said->patience == 0)
        return tori_error_set (err, TORI_INVALID,
                               "the comment has a count, but its shape does "
                               "not say when: expected shape=SHAPE@TIME");
    if (said->boxes && said->patience > 0)
        return tori_error_set (err, TORI_INVALID,
                               "the comment has a shape with a time, after "
                               "which the job takes any nodes, and or=boxes: "
                               "expected one of the two");
    if (said->count == 0 || said->count == volume)
        return 0;
    return tori_error_set (err, TORI_INVALID,
                           "the comment asks for %llu nodes after a while, "
                           "but its shape has %llu, and the number of nodes "
                           "stays",
                           (unsigned long long)said->count,
                           (unsigned long long)volume);
}

static int check_sizes (const struct said *said, uint32_t nodes,
                        tori_error *err)
{
    const tori_request *request = &said->request;
    uint64_t volume = tori_shape_volume (&request->shape);
    char text[TORI_TEXT_MAX];
    if (request->shape.ndims == 0)
        return tori_error_set (err, TORI_INVALID,
                               "the comment has a %s, but no shape",
                               said->count  ? "count"
                               : said->rule ? "rule"
                               : said->boxes ? "choice"
                                             : "wiring");
    if (check_count (said, volume, err) < 0)
        return -1;
    if (nodes == 0 || nodes == volume)
        return 0;
    tori_shape_format (&request->shape, text);
    return tori_error_set (err, TORI_INVALID,
                           "the job asks for %u nodes, but its shape, %.80s, "
                           "has %llu",
                           nodes, text, (unsigned long long)volume);
}

static int read_comment (const char *comment, uint32_t nodes,
                         struct said *ret_said, tori_error *err)
{
    struct said said = {0};
    size_t n;
    const char *words = find_words (comment, &n);
    bool alone;
    if (n > 0 && read_words (words, n, &said, err) < 0)
        return -1;
    alone = said.held && n == sizeof hold_word - 1;
    if (n > 0 && !alone && check_sizes (&said, nodes, err) < 0)
        return -1;
    if (n == 0 || alone)
        said.request.count = nodes > 0 ? nodes : 1;
    *ret_said = said;
    return 0;
}

int slurm_ask_parse (const char *comment, uint32_t nodes,
                     tori_request *ret_request, tori_error *err)
{
    struct said said;
    if (read_comment (comment, nodes, &said, err) < 0)
        return -1;
    *ret_request = said.request;
    return 0;
}

int64_t slurm_ask_patience (const char *comment)
{
    struct said said;
    return read_comment (comment, 0, &said, NULL) < 0 ? 0 : said.patience;
}

bool slurm_ask_held (const char *comment)
{
    struct said said;
    return read_comment (comment, 0, &said, NULL) == 0 && said.held;
}

/* All words but this one; NULL without memory. */
static char *drop_hold (const char *words, size_t n)
{
    char *copy = strndup (words, n), *rest = copy, *word;
    char *kept = calloc (n + 1, 1);
    size_t length = 0;
    while (copy && kept && (word = strsep (&rest, ",")))
        if (strcmp (word, hold_word) != 0)
            length += (size_t)snprintf (kept + length, n + 1 - length, "%s%s",
                                        length > 0 ? "," : "", word);
    free (copy);
    return kept;
}

char *slurm_ask_hold (const char *comment, bool hold)
{
    size_t n;
    const char *words = find_words (comment, &n);
    const char *after = n > 0 ? words + n : comment ? comment : "";
    char *kept = drop_hold (words, n), *text = NULL;
    bool any = kept && *kept;
    if (!any && !hold)
        after += strspn (after, " ");
    if (!kept
        || asprintf (&text, "%s%s%s%s%s%s", any || hold ? head : "", kept,
                     any && hold ? "," : "", hold ? hold_word : "",
                     hold && n == 0 && *after ? " " : "", after)
               < 0)
        text = NULL;
    free (kept);
    return text;
}

bool slurm_ask_ruled (const char *comment)
{
    struct said said;
    return read_comment (comment, 0, &said, NULL) == 0
           && said.rule != TORI_SHAPE_NONE;
}

bool slurm_ask_boxes (const char *comment)
{
    struct said said;
    return read_comment (comment, 0, &said, NULL) == 0 && said.boxes;
}

int slurm_ask_room (const tori_request *request, uint32_t asked,
                    const char *partition, uint32_t nodes, tori_error *err)
{
    uint64_t needed = tori_request_nodes (request);
    if (needed <= nodes)
        return 0;
    if (asked == 0 || asked == needed)
        return tori_error_set (err, TORI_NEVER,
                               "partition %.80s has %u nodes, but the job "
                               "asks for %llu",
                               partition, nodes, (unsigned long long)needed);
    return tori_error_set (err, TORI_NEVER,
                           "partition %.80s has %u nodes, but the box for %u "
                           "nodes has %llu",
                           partition, nodes, asked,
                           (unsigned long long)needed);
}

char *slurm_ask_comment (const tori_request *request, tori_shaping rule,
                         bool boxes, const char *before)
{
    bool wired = request->wiring != TORI_WIRE_NONE;
    char shape[TORI_TEXT_MAX], *text;
    tori_shape_format (&request->shape, shape);
    return asprintf (&text, "tori:shape=%s%s%s,rule=%s%s%s%s", shape,
                     wired ? ",wiring=" : "",
                     wired ? tori_wiring_name (request->wiring) : "",
                     tori_shaping_name (rule), boxes ? ",or=boxes" : "",
                     before ? " " : "", before ? before : "")
                   < 0
               ? NULL
               : text;
}

static const char mark[] = "| tori: ";

/* The mark before the remark, which comes last, or NULL. */
static const char *find_mark (const char *comment)
{
    const char *last = NULL;
    for (const char *at = comment; (at = strstr (at, mark)); at++)
        last = at;
    return last;
}

/* The length of a comment without its remark. */
static size_t own_length (const char *comment)
{
    const char *last = find_mark (comment);
    size_t n = last ? (size_t)(last - comment) : strlen (comment);
    return last && n > 0 && comment[n - 1] == ' ' ? n - 1 : n;
}

char *slurm_ask_remark (const char *comment, const char *remark)
{
    enum { ROOM = 1024 }; /* in Slurm */
    size_t own = own_length (comment ? comment : "");
    char *text;
    if (!remark || own + strlen (remark) + sizeof mark >= ROOM)
        return strndup (comment ? comment : "", own);
    return asprintf (&text, "%.*s%s%s%s", (int)own, comment ? comment : "",
                     own > 0 ? " " : "", mark, remark)
                   < 0
               ? NULL
               : text;
}

char *slurm_ask_renew (const char *comment, const char *other)
{
    const char *last = other ? find_mark (other) : NULL;
    return last ? slurm_ask_remark (comment, last + sizeof mark - 1) : NULL;
}
