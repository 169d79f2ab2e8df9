/* Saved states in files.
 *
 * One description of a state serves for writing, for reading and for the size:
 * each part of it is passed to a function that takes it to the file or from
 * it. Numbers are little-endian and of fixed size, whatever the machine. What
 * is read is believed only as far as it has been looked at: the checksum tells
 * of damage, and every number that is used as an index is checked besides, so
 * that no file can do harm.
 *
 *     "tori checkpoint\n"  version  bytes of the body  CRC-32 of the body
 *     body: machine, network, box, time, job; routers; packets; messages;
 *           messages to be sent; context
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "array.h"
#include "drain.h"
#include "grid.h"
#include "outfile.h"

static const char magic[16] = "tori checkpoint\n";
enum { VERSION = 1, HEADER = 16 + 4 + 8 + 4, BLOCK = 1 << 16 };

/* A network that goes on from here must be able to count its cycles. */
#define MOST_CYCLES ((uint64_t)INT64_MAX)

/* A body on its way: bytes to fill, bytes to take, or none, to be counted. */
struct body {
    unsigned char *bytes;
    size_t at, n;
    bool reading;
    bool bad; /* read beyond the end, or a number that cannot be */
};

/* ---- numbers ---- */

static void number (struct body *b, uint64_t *value, size_t size)
{
    size_t at = b->at;
    b->at += size;
    if ((b->reading || b->bytes) && b->at > b->n) {
        b->bad = true;
        b->at = b->n;
        *value = 0;
    } else if (b->reading) {
        *value = 0;
        for (size_t i = 0; i < size; i++)
            *value |= (uint64_t)b->bytes[at + i] << 8 * i;
    } else if (b->bytes) {
        for (size_t i = 0; i < size; i++)
            b->bytes[at + i] = (unsigned char)(*value >> 8 * i);
    }
}

static void u64 (struct body *b, uint64_t *value)
{
    number (b, value, 8);
}

static void u32 (struct body *b, uint32_t *value)
{
    uint64_t wide = *value;
    number (b, &wide, 4);
    *value = (uint32_t)wide;
}

static void u8 (struct body *b, uint8_t *value)
{
    uint64_t wide = *value;
    number (b, &wide, 1);
    *value = (uint8_t)wide;
}

static void flag (struct body *b, bool *value)
{
    uint8_t byte = *value;
    u8 (b, &byte);
    b->bad |= byte > 1;
    *value = byte;
}

/* A number that is below another, or none at all (NO_PACKET). */
static void index_below (struct body *b, uint32_t *value, uint32_t end,
                         bool or_none)
{
    u32 (b, value);
    if (b->reading && *value >= end && !(or_none && *value == NO_PACKET)) {
        b->bad = true;
        *value = 0;
    }
}

/* ---- what a state is of ---- */

static void config_of (struct body *b, tori_net_config *config)
{
    uint32_t switching = config->switching, routing = config->routing;
    u32 (b, &switching);
    u32 (b, &routing);
    u32 (b, &config->vcs);
    u32 (b, &config->buffer);
    u32 (b, &config->width);
    u32 (b, &config->packet);
    config->switching = (tori_switching)switching;
    config->routing = (tori_routing)routing;
}

static void box_of (struct body *b, tori_box *box)
{
    uint32_t ndims = (uint32_t)box->shape.ndims;
    index_below (b, &ndims, TORI_MAX_DIMS + 1, false);
    box->shape.ndims = (int)ndims;
    for (uint32_t d = 0; d < ndims; d++) {
        u32 (b, &box->origin[d]);
        u32 (b, &box->shape.size[d]);
    }
}

/* Whose state it is, and how much there is of it. */
static void identity (struct body *b, tori_saved *s)
{
    uint64_t later = s->nlater, context = s->ncontext;
    for (size_t i = 0; i < TORI_TEXT_MAX; i++) {
        uint8_t c = (uint8_t)s->machine[i];
        u8 (b, &c);
        s->machine[i] = (char)c;
    }
    s->machine[TORI_TEXT_MAX - 1] = '\0';
    config_of (b, &s->config);
    box_of (b, &s->box);
    u64 (b, &s->time);
    u32 (b, &s->job);
    flag (b, &s->resend);
    u32 (b, &s->npackets);
    u32 (b, &s->nmessages);
    u64 (b, &s->under_way);
    u64 (b, &later);
    u64 (b, &context);
    s->nlater = later;
    s->ncontext = context;
}

