/* slab.h - many small records of one size, taken and given back all the time.
 *
 * Records live in pages. A page whose records have all been given back is
 * given back itself, except for the last one with room, so that a record that
 * comes and goes costs no page each time.
 */
#ifndef TORI_ALLOC_SLAB_H
#define TORI_ALLOC_SLAB_H

#include <stddef.h>
#include <stdint.h>

enum { SLAB_PAGE = 4096 };

struct slab_page;

struct slab {
    size_t size;   /* bytes a record */
    uint32_t room; /* records a page */
    size_t pages;
    struct slab_page *open; /* the pages that have room */
};

/* Records of `words` 64-bit words, at most 500. Needs no memory yet. */
void slab_init (struct slab *slab, size_t words);

/* Give the last page back, once all records have been. */
void slab_clear (struct slab *slab);

/* A record, not zeroed; NULL without memory. */
void *slab_take (struct slab *slab);
void slab_give (struct slab *slab, void *record);

static inline size_t slab_bytes (const struct slab *slab)
{
    return slab->pages * SLAB_PAGE;
}

#endif
