/* How fast a journal is on the disk of the current folder: rows per second by
 * rows per commit, each commit synced; how long a snapshot holds up the
 * commits that it goes with; and how long it takes to open the journal again and to
 * replay it. For comparison, what the disk does alone: a file to which as many
 * bytes are appended and synced. Records have 200 bytes. */
#include <fcntl.h>
#include <math.h>

#include "bench.h"
#include "journal.h"

enum { RECORD = 200, SNAPSHOT = 40 << 20, NREPLAYED = 100000 };
static const double seconds = 2;
static const int batches[] = {1, 64, 200};

static char folder[] = "tori-bench-XXXXXX";
static char path[64], log_path[64], plain[64];
static char text[SNAPSHOT];

static struct journal *open_journal (void)
{
    struct journal *journal;
    tori_error err;
    if (journal_open (path, &journal, &err) < 0) {
        fprintf (stderr, "%s\n", err.text);
        exit (1);
    }
    return journal;
}

static void close_journal (struct journal *journal)
{
    journal_close (journal);
    unlink (path);
    unlink (log_path);
}

static void commit (struct journal *journal, int n)
{
    tori_error err = {0};
    for (int i = 0; i < n; i++)
        if (journal_add (journal, 'r', text, RECORD, &err) < 0)
            exit (1);
    if (journal_commit (journal, &err) < 0) {
        fprintf (stderr, "%s\n", err.text);
        exit (1);
    }
}

static void measure_commits (int batch)
{
    struct journal *journal = open_journal ();
    double begin = bench_now (), cpu = bench_cpu (), took;
    long n = 0;
    while ((took = bench_now () - begin) < seconds) {
        commit (journal, batch);
        n++;
    }
    printf ("%3d rows per commit  %8.0f commits/s  %9.0f rows/s"
            "  %6.2f us of processor time per row\n",
            batch, (double)n / took, (double)(n * batch) / took,
            1e6 * (bench_cpu () - cpu) / (double)(n * batch));
    close_journal (journal);
}

static void measure_disk (int batch)
{
    int fd = open (plain, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    size_t size = (size_t)batch * RECORD;
    double begin = bench_now (), took;
    long n = 0;
    while ((took = bench_now () - begin) < seconds) {
        if (write (fd, text, size) != (ssize_t)size || fdatasync (fd) < 0)
            exit (1);
        n++;
    }
    printf ("%3d rows per sync    %8.0f syncs/s    %9.0f rows/s"
            "  (a plain file)\n",
            batch, (double)n / took, (double)(n * batch) / took);
    close (fd);
    unlink (plain);
}

static int ignore_snapshot (void *arg, const char *bytes, size_t n)
{
    return 0;
}

static int count_record (void *arg, const struct journal_record *record)
{
    ++*(long *)arg;
    return 0;
}

/* The longest commit until five snapshots are on disk, by the clock and in
 * processor time; with all of one in a commit, or a piece. */
static void measure_snapshots (struct journal *journal, bool whole)
{
    enum { TIMES = 5 };
    double longest = 0, most = 0, all = bench_cpu ();
    long commits = 0;
    for (int i = 0; i < TIMES; i++) {
        char *copy = malloc (SNAPSHOT);
        int status = -1;
        if (copy)
            memcpy (copy, text, SNAPSHOT);
        if (copy && whole)
            status = journal_save (journal, copy, SNAPSHOT, NULL);
        else if (copy)
            status = journal_save_at (journal, journal_last (journal), copy,
                                      SNAPSHOT, JOURNAL_PIECE, NULL);
        if (status < 0)
            exit (1);
        if (whole)
            free (copy);
        do {
            double begin = bench_now (), cpu = bench_cpu ();
            commit (journal, 1);
            longest = fmax (longest, bench_now () - begin);
            most = fmax (most, bench_cpu () - cpu);
            commits++;
        } while (journal_saves (journal));
    }
    printf ("a snapshot of 40 MiB, %3ld commits  %8.1f ms the longest; at most"
            " %.1f ms of processor time, %.1f ms for a snapshot\n",
            commits / TIMES, 1e3 * longest, 1e3 * most,
            1e3 * (bench_cpu () - all) / TIMES);
}

static void measure_replay (void)
{
    struct journal *journal = open_journal ();
    double begin;
    long n = 0;
    measure_snapshots (journal, true);
    measure_snapshots (journal, false);
    for (int i = 0; i < NREPLAYED / 200; i++)
        commit (journal, 200);
    journal_close (journal);
    begin = bench_now ();
    journal = open_journal ();
    printf ("opened again                         %8.1f ms\n",
            1e3 * (bench_now () - begin));
    begin = bench_now ();
    if (journal_replay (journal, ignore_snapshot, count_record, &n, NULL) < 0)
        exit (1);
    printf ("%ld records replayed              %8.1f ms\n", n,
            1e3 * (bench_now () - begin));
    close_journal (journal);
}

int main (void)
{
    memset (text, 'x', sizeof text);
    bench_machine ();
    if (!mkdtemp (folder))
        return 1;
    snprintf (path, sizeof path, "%s/journal", folder);
    snprintf (log_path, sizeof log_path, "%s/journal-wal", folder);
    snprintf (plain, sizeof plain, "%s/plain", folder);
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        measure_commits (batches[i]);
        measure_disk (batches[i]);
    }
    measure_replay ();
    rmdir (folder);
    return 0;
}
