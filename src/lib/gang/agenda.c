#include "agenda.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

static int64_t key_of (int64_t time, enum what what)
{
    return time * WHATS + what;
}

int agenda_finish (struct agenda *agenda, int64_t time, uint32_t task,
                   tori_error *err)
{
    return heap_push (&agenda->events, key_of (time, FINISH), task, err);
}

int agenda_slot (struct agenda *agenda, int64_t time, uint32_t node,
                 tori_error *err)
{
    return heap_push (&agenda->events, key_of (time, SLOT), node, err);
}

int agenda_outside (struct agenda *agenda, int64_t time,
                    const tori_gang_message *message, tori_error *err)
{
    uint32_t number;
    if (pool_put (&agenda->pool, message, &number, err) < 0)
        return -1;
    return heap_push (&agenda->outside, key_of (time, OUTSIDE), number, err);
}

/* The room of items that have arrived is used again if it is half of all. */
static int mail_room (struct mail *mail, tori_error *err)
{
    struct mail_item *more;
    if (mail->n == mail->room && mail->first > mail->n / 2) {
        mail->n -= mail->first;
        memmove (mail->item, mail->item + mail->first,
                 mail->n * sizeof *mail->item);
        mail->first = 0;
    }
    more = array_room (mail->item, &mail->room, mail->n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    mail->item = more;
    return 0;
}

int agenda_message (struct agenda *agenda, int64_t time,
                    const tori_gang_message *message, tori_error *err)
{
    struct mail *mail = &agenda->mail;
    if (mail_room (mail, err) < 0)
        return -1;
    mail->item[mail->n++] = (struct mail_item){time, *message};
    return 0;
}

int64_t agenda_next_outside (const struct agenda *agenda)
{
    return agenda->outside.n ? heap_top (&agenda->outside)->time / WHATS
                             : INT64_MAX;
}

static int64_t heap_key (const struct heap *heap)
{
    return heap->n ? heap_top (heap)->time : INT64_MAX;
}

static int64_t mail_key (const struct mail *mail)
{
    return mail->n ? key_of (mail->item[mail->first].time, MESSAGE)
                   : INT64_MAX;
}

static tori_gang_message mail_take (struct mail *mail)
{
    const struct mail_item *item = &mail->item[mail->first++];
    if (mail->first == mail->n)
        mail->first = mail->n = 0;
    return item->message;
}

static int64_t lesser (int64_t a, int64_t b)
{
    return a < b ? a : b;
}

bool agenda_next (struct agenda *agenda, int64_t until,
                  struct agenda_item *ret_item)
{
    int64_t first = lesser (lesser (heap_key (&agenda->events),
                                    heap_key (&agenda->outside)),
                            mail_key (&agenda->mail));
    if (first == INT64_MAX || first / WHATS >= until)
        return false;
    ret_item->time = first / WHATS;
    ret_item->what = (enum what) (first % WHATS);
    if (ret_item->what == MESSAGE)
        ret_item->message = mail_take (&agenda->mail);
    else if (ret_item->what == OUTSIDE)
        ret_item->message = pool_take (
            &agenda->pool, (uint32_t)heap_pop (&agenda->outside).what);
    else
        ret_item->number = (uint32_t)heap_pop (&agenda->events).what;
    return true;
}

void agenda_clear (struct agenda *agenda)
{
    heap_clear (&agenda->events);
    heap_clear (&agenda->outside);
    pool_clear (&agenda->pool);
    free (agenda->mail.item);
    agenda->mail = (struct mail){0};
}
