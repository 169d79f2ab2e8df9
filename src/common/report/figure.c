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
#include "syserror.h"

/* ---- the script ---- */

/* A string in gnuplot's single quotes, where only the quote itself has a
 * meaning and is doubled. */
static void put_quoted (const char *text, FILE *out)
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
    put_quoted (text, out);
    fputs (" noenhanced\n", out);
}

static bool has_bars (const struct figure *figure)
{
    return figure->lines > 0 && figure->line[0].x;
}

static void put_row (const struct figure *figure, size_t i, FILE *out)
{
    for (size_t j = 0; j < figure->lines; j++) {
        const struct figure_line *line = &figure->line[j];
        if (line->x)
            fprintf (out, "%s%.6g %.6g %.6g", j ? " " : "", line->x[i],
                     line->y[i], line->half[i]);
        else
            fprintf (out, " %.6g", line->y[i]);
    }
}

/* Three columns for each line with bars: x, y, half of the interval. */
static void put_data (const struct figure *figure, FILE *out)
{
    bool bars = has_bars (figure);
    fprintf (out, "$data << end\n# %s",
             bars ? "x, y and half of the interval of" : "x, then y of");
    for (size_t j = 0; j < figure->lines; j++)
        fprintf (out, "%s %s", j ? "," : "", figure->line[j].title);
    fputc ('\n', out);
    for (size_t i = 0; i < figure->n; i++) {
        if (!bars)
            fprintf (out, "%.6g", figure->x[i]);
        put_row (figure, i, out);
        fputc ('\n', out);
    }
    fputs ("end\n", out);
}

/* Lines with bars are drawn side by side if the axes are fitted: bars in one
 * place would hide each other. */
static void put_bars (const struct figure *figure, size_t j, FILE *out)
{
    double middle = (double)(figure->lines - 1) / 2;
    if (figure->fitted)
        fprintf (out,
                 "$data using ($%zu + %g * aside):%zu:%zu with yerrorlines ",
                 3 * j + 1, (double)j - middle, 3 * j + 2, 3 * j + 3);
    else
        fprintf (out, "$data using %zu:%zu:%zu with yerrorlines ", 3 * j + 1,
                 3 * j + 2, 3 * j + 3);
}

static void put_plot (const struct figure *figure, FILE *out)
{
    fputs ("plot ", out);
    if (figure->diagonal) {
        fputs ("x with lines lw 1 dt 2 lc rgb '#909090' title ", out);
        put_quoted (figure->diagonal, out);
    } else {
        fputs ("NaN notitle", out);
    }
    for (size_t i = 0; i < figure->lines; i++) {
        fputs (", \\\n    ", out);
        if (has_bars (figure))
            put_bars (figure, i, out);
        else
            fprintf (out, "$data using 1:%zu with linespoints ", i + 2);
        fprintf (out, "%s title ", figure->line[i].style);
        put_quoted (figure->line[i].title, out);
    }
    fputc ('\n', out);
}

