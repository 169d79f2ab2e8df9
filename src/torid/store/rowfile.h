/* rowfile.h - the rows of a SQLite file, read without its trees.
 *
 * Any page may be damaged, and so may SQLite's way to it. So each page is read
 * for what it is, as "The Database File Format" of SQLite says, from the log
 * beside the file if that has a copy of it; rows are on those that are leaves.
 * Whether a row is what was written, its owner must know.
 *
 *     rowfile_open (&file, path, &err);
 *     for (page = 1; page <= file.pages; page++)
 *         if (rowfile_page (&file, page))
 *             for (i = 0; i < rowfile_cells (&file); i++)
 *                 if (rowfile_row (&file, rowfile_place (&file, i)) == 1)
 *                     ... file.key, file.types ...
 */
#ifndef TORI_STORE_ROWFILE_H
#define TORI_STORE_ROWFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tori/error.h>

#include "walcheck.h"

enum { ROWFILE_PAGE = 1 << 16, ROWFILE_COLUMNS = 7 };

struct rowfile {
    const char *path;
    int file, log;
    struct wal_map map;
    uint64_t pages;
    size_t size;          /* of a page */
    uint32_t application; /* and the version, as the header says them; 0 if */
    uint32_t version;     /* that cannot be read */
    unsigned char page[ROWFILE_PAGE], more[ROWFILE_PAGE];
    char *payload;
    size_t room;
    /* The row that was read last: the types of its columns (null, integer,
     * blob, text), and their values. */
    uint64_t key;
    char types[ROWFILE_COLUMNS + 1];
    int64_t number[ROWFILE_COLUMNS];
    const char *bytes[ROWFILE_COLUMNS];
    size_t length[ROWFILE_COLUMNS];
};

/* Nothing of the file is changed. It is closed after a failure, too. */
int rowfile_open (struct rowfile *file, const char *path, tori_error *err);
void rowfile_close (struct rowfile *file);

/* Read a page; false past the end. One that is cut off goes on with zeros. */
bool rowfile_page (struct rowfile *file, uint64_t page);

/* How many rows the page that was read last says that it has, 0 if it is not a
 * leaf; and where one of them is. */
size_t rowfile_cells (const struct rowfile *file);
size_t rowfile_place (const struct rowfile *file, size_t cell);

/* Whether it may have rows, or is of another use; else it is damaged. */
bool rowfile_is_sound (const struct rowfile *file, uint64_t page);

/* Read the row at a place of the page: 1, 0 if it is not all there or not a
 * row, -1 without memory. */
int rowfile_row (struct rowfile *file, size_t at);

#endif
