/* slurm_ask.h - what a job of Slurm asks for, as its comment says:
 *
 *     --comment=tori:shape=4x4x2,wiring=torus
 *
 * What comes after a blank is for people. A job whose comment does not begin
 * with "tori:" asks for its number of nodes. While a job waits, its comment
 * ends with why it does:
 *
 *     tori:shape=4x4x2 | tori: only 3 nodes are free; starts about 14:05
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_ASK_H
#define TORI_SLURM_ASK_H

#include <tori/alloc.h>

/* What a job with this comment (or NULL) and so many nodes (0: it does not
 * say) asks for. TORI_INVALID if the comment is not understood, or has a shape
 * with another number of nodes. */
int slurm_ask_parse (const char *comment, uint32_t nodes,
                     tori_request *ret_request, tori_error *err);

/* Whether so many nodes, all that its partition has, are enough: TORI_NEVER if
 * not. */
int slurm_ask_room (const tori_request *request, const char *partition,
                    uint32_t nodes, tori_error *err);

/* The comment of a job that asks for this shape, with what it said before (or
 * NULL) after a blank. From malloc; NULL without memory. */
char *slurm_ask_comment (const tori_request *request, const char *before);

/* The comment (or NULL) with this remark at its end, in place of one that was
 * there before; NULL: with none. A remark for which Slurm has no room is left
 * out. From malloc; NULL without memory. */
char *slurm_ask_remark (const char *comment, const char *remark);

#endif
