#include "wire.h"

#include <float.h>
#include <string.h>

/* Every member of every structure that is sent: where it is, how wide it is,
 * and how many of it there are. Both directions, and the sizes, follow from
 * this. A new member, or another order, needs another HANDSHAKE_VERSION. */
struct member {
    size_t at, width, n;
};
#define MANY(type, member, n)                                                 \
    {                                                                         \
        offsetof (type, member), sizeof (((type *)0)->member) / (n), (n)      \
    }
#define W(member) MANY (struct wire, member, 1)
#define C(member) MANY (struct runclock_state, member, 1)
#define R(member) MANY (struct clock_report, member, 1)
#define S(member) MANY (struct job_state, member, 1)

static const struct member header[] = {
    W (kind), W (era), W (from), W (bytes), W (task), W (node), W (relay),
    W (index), W (stream), W (status), MANY (struct wire, time, 3),
    W (tree.kind), W (tree.from), W (tree.to), W (tree.task), W (tree.slot),
    W (tree.end), W (tree.seen), W (tree.load), W (tree.accepted),
    W (tree.height), W (tree.shares), W (tree.need.count),
    W (tree.need.fixed), W (tree.need.shape.ndims),
    MANY (struct wire, tree.need.shape.size, TORI_MAX_DIMS)};
static const struct member clock_state[]
    = {C (at), C (offset), C (drift), C (wander), C (error)};
static const struct member report[]
    = {R (state.at), R (state.offset), R (state.drift), R (state.wander),
       R (state.error), R (jumps), R (rank)};
static const struct member job[] = {S (task), S (state), S (used), S (since),
                                    S (first_turn), S (turns)};
static const struct member task[] = {{0, sizeof (uint64_t), 1}};

#define TABLE(type, members)                                                  \
    {                                                                         \
        members, sizeof members / sizeof members[0], sizeof (type)            \
    }
static const struct {
    const struct member *member;
    size_t n, in_memory;
} tables[PACKED_KINDS] = {
    [PACKED_HEADER] = TABLE (struct wire, header),
    [PACKED_CLOCK] = TABLE (struct runclock_state, clock_state),
    [PACKED_REPORT] = TABLE (struct clock_report, report),
    [PACKED_STATE] = TABLE (struct job_state, job),
    [PACKED_TASK] = TABLE (uint64_t, task),
};

_Static_assert (sizeof (double) == 8 && DBL_MANT_DIG == 53,
                "a double is sent as IEEE 754's binary64");

void number_put (unsigned char *to, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

uint64_t number_get (const unsigned char *from, size_t width)
{
    uint64_t value = 0;
    for (size_t i = width; i-- > 0;)
        value = value << 8 | from[i];
    return value;
}

/* A member in memory, whatever its width. */
static uint64_t load_member (const void *from, size_t width)
{
    uint32_t half;
    uint64_t whole;
    if (width == 1)
        return *(const unsigned char *)from;
    if (width == sizeof half)
        return memcpy (&half, from, sizeof half), half;
    return memcpy (&whole, from, sizeof whole), whole;
}

static void store_member (void *to, uint64_t value, size_t width)
{
    uint32_t half = (uint32_t)value;
    if (width == 1)
        *(unsigned char *)to = (unsigned char)(value & 1); /* a bool */
    else
        memcpy (to, width == sizeof half ? (void *)&half : (void *)&value,
                width);
}

void packed_write (enum packed kind, const void *of, unsigned char *to)
{
    for (size_t i = 0; i < tables[kind].n; i++) {
        const struct member *member = &tables[kind].member[i];
        const char *at = (const char *)of + member->at;
        for (size_t k = 0; k < member->n; k++) {
            number_put (to,
                        load_member (at + k * member->width, member->width),
                        member->width);
            to += member->width;
        }
    }
}

void packed_read (enum packed kind, const unsigned char *from, void *ret_of)
{
    memset (ret_of, 0, tables[kind].in_memory);
    for (size_t i = 0; i < tables[kind].n; i++) {
        const struct member *member = &tables[kind].member[i];
        char *at = (char *)ret_of + member->at;
        for (size_t k = 0; k < member->n; k++) {
            store_member (at + k * member->width,
                          number_get (from, member->width), member->width);
            from += member->width;
        }
    }
}

size_t packed_size (enum packed kind)
{
    size_t size = 0;
    for (size_t i = 0; i < tables[kind].n; i++)
        size += tables[kind].member[i].width * tables[kind].member[i].n;
    return size;
}

int packed_add (struct bytes *bytes, enum packed kind, const void *of,
                 tori_error *err)
{
    unsigned char sent[PACKED_MOST];
    packed_write (kind, of, sent);
    return bytes_add (bytes, sent, packed_size (kind), err);
}

bool packed_get (const char *data, size_t n, enum packed kind, size_t i,
                  void *ret_of)
{
    size_t size = packed_size (kind);
    if (i >= n / size)
        return false;
    packed_read (kind, (const unsigned char *)data + i * size, ret_of);
    return true;
}
