/* journal_model.h - a journal by its definition: arrays in memory, of what is
 * on disk and of what waits for a commit. Texts follow from a number, their
 * stamp, so that the model keeps only that.
 */
#ifndef TORI_TESTS_JOURNAL_MODEL_H
#define TORI_TESTS_JOURNAL_MODEL_H

#include <stdbool.h>

#include "journal.h"
#include "support.h"

enum { MODEL_RECORDS = 4096, MODEL_JOBS = 64, MODEL_TEXT = 20000 };

struct model_job {
    bool there;
    unsigned user;
    int64_t ended;
    uint64_t stamp;
};

struct model_disk {
    uint64_t first, last;           /* records */
    uint64_t stamps[MODEL_RECORDS]; /* of records, by number */
    size_t nsnapshots;              /* up to 2, the newest first */
    uint64_t seq[2], snapshot[2];   /* their records, and stamps */
    struct model_job jobs[MODEL_JOBS];
};

struct journal_model {
    struct model_disk disk; /* committed */
    struct model_disk next; /* and with what waits */
    bool saves, prunes;
    uint64_t saved_seq, saved;
    size_t pieces; /* of it, before the commit that completes it */
    int64_t before;
};

/* The text of a stamp; good until called again. Most are short. */
const char *model_text (uint64_t stamp, size_t *ret_n);
char model_kind (uint64_t stamp);
const char *model_user (unsigned user);

void model_init (struct journal_model *model);

/* Do something at random to both, a commit excepted. */
void model_act (struct journal_model *model, struct journal *journal,
                struct rng *rng);

/* A commit succeeded; the journal was opened again. */
void model_commit (struct journal_model *model);
void model_reopen (struct journal_model *model);

/* Replay and history are what the disk should hold. */
void model_expect (const struct model_disk *disk, struct journal *journal,
                   struct rng *rng);

/* Whether replay gives what this disk should hold. */
bool model_matches (const struct model_disk *disk, struct journal *journal);

/* ---- what the tests of journals share ---- */

enum { JOURNAL_PATH = 64 };

/* A new folder, in memory where there is a place for that, because syncs take
 * most of the time otherwise; the path of a journal in it, and of its log. */
extern char journal_file[JOURNAL_PATH], journal_log[JOURNAL_PATH];

const char *journal_folder (void);
void journal_folder_empty (void);
void journal_folder_remove (void);

/* Another path in the folder; good for three calls more. */
const char *journal_path (const char *name);

struct journal *must_open (const char *path);
void must_commit (struct journal *journal);
void must_add (struct journal *journal, uint64_t stamp);

/* Opening fails with this status, and one line that has `text` in it. */
void expect_refused (const char *path, tori_status status, const char *text);
void expect_line (const tori_error *err);

#endif
