/* Output files appear whole or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outfile.h"

static char folder[] = "/tmp/tori-outfile-XXXXXX";

static const char *in_folder (const char *name)
{
    static char path[512];
    snprintf (path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int setup (void **state)
{
    return mkdtemp (folder) ? 0 : -1;
}

static int empty_folder (void **state)
{
    DIR *dir = opendir (folder);
    struct dirent *entry;
    while ((entry = readdir (dir)))
        if (strcmp (entry->d_name, ".") && strcmp (entry->d_name, ".."))
            unlink (in_folder (entry->d_name));
    closedir (dir);
    return 0;
}

static int teardown (void **state)
{
    empty_folder (state);
    return rmdir (folder);
}

/* How many entries the folder has, and the one text that a file holds. */
static int entries (void)
{
    DIR *dir = opendir (folder);
    int n = 0;
    while (readdir (dir))
        n++;
    closedir (dir);
    return n - 2;
}

static void assert_text (const char *path, const char *expected)
{
    char text[64] = "";
    FILE *file = fopen (path, "r");
    assert_non_null (file);
    size_t n = fread (text, 1, sizeof text - 1, file);
    fclose (file);
    text[n] = '\0';
    assert_string_equal (text, expected);
}

static void put (const char *path, const char *text)
{
    struct outfile *out;
    tori_error err;
    assert_int_equal (outfile_create (path, &out, &err), 0);
    fputs (text, outfile_stream (out));
    assert_int_equal (outfile_commit (out, &err), 0);
    outfile_destroy (out);
}

static void test_appears_on_commit (void **state)
{
    struct outfile *out;
    tori_error err;
    const char *path = in_folder ("a");
    assert_int_equal (outfile_create (path, &out, &err), 0);
    fputs ("one\n", outfile_stream (out));
    fflush (outfile_stream (out));
    assert_int_not_equal (access (path, F_OK), 0);
    assert_int_equal (outfile_check (out, &err), 0);
    assert_int_equal (outfile_commit (out, &err), 0);
    outfile_destroy (out);
    assert_text (path, "one\n");
    assert_int_equal (entries (), 1);
}

static void test_abandoned_leaves_what_was_there (void **state)
{
    struct outfile *out;
    put (in_folder ("a"), "old");
    assert_int_equal (outfile_create (in_folder ("a"), &out, NULL), 0);
    fputs ("new", outfile_stream (out));
    outfile_destroy (out);
    assert_text (in_folder ("a"), "old");
    assert_int_equal (entries (), 1);
    outfile_destroy (NULL);
}

/* Nothing is changed, and a pipe that nobody reads does not hold it up. */
static void test_probe (void **state)
{
    tori_error err;
    put (in_folder ("a"), "old");
    assert_int_equal (mkfifo (in_folder ("pipe"), 0600), 0);
    assert_int_equal (outfile_probe (in_folder ("a"), &err), 0);
    assert_int_equal (outfile_probe (in_folder ("b"), &err), 0);
    assert_int_equal (outfile_probe (in_folder ("pipe"), &err), 0);
    assert_int_equal (outfile_probe ("/dev/null", &err), 0);
    assert_int_equal (outfile_probe ("-", &err), 0);
    assert_text (in_folder ("a"), "old");
    assert_int_equal (entries (), 2);
    assert_int_equal (outfile_probe (folder, &err), -1);
    assert_int_equal (err.status, TORI_FAILED);
    assert_non_null (strstr (err.text, "Is a directory"));
    assert_int_equal (outfile_probe (in_folder ("no/such"), &err), -1);
    assert_string_equal (err.text + strlen (folder),
                         "/no/such: No such file or directory");
    assert_int_equal (outfile_probe ("", NULL), -1);
}

/* The file behind a link goes, the link stays; what is no file stays. */
static void test_cleared_is_gone_until_commit (void **state)
{
    struct outfile *out;
    char link[512];
    struct stat st;
    put (in_folder ("a"), "old");
    snprintf (link, sizeof link, "%s", in_folder ("link"));
    assert_int_equal (symlink ("a", link), 0);
    assert_int_equal (outfile_create (link, &out, NULL), 0);
    assert_int_equal (outfile_clear (out, NULL), 0);
    assert_int_equal (outfile_clear (out, NULL), 0);
    assert_int_not_equal (access (in_folder ("a"), F_OK), 0);
    assert_int_equal (lstat (link, &st), 0);
    fputs ("new", outfile_stream (out));
    assert_int_equal (outfile_commit (out, NULL), 0);
    outfile_destroy (out);
    assert_text (in_folder ("a"), "new");
    assert_int_equal (outfile_create ("/dev/null", &out, NULL), 0);
    assert_int_equal (outfile_clear (out, NULL), 0);
    outfile_destroy (out);
    assert_int_equal (access ("/dev/null", F_OK), 0);
}