/* ---- routers ---- */

static void lane_of (struct body *b, const tori_saved *s,
                     struct net_lane *lane)
{
    uint32_t lanes = lanes_of (&s->fabric);
    u64 (b, &lane->waiting);
    u32 (b, &lane->credits);
    u8 (b, &lane->owner);
    u8 (b, &lane->last);
    b->bad |= lane->last >= lanes;
    b->bad |= lane->owner >= lanes && lane->owner != NO_OWNER;
    b->bad |= lanes < 64 && lane->waiting >> lanes;
}

static void buffer_of (struct body *b, const tori_saved *s, uint32_t l)
{
    const struct fabric *f = &s->fabric;
    struct buffer *buffer = &f->buffers[l];
    uint32_t here = buffer_here (f, buffer->lane);
    bool link = way_direction (f, l >> f->lane_bits) < f->own;
    uint32_t most = link ? f->ring + 1 : NO_PACKET;
    index_below (b, &buffer->count, most, false);
    index_below (b, &here, lanes_of (f), false);
    buffer->lane = buffer_at (f, l, here);
    if (buffer->count == 0)
        return;
    index_below (b, &buffer->packet, s->npackets, false);
    u32 (b, &buffer->avail);
    u32 (b, &buffer->left);
    u32 (b, &buffer->missing);
    index_below (b, &buffer->head, f->ring, false);
    for (uint32_t i = 0; link && i + 1 < buffer->count; i++)
        index_below (b, &ring_of (f, l)[(buffer->head + i) % f->ring],
                     s->npackets, false);
}

static void router_of (struct body *b, tori_saved *s, uint32_t i)
{
    const struct fabric *f = &s->fabric;
    uint32_t first = lane_at (f, way_at (f, i, 0), 0);
    for (uint32_t w = 0; w < lanes_of (f) >> f->lane_bits; w++) {
        uint8_t *turn = &f->ways[way_at (f, i, w)].turn;
        u8 (b, turn);
        b->bad |= *turn > f->lane_mask;
    }
    for (uint32_t l = first; l < first + lanes_of (f); l++) {
        lane_of (b, s, &f->lanes[l]);
        buffer_of (b, s, l);
    }
    index_below (b, &f->sources[i].first, s->npackets, true);
    index_below (b, &f->sources[i].last, s->npackets, true);
}

/* ---- packets and messages ---- */

static void packet_of (struct body *b, tori_saved *s, struct packet *p)
{
    u32 (b, &p->dst);
    u32 (b, &p->length);
    for (int c = 0; c < CLASSES; c++) {
        u8 (b, &p->lane[c]);
        b->bad |= p->lane[c] >= s->config.vcs;
    }
    flag (b, &p->odd);
    flag (b, &p->low);
    u8 (b, &p->wrapped);
    index_below (b, &p->message, s->nmessages, false);
    index_below (b, &p->next, s->npackets, true);
    u64 (b, &p->entered);
}

static void message_of (struct body *b, struct message *m)
{
    u32 (b, &m->is.src);
    u32 (b, &m->is.dst);
    u32 (b, &m->is.flits);
    u64 (b, &m->is.tag);
    u32 (b, &m->is.hops);
    u64 (b, &m->is.sent);
    u64 (b, &m->is.entered);
    u64 (b, &m->is.blocked);
    u32 (b, &m->packets);
}

static void later_of (struct body *b, struct later *later)
{
    u32 (b, &later->src);
    u32 (b, &later->dst);
    u32 (b, &later->flits);
    u64 (b, &later->tag);
}

