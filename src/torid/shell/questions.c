#include "questions.h"

#include <string.h>

#include "apifields.h"
#include "jobmembers.h"
#include "names.h"
#include "number.h"
#include "options.h"

enum { STEPS_MOST = 1 << 24, SECONDS_MOST = 60, DIGITS = 24 };

/* ---- members ---- */

/* The i-th name of a list, or NULL past its end. */
typedef const char *known_fn (const void *arg, size_t i);

static const char *field_name (const void *arg, size_t i)
{
    const struct sheet *sheet = arg;
    return i < sheet->n ? sheet->field[i].name : NULL;
}

static int refuse_member (const char *key, known_fn *known, const void *arg,
                          tori_error *err)
{
    char text[300] = "";
    size_t n = 0;
    for (size_t i = 0; known (arg, i) && n < sizeof text; i++)
        n += (size_t)snprintf (text + n, sizeof text - n, "%s%s",
                               i ? ", " : "", known (arg, i));
    return tori_error_set (err, TORI_INVALID, "'%.40s': expected %s", key,
                           text);
}

static int check_members (const json_t *object, known_fn *known,
                          const void *arg, tori_error *err)
{
    const char *key, *name;
    json_t *value;
    if (!json_is_object (object))
        return tori_error_set (err, TORI_INVALID, "expected an object");
    json_object_foreach ((json_t *)(uintptr_t)object, key, value)
    {
        size_t i = 0;
        while ((name = known (arg, i)) && strcmp (name, key))
            i++;
        if (!name)
            return refuse_member (key, known, arg, err);
    }
    return 0;
}

int members_check (const json_t *body, const struct sheet *known,
                   tori_error *err)
{
    return check_members (body, field_name, known, err);
}

/* A text; or a number, such as an id, as text. */
static int read_word (const json_t *value, const char *where,
                      char digits[DIGITS], const char **ret_word,
                      tori_error *err)
{
    snprintf (digits, DIGITS, "%lld", (long long)json_integer_value (value));
    *ret_word = json_is_integer (value) ? digits : json_string_value (value);
    return *ret_word ? 0
                     : tori_error_set (err, TORI_INVALID,
                                       "%s: expected a text or a whole number",
                                       where);
}

/* ---- what-if ---- */

/* A question, and the state that it is about. */
struct reading {
    const tori_snapshot *snapshot;
    struct what_if_question *q;
};

static const char *change_member (const void *arg, size_t i)
{
    static const char *const once[] = {"sched", "alloc", "order", "depth"};
    enum { ONCE = sizeof once / sizeof *once };
    return i < ONCE ? once[i] : change_name (i - ONCE);
}

static int read_change (const struct reading *it, const char *key,
                        const char *where, const char *text, tori_error *err)
{
    struct what_if_question *q = it->q;
    if (strcmp (key, "sched") == 0 && q->sched < 0)
        return choice_parse (where, text, batch_names, &q->sched, err);
    if (strcmp (key, "alloc") == 0 && !q->alloc)
        return allocators_parse (text, where, allocator_find, &q->alloc,
                                 &q->counts, err);
    if (strcmp (key, "order") == 0 && q->order < 0)
        return choice_parse (where, text, order_names, &q->order, err);
    if (strcmp (key, "depth") == 0 && !q->depth)
        return number_parse (text, where, 1, UINT32_MAX, &q->depth, err);
    for (size_t i = 0; change_name (i); i++)
        if (strcmp (key, change_name (i)) == 0)
            return changes_add (&q->changes, it->snapshot, key, where, text,
                                err);
    return tori_error_set (err, TORI_INVALID, "%s: given twice", where);
}

/* A change, or a list of changes of the same kind. */
static int read_member (const struct reading *it, const char *key,
                        const char *where, const json_t *value,
                        tori_error *err)
{
    char digits[DIGITS];
    const char *text;
    size_t n = json_is_array (value) ? json_array_size (value) : 1;
    for (size_t i = 0; i < n; i++)
        if (read_word (json_is_array (value) ? json_array_get (value, i)
                                             : value,
                       where, digits, &text, err)
                < 0
            || read_change (it, key, where, text, err) < 0)
            return -1;
    return 0;
}