/* A hundredth of the axis between two lines. */
static double line_offset (const struct figure *figure)
{
    const double *x = figure->line[0].x;
    double low = x[0], high = x[0];
    for (size_t i = 1; i < figure->n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    return (high - low) / 100;
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

static void put_look (const struct figure *figure, FILE *out)
{
    fputs ("set encoding utf8\n"
           "set border 3 lc rgb '#606060'\n"
           "set tics nomirror out scale 0.5 textcolor rgb '#202020'\n"
           "set grid lc rgb '#e4e4e4' lw 1 lt 1\n"
           "set key top left Left reverse samplen 3 spacing 1.15 width -5 "
           "noenhanced opaque\n",
           out);
    if (has_bars (figure))
        fputs ("set key top center outside horizontal noopaque width 0 "
               "samplen 2\n"
               "set bars 0.5\n",
               out);
    put_ranges (figure, out);
    if (has_bars (figure) && figure->fitted)
        fprintf (out, "aside = %.6g # from one line to the next\n",
                 line_offset (figure));
    set_text (has_bars (figure) ? "key title" : "title", figure->title, out);
    set_text ("xlabel", figure->x_label, out);
    set_text ("ylabel", figure->y_label, out);
}

/* A figure with two equal axes is a square. A PDF is as wide as a column of a
 * paper. */
static void put_terminal (const struct figure *figure,
                          enum figure_format format, FILE *out)
{
    if (format == FIGURE_SVG)
        fprintf (out,
                 "set terminal svg size 560,%d font 'sans-serif,13' "
                 "background '#ffffff'\n",
                 figure->fitted ? 420 : 560);
    else
        fprintf (out,
                 "set terminal pdfcairo size 8.8cm,%s font 'sans,8' "
                 "linewidth 0.8 pointscale 0.6\n",
                 figure->fitted ? "6.6cm" : "8.8cm");
}

void figure_script (const struct figure *figure,
                    const struct figure_files *files, FILE *out)
{
    bool drawn = false;
    put_look (figure, out);
    put_data (figure, out);
    for (int f = 0; f < FIGURE_FORMATS; f++) {
        if (!files->path[f])
            continue;
        put_terminal (figure, (enum figure_format)f, out);
        fputs ("set output ", out);
        put_quoted (files->path[f], out);
        fputc ('\n', out);
        if (drawn)
            fputs ("replot\n", out);
        else
            put_plot (figure, out);
        drawn = true;
    }
    fputs ("set output\n", out);
}

/* ---- scripts that are kept ---- */

static const char *name_of (const char *path)
{
    const char *slash = strrchr (path, '/');
    return slash ? slash + 1 : path;
}

char *figure_script_path (const char *path)
{
    const char *dot = strrchr (name_of (path), '.');
    char *script;
    int stem = dot && dot > name_of (path) ? (int)(dot - path)
                                           : (int)strlen (path);
    return asprintf (&script, "%.*s.gp", stem, path) < 0 ? NULL : script;
}

/* Files are named relative to their folder. */
static int write_script (const struct figure *figure, const char *path,
                         const struct figure_files *files, tori_error *err)
{
    struct outfile *out;
    if (outfile_create (path, &out, err) < 0)
        return -1;
    fprintf (outfile_stream (out),
             "# 'gnuplot %s' in this folder draws the figure again.\n",
             name_of (path));
    figure_script (figure, files, outfile_stream (out));
    return outfile_end (out, 0, err);
}

/* Whether a script draws a figure in that format, too. */
static bool is_script_of (const char *script, const char *path)
{
    char *other = path && strcmp (path, "-") != 0 ? figure_script_path (path)
                                                  : NULL;
    bool same = other && !strcmp (script, other);
    free (other);
    return same;
}

/* Write the script of one file, unless it is the script of another. */
static int keep_script (const struct figure *figure,
                        const struct figure_files *files, int format,
                        tori_error *err)
{
    struct figure_files beside = {{NULL}};
    char *script = figure_script_path (files->path[format]);
    int first = -1, status = 0;
    if (!script)
        return tori_error_nomem (err);
    for (int f = 0; f < FIGURE_FORMATS; f++)
        if (is_script_of (script, files->path[f])) {
            beside.path[f] = name_of (files->path[f]);
            first = first < 0 ? f : first;
        }
    if (first == format)
        status = write_script (figure, script, &beside, err);
    free (script);
    return status;
}

static int keep_scripts (const struct figure *figure,
                         const struct figure_files *files, tori_error *err)
{
    for (int f = 0; f < FIGURE_FORMATS; f++)
        if (files->path[f] && strcmp (files->path[f], "-") != 0
            && keep_script (figure, files, f, err) < 0)
            return -1;
    return 0;
}

/* ---- gnuplot ---- */

/* gnuplot reads a script and draws to unnamed files; tmpfile leaves them open
 * for it. */
struct child {
    pid_t pid;
    FILE *script;
    FILE *complaints;
    FILE *drawn[FIGURE_FORMATS]; /* or NULL */
};

/* The file names for the script. */
struct nameless {
    char path[FIGURE_FORMATS][32];
};

static int open_drawn (struct child *child, const struct figure_files *files,
                       struct nameless *names, struct figure_files *ret_files)
{
    *ret_files = (struct figure_files){{NULL}};
    for (int f = 0; f < FIGURE_FORMATS; f++) {
        if (!files->path[f])
            continue;
        if (!(child->drawn[f] = tmpfile ()))
            return -1;
        snprintf (names->path[f], sizeof names->path[f], "/dev/fd/%d",
                  fileno (child->drawn[f]));
        ret_files->path[f] = names->path[f];
    }
    return 0;
}

static int prepare_files (struct child *child, const struct figure *figure,
                          const struct figure_files *files, tori_error *err)
{
    struct nameless names;
    struct figure_files to;
    child->script = tmpfile ();
    child->complaints = tmpfile ();
    if (!child->script || !child->complaints
        || open_drawn (child, files, &names, &to) < 0)
        return system_error ("a temporary file", errno, err);
    figure_script (figure, &to, child->script);
    if (fflush (child->script) == EOF
        || lseek (fileno (child->script), 0, SEEK_SET) < 0)
        return system_error ("a temporary file", errno, err);
    return 0;
}

static int not_there (tori_error *err)
{
    return tori_error_set (err, TORI_FAILED,
                           "gnuplot is not installed (Debian: gnuplot-nox)");
}

static int spawn_gnuplot (struct child *child)
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
        error = posix_spawn_file_actions_addopen (&actions, STDOUT_FILENO,
                                                  "/dev/null", O_WRONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2 (
            &actions, fileno (child->complaints), STDERR_FILENO);
    if (!error)
        error =
            posix_spawnp (&child->pid, name, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy (&actions);
    return error;
}

/* The first meaningful line of gnuplot's errors. */
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
            return system_error ("gnuplot", errno, err);
    if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
        return 0;
    return fail_as_told (child, err);
}

/* Run gnuplot. */
static int run_gnuplot (struct child *child, tori_error *err)
{
    int error = spawn_gnuplot (child);
    if (error == ENOENT)
        return not_there (err);
    return error ? system_error ("gnuplot", error, err)
                 : wait_for (child, err);
}

/* ---- what it drew ---- */

/* The date of a PDF would make equal figures differ. Blanks keep the places of
 * everything else. */
static void drop_date (char *data, size_t size)
{
    static const char key[] = "/CreationDate (";
    char *at = memmem (data, size, key, sizeof key - 1);
    char *end = at ? memchr (at, ')', size - (size_t)(at - data)) : NULL;
    if (end)
        memset (at, ' ', (size_t)(end + 1 - at));
}

static char *read_all (FILE *from, size_t *ret_size, tori_error *err)
{
    char *data = NULL;
    long size = fseek (from, 0, SEEK_END) == 0 ? ftell (from) : -1;
    if (size < 0) {
        system_error ("a temporary file", errno, err);
        return NULL;
    }
    data = malloc ((size_t)size + 1);
    if (!data) {
        tori_error_nomem (err);
        return NULL;
    }
    rewind (from);
    *ret_size = fread (data, 1, (size_t)size, from);
    return data;
}

static int deliver_file (FILE *drawn, const char *path, tori_error *err)
{
    struct outfile *out;
    size_t size;
    int status;
    char *data = read_all (drawn, &size, err);
    if (!data)
        return -1;
    drop_date (data, size);
    status = outfile_create (path, &out, err);
    if (status == 0) {
        fwrite (data, 1, size, outfile_stream (out));
        status = outfile_end (out, 0, err);
    }
    free (data);
    return status;
}

static void close_all (struct child *child)
{
    FILE *const all[] = {child->script, child->complaints,
                         child->drawn[FIGURE_SVG], child->drawn[FIGURE_PDF]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            fclose (all[i]);
}

int figure_draw (const struct figure *figure, const struct figure_files *files,
                 tori_error *err)
{
    struct child child = {0};
    int status = prepare_files (&child, figure, files, err);
    if (status == 0)
        status = run_gnuplot (&child, err);
    for (int f = 0; f < FIGURE_FORMATS && status == 0; f++)
        if (files->path[f])
            status = deliver_file (child.drawn[f], files->path[f], err);
    if (status == 0)
        status = keep_scripts (figure, files, err);
    close_all (&child);
    return status;
}