/* All behind the identity. */
static void contents (struct body *b, tori_saved *s)
{
    for (uint32_t i = 0; i < s->fabric.nodes && !b->bad; i++)
        router_of (b, s, i);
    for (uint32_t i = 0; i < s->npackets && !b->bad; i++)
        packet_of (b, s, &s->fabric.packets[i]);
    for (uint32_t i = 0; i < s->nmessages && !b->bad; i++)
        message_of (b, &s->messages[i]);
    for (size_t i = 0; i < s->nlater && !b->bad; i++)
        later_of (b, &s->later[i]);
    for (size_t i = 0; i < s->ncontext && !b->bad; i++)
        u8 (b, &s->context[i]);
}

/* ---- write ---- */

static uint32_t checksum (const unsigned char *bytes, size_t n)
{
    uLong crc = crc32_z (0, NULL, 0);
    return (uint32_t)crc32_z (crc, bytes, n);
}

static void header (struct body *b, uint32_t *version, uint64_t *length,
                    uint32_t *crc)
{
    u32 (b, version);
    u64 (b, length);
    u32 (b, crc);
}

/* The state is only read: the same functions write and read. */
static unsigned char *encode (const tori_saved *saved, size_t *ret_n)
{
    tori_saved s = *saved;
    struct body count = {0}, body = {0};
    uint32_t version = VERSION, crc;
    uint64_t length;
    identity (&count, &s);
    contents (&count, &s);
    length = count.at;
    body.n = HEADER + count.at;
    body.bytes = malloc (body.n);
    if (!body.bytes)
        return NULL;
    memcpy (body.bytes, magic, sizeof magic);
    body.at = HEADER;
    identity (&body, &s);
    contents (&body, &s);
    crc = checksum (body.bytes + HEADER, body.n - HEADER);
    body.at = sizeof magic;
    header (&body, &version, &length, &crc);
    *ret_n = body.n;
    return body.bytes;
}

int tori_saved_write (const tori_saved *saved, const char *path,
                      tori_error *err)
{
    struct outfile *out = NULL;
    size_t n;
    unsigned char *bytes = encode (saved, &n);
    int status = -1;
    if (!bytes)
        return tori_error_nomem (err);
    if (outfile_create (path, &out, err) == 0) {
        fwrite (bytes, 1, n, outfile_stream (out));
        status = outfile_commit (out, err);
    }
    outfile_destroy (out);
    free (bytes);
    return status;
}

/* ---- read ---- */

static int refuse (const char *path, const char *what, tori_error *err)
{
    return tori_error_set (err, TORI_INVALID, "%s: %s", path, what);
}

static int failed (const char *path, tori_error *err)
{
    return tori_error_set (err, TORI_FAILED, "%s: %s", path,
                           strerror (errno));
}

/* Bytes up to `most`, room being made as they come: the length that a file
 * claims is not to be trusted with memory. */
static int read_bytes (FILE *in, uint64_t most, unsigned char **ret_bytes,
                       size_t *ret_n)
{
    unsigned char *bytes = NULL, *more;
    size_t n = 0, room = 0, got = 1;
    while (n < most && got > 0) {
        size_t want = most - n < BLOCK ? (size_t)(most - n) : BLOCK;
        more = array_room (bytes, &room, n + want, 1);
        if (!more) {
            free (bytes);
            return -1;
        }
        bytes = more;
        got = fread (bytes + n, 1, want, in);
        n += got;
    }
    *ret_bytes = bytes;
    *ret_n = n;
    return 0;
}

/* The body, `length` bytes and no more. */
static int read_body (FILE *in, const char *path, uint64_t length,
                      unsigned char **ret_bytes, tori_error *err)
{
    unsigned char *bytes;
    size_t n;
    int status = 0;
    if (read_bytes (in, length, &bytes, &n) < 0)
        return tori_error_nomem (err);
    if (ferror (in))
        status = failed (path, err);
    else if (n < length || getc (in) != EOF)
        status = refuse (path, "a damaged checkpoint: not as long as it says",
                         err);
    if (status == 0)
        *ret_bytes = bytes;
    else
        free (bytes);
    return status;
}