static void test_mode_is_kept (void **state)
{
    struct stat st;
    mode_t mask = umask (027);
    put (in_folder ("a"), "old");
    assert_int_equal (stat (in_folder ("a"), &st), 0);
    assert_int_equal (st.st_mode & 0777, 0640);
    chmod (in_folder ("a"), 0604);
    put (in_folder ("a"), "new");
    assert_int_equal (stat (in_folder ("a"), &st), 0);
    assert_int_equal (st.st_mode & 0777, 0604);
    umask (mask);
}

static void test_link_stays_a_link (void **state)
{
    struct stat st;
    put (in_folder ("real"), "old");
    assert_int_equal (symlink ("real", in_folder ("link")), 0);
    put (in_folder ("link"), "new");
    assert_int_equal (lstat (in_folder ("link"), &st), 0);
    assert_true (S_ISLNK (st.st_mode));
    assert_text (in_folder ("real"), "new");
    assert_int_equal (entries (), 2);
}

static void test_two_at_once (void **state)
{
    struct outfile *a, *b;
    assert_int_equal (outfile_create (in_folder ("a"), &a, NULL), 0);
    assert_int_equal (outfile_create (in_folder ("b"), &b, NULL), 0);
    fputs ("A", outfile_stream (a));
    fputs ("B", outfile_stream (b));
    assert_int_equal (outfile_commit (b, NULL), 0);
    assert_int_equal (outfile_commit (a, NULL), 0);
    outfile_destroy (a);
    outfile_destroy (b);
    assert_text (in_folder ("a"), "A");
    assert_text (in_folder ("b"), "B");
}

static void test_devices_are_written_directly (void **state)
{
    struct outfile *out;
    struct stat st;
    tori_error err;
    put ("/dev/null", "text");
    assert_int_equal (stat ("/dev/null", &st), 0);
    assert_true (S_ISCHR (st.st_mode));
    if (access ("/dev/full", W_OK) < 0) {
        print_message ("no /dev/full: skipped\n");
        skip ();
    }
    assert_int_equal (outfile_create ("/dev/full", &out, &err), 0);
    fputs ("text", outfile_stream (out));
    assert_int_equal (outfile_commit (out, &err), -1);
    assert_int_equal (err.status, TORI_FAILED);
    assert_string_equal (err.text, "/dev/full: No space left on device");
    outfile_destroy (out);
}

/* Text that was printed before comes before; standard output stays open. */
static void test_standard_output (void **state)
{
    fflush (stdout);
    int saved = dup (STDOUT_FILENO);
    FILE *file = fopen (in_folder ("out"), "w");
    dup2 (fileno (file), STDOUT_FILENO);
    fclose (file);
    fputs ("1", stdout);
    put ("-", "2");
    fputs ("3", stdout);
    fflush (stdout);
    dup2 (saved, STDOUT_FILENO);
    close (saved);
    assert_text (in_folder ("out"), "123");
}

/* A limit on the size of files stands for a full disk: a write fails half
 * way, the reason is told and the old file stays. */
