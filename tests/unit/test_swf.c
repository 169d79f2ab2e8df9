/* The Standard Workload Format: what is read, what is refused and in which
 * words, and that what is written is read again. */
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <tori/workload.h>

#include "cases.h"
#include "random.h"

#define LENGTH(array) (sizeof (array) / sizeof (array)[0])

static char folder[] = "/tmp/tori-swf-XXXXXX";
static char path[64], packed_path[64];

static int setup (void **state)
{
    if (!mkdtemp (folder))
        return -1;
    snprintf (path, sizeof path, "%s/log.swf", folder);
    snprintf (packed_path, sizeof packed_path, "%s/log.swf.gz", folder);
    return 0;
}

static int teardown (void **state)
{
    unlink (path);
    unlink (packed_path);
    return rmdir (folder);
}

/* ---- reading ---- */

static tori_swf_reader *open_bytes (const void *data, size_t size)
{
    tori_swf_reader *reader;
    tori_error err;
    if (tori_swf_open_memory (data, size, "log", &reader, &err) < 0)
        fail_msg ("%s", err.text);
    return reader;
}

static tori_swf_reader *open_text (const char *text)
{
    return open_bytes (text, strlen (text));
}

/* Read to the end: how many records, or -1 and why. */
static int count_as (bool strict, const void *data, size_t size,
                     tori_error *err)
{
    tori_swf_reader *reader;
    tori_swf_record record;
    int n = 0, status;
    if (tori_swf_open_memory (data, size, "log", &reader, err) < 0)
        return -1;
    tori_swf_set_strict (reader, strict);
    while ((status = tori_swf_next (reader, &record, err)) > 0)
        n++;
    tori_swf_close (reader);
    return status < 0 ? -1 : n;
}

static int count_records (const void *data, size_t size, tori_error *err)
{
    return count_as (false, data, size, err);
}

TEST (fields_in_order)
{
    tori_swf_reader *reader
        = open_text ("1 2.5 3 4.25 5 6 7.125 8 9 10 11 12 13 14 15 16 17 18\n"
                     "  -1\t-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1"
                     " -1.00 \r\n");
    tori_swf_record r;
    assert_int_equal (tori_swf_next (reader, &r, NULL), 1);
    assert_true (r.job == 1 && r.submit == 2.5 && r.wait == 3);
    assert_true (r.runtime == 4.25 && r.procs == 5 && r.cpu_time == 6);
    assert_true (r.memory == 7.125 && r.asked_procs == 8);
    assert_true (r.asked_time == 9 && r.asked_memory == 10);
    assert_true (r.status == 11 && r.user == 12 && r.group == 13);
    assert_true (r.app == 14 && r.queue == 15 && r.partition == 16);
    assert_true (r.after_job == 17 && r.think_time == 18);
    assert_int_equal (tori_swf_next (reader, &r, NULL), 1);
    assert_true (r.job == -1 && r.submit == -1 && r.think_time == -1);
    assert_int_equal (tori_swf_next (reader, &r, NULL), 0);
    assert_int_equal (tori_swf_next (reader, &r, NULL), 0);
    tori_swf_close (reader);
    tori_swf_close (NULL);
}

#define REST " 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0"

TEST (header)
{
    tori_swf_reader *reader
        = open_text (";   Version: 2.2\r\n"
                     ";\n"
                     "; no field\n"
                     ";MaxProcs:338  \n"
                     "\n"
                     "; Note: first: with a colon\n"
                     "; Note: second\n"
                     "; Empty:\n"
                     "1 0" REST "\n"
                     "; Late: comment\n"
                     "   ; another\n"
                     "2 0" REST); /* no newline at the end */
    tori_swf_record record;
    assert_string_equal (tori_swf_header (reader, "Version"), "2.2");
    assert_string_equal (tori_swf_header (reader, "maxprocs"), "338");
    assert_string_equal (tori_swf_header (reader, "Note"),
                         "first: with a colon");
    assert_string_equal (tori_swf_header (reader, "Empty"), "");
    assert_null (tori_swf_header (reader, "no field"));
    assert_int_equal (tori_swf_next (reader, &record, NULL), 1);
    assert_int_equal (tori_swf_next (reader, &record, NULL), 1);
    assert_int_equal (record.job, 2);
    assert_int_equal (tori_swf_next (reader, &record, NULL), 0);
    assert_null (tori_swf_header (reader, "Late"));
    assert_string_equal (tori_swf_header (reader, "Version"), "2.2");
    tori_swf_close (reader);
}

