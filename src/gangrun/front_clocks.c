#include "front_parts.h"

#include <string.h>

void front_clock (struct rank *rank, const struct wire *wire, const char *data)
{
    if (rank->front && wire->bytes == sizeof (struct clock_report))
        memcpy (&rank->front->clock[wire->from], data, wire->bytes);
}

void emit_clocks (struct emit *e, const struct rank *rank)
{
    emit_open (e, "clocks", '[');
    for (uint32_t i = 0; i < rank->size; i++) {
        const struct clock_report *clock = &rank->front->clock[i];
        emit_open (e, NULL, '{');
        emit_count (e, "rank", i);
        emit_text (e, "host", rank->card[i].host);
        emit_real (e, "offset", (double)clock->state.offset / 1e9);
        emit_real (e, "drift", clock->state.drift * 1e6);
        emit_real (e, "uncertainty", (double)clock->state.error / 1e9);
        emit_count (e, "jumps", clock->jumps);
        emit_close (e, '}');
    }
    emit_close (e, ']');
}
