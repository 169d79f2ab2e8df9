/* strips.h - how many points a strip may hold, and what that costs.
 *
 * The scheme of ptas_scheme.h knows of a best set, in every dimension, only
 * which strip each point is in. It makes the sum of distances as small as it
 * can be, but for a part of it that it leaves out of account. If that part is
 * never more than the fraction a of the sum of a set, then what it finds has
 *
 *     (1 - a) found <= counted of found <= counted of best <= best
 *
 * and with a = epsilon / (1 + epsilon) that is found <= (1 + epsilon) best.
 *
 * On a line. A sum of distances is a sum over the cuts of the line: a cut with
 * i of k points on its one side and k - i on the other parts i (k - i) pairs.
 * Say the cut runs through a strip of s points that has L points before it and
 * R behind, and q of the strip's points are before the cut. Of the
 * (L + q) (R + s - q) pairs that it parts, q (s - q) are of two points of the
 * strip: these are left out. The others, L R + L (s - q) + R q, are linear in
 * q, so their sum over the cuts of the strip is linear in where its points
 * are. A strip is harmless if for all q
 *
 *     q (s - q) <= a (L + q) (R + s - q)
 *
 * and if all strips are, what is left out is at most the fraction a: cut for
 * cut, hence in the sum. (The paper's lemmas 3 and 4 compare whole strips, and
 * add up what the inner and the two outermost lose: more strips for the same
 * epsilon.) A part of a harmless strip is harmless, so to make each strip as
 * long as it can be, one after the other, makes the fewest.
 *
 * On a ring. There the cuts are diameters. Half a turn of a diameter takes it
 * over every point once, and two points are as far apart as the part of the
 * half turn is long during which the diameter is between them: again a cut
 * with i points in the half ring ahead of it parts i (k - i) pairs. While it
 * turns, points enter this half ring at the one end of the diameter and leave
 * it at the other. A strip is a part of the half turn, and its points are
 * those that enter or leave meanwhile: two arcs, opposite each other. Points
 * that move within their arcs change what is parted by no cut of another
 * strip. Of those outside the strip, R are ahead and L behind all the time
 * that it takes. With q of its own s points ahead, a cut of the strip parts
 * (R + q) (L + s - q) pairs, of which q (s - q) are left out, and the others
 * are linear in where the points are. So all is as on a line, with another
 * count of what is ahead.
 *
 * The turn begins where the fewer points on one side of a diameter are the
 * fewest, `least` of them, and with these ahead. From then on at least `least`
 * are ahead and behind. If x entered so far and y left, then least + x - y >=
 * least, so y <= x: of the x + y points before a strip, at least half have
 * entered. Those are all in R, which is therefore no less than half of the
 * points before the strip; and L, likewise, no less than half of those that
 * come after. So m strips of k / m points are harmless as soon as m - 1 is
 * 2 / a: inner ones have q (s - q) <= s^2 / 4 and L R >= (m - 2) s^2 / 4, and
 * of the outermost R + q >= q and L >= (m - 1) s / 2, or the reverse. Their
 * number depends on epsilon, not on k. Sets within half a ring have a `least`
 * of 0: all points enter, and the strips are those of a line.
 *
 * Points at one place, or at opposite ends of a diameter, are taken one after
 * the other, with cuts of no length between them.
 */
#ifndef TORI_ALLOC_STRIPS_H
#define TORI_ALLOC_STRIPS_H

#include <stdbool.h>
#include <stddef.h>

/* A half turn over k points, `least` of them ahead at first and behind at
 * last. On lines `least` is 0. */
struct turn {
    size_t k;
    size_t least;
    double epsilon;
};

/* Points that left and entered the half ring ahead: of a strip, or since the
 * turn began. On lines none leaves. */
struct passed {
    size_t left, entered;
};

/* How many are ahead after these have passed. */
size_t turn_ahead (const struct turn *turn, struct passed passed);

/* Whether no more have passed than there are, and no fewer than `least` are
 * ahead and behind. */
bool turn_allows (const struct turn *turn, struct passed passed);

/* Whether a strip is harmless that comes after `before`. */
bool strip_harmless (const struct turn *turn, struct passed before,
                     struct passed strip);

/* Whether it is, and might not be with one point more, or has all that are
 * left. Whatever the order of the points is, one such strip is a beginning of
 * it. */
bool strip_widest (const struct turn *turn, struct passed before,
                   struct passed strip);

/* What a step forward of a point of the strip costs, if pairs within the strip
 * are left out: what enters counts R up to there and L beyond, what leaves the
 * reverse. */
ptrdiff_t strip_pull (const struct turn *turn, struct passed before,
                      struct passed strip, bool enters);

/* The fewest strips of a line that keep the answer within 1 + epsilon: how
 * many, and their sizes, for which there is room for k. */
size_t strips_line (size_t k, double epsilon, size_t *ret_sizes);

/* The same on a ring, if no more is known than that half of the points before
 * a strip entered: no set needs more strips. */
size_t strips_ring (size_t k, double epsilon, size_t *ret_sizes);

#endif