TEST (empty_logs)
{
    assert_int_equal (count_records ("", 0, NULL), 0);
    assert_int_equal (count_records ("\n\r\n \t\n", 6, NULL), 0);
    assert_int_equal (count_records ("; only: this", 12, NULL), 0);
}

/* A decimal is the double that the C library makes of it. */
TEST (decimals)
{
    struct rng rng;
    rng_seed (&rng, 1, 0);
    for (int i = 0; i < 20000; i++) {
        char number[40], line[100];
        tori_swf_record record;
        int decimals = (int)rng_below (&rng, 7);
        uint64_t whole = rng_below (&rng, i % 2 ? 1000 : 9000000000);
        snprintf (number, sizeof number, "%llu%s%0*llu",
                  (unsigned long long)whole, decimals ? "." : "", decimals,
                  (unsigned long long)rng_below (
                      &rng, (uint64_t)pow (10, decimals)));
        if (!decimals)
            snprintf (number, sizeof number, "%llu",
                      (unsigned long long)whole);
        snprintf (line, sizeof line, "1 %s" REST, number);
        tori_swf_reader *reader = open_text (line);
        assert_int_equal (tori_swf_next (reader, &record, NULL), 1);
        assert_true (record.submit == strtod (number, NULL));
        tori_swf_close (reader);
    }
}

TEST (long_decimals)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0.1234567890123456789", 0.1234567890123456},
        {"1.00000000000000000000000000000000000000", 1},
        {"0.00000000000000000000000000000000000001", 0},
        {"9007199254740991", 9007199254740991.0},
        {"9007199254740991.9", 9007199254740991.0},
        {"000000000000000000000000000000005", 5},
        {"-0", 0},
        {"-0.0", 0},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        char line[200];
        tori_swf_record record;
        snprintf (line, sizeof line, "1 %s" REST, cases[i].text);
        tori_swf_reader *reader = open_text (line);
        assert_int_equal (tori_swf_next (reader, &record, NULL), 1);
        assert_true (record.submit == cases[i].value);
        assert_false (signbit (record.submit));
        tori_swf_close (reader);
    }
}

/* ---- refusing ---- */

static void refuse_strictly (const char *text, const char *why)
{
    tori_error err;
    assert_int_equal (count_as (true, text, strlen (text), &err), -1);
    assert_string_equal (err.text, why);
    assert_int_equal (err.status, TORI_INVALID);
}

/* A log that is refused without being strict is refused strictly, too. */
static void refuse (const char *text, const char *why)
{
    tori_error err;
    assert_int_equal (count_records (text, strlen (text), &err), -1);
    assert_string_equal (err.text, why);
    assert_int_equal (err.status, TORI_INVALID);
    refuse_strictly (text, why);
}

TEST (wrong_number_of_fields)
{
    refuse ("hello world\n", "log:1: expected 18 fields, found 2");
    refuse ("; c\n\n1 0" REST "\n1 2 3\n",
            "log:4: expected 18 fields, found 3");
    refuse ("1 0" REST "\n1", "log:2: expected 18 fields, found 1");
}

TEST (fields_at_the_end)
{
    static const char text[] = "1 0" REST " 5\n2 0" REST "\tx y\r\n3 0" REST;
    tori_error err;
    assert_int_equal (count_records (text, strlen (text), &err), 3);
    refuse_strictly (text, "log:1: expected 18 fields, found 19");
    refuse_strictly ("1 0" REST "\n2 0" REST " x y\n",
                     "log:2: expected 18 fields, found 20");
    /* The fields in front of them are still checked. */
    assert_int_equal (count_records ("1 x" REST " 5", 4 + sizeof REST, &err),
                      -1);
    assert_string_equal (err.text,
                         "log:1: field 2 (submit time): expected -1 or a "
                         "number from 0 to 9007199254740991, found 'x'");
}

