/* threads.c - one allocator per thread, one machine for all.
 *
 *     cc -pthread threads.c $(pkg-config --cflags --libs tori)
 *
 * A machine never changes and is shared. Many threads may read a state at the
 * same time, as long as none changes it. An allocator has working memory of
 * its own, so each thread creates one. Here every thread uses a different
 * allocator to ask where the same job would go.
 */
#include <pthread.h>
#include <stdio.h>

#include <tori/tori.h>

struct question {
    const char *alloc;
    const tori_machine *machine;
    const tori_state *state;
    tori_request request;

    /* The answer. */
    tori_outcome outcome;
    uint64_t sum;
    tori_error err;
};

static void *ask (void *arg)
{
    struct question *question = arg;
    tori_placement place = {0};
    tori_alloc *alloc = NULL;
    question->outcome = TORI_ERROR;
    if (tori_alloc_create (question->machine, TORI_ALLOC (question->alloc),
                           &alloc, &question->err)
        < 0)
        return NULL;
    question->outcome = tori_alloc_place (alloc, question->state,
                                          &question->request, &place,
                                          &question->err);
    if (question->outcome == TORI_PLACED
        && tori_placement_pairwise (&place, question->machine, &question->sum,
                                    &question->err)
               < 0)
        question->outcome = TORI_ERROR;
    tori_placement_clear (&place);
    tori_alloc_destroy (alloc);
    return NULL;
}

/* Print the answers in the order of the questions, whichever came first. */
static int ask_all (struct question *questions, size_t n)
{
    pthread_t threads[8];
    size_t started = 0;
    int status = TORI_OK;
    while (started < n
           && pthread_create (&threads[started], NULL, ask,
                              &questions[started])
                  == 0)
        started++;
    for (size_t i = 0; i < started; i++)
        pthread_join (threads[i], NULL);
    for (size_t i = 0; i < started; i++)
        if (questions[i].outcome == TORI_PLACED) {
            printf ("%s: %llu hops in all\n", questions[i].alloc,
                    (unsigned long long)questions[i].sum);
        } else {
            fprintf (stderr, "threads: %s\n", questions[i].err.text);
            status = questions[i].err.status;
        }
    return started < n ? TORI_FAILED : status;
}

int main (void)
{
    static const char *const names[] = {"row-ff", "hilbert-ff", "mm", "exact"};
    enum { N = sizeof names / sizeof names[0] };
    static const uint32_t sides[] = {8, 8};
    struct question questions[N];
    tori_machine *machine = NULL;
    tori_state *state = NULL;
    tori_error err;
    int status;
    if (tori_machine_create (TORI_TORUS, 2, sides, &machine, &err) < 0
        || tori_state_create (machine, &state, &err) < 0) {
        fprintf (stderr, "threads: %s\n", err.text);
        status = err.status;
    } else {
        for (int i = 0; i < N; i++)
            questions[i] = (struct question){.alloc = names[i],
                                             .machine = machine,
                                             .state = state,
                                             .request = {.count = 6}};
        status = ask_all (questions, N);
    }
    tori_state_destroy (state);
    tori_machine_destroy (machine);
    return status;
}
