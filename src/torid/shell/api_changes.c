/* api_changes.c - the record of changes: who changed what, when and why. */
#include <string.h>

#include "api.h"

/* A page looks at no more rows and bytes than that, whoever made the changes: to
 * read rows that are not shown takes time, too, 20 ms for each MiB. */
enum { ROWS_MOST = 10000, BYTES_MOST = 1 << 20 };

/* A page, as far as it goes. */
struct page {
    const struct asking *a;
    const char *user; /* only changes by this user; NULL: any */
    json_t *list;
    uint64_t limit;
    uint64_t rows; /* that were looked at */
    size_t bytes;  /* of these */
    json_int_t last; /* the number of the last change that was looked at */
};

static bool is_user (const json_t *change, const char *key, const char *name)
{
    const char *is = json_string_value (json_object_get (change, key));
    return is && !strcmp (is, name);
}

/* Operators see all changes, others those by themselves or of their jobs. */
static bool is_shown (const struct page *page, const json_t *change)
{
    if (page->user && !is_user (change, "user", page->user))
        return false;
    return page->a->is_operator || is_user (change, "user", page->a->user)
           || is_user (change, "owner", page->a->user);
}

/* 1 if the page is full. */
static int add_change (void *arg, const struct journal_change *change)
{
    struct page *page = arg;
    json_t *value;
    if (page->rows == ROWS_MOST
        || json_array_size (page->list) == page->limit
        || (page->bytes > 0 && page->bytes + change->n > BYTES_MOST))
        return 1;
    value = json_loadb (change->text, change->n, 0, NULL);
    json_object_set_new (value, "number",
                         json_integer ((json_int_t)change->number));
    if (is_shown (page, value))
        json_array_append (page->list, value);
    json_decref (value);
    page->rows++;
    page->bytes += change->n;
    page->last = (json_int_t)change->number;
    return 0;
}

bool get_changes (struct asking *a)
{
    enum { USUAL = 100 };
    struct page page = {.a = a,
                        .user = query (a, "user"),
                        .list = json_array (),
                        .limit = query_number (a, "limit", USUAL)};
    const struct journal_changes which
        = {.after = query_number (a, "after", 0),
           .since = query_since (a, "since"),
           .job = query_number (a, "job", 0)};
    tori_error err;
    int full = journal_each_change (a->torid->journal, &which, add_change,
                                    &page, &err);
    json_t *body = json_pack ("{s:o}", "changes", page.list);
    if (full < 0) {
        json_decref (body);
        refuse_with (a, 500, "failed", "%s", err.text);
        return true;
    }
    if (full > 0) {
        json_object_set_new (body, "next", json_integer (page.last));
        reply_next (a, page.last);
    }
    reply (a, 200, body);
    return true;
}