/* The fields that no workload is made of, from 1. */
static bool is_unused (int field)
{
    return field == 3 || field == 6 || field == 7 || field >= 10;
}

/* A line of 1, 2, ..., 18, but for one field. */
static void write_line (char line[100], int odd_field, const char *odd)
{
    for (int i = 1, at = 0; i <= 18; i++) {
        char number[12];
        snprintf (number, sizeof number, "%d", i);
        at += snprintf (line + at, (size_t)(100 - at), "%s ",
                        i == odd_field ? odd : number);
    }
}

static void expect_unknown (const char *line, int field)
{
    tori_swf_reader *reader = open_text (line);
    tori_swf_record r;
    assert_int_equal (tori_swf_next (reader, &r, NULL), 1);
    const double value[] = {
        (double)r.job, r.submit, r.wait, r.runtime, (double)r.procs,
        r.cpu_time, r.memory, (double)r.asked_procs, r.asked_time,
        r.asked_memory, (double)r.status, (double)r.user, (double)r.group,
        (double)r.app, (double)r.queue, (double)r.partition,
        (double)r.after_job, r.think_time};
    for (int i = 1; i <= 18; i++)
        assert_true (value[i - 1] == (i == field ? -1 : i));
    tori_swf_close (reader);
}

TEST (odd_values_of_unused_fields)
{
    static const char *const odd[] = {"-4", "-2.5", "1e5", "x", "1;2", "nan"};
    for (int field = 1; field <= 18; field++)
        for (size_t i = 0; i < LENGTH (odd); i++) {
            char line[100];
            tori_error err;
            write_line (line, field, odd[i]);
            assert_int_equal (count_as (true, line, strlen (line), &err), -1);
            assert_non_null (strstr (err.text, odd[i]));
            if (is_unused (field))
                expect_unknown (line, field);
            else
                refuse (line, err.text);
        }
}

static void refuse_time (const char *number)
{
    char line[200], why[200];
    snprintf (line, sizeof line, "1 0" REST "\n1 %s" REST "\n", number);
    snprintf (why, sizeof why,
              "log:2: field 2 (submit time): expected -1 or a number from 0"
              " to 9007199254740991, found '%s'",
              number);
    refuse (line, why);
}

TEST (numbers_that_are_none)
{
    static const char *const numbers[] = {
        "abc",     "-2",   "-1.5", "-0.25", "nan", "inf",
        "NaN",     "0x10", "1e5",  "+1",    "1,5", "1.2.3",
        "1.",      ".5",   "-",    "--1",   "1-",  "9007199254740992",
        "1d",      "5;",   "-1x",
        "99999999999999999999999",
    };
    for (size_t i = 0; i < LENGTH (numbers); i++)
        refuse_time (numbers[i]);
    refuse ("1.5 0" REST "\n",
            "log:1: field 1 (job number): expected -1 or a whole number from"
            " 0 to 9223372036854775807, found '1.5'");
    refuse ("9223372036854775808 0" REST "\n",
            "log:1: field 1 (job number): expected -1 or a whole number from"
            " 0 to 9223372036854775807, found '9223372036854775808'");
    refuse ("1 0 0 0 4 0 0 -3 0 0 0 0 0 0 0 0 0 0\n",
            "log:1: field 8 (requested processors): expected -1 or a whole"
            " number from 0 to 9223372036854775807, found '-3'");
    /* Quoted text is cut and printable. */
    refuse ("1 \x1b[31m" REST "\n",
            "log:1: field 2 (submit time): expected -1 or a number from 0 to"
            " 9007199254740991, found '?[31m'");
    refuse ("1 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" REST "\n",
            "log:1: field 2 (submit time): expected -1 or a number from 0 to"
            " 9007199254740991, found"
            " 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'");
}

