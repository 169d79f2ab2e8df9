/* slurm_ask.h - the request in the comment of a job of Slurm:
 *
 *     --comment=tori:shape=4x4x2,wiring=torus
 *
 * A job that says how long it waits for its box takes any nodes afterwards, as
 * many as before:
 *
 *     --comment=tori:shape=4x4x2@10m,count=32
 *
 * A job may take any other box of as many nodes, if its own has no place; the
 * rule of tori.conf lets it:
 *
 *     --comment=tori:shape=4x4x2,or=boxes
 *
 * A job that its user holds says so with a word of its own, which the plugin
 * adds and removes; it may stand alone:
 *
 *     --comment=tori:shape=4x4x2,hold
 *
 * Text after a blank is for people. A job whose comment does not begin with
 * "tori:" asks for its number of nodes. While a job waits, its comment ends
 * with the reason:
 *
 *     tori:shape=4x4x2 | tori: only 3 nodes are free; starts about 14:05
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_ASK_H
#define TORI_SLURM_ASK_H

#include <tori/alloc.h>
#include <tori/workload.h>

/* The request of a job with this comment (or NULL) and so many nodes (0: not
 * given). TORI_INVALID if the comment is not understood, or has a shape with
 * another number of nodes. */
int slurm_ask_parse (const char *comment, uint32_t nodes,
                     tori_request *ret_request, tori_error *err);

/* How many ticks it waits for its box before it takes any nodes; 0: it does not
 * say, or is not understood. */
int64_t slurm_ask_patience (const char *comment);

/* Whether the rule of tori.conf, not its user, has chosen its shape; and
 * whether other boxes of as many nodes will do. */
bool slurm_ask_ruled (const char *comment);
bool slurm_ask_boxes (const char *comment);

/* Read "none" or "boxes". */
int slurm_ask_or (const char *text, bool *ret_boxes, tori_error *err);

/* Whether its user holds it; and the comment (or NULL) of a job that its user
 * holds, or no longer holds. From malloc; NULL without memory. */
bool slurm_ask_held (const char *comment);
char *slurm_ask_hold (const char *comment, bool hold);

/* Whether so many nodes, all that its partition has, are enough: TORI_NEVER if
 * not. `asked`: how many its user asked for, if a rule made a box of that; 0:
 * the request is the user's. */
int slurm_ask_room (const tori_request *request, uint32_t asked,
                    const char *partition, uint32_t nodes, tori_error *err);

/* The comment of a job that gets this shape by this rule, or perhaps another
 * box, with its earlier text (or NULL) after a blank. From malloc; NULL without
 * memory. */
char *slurm_ask_comment (const tori_request *request, tori_shaping rule,
                         bool boxes, const char *before);

/* The comment (or NULL) with this remark at its end, in place of an earlier
 * one; NULL: with none. A remark for which Slurm has no room is left out. From
 * malloc; NULL without memory. */
char *slurm_ask_remark (const char *comment, const char *remark);

/* The comment (or NULL) with the remark of another one. From malloc; NULL if
 * that has none, or without memory. */
char *slurm_ask_renew (const char *comment, const char *other);

#endif
