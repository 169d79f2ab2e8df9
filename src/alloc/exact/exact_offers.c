/* exact_offers.c - points in the order of their prices.
 *
 * A price changes little from one point of a ring to the next, so in the order
 * of their places the prices rise for long and fall for long. What rises or
 * falls already is merged, no more: n log of the number of such runs.
 */
#include "exact.h"

#include <string.h>

static void reverse (struct offer *offers, size_t low, size_t high)
{
    while (low + 1 < high) {
        struct offer offer = offers[low];
        offers[low++] = offers[--high];
        offers[high] = offer;
    }
}

/* Behind the last offer of those in one order from `low` on. */
static size_t falling_end (const struct offer *offers, size_t low, size_t n)
{
    while (++low < n && offers[low].price <= offers[low - 1].price)
        ;
    return low;
}

static size_t equal_end (const struct offer *offers, size_t low, size_t n)
{
    while (++low < n && offers[low].price == offers[low - 1].price)
        ;
    return low;
}

static size_t rising_end (const struct offer *offers, size_t low, size_t n)
{
    while (++low < n && offers[low].price >= offers[low - 1].price)
        ;
    return low;
}

/* What falls is made to rise; those of one price stay in their order. */
static void turn_falling (struct offer *offers, size_t n)
{
    for (size_t low = 0, high; low < n; low = high) {
        high = falling_end (offers, low, n);
        reverse (offers, low, high);
        for (size_t i = low, end; i < high; i = end) {
            end = equal_end (offers, i, high);
            reverse (offers, i, end);
        }
    }
}

static void merge (const struct offer *from, size_t low, size_t middle,
                   size_t high, struct offer *to)
{
    size_t a = low, b = middle, at = low;
    while (a < middle && b < high)
        to[at++] = from[b].price < from[a].price ? from[b++] : from[a++];
    memcpy (to + at, from + a, (middle - a) * sizeof *to);
    memcpy (to + at + (middle - a), from + b, (high - b) * sizeof *to);
}

/* Every two runs become one. */
static void merge_runs (const struct offer *from, size_t n, struct offer *to)
{
    for (size_t low = 0, high; low < n; low = high) {
        size_t middle = rising_end (from, low, n);
        high = middle < n ? rising_end (from, middle, n) : n;
        merge (from, low, middle, high, to);
    }
}

void offers_sort (struct offer offers[], size_t n, struct offer room[])
{
    turn_falling (offers, n);
    while (n > 0 && rising_end (offers, 0, n) < n) {
        merge_runs (offers, n, room);
        merge_runs (room, n, offers);
    }
}