static int read_stream (FILE *in, const char *path, unsigned char **ret_bytes,
                        size_t *ret_n, tori_error *err)
{
    unsigned char head[HEADER];
    struct body b = {.bytes = head, .n = HEADER, .reading = true,
                     .at = sizeof magic};
    uint32_t version = 0, crc = 0;
    uint64_t length = 0;
    if (fread (head, 1, HEADER, in) < HEADER)
        return ferror (in) ? failed (path, err)
                           : refuse (path, "not a checkpoint of tori", err);
    if (memcmp (head, magic, sizeof magic) != 0)
        return refuse (path, "not a checkpoint of tori", err);
    header (&b, &version, &length, &crc);
    if (version != VERSION)
        return tori_error_set (err, TORI_INVALID,
                               "%s: a checkpoint of version %lu, where 1 is "
                               "known",
                               path, (unsigned long)version);
    if (read_body (in, path, length, ret_bytes, err) < 0)
        return -1;
    if (checksum (*ret_bytes, length) != crc) {
        free (*ret_bytes);
        return refuse (path, "a damaged checkpoint: its checksum is wrong",
                       err);
    }
    *ret_n = length;
    return 0;
}

static int read_file (const char *path, unsigned char **ret_bytes,
                      size_t *ret_n, tori_error *err)
{
    FILE *in = fopen (path, "rb");
    int status;
    if (!in)
        return failed (path, err);
    status = read_stream (in, path, ret_bytes, ret_n, err);
    fclose (in);
    return status;
}

static int check_machine (const tori_machine *machine, const tori_saved *s,
                          const char *path, tori_error *err)
{
    char text[TORI_TEXT_MAX];
    tori_machine_format (machine, text);
    if (strcmp (text, s->machine) != 0)
        return tori_error_set (err, TORI_INVALID,
                               "%s: a checkpoint of %s, not of %s", path,
                               s->machine, text);
    return 0;
}

static int check_identity (const tori_net *net, const tori_box *box,
                           const tori_saved *s, const char *path,
                           tori_error *err)
{
    if (check_machine (net->machine, s, path, err) < 0)
        return -1;
    if (!saved_fits (s, net, box))
        return refuse (path,
                       "a checkpoint of another box, or of a network of other "
                       "channels, buffers or packets",
                       err);
    return 0;
}

/* ---- what is read must hold together ---- */

static bool in_box (const tori_saved *s, const tori_machine *machine,
                    uint32_t node)
{
    return node < tori_machine_nodes (machine)
           && tori_box_contains (machine, &s->box, node);
}

static bool messages_hold (const tori_saved *s, const tori_machine *machine)
{
    for (uint32_t i = 0; i < s->npackets; i++)
        if (!in_box (s, machine, s->fabric.packets[i].dst)
            || s->fabric.packets[i].length == 0)
            return false;
    for (uint32_t i = 0; i < s->nmessages; i++)
        if (!in_box (s, machine, s->messages[i].is.src)
            || !in_box (s, machine, s->messages[i].is.dst))
            return false;
    for (size_t i = 0; i < s->nlater; i++)
        if (!in_box (s, machine, s->later[i].src)
            || !in_box (s, machine, s->later[i].dst) || !s->later[i].flits)
            return false;
    return true;
}

/* The length of a queue; UINT32_MAX if it does not end, or not where it says.
 */
static uint32_t queue_length (const tori_saved *s, uint32_t i)
{
    const struct fabric *f = &s->fabric;
    uint32_t n = 0, last = f->sources[i].last;
    for (uint32_t p = f->sources[i].first; p != NO_PACKET;
         p = f->packets[p].next) {
        if (n++ == s->npackets)
            return UINT32_MAX;
        last = p;
    }
    return n && last != f->sources[i].last ? UINT32_MAX : n;
}

static bool queues_hold (const tori_saved *s)
{
    const struct fabric *f = &s->fabric;
    for (uint32_t i = 0; i < f->nodes; i++) {
        uint32_t own = f->buffers[own_buffer (f, i)].count;
        uint32_t n = queue_length (s, i);
        if (n == UINT32_MAX || (s->resend ? own != 0 : n + (own > 0) != own))
            return false;
    }
    return true;
}

