#include "strips.h"

size_t turn_ahead (const struct turn *turn, struct passed passed)
{
    return turn->least + passed.entered - passed.left;
}

bool turn_allows (const struct turn *turn, struct passed passed)
{
    size_t ahead;
    if (passed.left > turn->least || passed.entered > turn->k - turn->least)
        return false;
    ahead = turn_ahead (turn, passed);
    return ahead >= turn->least && ahead <= turn->k - turn->least;
}

/* A strip of `size` with `ahead` and `behind` outside it, and q of its points
 * ahead. As q (s - q) <= epsilon (all pairs - q (s - q)), which is exact but
 * for one product. */
static bool harmless_at (double epsilon, double ahead, double behind,
                         double size, double q)
{
    return q * (size - q)
           <= epsilon * (ahead * behind + ahead * (size - q) + behind * q);
}

/* The same for all q of a range. What is not outweighed is concave in q, so
 * it is enough to look where it is greatest. */
static bool harmless (double epsilon, double ahead, double behind,
                      size_t size, size_t low, size_t high)
{
    double top = ((double)size - epsilon * (behind - ahead)) / 2;
    size_t at = top <= (double)low    ? low
                : top >= (double)high ? high
                                      : (size_t)top;
    return harmless_at (epsilon, ahead, behind, (double)size, (double)at)
           && (at == high
               || harmless_at (epsilon, ahead, behind, (double)size,
                               (double)(at + 1)));
}

bool strip_harmless (const struct turn *turn, struct passed before,
                     struct passed strip)
{
    size_t size = strip.left + strip.entered;
    size_t ahead = turn_ahead (turn, before) - strip.left;
    size_t behind = turn->k - ahead - size;
    size_t low = turn->least > ahead ? turn->least - ahead : 0;
    size_t high = turn->least > behind ? size - (turn->least - behind) : size;
    return harmless (turn->epsilon, (double)ahead, (double)behind, size, low,
                     high);
}

static struct passed add (struct passed a, struct passed b)
{
    return (struct passed){a.left + b.left, a.entered + b.entered};
}

/* Whether the order of the points may go on with this one, and the strip must
 * not. */
static bool stops_at (const struct turn *turn, struct passed before,
                      struct passed strip, struct passed next)
{
    struct passed longer = add (strip, next);
    return turn_allows (turn, add (before, longer))
           && !strip_harmless (turn, before, longer);
}

bool strip_widest (const struct turn *turn, struct passed before,
                   struct passed strip)
{
    struct passed after = add (before, strip);
    struct passed leaving = {1, 0}, entering = {0, 1};
    if (!turn_allows (turn, after) || strip.left + strip.entered == 0
        || !strip_harmless (turn, before, strip))
        return false;
    return after.left + after.entered == turn->k
           || stops_at (turn, before, strip, leaving)
           || stops_at (turn, before, strip, entering);
}

ptrdiff_t strip_pull (const struct turn *turn, struct passed before,
                      struct passed strip, bool enters)
{
    size_t ahead = turn_ahead (turn, before) - strip.left;
    size_t behind = turn->k - ahead - strip.left - strip.entered;
    ptrdiff_t pull = (ptrdiff_t)ahead - (ptrdiff_t)behind;
    return enters ? pull : -pull;
}

/* Strips as long as can be, where a `share` of the points before a strip is
 * known to be ahead, and of those after it, behind. */
static size_t fill_strips (size_t k, double epsilon, double share,
                           size_t *ret_sizes)
{
    size_t m = 0;
    for (size_t before = 0, size; before < k; before += size) {
        for (size = 1; before + size < k; size++)
            if (!harmless (epsilon, share * (double)before,
                           share * (double)(k - before - size - 1), size + 1,
                           0, size + 1))
                break;
        ret_sizes[m++] = size;
    }
    return m;
}

size_t strips_line (size_t k, double epsilon, size_t *ret_sizes)
{
    return fill_strips (k, epsilon, 1, ret_sizes);
}

size_t strips_ring (size_t k, double epsilon, size_t *ret_sizes)
{
    return fill_strips (k, epsilon, 0.5, ret_sizes);
}
