#include "figure.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outfile.h"

/* ---- the script ---- */

/* gnuplot's way to write a string in which nothing has a meaning but the
 * quote itself, which is doubled. */
static void quote (const char *text, FILE *out)
{
    fputc ('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputc ('\'', out);
        fputc (*text, out);
    }
    fputc ('\'', out);
}

static void set_text (const char *what, const char *text, FILE *out)
{
    fprintf (out, "set %s ", what);
    quote (text, out);
    fputs (" noenhanced\n", out);
}

static void put_data (const struct figure *figure, FILE *out)
{
    fputs ("$data << end\n", out);
    for (size_t i = 0; i < figure->n; i++) {
        fprintf (out, "%.6g", figure->x[i]);
        for (size_t j = 0; j < figure->lines; j++)
            fprintf (out, " %.6g", figure->line[j].y[i]);
        fputc ('\n', out);
    }
    fputs ("end\n", out);
}

static bool has_bars (const struct figure *figure)
{
    return figure->lines > 0 && figure->line[0].x;
}

/* Three columns a line. */
static void put_bars (const struct figure *figure, FILE *out)
{
    fputs ("$data << end\n", out);
    for (size_t i = 0; i < figure->n; i++) {
        for (size_t j = 0; j < figure->lines; j++)
            fprintf (out, "%s%.6g %.6g %.6g", j ? " " : "",
                     figure->line[j].x[i], figure->line[j].y[i],
                     figure->line[j].half[i]);
        fputc ('\n', out);
    }
    fputs ("end\n", out);
    fputs ("plot NaN notitle", out);
    for (size_t j = 0; j < figure->lines; j++) {
        fprintf (out,
                 ", \\\n    $data using %zu:%zu:%zu with yerrorlines %s "
                 "title ",
                 3 * j + 1, 3 * j + 2, 3 * j + 3, figure->line[j].style);
        quote (figure->line[j].title, out);
    }
    fputc ('\n', out);
}

static void put_plot (const struct figure *figure, FILE *out)
{
    fputs ("plot ", out);
    if (figure->diagonal) {
        fputs ("x with lines lw 1 dt 2 lc rgb '#909090' title ", out);
        quote (figure->diagonal, out);
    } else {
        fputs ("NaN notitle", out);
    }
    for (size_t i = 0; i < figure->lines; i++) {
        fprintf (out, ", \\\n    $data using 1:%zu with linespoints %s title ",
                 i + 2, figure->line[i].style);
        quote (figure->line[i].title, out);
    }
    fputc ('\n', out);
}

static void put_ranges (const struct figure *figure, FILE *out)
{
    double most = figure->y_most > 0 ? figure->y_most : 100;
    if (figure->logarithmic)
        fprintf (out,
                 "set logscale x 2\nset logscale y 10\n"
                 "set xrange [%g:%g]\nset xtics %g, 2\n"
                 "set yrange [*:*]\nset format y '%%g'\n",
                 figure->x[0], figure->x[figure->n - 1], figure->x[0]);
    else if (figure->fitted)
        fputs ("set xrange [*:*]\nset yrange [0:*]\nset offsets graph 0.03, "
               "graph 0.03, graph 0.03, 0\n",
               out);
    else
        fprintf (out,
                 "set xrange [0:100]\nset xtics 10\n"
                 "set yrange [0:%g]\nset ytics %g\n",
                 most, most / 10);
}

void figure_script (const struct figure *figure, FILE *out)
{
    fputs ("set terminal svg size 560,560 font 'sans-serif,13' "
           "background '#ffffff'\n"
           "set encoding utf8\n"
           "set border 3 lc rgb '#606060'\n"
           "set tics nomirror out scale 0.5 textcolor rgb '#202020'\n"
           "set grid lc rgb '#e4e4e4' lw 1 lt 1\n"
           "set key top left Left reverse samplen 3 spacing 1.15 width -5 "
           "noenhanced opaque\n",
           out);
    put_ranges (figure, out);
    set_text ("title", figure->title, out);
    set_text ("xlabel", figure->x_label, out);
    set_text ("ylabel", figure->y_label, out);
    if (has_bars (figure)) {
        fputs ("set key below center horizontal noopaque\n", out);
        put_bars (figure, out);
        return;
    }
    put_data (figure, out);
    put_plot (figure, out);
}