static int read_changes (const struct reading *it, const json_t *list,
                         tori_error *err)
{
    for (size_t i = 0; i < json_array_size (list); i++) {
        json_t *object = json_array_get (list, i), *value;
        const char *key;
        char where[80];
        tori_error why;
        if (check_members (object, change_member, NULL, &why) < 0)
            return tori_error_set (err, why.status, "changes[%zu]: %s", i,
                                   why.text);
        json_object_foreach (object, key, value)
        {
            snprintf (where, sizeof where, "changes[%zu].%s", i, key);
            if (read_member (it, key, where, value, err) < 0)
                return -1;
        }
    }
    return 0;
}

int what_if_read (const json_t *body, const tori_snapshot *snapshot,
                  struct what_if_question *q, tori_error *err)
{
    const struct member_of of = {.object = body};
    const struct reading it = {snapshot, q};
    const json_t *changes = NULL;
    q->sched = q->order = -1;
    return members_check (body, &body_what_if, err) < 0
                   || member_list (&of, "changes", &changes, err) < 0
                   || read_changes (&it, changes, err) < 0
               ? -1
               : 0;
}

int submission_check (const json_t *body, tori_error *err)
{
    return members_check (body, &body_snapshot, err);
}

/* ---- defrag ---- */

static int read_wiring (struct defrag_question *q, const char *text,
                        tori_error *err)
{
    int which;
    if (choice_parse ("wiring", text, wiring_names, &which, err) < 0)
        return -1;
    q->request.wiring = (tori_wiring)which;
    return 0;
}

static int read_moves (struct defrag_question *q, const char *text,
                       tori_error *err)
{
    return number_parse (text, "moves", 1, INT64_MAX, &q->moves, err);
}

static int read_steps (struct defrag_question *q, const char *text,
                       tori_error *err)
{
    if (number_parse (text, "steps", 1, INT64_MAX, &q->steps, err) < 0)
        return -1;
    return q->steps > STEPS_MOST
               ? tori_error_set (err, TORI_INVALID,
                                 "steps: expected at most %d", STEPS_MOST)
               : 0;
}

static int read_seconds (struct defrag_question *q, const char *text,
                         tori_error *err)
{
    return number_parse (text, "seconds", 1, SECONDS_MOST, &q->seconds, err);
}

static int read_words (const json_t *body, struct defrag_question *q,
                       tori_error *err)
{
    static const struct {
        const char *name;
        int (*read) (struct defrag_question *q, const char *text,
                     tori_error *err);
    } words[] = {{"for", defrag_for},    {"shape", defrag_shape},
                 {"wiring", read_wiring}, {"keep", defrag_keep},
                 {"moves", read_moves},  {"steps", read_steps},
                 {"seconds", read_seconds}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const json_t *value = json_object_get (body, words[i].name);
        char digits[DIGITS];
        const char *text;
        if (value
            && (read_word (value, words[i].name, digits, &text, err) < 0
                || words[i].read (q, text, err) < 0))
            return -1;
    }
    return 0;
}

/* Refuse members that have no effect: the client expects one. */
static int check_effects (const json_t *body, tori_error *err)
{
    static const char *const of_shape[] = {"wiring", "no-rotate", "wrap"};
    bool shape = json_object_get (body, "shape");
    if (shape && json_object_get (body, "for"))
        return tori_error_set (err, TORI_INVALID,
                               "for has no effect with shape");
    for (size_t i = 0; !shape && i < sizeof of_shape / sizeof *of_shape; i++) {
        const json_t *value = json_object_get (body, of_shape[i]);
        if (value && !json_is_false (value))
            return tori_error_set (err, TORI_INVALID,
                                   "%s has no effect without shape",
                                   of_shape[i]);
    }
    return 0;
}

int defrag_read (const json_t *body, struct defrag_question *q,
                 tori_error *err)
{
    const struct member_of of = {.object = body};
    q->dashes = "";
    if (json_object_get (body, "steps"))
        q->seconds = SECONDS_MOST;
    return members_check (body, &body_defrag, err) < 0
                   || read_words (body, q, err) < 0
                   || member_bool (&of, "no-rotate", &q->request.fixed, err)
                          < 0
                   || member_bool (&of, "wrap", &q->request.wrap, err) < 0
                   || member_bool (&of, "live", &q->live, err) < 0
                   || check_effects (body, err) < 0
               ? -1
               : 0;
}
