/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm_ask.h"

static int set_word (const char *word, tori_request *request, tori_error *err)
{
    static const char shape[] = "shape=", wiring[] = "wiring=";
    if (!strncmp (word, shape, sizeof shape - 1))
        return tori_shape_parse (word + sizeof shape - 1, &request->shape,
                                 err);
    if (!strncmp (word, wiring, sizeof wiring - 1))
        return tori_wiring_parse (word + sizeof wiring - 1, &request->wiring,
                                  err);
    return tori_error_set (err, TORI_INVALID,
                           "the comment says '%.40s'; expected "
                           "tori:shape=SHAPE[,wiring=WIRING]",
                           word);
}

static int set_words (const char *text, size_t n, tori_request *request,
                      tori_error *err)
{
    char *words = strndup (text, n), *rest = words, *word;
    int status = words ? 0 : tori_error_nomem (err);
    while (status == 0 && (word = strsep (&rest, ",")))
        status = set_word (word, request, err);
    free (words);
    return status;
}

static int check_sizes (const tori_request *request, uint32_t nodes,
                        tori_error *err)
{
    uint64_t volume = tori_shape_volume (&request->shape);
    char text[TORI_TEXT_MAX];
    if (request->shape.ndims == 0)
        return tori_error_set (err, TORI_INVALID,
                               "the comment has a wiring, but no shape");
    if (nodes == 0 || nodes == volume)
        return 0;
    tori_shape_format (&request->shape, text);
    return tori_error_set (err, TORI_INVALID,
                           "the job asks for %u nodes, but its shape, %.80s, "
                           "has %llu",
                           nodes, text, (unsigned long long)volume);
}

int slurm_ask_parse (const char *comment, uint32_t nodes,
                     tori_request *ret_request, tori_error *err)
{
    static const char head[] = "tori:";
    tori_request request = {0};
    const char *words = comment && !strncmp (comment, head, sizeof head - 1)
                            ? comment + sizeof head - 1
                            : "";
    size_t n = strcspn (words, " \t\n");
    if (n > 0 && (set_words (words, n, &request, err) < 0
                  || check_sizes (&request, nodes, err) < 0))
        return -1;
    if (n == 0)
        request.count = nodes > 0 ? nodes : 1;
    *ret_request = request;
    return 0;
}

int slurm_ask_room (const tori_request *request, const char *partition,
                    uint32_t nodes, tori_error *err)
{
    uint64_t asked = tori_request_nodes (request);
    return asked <= nodes
               ? 0
               : tori_error_set (err, TORI_NEVER,
                                 "partition %.80s has %u nodes, but the job "
                                 "asks for %llu",
                                 partition, nodes, (unsigned long long)asked);
}

char *slurm_ask_comment (const tori_request *request, const char *before)
{
    bool wired = request->wiring != TORI_WIRE_NONE;
    char shape[TORI_TEXT_MAX], *text;
    tori_shape_format (&request->shape, shape);
    return asprintf (&text, "tori:shape=%s%s%s%s%s", shape,
                     wired ? ",wiring=" : "",
                     wired ? tori_wiring_name (request->wiring) : "",
                     before ? " " : "", before ? before : "")
                   < 0
               ? NULL
               : text;
}

static const char mark[] = "| tori: ";

/* The length of a comment without its remark, which comes last. */
static size_t own_length (const char *comment)
{
    const char *last = NULL;
    size_t n;
    for (const char *at = comment; (at = strstr (at, mark)); at++)
        last = at;
    n = last ? (size_t)(last - comment) : strlen (comment);
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
