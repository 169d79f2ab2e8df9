/* longlist.h - long lists in a JSON object, parsed one item at a time.
 *
 * A plan of a million jobs is 160 MB of text, but 2 GB as a tree of values,
 * and nearly all of it is one or two lists. So these are cut out of the text
 * before the rest is parsed, and their items are parsed when they are asked
 * for. What is cut out is found by brackets and strings alone; whether it is
 * JSON shows when it is read.
 */
#ifndef TORI_CLI_LONGLIST_H
#define TORI_CLI_LONGLIST_H

#include <jansson.h>
#include <stddef.h>

#include <tori/error.h>

/* What is left of a list: n items in a text that belongs to somebody else. */
struct longlist {
    const char *key;
    const char *text; /* NULL: there is no such list */
    size_t size;
    size_t n;
};

/* Find lists by their keys among the members of the object that is the text;
 * of several of a name, the last. Returns the text without their items, which
 * the caller frees; NULL without memory. */
char *longlists_cut (const char *text, size_t size, struct longlist lists[],
                     size_t n, size_t *ret_size);

/* The next of n items, which the caller gives back with json_decref. NULL with
 * TORI_INVALID if it is no JSON: where and why shows when all of the text is
 * parsed. */
json_t *longlist_next (struct longlist *list, tori_error *err);

#endif
