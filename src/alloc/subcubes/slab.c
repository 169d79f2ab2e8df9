#include "slab.h"

#include <stdlib.h>

/* At the front of every page, which is aligned to its size, so that a record
 * leads to it. */
struct slab_page {
    struct slab_page *next, *prev; /* of those with room; a ring */
    void **vacant;                 /* records given back, linked */
    uint32_t used;
    uint32_t fresh; /* records from here on were never taken */
};

void slab_init (struct slab *slab, size_t words)
{
    slab->size = words * sizeof (uint64_t);
    slab->room = (uint32_t)((SLAB_PAGE - sizeof (struct slab_page))
                            / slab->size);
    slab->pages = 0;
    slab->open = NULL;
}

void slab_clear (struct slab *slab)
{
    free (slab->open);
    slab->open = NULL;
    slab->pages = 0;
}

static void put_in_ring (struct slab *slab, struct slab_page *page)
{
    struct slab_page *open = slab->open;
    if (open) {
        page->next = open;
        page->prev = open->prev;
        open->prev->next = page;
        open->prev = page;
    } else {
        page->next = page->prev = page;
    }
    slab->open = page;
}

static void take_from_ring (struct slab *slab, struct slab_page *page)
{
    page->next->prev = page->prev;
    page->prev->next = page->next;
    if (slab->open == page)
        slab->open = page->next == page ? NULL : page->next;
}

static struct slab_page *new_page (struct slab *slab)
{
    struct slab_page *page = aligned_alloc (SLAB_PAGE, SLAB_PAGE);
    if (!page)
        return NULL;
    page->vacant = NULL;
    page->used = page->fresh = 0;
    put_in_ring (slab, page);
    slab->pages++;
    return page;
}

void *slab_take (struct slab *slab)
{
    struct slab_page *page = slab->open ? slab->open : new_page (slab);
    void *record;
    if (!page)
        return NULL;
    if (page->vacant) {
        record = page->vacant;
        page->vacant = *page->vacant;
    } else {
        record = (char *)(page + 1) + page->fresh++ * slab->size;
    }
    if (++page->used == slab->room)
        take_from_ring (slab, page);
    return record;
}

void slab_give (struct slab *slab, void *record)
{
    uintptr_t inside = (uintptr_t)record % SLAB_PAGE;
    struct slab_page *page = (void *)((char *)record - inside);
    void **vacant = record;
    *vacant = page->vacant;
    page->vacant = vacant;
    if (page->used-- == slab->room)
        put_in_ring (slab, page);
    if (page->used == 0 && page->next != page) {
        take_from_ring (slab, page);
        slab->pages--;
        free (page);
    }
}
