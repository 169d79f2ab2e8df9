/* mark.c - how far the state directory has come, written beside it.
 *
 * A backup that is put back is a state of the past, and looks like any other.
 * But the mark, DIR.mark, is not in the directory, so it is not copied with
 * it: a journal that is older than its mark has gone back. The mark also
 * contains the inode number and the creation time of its own file, which a
 * copy does not have: the number alone may be given to a copy when the file
 * has gone. If nothing may be written beside the directory, the mark is inside
 * it, and only number and time show that it was copied.
 *
 * The mark is written after every commit, and never synced: a power failure
 * loses the last of it, never more than the journal has. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "syserror.h"
#include "torid.h"

/* The inode number and creation time of a file; the time is 0 if the file
 * system keeps none. */
struct birth {
    uint64_t inode, time;
};

struct mark {
    char identity[SERVICE_IDENTITY];
    uint32_t epoch;
    uint64_t last;    /* record of the journal */
    uint64_t highest; /* number of a job */
};

/* How many jobs may have come since a backup of which nothing else is known:
 * the next number is a multiple of this. */
enum { STRIDE = 10000 };

static int open_mark (const char *state)
{
    size_t n = strlen (state);
    char path[4096];
    int fd;
    while (n > 1 && state[n - 1] == '/')
        n--;
    snprintf (path, sizeof path, "%.*s.mark", (int)n, state);
    fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EACCES && errno != EROFS && errno != EPERM))
        return fd;
    snprintf (path, sizeof path, "%.*s/mark", (int)n, state);
    return open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

static bool find_birth (int fd, struct birth *ret)
{
    struct statx st;
    if (statx (fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &st) < 0)
        return false;
    *ret = (struct birth){
        st.stx_ino, st.stx_mask & STATX_BTIME
                        ? (uint64_t)st.stx_btime.tv_sec * 1000000000
                              + st.stx_btime.tv_nsec
                        : 0};
    return true;
}

enum found { MARK_NONE, MARK_COPIED, MARK_OWN };

/* Marks once had no time. */
static enum found read_mark (int fd, struct mark *mark)
{
    char text[256] = "";
    struct birth said = {0}, own;
    ssize_t n = pread (fd, text, sizeof text - 1, 0);
    int fields = n > 0 ? sscanf (text,
                                 "%32[0-9a-f] %" SCNu32 " %" SCNu64
                                 " %" SCNu64 " %" SCNu64 " %" SCNu64,
                                 mark->identity, &mark->epoch, &mark->last,
                                 &mark->highest, &said.inode, &said.time)
                       : 0;
    if (fields < 5 || !find_birth (fd, &own))
        return MARK_NONE;
    return said.inode == own.inode && (fields == 5 || said.time == own.time)
               ? MARK_OWN
               : MARK_COPIED;
}

void mark_write (struct torid *torid)
{
    const char *identity = service_identity (torid->service);
    char text[160];
    struct birth birth;
    int n;
    if (!torid->marked || !identity || !find_birth (torid->mark, &birth))
        return;
    n = snprintf (text, sizeof text,
                  "%s %10" PRIu32 " %20" PRIu64 " %20" PRIu64 " %20" PRIu64
                  " %20" PRIu64 "\n",
                  identity, service_epoch (torid->service),
                  journal_last (torid->journal),
                  service_next_id (torid->service) - 1, birth.inode, birth.time);
    if (pwrite (torid->mark, text, (size_t)n, 0) != n)
        torid_log (torid, LEVEL_WARNING, "no-mark", "{s:s}", "why",
                   strerror (errno));
}

static int draw_bytes (void *to, size_t n, tori_error *err)
{
    return getrandom (to, n, 0) == (ssize_t)n
               ? 0
               : system_error ("no random numbers", errno, err);
}

static int make_identity (char to[SERVICE_IDENTITY], tori_error *err)
{
    unsigned char bytes[SERVICE_IDENTITY / 2];
    if (draw_bytes (bytes, sizeof bytes, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf (to + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

static bool goes_on (const struct torid *torid, const struct mark *mark)
{
    return !strcmp (mark->identity, service_identity (torid->service))
           && mark->epoch <= service_epoch (torid->service)
           && mark->last <= journal_last (torid->journal);
}

/* The state may be of any age: report it, and give no number twice. Without a
 * mark it is not known which epochs there were: the same backup may have been
 * put back before.
 */
static int begin_epoch (struct torid *torid, const struct mark *mark,
                        enum found found, tori_error *err)
{
    static const char *const whys[]
        = {[MARK_NONE] = "there is no mark beside it",
           [MARK_COPIED] = "the mark beside it is a copy",
           [MARK_OWN] = "the journal is behind the mark beside it"};
    const bool marked = found == MARK_OWN;
    struct service *service = torid->service;
    uint32_t epoch = service_epoch (service);
    uint64_t highest = service_next_id (service) - 1;
    uint16_t skipped = 0;
    if (!marked && draw_bytes (&skipped, sizeof skipped, err) < 0)
        return -1;
    epoch += skipped;
    if (marked && mark->epoch > epoch
        && !strcmp (mark->identity, service_identity (service)))
        epoch = mark->epoch;
    highest = marked ? mark->highest : (highest / STRIDE + 1) * STRIDE - 1;
    torid_log (torid, LEVEL_WARNING, "state-went-back", "{s:s, s:I, s:I}",
               "why", whys[found], "epoch", (json_int_t)epoch + 1, "highest_job",
               (json_int_t)highest);
    return service_begin_epoch (service, torid_now (torid),
                                service_identity (service), epoch + 1,
                                highest, whys[found], err);
}

int mark_open (struct torid *torid, tori_error *err)
{
    struct mark mark = {0};
    char identity[SERVICE_IDENTITY];
    enum found found;
    if (service_lags (torid->service))
        return 0;
    torid->mark = open_mark (torid->state);
    torid->marked = torid->mark >= 0;
    if (!torid->marked)
        torid_log (torid, LEVEL_WARNING, "no-mark", "{s:s}", "why",
                   strerror (errno));
    found = torid->marked ? read_mark (torid->mark, &mark) : MARK_NONE;
    if (service_identity (torid->service))
        return found == MARK_OWN && goes_on (torid, &mark)
                   ? 0
                   : begin_epoch (torid, &mark, found, err);
    return make_identity (identity, err) < 0
               ? -1
               : service_begin_epoch (torid->service, torid_now (torid), identity,
                                      1, found == MARK_OWN ? mark.highest : 0,
                                      NULL, err);
}

void mark_close (struct torid *torid)
{
    if (torid->marked)
        close (torid->mark);
}