/* ---- gnuplot ---- */

/* Its end of three streams, and ours of one. */
struct child {
    pid_t pid;
    FILE *script;
    FILE *complaints;
    int pipe[2]; /* from it to us; -1 when closed */
};

static int fail (const char *what, int error, tori_error *err)
{
    return tori_error_set (err, TORI_FAILED, "%s: %s", what, strerror (error));
}

static void close_end (struct child *child, int end)
{
    if (child->pipe[end] >= 0)
        close (child->pipe[end]);
    child->pipe[end] = -1;
}

static int prepare (struct child *child, const struct figure *figure,
                    tori_error *err)
{
    child->script = tmpfile ();
    child->complaints = tmpfile ();
    if (!child->script || !child->complaints)
        return fail ("a temporary file", errno, err);
    if (pipe2 (child->pipe, O_CLOEXEC) < 0)
        return fail ("a pipe", errno, err);
    figure_script (figure, child->script);
    if (fflush (child->script) == EOF
        || lseek (fileno (child->script), 0, SEEK_SET) < 0)
        return fail ("a temporary file", errno, err);
    return 0;
}

static int spawn (struct child *child)
{
    /* exec wants texts that it may change, and does not change them. */
    char name[] = "gnuplot", plainly[] = "-d", input[] = "-";
    char *argv[] = {name, plainly, input, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init (&actions);
    if (error)
        return error;
    error = posix_spawn_file_actions_adddup2 (&actions, fileno (child->script),
                                              STDIN_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2 (&actions, child->pipe[1],
                                                  STDOUT_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2 (
            &actions, fileno (child->complaints), STDERR_FILENO);
    if (!error)
        error =
            posix_spawnp (&child->pid, name, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy (&actions);
    return error;
}

/* All that it draws. */
static void copy (int from, FILE *to)
{
    char data[8192];
    ssize_t n;
    while ((n = read (from, data, sizeof data)) > 0
           || (n < 0 && errno == EINTR))
        if (n > 0)
            fwrite (data, 1, (size_t)n, to);
}

/* The first line of its complaints that says something. */
static int fail_as_told (struct child *child, tori_error *err)
{
    char line[300];
    rewind (child->complaints);
    while (fgets (line, sizeof line, child->complaints)) {
        line[strcspn (line, "\n")] = '\0';
        if (line[strspn (line, " ^\t\r")])
            return tori_error_set (err, TORI_FAILED, "gnuplot: %s", line);
    }
    return tori_error_set (err, TORI_FAILED, "gnuplot failed");
}

static int wait_for (struct child *child, tori_error *err)
{
    int status;
    while (waitpid (child->pid, &status, 0) < 0)
        if (errno != EINTR)
            return fail ("gnuplot", errno, err);
    if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
        return 0;
    return fail_as_told (child, err);
}

/* Draw a figure to a stream. */
static int draw (const struct figure *figure, FILE *to, tori_error *err)
{
    struct child child = {.pipe = {-1, -1}};
    int answer = -1, error;
    if (prepare (&child, figure, err) < 0)
        goto done;
    error = spawn (&child);
    if (error == ENOENT) {
        tori_error_set (err, TORI_FAILED,
                        "gnuplot is not installed (Debian: gnuplot-nox)");
        goto done;
    }
    if (error) {
        fail ("gnuplot", error, err);
        goto done;
    }
    close_end (&child, 1);
    copy (child.pipe[0], to);
    answer = wait_for (&child, err);
done:
    close_end (&child, 0);
    close_end (&child, 1);
    if (child.script)
        fclose (child.script);
    if (child.complaints)
        fclose (child.complaints);
    return answer;
}

int figure_draw (const struct figure *figure, const char *path,
                 tori_error *err)
{
    struct outfile *out;
    int status;
    if (outfile_create (path, &out, err) < 0)
        return -1;
    status = draw (figure, outfile_stream (out), err);
    if (status == 0)
        status = outfile_commit (out, err);
    outfile_destroy (out);
    return status;
}