TEST (nul_bytes)
{
    static const struct {
        const char *text;
        size_t size;
    } cases[] = {
        {"1 0" REST "\0\n", 4 + sizeof REST},
        {"1 \0" REST "\n", 3 + sizeof REST},
        {"1 0" REST " 5\0\n", 6 + sizeof REST},
        {"1 0 x\0" REST "\n", 6 + sizeof REST},
        {"; comm\0ent\n", 11},
        {"\0\n", 2},
        {"  \0", 3},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        tori_error err;
        assert_int_equal (count_records (cases[i].text, cases[i].size, &err),
                          -1);
        assert_string_equal (err.text, "log:1: NUL byte in the line");
        assert_int_equal (err.status, TORI_INVALID);
    }
}

/* Lines of up to 64 KiB are fine, whatever the buffer does with them; longer
 * ones are not, comments included, in front of a newline or without one. */
TEST (long_lines)
{
    enum { LONGEST = 65536, LINES = 20 };
    size_t size = LINES * (LONGEST + 1);
    char *text = malloc (size + 1);
    tori_error err;
    memset (text, ' ', size);
    for (int i = 0; i < LINES; i++) {
        memcpy (text + (size_t)i * (LONGEST + 1), "1 0" REST,
                sizeof "1 0" REST - 1);
        text[(size_t)(i + 1) * (LONGEST + 1) - 1] = '\n';
    }
    assert_int_equal (count_records (text, size, &err), LINES);
    assert_int_equal (count_records (text, size - 1, &err), LINES);
    memmove (text + 3 * (LONGEST + 1) + 5, text + 3 * (LONGEST + 1),
             size - 3 * (LONGEST + 1) - 5);
    assert_int_equal (count_records (text, size, &err), -1);
    assert_string_equal (err.text, "log:4: line longer than 65536 bytes");
    assert_int_equal (err.status, TORI_INVALID);
    memset (text, ';', size);
    assert_int_equal (count_records (text, size, &err), -1);
    assert_string_equal (err.text, "log:1: line longer than 65536 bytes");
    text[LONGEST + 1] = '\n';
    assert_int_equal (count_records (text, size, &err), -1);
    free (text);
}

/* A line without an end is refused after its first 64 KiB: the one who writes
 * it into a pipe finds it closed long before 10 GB. */
TEST (endless_line)
{
    int ends[2], saved = dup (STDIN_FILENO);
    tori_swf_reader *reader;
    tori_error err;
    assert_int_equal (pipe (ends), 0);
    pid_t child = fork ();
    if (child == 0) {
        char block[65536];
        close (ends[0]);
        memset (block, '7', sizeof block);
        for (int i = 0; i < 160000; i++)
            if (write (ends[1], block, sizeof block) < 0)
                break;
        _exit (0);
    }
    close (ends[1]);
    dup2 (ends[0], STDIN_FILENO);
    close (ends[0]);
    int opened = tori_swf_open ("-", &reader, &err);
    dup2 (saved, STDIN_FILENO);
    close (saved);
    assert_int_equal (opened, -1);
    assert_string_equal (err.text, "-:1: line longer than 65536 bytes");
    int status;
    waitpid (child, &status, 0);
}

/* ---- gzip ---- */

static size_t pack (const char *text, size_t text_size, unsigned char *data,
                    size_t size)
{
    z_stream z = {0};
    assert_int_equal (deflateInit2 (&z, 6, Z_DEFLATED, 31, 8, 0), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)text;
    z.avail_in = (unsigned)text_size;
    z.next_out = data;
    z.avail_out = (unsigned)size;
    assert_int_equal (deflate (&z, Z_FINISH), Z_STREAM_END);
    deflateEnd (&z);
    return z.total_out;
}