/* Every packet counts for its message. */
static bool counts_hold (const tori_saved *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->nmessages; i++)
        sum += s->messages[i].packets;
    return sum == s->npackets;
}

/* Room for what is behind the messages. */
static bool saved_room (tori_saved *s, size_t later, size_t context)
{
    s->later = calloc (later + 1, sizeof *s->later);
    s->context = calloc (context + 1, 1);
    s->nlater = later;
    s->later_room = later + 1;
    s->ncontext = context;
    return s->later && s->context;
}

static int decode (const tori_net *net, const tori_box *box, const char *path,
                   struct body b, tori_saved **ret_saved, tori_error *err)
{
    tori_saved is = {0}, *s;
    identity (&b, &is);
    if (!b.bad && check_identity (net, box, &is, path, err) < 0)
        return -1;
    if (b.bad || is.time > MOST_CYCLES || is.job >= TORI_NET_MAX_JOBS
        || is.npackets > b.n || is.nmessages > b.n || is.nlater > b.n
        || is.ncontext > b.n)
        return refuse (path, "a damaged checkpoint: impossible counts", err);
    s = saved_create (net, box, is.npackets, is.nmessages);
    if (!s || !saved_room (s, is.nlater, is.ncontext)) {
        tori_saved_destroy (s);
        return tori_error_nomem (err);
    }
    s->time = is.time;
    s->job = is.job;
    s->resend = is.resend;
    s->under_way = is.under_way;
    contents (&b, s);
    if (b.bad || b.at != b.n || !messages_hold (s, net->machine)
        || !queues_hold (s) || !counts_hold (s)) {
        tori_saved_destroy (s);
        return refuse (path, "a damaged checkpoint: it contradicts itself",
                       err);
    }
    *ret_saved = s;
    return 0;
}

/* Load a state into a network of its own and look at that. The state is used
 * up. */
static int try_state (const tori_net *like, tori_saved *s, const char *path,
                      tori_error *err)
{
    tori_net *net = NULL;
    tori_drain *drain;
    tori_error inner;
    int status = -1;
    s->job = 0; /* others need memory */
    if (tori_net_create (like->machine, &like->config, &net, err) < 0)
        goto out;
    tori_net_run (net, s->time, false);
    if (tori_drain_start (net, &s->box, NULL, &drain, err) < 0)
        goto out;
    while (!tori_drain_done (drain))
        tori_net_step (net);
    if (tori_drain_load (drain, s, err) < 0)
        goto out;
    s = NULL;
    tori_drain_release (drain);
    status = 0;
    if (tori_net_check (net, &inner) < 0)
        status = refuse (path,
                         "a damaged checkpoint: its routers contradict each "
                         "other",
                         err);
out:
    tori_saved_destroy (s);
    tori_net_destroy (net);
    return status;
}

int tori_saved_describe (const tori_machine *machine, const char *path,
                         tori_net_config *ret_config, tori_box *ret_box,
                         tori_error *err)
{
    struct body b = {.reading = true};
    tori_saved is = {0};
    if (read_file (path, &b.bytes, &b.n, err) < 0)
        return -1;
    identity (&b, &is);
    free (b.bytes);
    if (!b.bad && check_machine (machine, &is, path, err) < 0)
        return -1;
    if (b.bad || box_check (machine, &is.box, NULL) < 0)
        return refuse (path, "a damaged checkpoint: no box of its machine",
                       err);
    *ret_config = is.config;
    *ret_box = is.box;
    return 0;
}

int tori_saved_read (const tori_net *net, const tori_box *box,
                     const char *path, tori_saved **ret_saved, tori_error *err)
{
    struct body b = {.reading = true};
    tori_saved *first;
    int status;
    if (box_check (net->machine, box, err) < 0)
        return -1;
    if (read_file (path, &b.bytes, &b.n, err) < 0)
        return -1;
    status = decode (net, box, path, b, &first, err);
    if (status == 0)
        status = try_state (net, first, path, err);
    if (status == 0)
        status = decode (net, box, path, b, ret_saved, err);
    free (b.bytes);
    return status;
}