static void test_full_disk (void **state)
{
    struct rlimit old, small;
    struct outfile *out;
    tori_error err;
    char expected[600];
    put (in_folder ("a"), "old");
    assert_int_equal (getrlimit (RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 100000;
    void (*handler) (int) = signal (SIGXFSZ, SIG_IGN);
    assert_int_equal (setrlimit (RLIMIT_FSIZE, &small), 0);
    int created = outfile_create (in_folder ("a"), &out, &err);
    for (int i = 0; created == 0 && i < 200000; i++)
        fputc ('x', outfile_stream (out));
    int checked = outfile_check (out, &err);
    int committed = outfile_commit (out, &err);
    outfile_destroy (out);
    setrlimit (RLIMIT_FSIZE, &old);
    signal (SIGXFSZ, handler);
    assert_int_equal (created, 0);
    assert_int_equal (checked, -1);
    assert_int_equal (committed, -1);
    snprintf (expected, sizeof expected, "%s: File too large",
              in_folder ("a"));
    assert_string_equal (err.text, expected);
    assert_text (in_folder ("a"), "old");
    assert_int_equal (entries (), 1);
}

/* ---- files without a name, and with one ---- */

/* The linker sends open to here: file systems that have no files without a
 * name. */
static bool no_unnamed;

int __real_open (const char *path, int flags, ...);
int __real_open64 (const char *path, int flags, ...);
int __wrap_open (const char *path, int flags, ...);
int __wrap_open64 (const char *path, int flags, ...);

static bool refused (int flags)
{
    if (!no_unnamed || (flags & O_TMPFILE) != O_TMPFILE)
        return false;
    errno = EOPNOTSUPP;
    return true;
}

int __wrap_open (const char *path, int flags, ...)
{
    return refused (flags) ? -1 : __real_open (path, flags, 0666);
}

int __wrap_open64 (const char *path, int flags, ...)
{
    return refused (flags) ? -1 : __real_open64 (path, flags, 0666);
}

static bool has_unnamed (void)
{
    int fd = open (folder, O_TMPFILE | O_WRONLY, 0666);
    if (fd >= 0)
        close (fd);
    return fd >= 0;
}

static int with_names (void **state)
{
    no_unnamed = true;
    return 0;
}

static int without_names (void **state)
{
    no_unnamed = false;
    return empty_folder (state);
}

/* Half a file, and the process ends. */
static void end_half_way (void (*end) (void))
{
    pid_t child = fork ();
    int status;
    assert_true (child >= 0);
    if (child == 0) {
        struct outfile *out;
        if (outfile_create (in_folder ("a"), &out, NULL) < 0)
            _exit (1);
        fputs ("half", outfile_stream (out));
        fflush (outfile_stream (out));
        end ();
        _exit (2);
    }
    assert_int_equal (waitpid (child, &status, 0), child);
    assert_true (WIFSIGNALED (status));
}

static void be_killed (void)
{
    raise (SIGKILL);
}

static void remove_and_be_killed (void)
{
    outfile_remove_all ();
    raise (SIGKILL);
}

static void test_killed_leaves_nothing (void **state)
{
    if (!has_unnamed ()) {
        print_message ("no files without a name here: skipped\n");
        skip ();
    }
    put (in_folder ("a"), "old");
    end_half_way (be_killed);
    assert_text (in_folder ("a"), "old");
    assert_int_equal (entries (), 1);
}

/* With names, there is something to remove, and nothing else is. */
static void test_removed_by_a_handler (void **state)
{
    put (in_folder (".tori-0-0.tmp"), "another's");
    put (in_folder ("a"), "old");
    end_half_way (be_killed);
    assert_int_equal (entries (), 3);
    empty_folder (state);
    put (in_folder (".tori-0-0.tmp"), "another's");
    end_half_way (remove_and_be_killed);
    assert_text (in_folder (".tori-0-0.tmp"), "another's");
    assert_int_equal (entries (), 1);
}

/* Files of one's own that are no temporary files stay. */
static void test_other_files_stay (void **state)
{
    FILE *other = fopen (in_folder ("a"), "w");
    assert_non_null (other);
    outfile_remove_all ();
    assert_int_equal (entries (), 1);
    fclose (other);
}

/* A name that is taken already is passed over. */
static void test_names_that_are_taken (void **state)
{
    char name[64];
    snprintf (name, sizeof name, ".tori-%ld-0.tmp", (long)getpid ());
    put (in_folder (name), "left");
    put (in_folder ("a"), "old");
    put (in_folder ("a"), "new");
    assert_text (in_folder ("a"), "new");
    assert_text (in_folder (name), "left");
    assert_int_equal (entries (), 2);
}

static void test_unwritable (void **state)
{
    struct outfile *out = NULL;
    tori_error err;
    assert_int_equal (outfile_create ("/nonexistent/a", &out, &err), -1);
    assert_int_equal (err.status, TORI_FAILED);
    assert_string_equal (err.text,
                         "/nonexistent/a: No such file or directory");
    assert_int_equal (outfile_create (folder, &out, &err), -1);
    assert_non_null (strstr (err.text, "Is a directory"));
    assert_int_equal (outfile_create ("", &out, &err), -1);
    assert_null (out);
}

#define WITH_NAMES(test)                                                      \
    {#test " with names", test, with_names, without_names, NULL}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown (test_appears_on_commit, empty_folder),
        cmocka_unit_test_teardown (test_abandoned_leaves_what_was_there,
                                   empty_folder),
        cmocka_unit_test_teardown (test_probe, empty_folder),
        cmocka_unit_test_teardown (test_cleared_is_gone_until_commit,
                                   empty_folder),
        cmocka_unit_test_teardown (test_mode_is_kept, empty_folder),
        cmocka_unit_test_teardown (test_link_stays_a_link, empty_folder),
        cmocka_unit_test_teardown (test_two_at_once, empty_folder),
        cmocka_unit_test (test_devices_are_written_directly),
        cmocka_unit_test_teardown (test_standard_output, empty_folder),
        cmocka_unit_test_teardown (test_full_disk, empty_folder),
        cmocka_unit_test (test_unwritable),
        cmocka_unit_test_teardown (test_killed_leaves_nothing, empty_folder),
        cmocka_unit_test_teardown (test_names_that_are_taken, empty_folder),
        cmocka_unit_test_teardown (test_other_files_stay, empty_folder),
        WITH_NAMES (test_removed_by_a_handler),
        WITH_NAMES (test_appears_on_commit),
        WITH_NAMES (test_abandoned_leaves_what_was_there),
        WITH_NAMES (test_mode_is_kept),
        WITH_NAMES (test_link_stays_a_link),
        WITH_NAMES (test_two_at_once),
        WITH_NAMES (test_full_disk),
        WITH_NAMES (test_names_that_are_taken),
    };
    return cmocka_run_group_tests (tests, setup, teardown);
}