TEST (gzip)
{
    static const char first[] = "; A: b\n1 0" REST "\n2 ";
    static const char second[] = "0" REST "\n";
    unsigned char data[1000];
    tori_error err;
    size_t size = pack (first, sizeof first - 1, data, sizeof data);
    /* Cut in the middle of a line: members are one text. */
    size_t all = size
                 + pack (second, sizeof second - 1, data + size,
                         sizeof data - size);
    assert_int_equal (count_records (data, all, &err), 2);
    /* An empty member and zeros behind it change nothing. */
    all += pack ("", 0, data + all, sizeof data - all);
    memset (data + all, 0, 50);
    assert_int_equal (count_records (data, all + 50, &err), 2);
    data[all + 20] = 'x';
    assert_int_equal (count_records (data, all + 50, &err), -1);
    assert_string_equal (err.text,
                         "log: damaged gzip data: garbage at the end");
}

TEST (cut_gzip)
{
    static const char text[] = "1 0" REST "\n2 0" REST "\n";
    unsigned char data[1000];
    tori_error err;
    size_t size = pack (text, sizeof text - 1, data, sizeof data);
    assert_int_equal (count_records (data, size, &err), 2);
    for (size_t cut = 2; cut < size; cut++) {
        unsigned char *copy = malloc (cut);
        memcpy (copy, data, cut);
        assert_int_equal (count_records (copy, cut, &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
        assert_string_equal (err.text, "log: truncated gzip data");
        free (copy);
    }
}

TEST (damaged_gzip)
{
    static const char text[] = "1 0" REST "\n2 0" REST "\n";
    unsigned char data[1000];
    tori_error err;
    size_t size = pack (text, sizeof text - 1, data, sizeof data);
    data[size - 6] ^= 1; /* the checksum */
    assert_int_equal (count_records (data, size, &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    assert_string_equal (err.text, "log: damaged gzip data");
    data[2] = 7; /* the method */
    assert_int_equal (count_records (data, size, &err), -1);
    assert_string_equal (err.text, "log: damaged gzip data");
}

TEST (unreadable)
{
    tori_swf_reader *reader = NULL;
    tori_error err;
    assert_int_equal (tori_swf_open ("/nonexistent/log", &reader, &err), -1);
    assert_int_equal (err.status, TORI_FAILED);
    assert_string_equal (err.text,
                         "/nonexistent/log: No such file or directory");
    assert_int_equal (tori_swf_open (folder, &reader, &err), -1);
    assert_int_equal (err.status, TORI_FAILED);
    assert_non_null (strstr (err.text, ": Is a directory"));
    assert_null (reader);
}

/* ---- writing ---- */

static double random_time (struct rng *rng)
{
    if (rng_below (rng, 4) == 0)
        return -1;
    uint64_t micros = rng_below (rng, 2) ? rng_below (rng, 1000000) : 0;
    return ((double)rng_below (rng, 1000000000) * 1e6 + (double)micros) / 1e6;
}

static int64_t random_count (struct rng *rng)
{
    return (int64_t)rng_below (rng, UINT64_C (1) << rng_below (rng, 63)) - 1;
}

static tori_swf_record random_record (struct rng *rng)
{
    return (tori_swf_record){
        .job = random_count (rng),
        .submit = random_time (rng),
        .wait = random_time (rng),
        .runtime = random_time (rng),
        .procs = random_count (rng),
        .cpu_time = random_time (rng),
        .memory = random_time (rng),
        .asked_procs = random_count (rng),
        .asked_time = random_time (rng),
        .asked_memory = random_time (rng),
        .status = random_count (rng),
        .user = random_count (rng),
        .group = random_count (rng),
        .app = random_count (rng),
        .queue = random_count (rng),
        .partition = random_count (rng),
        .after_job = random_count (rng),
        .think_time = random_time (rng),
    };
}

static void write_log (const char *to, int n)
{
    tori_swf_writer *writer;
    tori_error err;
    struct rng rng;
    rng_seed (&rng, 2, 0);
    assert_int_equal (tori_swf_create (to, &writer, &err), 0);
    assert_int_equal (tori_swf_write_header (writer, "Version", "2.2", &err),
                      0);
    for (int i = 0; i < n; i++) {
        tori_swf_record record = random_record (&rng);
        assert_int_equal (tori_swf_write (writer, &record, &err), 0);
    }
    assert_int_not_equal (access (to, F_OK), 0);
    assert_int_equal (tori_swf_commit (writer, &err), 0);
    tori_swf_writer_close (writer);
}

static void read_log (const char *from, int n)
{
    tori_swf_reader *reader;
    tori_swf_record record;
    tori_error err;
    struct rng rng;
    rng_seed (&rng, 2, 0);
    assert_int_equal (tori_swf_open (from, &reader, &err), 0);
    assert_string_equal (tori_swf_header (reader, "Version"), "2.2");
    for (int i = 0; i < n; i++) {
        tori_swf_record expected = random_record (&rng);
        assert_int_equal (tori_swf_next (reader, &record, &err), 1);
        assert_memory_equal (&record, &expected, sizeof record);
    }
    assert_int_equal (tori_swf_next (reader, &record, &err), 0);
    tori_swf_close (reader);
}

TEST (written_is_read)
{
    unsigned char magic[10] = {0};
    write_log (path, 5000);
    read_log (path, 5000);
    write_log (packed_path, 5000);
    read_log (packed_path, 5000);
    /* gzip, and no time in it. */
    FILE *file = fopen (packed_path, "rb");
    assert_int_equal (fread (magic, 1, sizeof magic, file), sizeof magic);
    fclose (file);
    assert_memory_equal (magic, "\x1f\x8b\x08\0\0\0\0\0", 8);
    /* Whatever the name. */
    assert_int_equal (rename (packed_path, path), 0);
    read_log (path, 5000);
    unlink (path);
}

TEST (not_committed)
{
    tori_swf_record record = {.job = 1};
    tori_swf_writer *writer;
    assert_int_equal (tori_swf_create (path, &writer, NULL), 0);
    assert_int_equal (tori_swf_write (writer, &record, NULL), 0);
    tori_swf_writer_close (writer);
    tori_swf_writer_close (NULL);
    assert_int_not_equal (access (path, F_OK), 0);
}

TEST (full_disk)
{
    tori_swf_record record = {.job = 1};
    tori_swf_writer *writer;
    tori_error err;
    if (access ("/dev/full", W_OK) < 0) {
        print_message ("no /dev/full: skipped\n");
        skip ();
    }
    assert_int_equal (tori_swf_create ("/dev/full", &writer, &err), 0);
    assert_int_equal (tori_swf_write (writer, &record, &err), 0);
    assert_int_equal (tori_swf_commit (writer, &err), -1);
    assert_int_equal (err.status, TORI_FAILED);
    assert_string_equal (err.text, "/dev/full: No space left on device");
    tori_swf_writer_close (writer);
    /* A long log is not written to its end in vain. */
    int written = 0;
    assert_int_equal (tori_swf_create ("/dev/full", &writer, &err), 0);
    while (written < 10000 && tori_swf_write (writer, &record, &err) == 0)
        written++;
    assert_true (written < 10000);
    tori_swf_writer_close (writer);
    assert_int_equal (tori_swf_create ("/nonexistent/log", &writer, &err), -1);
    assert_int_equal (err.status, TORI_FAILED);
}

TEST (unwritable_records)
{
    static const tori_swf_record bad[] = {
        {.job = -2},        {.submit = -2},  {.runtime = NAN},
        {.wait = HUGE_VAL}, {.memory = 1e17}, {.think_time = -0.5},
    };
    tori_swf_writer *writer;
    tori_error err;
    assert_int_equal (tori_swf_create (path, &writer, &err), 0);
    for (size_t i = 0; i < LENGTH (bad); i++) {
        assert_int_equal (tori_swf_write (writer, &bad[i], &err), -1);
        assert_int_equal (err.status, TORI_INVALID);
    }
    assert_int_equal (tori_swf_write_header (writer, "a:b", "c", &err), -1);
    assert_int_equal (tori_swf_write_header (writer, "a", "b\nc", &err), -1);
    assert_int_equal (err.status, TORI_INVALID);
    tori_swf_writer_close (writer);
}

int main (void)
{
    return run_cases (setup, teardown);
}
