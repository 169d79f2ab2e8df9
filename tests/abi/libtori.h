#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef enum tori_status {
    TORI_OK = 0,
    TORI_FAILED = 1,
    TORI_INVALID = 2,
    TORI_NOT_NOW = 3,
    TORI_NEVER = 4,
    TORI_GAVE_UP = 5
} tori_status;
enum { TORI_ERROR_TEXT = 512 };
typedef struct tori_error {
    tori_status status;
    char text[TORI_ERROR_TEXT];
} tori_error;
int tori_error_set (tori_error *err, tori_status status, const char *fmt, ...)
    __attribute__ ((format (printf, 3, 4)));
int tori_error_nomem (tori_error *err);
enum { TORI_MAX_DIMS = 32 };
#define TORI_MAX_NODES (UINT32_C (1) << 30)
enum { TORI_TEXT_MAX = 32 * TORI_MAX_DIMS };
typedef enum tori_kind {
    TORI_MESH,
    TORI_TORUS,
    TORI_MULTITORUS,
    TORI_APART,
    TORI_SWITCHED,
    TORI_MULTITORUS_LEFT,
    TORI_MULTITORUS_FACING,
    TORI_LINKED
} tori_kind;
typedef struct tori_machine tori_machine;
typedef struct tori_shape {
    int ndims;
    uint32_t size[TORI_MAX_DIMS];
} tori_shape;
typedef struct tori_box {
    uint32_t origin[TORI_MAX_DIMS];
    tori_shape shape;
} tori_box;
int tori_machine_parse (const char *text, tori_machine **ret_machine,
                        tori_error *err);
int tori_machine_create (tori_kind kind, int ndims, const uint32_t sizes[],
                         tori_machine **ret_machine, tori_error *err);
int tori_machine_create_mixed (int ndims, const tori_kind kinds[],
                               const uint32_t sizes[],
                               tori_machine **ret_machine, tori_error *err);
void tori_machine_destroy (tori_machine *machine);
int tori_machine_ndims (const tori_machine *machine);
uint32_t tori_machine_size (const tori_machine *machine, int dim);
tori_kind tori_machine_kind (const tori_machine *machine, int dim);
uint32_t tori_machine_nodes (const tori_machine *machine);
bool tori_machine_wraps (const tori_machine *machine, int dim);
bool tori_machine_is_pod (const tori_machine *machine);
int tori_machine_apart (const tori_machine *machine);
int tori_machine_cube_dims (const tori_machine *machine);
int tori_machine_shape_dims (const tori_machine *machine);
const tori_shape *tori_machine_shape (const tori_machine *machine);
void tori_machine_format (const tori_machine *machine,
                          char text[TORI_TEXT_MAX]);
void tori_machine_coords (const tori_machine *machine, uint32_t id,
                          uint32_t coords[]);
uint32_t tori_machine_id (const tori_machine *machine,
                          const uint32_t coords[]);
uint32_t tori_machine_distance (const tori_machine *machine, uint32_t a,
                                uint32_t b);
int tori_node_parse (const tori_machine *machine, const char *text,
                     uint32_t *ret_id, tori_error *err);
void tori_node_format (const tori_machine *machine, uint32_t id,
                       char text[TORI_TEXT_MAX]);
int tori_shape_parse (const char *text, tori_shape *ret_shape,
                      tori_error *err);
void tori_shape_format (const tori_shape *shape, char text[TORI_TEXT_MAX]);
uint64_t tori_shape_volume (const tori_shape *shape);
bool tori_shape_equal (const tori_shape *a, const tori_shape *b);
void tori_shape_sort (tori_shape *shape);
bool tori_shape_next_rotation (tori_shape *shape);
bool tori_shape_fits (const tori_shape *shape, const tori_machine *machine);
int tori_box_parse (const tori_machine *machine, const char *text,
                    tori_box *ret_box, tori_error *err);
void tori_box_format (const tori_box *box, char text[TORI_TEXT_MAX]);
bool tori_box_wraps (const tori_machine *machine, const tori_box *box);
bool tori_box_contains (const tori_machine *machine, const tori_box *box,
                        uint32_t id);
bool tori_box_overlap (const tori_machine *machine, const tori_box *a,
                       const tori_box *b);
void tori_box_nodes (const tori_machine *machine, const tori_box *box,
                     uint32_t ids[]);
uint64_t tori_box_pairwise (const tori_machine *machine, const tori_box *box);
int tori_nodes_pairwise (const tori_machine *machine, const uint32_t ids[],
                         size_t n, uint64_t *ret_sum, tori_error *err);
typedef struct tori_state tori_state;
typedef enum tori_node_state {
    TORI_NODE_FREE,
    TORI_NODE_BUSY,
    TORI_NODE_DOWN,
    TORI_NODE_DRAINED
} tori_node_state;
typedef enum tori_layer { TORI_NEAR, TORI_FAR } tori_layer;
typedef struct tori_link {
    int dim;
    tori_layer layer;
    uint32_t slot;
} tori_link;
int tori_state_create (const tori_machine *machine, tori_state **ret_state,
                       tori_error *err);
void tori_state_destroy (tori_state *state);
int tori_state_copy (tori_state *to, const tori_state *from, tori_error *err);
bool tori_state_equal (const tori_state *a, const tori_state *b);
const tori_machine *tori_state_machine (const tori_state *state);
uint32_t tori_state_free_count (const tori_state *state);
const uint64_t *tori_state_free_bits (const tori_state *state);
bool tori_state_is_free (const tori_state *state, uint32_t node);
bool tori_state_is_busy (const tori_state *state, uint32_t node);
bool tori_state_is_down (const tori_state *state, uint32_t node);
bool tori_state_is_drained (const tori_state *state, uint32_t node);
tori_node_state tori_state_node (const tori_state *state, uint32_t node);
int tori_state_set_down (tori_state *state, uint32_t node, bool down,
                         tori_error *err);
int tori_state_set_drained (tori_state *state, uint32_t node, bool drained,
                            tori_error *err);
bool tori_link_exists (const tori_machine *machine, const tori_link *link);
bool tori_state_link_taken (const tori_state *state, const tori_link *link);
bool tori_state_link_down (const tori_state *state, const tori_link *link);
int tori_state_set_link_down (tori_state *state, const tori_link *link,
                              bool down, tori_error *err);
char tori_link_ends (const tori_machine *machine, const tori_link *link,
                     uint32_t *ret_a, uint32_t *ret_b);
enum { TORI_LINK_TEXT = 2 * TORI_TEXT_MAX + 8 };
int tori_link_parse (const tori_machine *machine, const char *text,
                     tori_link *ret_link, tori_error *err);
void tori_link_format (const tori_machine *machine, const tori_link *link,
                       char text[TORI_LINK_TEXT]);
uint64_t tori_machine_links (const tori_machine *machine);
uint64_t tori_state_links_taken (const tori_state *state);
typedef enum tori_wiring {
    TORI_WIRE_NONE,
    TORI_WIRE_MESH,
    TORI_WIRE_TORUS,
    TORI_WIRE_TWISTED,
    TORI_WIRE_MIXED,
    TORI_WIRE_LAST = 0x7fffffff
} tori_wiring;
const char *tori_wiring_name (tori_wiring wiring);
int tori_wiring_parse (const char *text, tori_wiring *ret_wiring,
                       tori_error *err);
tori_wiring tori_wiring_of_rings (uint32_t rings);
bool tori_wiring_closes (tori_wiring wiring, int dim);
void tori_wiring_format (const tori_machine *machine, tori_wiring wiring,
                         char text[TORI_TEXT_MAX]);
int tori_wiring_read (const tori_machine *machine, const char *text,
                      tori_wiring *ret_wiring, tori_error *err);
typedef struct tori_link_run {
    int dim;
    tori_layer layer;
    uint32_t first;
    uint32_t count;
} tori_link_run;
enum { TORI_MAX_RUNS = 4 * TORI_MAX_DIMS };
int tori_wiring_runs (const tori_machine *machine, const tori_box *box,
                      tori_wiring wiring,
                      tori_link_run ret_runs[TORI_MAX_RUNS]);
bool tori_wiring_possible (const tori_machine *machine,
                           const tori_shape *shape, tori_wiring wiring);
bool tori_wiring_free (const tori_state *state, const tori_box *box,
                       tori_wiring wiring);
int tori_wiring_take (tori_state *state, const tori_box *box,
                      tori_wiring wiring, tori_error *err);
void tori_wiring_give (tori_state *state, const tori_box *box,
                       tori_wiring wiring);
int tori_wiring_each (const tori_machine *machine, const tori_box *box,
                      tori_wiring wiring,
                      int (*visit) (void *arg, const tori_link *link),
                      void *arg);
bool tori_wiring_conflict (const tori_machine *machine, const tori_box *a,
                           tori_wiring wiring_a, const tori_box *b,
                           tori_wiring wiring_b, tori_link *ret_link);
typedef struct tori_request {
    uint32_t count;
    tori_shape shape;
    tori_wiring wiring;
    bool fixed;
    bool wrap;
    uint16_t flags;
} tori_request;
enum { TORI_REQUEST_FOLD = 1 };
uint64_t tori_request_nodes (const tori_request *request);
typedef struct tori_placement {
    uint32_t count;
    uint32_t nboxes;
    tori_wiring wiring;
    tori_box box;
    uint32_t *nodes;
    struct tori_pieces *pieces;
} tori_placement;
const tori_box *tori_placement_box (const tori_placement *place, size_t i);
int tori_placement_of_boxes (const tori_box boxes[], size_t n,
                             tori_wiring wiring, tori_placement *ret_place,
                             tori_error *err);
int tori_placement_of_nodes (const tori_machine *machine,
                             const uint32_t nodes[], size_t n,
                             tori_placement *ret_place, tori_error *err);
int tori_placement_of_pieces (const tori_box pieces[],
                              const tori_shape *across, tori_wiring wiring,
                              tori_placement *ret_place, tori_error *err);
bool tori_placement_across (const tori_placement *place,
                            const tori_machine *machine,
                            tori_shape *ret_across);
bool tori_placement_shape (const tori_placement *place,
                           const tori_machine *machine, tori_shape *ret_shape);
void tori_placement_begin (const tori_placement *place,
                           const tori_machine *machine, size_t i,
                           uint32_t at[TORI_MAX_DIMS]);
typedef struct tori_cross {
    int dim;
    uint32_t from, to;
} tori_cross;
int tori_placement_crosses (const tori_placement *place,
                            const tori_machine *machine,
                            int (*visit) (void *arg, const tori_cross *cross),
                            void *arg);
void tori_placement_clear (tori_placement *place);
int tori_placement_copy (tori_placement *to, const tori_placement *from,
                         tori_error *err);
void tori_placement_nodes (const tori_placement *place,
                           const tori_machine *machine, uint32_t ids[]);
bool tori_placement_contains (const tori_placement *place,
                              const tori_machine *machine, uint32_t node);
bool tori_placement_uses_link (const tori_placement *place,
                               const tori_machine *machine,
                               const tori_link *link);
int tori_placement_each_link (const tori_placement *place,
                              const tori_machine *machine,
                              int (*visit) (void *arg, const tori_link *link),
                              void *arg);
int tori_placement_wire (tori_placement *place, const tori_state *state,
                         tori_error *err);
int tori_placement_map (const tori_placement *place,
                        const tori_machine *machine,
                        const tori_request *request, uint32_t nodes[],
                        tori_error *err);
int tori_placement_pairwise (const tori_placement *place,
                             const tori_machine *machine, uint64_t *ret_sum,
                             tori_error *err);
int tori_placement_hold (const tori_placement *place, tori_state *state,
                         tori_error *err);
void tori_placement_release (const tori_placement *place, tori_state *state);
typedef enum tori_outcome {
    TORI_ERROR = -1,
    TORI_PLACED = 0,
    TORI_NUMERICAL,
    TORI_TOPOLOGICAL,
    TORI_WIRING,
    TORI_UNPLACEABLE
} tori_outcome;
const char *tori_outcome_name (tori_outcome outcome);
enum { TORI_BY_SHAPE = 1, TORI_BY_COUNT = 2 };
typedef struct tori_alloc tori_alloc;
enum {
    TORI_ALLOC_POINTS = 1,
    TORI_ALLOC_SEARCHES = 2,
    TORI_ALLOC_EPSILON = 4,
    TORI_ALLOC_FOLDS = 8,
    TORI_ALLOC_SLICES = 16,
    TORI_ALLOC_PLANES = 32,
    TORI_ALLOC_RINGS = 64,
    TORI_ALLOC_ANCHORS = 256,
    TORI_ALLOC_PODS = 128,
    TORI_ALLOC_ANYWHERE = 512
};
typedef struct tori_alloc_info {
    const char *name;
    const char *summary;
    unsigned takes;
    unsigned flags;
} tori_alloc_info;
typedef enum tori_hypercube {
    TORI_HYPERCUBE_BUDDY,
    TORI_HYPERCUBE_GRAY,
    TORI_HYPERCUBE_FREE_LIST,
    TORI_HYPERCUBE_ADAPTIVE
} tori_hypercube;
typedef enum tori_noncubic {
    TORI_NONCUBIC_ROUND_UP,
    TORI_NONCUBIC_DECOMPOSE
} tori_noncubic;
const char *tori_hypercube_name (int hypercube);
const char *tori_noncubic_name (int noncubic);
typedef struct tori_search {
    uint64_t steps;
    uint64_t limit;
    bool found;
    double best;
    double at_least;
    size_t *chosen;
} tori_search;
struct tori_alloc_config;
typedef struct tori_alloc_ops {
    size_t size;
    tori_alloc_info info;
    int (*create) (const tori_machine *machine,
                   const struct tori_alloc_config *config, void **ret_data,
                   tori_error *err);
    void (*destroy) (void *data);
    const char *(*never) (void *data, const tori_request *request);
    int (*place) (void *data, const tori_state *state,
                  const tori_request *request, tori_placement *ret_place,
                  tori_error *err);
} tori_alloc_ops;
typedef struct tori_alloc_config {
    size_t size;
    const char *name;
    double epsilon;
    tori_hypercube hypercube;
    tori_noncubic noncubic;
    uint64_t steps;
    tori_search *search;
    void (*on_progress) (void *arg, uint64_t steps, uint64_t limit);
    void *arg;
    const tori_alloc_ops *ops;
    uint64_t spacing;
    const char *slices;
} tori_alloc_config;
#define TORI_ALLOC(...)                                                       \
    (&(const tori_alloc_config){.size = sizeof (tori_alloc_config),           \
                                .name = __VA_ARGS__})
const tori_alloc_info *tori_alloc_list (size_t i);
const tori_alloc_info *tori_alloc_find (const char *name);
bool tori_alloc_serves (const tori_alloc_info *info,
                        const tori_machine *machine);
int tori_alloc_create (const tori_machine *machine,
                       const tori_alloc_config *config,
                       tori_alloc **ret_alloc, tori_error *err);
void tori_alloc_destroy (tori_alloc *alloc);
const tori_alloc_info *tori_alloc_get_info (const tori_alloc *alloc);
tori_outcome tori_alloc_place (tori_alloc *alloc, const tori_state *state,
                               const tori_request *request,
                               tori_placement *ret_place, tori_error *err);
const char *tori_alloc_impossible (const tori_alloc *alloc,
                                   const tori_request *request);

typedef struct tori_cubes tori_cubes;
int tori_cubes_create (const tori_machine *machine,
                       const tori_alloc_config *config,
                       tori_cubes **ret_cubes, tori_error *err);
void tori_cubes_destroy (tori_cubes *cubes);
tori_outcome tori_cubes_request (tori_cubes *cubes, const tori_shape *shape,
                                 tori_placement *ret_place, tori_error *err);
void tori_cubes_release (tori_cubes *cubes, const tori_placement *place);
int tori_cubes_take_node (tori_cubes *cubes, uint32_t node, tori_error *err);
void tori_cubes_give_node (tori_cubes *cubes, uint32_t node);
bool tori_cubes_is_free (const tori_cubes *cubes, uint32_t node);
uint32_t tori_cubes_free_count (const tori_cubes *cubes);
uint64_t tori_cubes_largest (const tori_cubes *cubes);
size_t tori_cubes_bytes (const tori_cubes *cubes);
int tori_fold_map (const tori_machine *machine, const tori_shape *shape,
                   tori_noncubic noncubic, const tori_placement *place,
                   uint32_t nodes[], tori_error *err);
void tori_fold_steps (const tori_machine *machine, const tori_shape *shape,
                      const uint32_t map[], uint32_t *ret_longest,
                      double *ret_average);
uint32_t tori_fold_dilation (const tori_shape *shape, const tori_shape *box);

typedef struct tori_net tori_net;
typedef enum tori_switching {
    TORI_WORMHOLE,
    TORI_CUT_THROUGH
} tori_switching;
typedef enum tori_routing {
    TORI_DIMENSION_ORDER,
    TORI_ADAPTIVE
} tori_routing;
enum {
    TORI_NET_MAX_NODES = 1 << 20,
    TORI_NET_MAX_BUFFER = 65535,
    TORI_NET_MAX_WIDTH = 64,
    TORI_NET_MAX_VCS = 16
};
typedef struct tori_net_config {
    size_t size;
    tori_switching switching;
    tori_routing routing;
    uint32_t vcs;
    uint32_t buffer;
    uint32_t width;
    uint32_t packet;
} tori_net_config;
typedef struct tori_net_message {
    uint32_t src, dst;
    uint32_t flits;
    uint32_t job;
    uint64_t tag;
    uint32_t hops;
    uint64_t sent;
    uint64_t entered;
    uint64_t delivered;
    uint64_t blocked;
} tori_net_message;
typedef struct tori_net_stats {
    uint64_t sent, delivered;
    uint64_t flits_sent, flits_delivered;
    uint64_t latency;
    uint64_t latency_most;
    uint64_t waited;
    uint64_t blocked;
    uint64_t hops;
} tori_net_stats;
typedef struct tori_net_link {
    uint32_t from, to;
    int dim;
    int step;
    uint64_t flits;
} tori_net_link;
int tori_net_create (const tori_machine *machine,
                     const tori_net_config *config, tori_net **ret_net,
                     tori_error *err);
void tori_net_destroy (tori_net *net);
const tori_machine *tori_net_machine (const tori_net *net);
const tori_net_config *tori_net_configuration (const tori_net *net);
enum { TORI_NET_MAX_JOBS = 1 << 20 };
int tori_net_assign (tori_net *net, uint32_t job, const uint32_t nodes[],
                     size_t n, tori_error *err);
uint32_t tori_net_job (const tori_net *net, uint32_t node);
int tori_net_send (tori_net *net, uint32_t src, uint32_t dst, uint32_t flits,
                   uint64_t tag, tori_error *err);
uint64_t tori_net_time (const tori_net *net);
void tori_net_step (tori_net *net);
void tori_net_run (tori_net *net, uint64_t until, bool stop);
bool tori_net_idle (const tori_net *net);
uint64_t tori_net_pending (const tori_net *net);
uint64_t tori_net_flits (const tori_net *net);
bool tori_net_receive (tori_net *net, tori_net_message *ret_message);
void tori_net_job_stats (const tori_net *net, uint32_t job,
                         tori_net_stats *ret_stats);
uint64_t tori_net_flit_hops (const tori_net *net);
bool tori_net_link_at (const tori_net *net, size_t i, tori_net_link *ret_link);
size_t tori_net_links (const tori_net *net);
void tori_net_reset_counts (tori_net *net);
uint32_t tori_route_next (const tori_machine *machine, uint32_t src,
                          uint32_t at, uint32_t dst, int *ret_dim,
                          int *ret_step);
int tori_net_check (const tori_net *net, tori_error *err);
typedef struct tori_drain tori_drain;
typedef struct tori_saved tori_saved;
typedef enum tori_drain_method {
    TORI_DRAIN,
    TORI_ALL_FALL_DOWN
} tori_drain_method;
typedef struct tori_drain_config {
    size_t size;
    tori_drain_method method;
    uint32_t origin;
    uint32_t hop;
    uint32_t words;
} tori_drain_config;
typedef struct tori_interrupt {
    uint32_t node;
    uint64_t cycle;
} tori_interrupt;
typedef struct tori_drain_report {
    uint32_t routers;
    uint32_t interrupts;
    uint64_t begun;
    uint64_t cycles;
    uint32_t diameter;
    uint32_t longest;
    uint64_t bound;
    uint64_t packets;
    uint64_t flits;
    uint64_t waiting;
    uint64_t words;
    uint64_t words_used;
    uint64_t save_cycles;
} tori_drain_report;
int tori_drain_start (tori_net *net, const tori_box *box,
                      const tori_drain_config *config, tori_drain **ret_drain,
                      tori_error *err);
bool tori_drain_done (const tori_drain *drain);
bool tori_drain_interrupt (tori_drain *drain, tori_interrupt *ret_interrupt);
void tori_drain_report_now (const tori_drain *drain,
                            tori_drain_report *ret_report);
int tori_drain_save (tori_drain *drain, tori_saved **ret_saved,
                     tori_error *err);
int tori_drain_load (tori_drain *drain, tori_saved *saved, tori_error *err);
void tori_drain_release (tori_drain *drain);
void tori_saved_destroy (tori_saved *saved);
uint64_t tori_saved_time (const tori_saved *saved);
uint32_t tori_saved_job (const tori_saved *saved);
uint64_t tori_saved_messages (const tori_saved *saved);
uint64_t tori_saved_under_way (const tori_saved *saved);
int tori_saved_send (tori_saved *saved, uint32_t src, uint32_t dst,
                     uint32_t flits, uint64_t tag, tori_error *err);
typedef struct tori_local {
    bool idle;
    uint32_t calls;
} tori_local;
typedef enum tori_progress {
    TORI_RUNNING,
    TORI_WAITING,
    TORI_TERMINATED
} tori_progress;
tori_progress tori_saved_progress (const tori_saved *saved,
                                   const tori_local local[], size_t n);
int tori_saved_each (const tori_saved *saved,
                     int (*visit) (void *arg,
                                   const tori_net_message *message),
                     void *arg);
#define TORI_ROOT UINT32_MAX
typedef struct tori_reference {
    uint32_t from, to;
} tori_reference;
int tori_saved_live (const tori_saved *saved, const tori_reference refs[],
                     size_t n, uint32_t objects, bool ret_live[],
                     tori_error *err);
typedef int64_t tori_time;
#define TORI_TIME_MAX INT64_MAX
typedef uint64_t tori_job;
#define TORI_NO_JOB UINT64_MAX
typedef enum tori_order {
    TORI_ORDER_SUBMIT,
    TORI_ORDER_SHORTEST,
    TORI_ORDER_SMALLEST,
    TORI_ORDER_LARGEST
} tori_order;
const char *tori_order_name (tori_order order);
int tori_order_parse (const char *text, tori_order *ret_order,
                      tori_error *err);
typedef struct tori_order_job {
    size_t size;
    uint64_t tag;
    tori_time now;
    tori_time submit;
    tori_time estimate;
    uint64_t nodes;
    const tori_request *request;
} tori_order_job;
enum {
    TORI_ORDER_AGES = 1
};
typedef struct tori_order_ops {
    size_t size;
    const char *name;
    int (*key) (void *arg, const tori_order_job *job, double *ret_key,
                tori_error *err);
    void *arg;
    uint64_t flags;
} tori_order_ops;
typedef struct tori_sched_info {
    const char *name;
    const char *summary;
} tori_sched_info;
const tori_sched_info *tori_sched_list (size_t i);
typedef struct tori_sched tori_sched;
typedef struct tori_sched_config {
    size_t size;
    const char *policy;
    const tori_alloc_config *alloc;
    tori_order order;
    uint32_t flags;
    uint32_t depth;
    uint32_t work;
    const tori_alloc_config *counts;
    tori_time move;
    const tori_order_ops *own_order;
} tori_sched_config;
enum {
    TORI_SCHED_PLACES = 1,
    TORI_SCHED_MOVES = 2,
    TORI_SCHED_RESTARTS = 4
};
#define TORI_SCHED(...)                                                       \
    (&(const tori_sched_config){.size = sizeof (tori_sched_config),           \
                                .policy = __VA_ARGS__})
int tori_sched_create (const tori_machine *machine,
                       const tori_sched_config *config,
                       tori_sched **ret_sched, tori_error *err);
void tori_sched_destroy (tori_sched *sched);
int tori_sched_copy (const tori_sched *sched, tori_sched **ret_copy,
                     tori_error *err);
void tori_sched_get_config (const tori_sched *sched,
                            tori_sched_config *ret_config);
tori_time tori_sched_now (const tori_sched *sched);
typedef enum tori_hold {
    TORI_HOLD_NONE,
    TORI_HOLD_USER,
    TORI_HOLD_OPERATOR,
    TORI_HOLD_DEPENDENCY,
    TORI_HOLD_ARRAY,
    TORI_HOLD_SHARE
} tori_hold;
const char *tori_hold_name (tori_hold hold);
typedef enum tori_preempted {
    TORI_PREEMPTED_REQUEUE,
    TORI_PREEMPTED_SUSPEND,
    TORI_PREEMPTED_KILL,
    TORI_PREEMPTED_NEVER
} tori_preempted;
const char *tori_preempted_name (tori_preempted preempted);
enum {
    TORI_JOB_REQUEUE = 1,
    TORI_JOB_REPAIR = 2,
    TORI_JOB_STAYS = 4
};
typedef struct tori_job_spec {
    size_t size;
    tori_time estimate;
    uint64_t tag;
    tori_request request;
    int64_t priority;
    tori_time earliest;
    uint64_t turn;
    uint32_t flags;
    tori_hold hold;
    tori_time checkpoint;
    tori_time done;
    tori_time lost;
    uint32_t level;
    tori_preempted preempted;
    const tori_request *alternatives;
    size_t nalternatives;
    const uint64_t *only;
    tori_time waited;
} tori_job_spec;
enum { TORI_MAX_ALTERNATIVES = 15 };
#define TORI_JOB(...)                                                         \
    (&(const tori_job_spec){.size = sizeof (tori_job_spec), __VA_ARGS__})
int tori_sched_submit (tori_sched *sched, tori_time now,
                       const tori_job_spec *spec, tori_job *ret_job,
                       tori_error *err);
int tori_sched_adopt (tori_sched *sched, tori_time now,
                      const tori_job_spec *spec, tori_time start,
                      const tori_placement *place, tori_job *ret_job,
                      tori_error *err);
int tori_sched_adopt_suspended (tori_sched *sched, tori_time now,
                                const tori_job_spec *spec, tori_time saved,
                                const tori_placement *place, tori_job *ret_job,
                                tori_error *err);
int tori_sched_finish (tori_sched *sched, tori_time now, tori_job job,
                       tori_error *err);
int tori_sched_cancel (tori_sched *sched, tori_time now, tori_job job,
                       tori_error *err);
int tori_sched_set_priority (tori_sched *sched, tori_time now, tori_job job,
                             int64_t priority, tori_error *err);
int tori_sched_set_hold (tori_sched *sched, tori_time now, tori_job job,
                         tori_hold hold, tori_error *err);
int tori_sched_set_earliest (tori_sched *sched, tori_time now, tori_job job,
                             tori_time earliest, tori_error *err);
int tori_sched_set_estimate (tori_sched *sched, tori_time now, tori_job job,
                             tori_time estimate, tori_error *err);
int tori_sched_requeue (tori_sched *sched, tori_time now, tori_job job,
                        tori_error *err);
int tori_sched_move (tori_sched *sched, tori_time now, tori_job job,
                     const tori_placement *to, tori_error *err);
int tori_sched_move_all (tori_sched *sched, tori_time now,
                         const tori_job jobs[],
                         const tori_placement *const to[], size_t n,
                         tori_error *err);
int tori_sched_drain (tori_sched *sched, tori_time now,
                      const uint32_t nodes[], size_t n, uint64_t tag,
                      tori_error *err);
typedef struct tori_window {
    size_t size;
    const char *name;
    tori_time from, until;
    const tori_placement *place;
    const uint64_t *tags;
    size_t ntags;
    uint64_t count;
} tori_window;
int tori_sched_add_window (tori_sched *sched, tori_time now,
                           const tori_window *window, tori_error *err);
int tori_sched_remove_window (tori_sched *sched, tori_time now,
                              const char *name, tori_error *err);
int tori_sched_admit (tori_sched *sched, tori_time now, const char *name,
                      uint64_t tag, tori_error *err);
bool tori_sched_window (const tori_sched *sched, size_t i,
                        tori_window *ret_window);
bool tori_sched_wake (const tori_sched *sched, tori_time *ret_time);
bool tori_sched_head (const tori_sched *sched, tori_job *ret_job,
                      uint64_t *ret_tag);
int tori_sched_set_down (tori_sched *sched, tori_time now, uint32_t node,
                         bool down, tori_error *err);
int tori_sched_set_drained (tori_sched *sched, tori_time now, uint32_t node,
                            bool drained, tori_error *err);
int tori_sched_set_link_down (tori_sched *sched, tori_time now,
                              const tori_link *link, bool down,
                              tori_error *err);
int tori_sched_fail (tori_sched *sched, tori_time now, const uint32_t nodes[],
                     size_t n, const tori_link links[], size_t nlinks,
                     tori_error *err);
int tori_sched_run (tori_sched *sched, tori_time now, tori_error *err);
typedef enum tori_decision_kind {
    TORI_START,
    TORI_REJECT,
    TORI_KILL,
    TORI_REQUEUE,
    TORI_DRAINED,
    TORI_MOVE,
    TORI_SUSPEND,
    TORI_RESUME
} tori_decision_kind;
typedef struct tori_decision {
    size_t size;
    tori_decision_kind kind;
    tori_link link;
    uint32_t node;
    bool least;
    tori_job job;
    uint64_t tag;
    const tori_placement *place;
    const char *why;
    tori_job by;
} tori_decision;
#define TORI_NO_NODE UINT32_MAX
bool tori_sched_next (tori_sched *sched, tori_decision *ret_decision);
size_t tori_sched_fetch (tori_sched *sched, tori_decision ret_decisions[],
                         size_t n);
typedef enum tori_reason {
    TORI_REASON_UNKNOWN,
    TORI_REASON_STARTS,
    TORI_REASON_NUMERICAL,
    TORI_REASON_TOPOLOGICAL,
    TORI_REASON_WIRING,
    TORI_REASON_RESERVED,
    TORI_REASON_WINDOW,
    TORI_REASON_ORDER,
    TORI_REASON_HELD,
    TORI_REASON_NOT_YET,
    TORI_REASON_NODES,
    TORI_REASON_NEVER,
    TORI_REASON_GAVE_UP
} tori_reason;
const char *tori_reason_name (tori_reason reason);
tori_reason tori_sched_blocked (const tori_sched *sched);
bool tori_sched_unfinished (const tori_sched *sched);
bool tori_sched_gave_up (const tori_sched *sched, tori_job *ret_job,
                         uint64_t *ret_tag, const char **ret_why);
size_t tori_sched_queued (const tori_sched *sched);
size_t tori_sched_running (const tori_sched *sched);
const tori_state *tori_sched_state (const tori_sched *sched);
size_t tori_sched_queued_jobs (const tori_sched *sched, tori_job ret_jobs[]);
size_t tori_sched_running_jobs (const tori_sched *sched, tori_job ret_jobs[]);
bool tori_sched_next_end (const tori_sched *sched, tori_time *ret_time,
                          tori_job *ret_job);
typedef enum tori_job_phase {
    TORI_JOB_QUEUED,
    TORI_JOB_RUNNING
} tori_job_phase;
typedef struct tori_job_info {
    size_t size;
    uint64_t tag;
    tori_job_phase phase;
    tori_reason waits;
    const char *aside;
    tori_time start;
    tori_time end;
    const tori_placement *place;
    const tori_placement *suspended;
    tori_time saved;
} tori_job_info;
bool tori_sched_look (const tori_sched *sched, tori_job job,
                      tori_job_info *ret_info);
bool tori_sched_spec (const tori_sched *sched, tori_job job,
                      tori_job_spec *ret_spec);
int tori_sched_reservation (tori_sched *sched, tori_job job,
                            tori_time *ret_start,
                            const tori_placement **ret_place,
                            tori_error *err);
bool tori_sched_promised (const tori_sched *sched, size_t i, tori_job *ret_job,
                          tori_time *ret_start,
                          const tori_placement **ret_place);
int tori_sched_reserve (tori_sched *sched, tori_job job, tori_time start,
                        const tori_placement *place, tori_error *err);
#define TORI_SECOND INT64_C (1000000)
#define TORI_MAX_SECONDS INT64_C (10000000000)
typedef struct tori_swf_record {
    int64_t job;
    double submit;
    double wait;
    double runtime;
    int64_t procs;
    double cpu_time;
    double memory;
    int64_t asked_procs;
    double asked_time;
    double asked_memory;
    int64_t status;
    int64_t user;
    int64_t group;
    int64_t app;
    int64_t queue;
    int64_t partition;
    int64_t after_job;
    double think_time;
} tori_swf_record;
typedef struct tori_swf_reader tori_swf_reader;
int tori_swf_open (const char *path, tori_swf_reader **ret_reader,
                   tori_error *err);
void tori_swf_close (tori_swf_reader *reader);
const char *tori_swf_header (const tori_swf_reader *reader, const char *name);
int tori_swf_next (tori_swf_reader *reader, tori_swf_record *ret_record,
                   tori_error *err);
int tori_swf_open_memory (const void *data, size_t size, const char *name,
                          tori_swf_reader **ret_reader, tori_error *err);
void tori_swf_set_strict (tori_swf_reader *reader, bool strict);
typedef struct tori_swf_writer tori_swf_writer;
int tori_swf_create (const char *path, tori_swf_writer **ret_writer,
                     tori_error *err);
int tori_swf_write_header (tori_swf_writer *writer, const char *name,
                           const char *value, tori_error *err);
int tori_swf_write (tori_swf_writer *writer, const tori_swf_record *record,
                    tori_error *err);
int tori_swf_commit (tori_swf_writer *writer, tori_error *err);
void tori_swf_writer_close (tori_swf_writer *writer);
typedef enum tori_shaping {
    TORI_SHAPE_NONE,
    TORI_SHAPE_FIRST_MATCH,
    TORI_SHAPE_FAT,
    TORI_SHAPE_COMPACT
} tori_shaping;
const char *tori_shaping_name (tori_shaping shaping);
int tori_shaping_parse (const char *text, tori_shaping *ret_shaping,
                        tori_error *err);
bool tori_shape_count (const tori_machine *machine, tori_shaping shaping,
                       uint32_t count, tori_shape *ret_shape);
typedef enum tori_estimates {
    TORI_ESTIMATES_RAISED,
    TORI_ESTIMATES_LOG,
    TORI_ESTIMATES_EXACT
} tori_estimates;
const char *tori_estimates_name (tori_estimates estimates);
typedef struct tori_work_owner {
    int64_t user;
    int64_t group;
    int64_t app;
    int64_t queue;
    int64_t partition;
} tori_work_owner;
#define TORI_NO_OWNER ((tori_work_owner){-1, -1, -1, -1, -1})
typedef struct tori_work_label {
    const char *field;
    char *text;
} tori_work_label;
const char *tori_work_label_field (size_t i);
typedef struct tori_work {
    int64_t id;
    tori_time submit;
    tori_time runtime;
    tori_time estimate;
    uint32_t asked;
    tori_request request;
    tori_work_owner owner;
} tori_work;
typedef struct tori_workload {
    tori_work *jobs;
    size_t n;
    size_t unusable;
    size_t outlived;
    int64_t log_procs;
    int64_t log_start;
    double offered;
    tori_work_label *labels;
    size_t nlabels;
    size_t left_out;
    size_t blocks;
    size_t rest;
    char log_sha256[65];
} tori_workload;
typedef struct tori_workload_options {
    size_t size;
    tori_shaping shaping;
    tori_wiring wiring;
    double torus_fraction;
    bool wrap;
    bool fixed;
    double load;
    int64_t scale_num;
    int64_t scale_den;
    int64_t procs_per_node;
    size_t limit;
    uint64_t seed;
    size_t jobs;
    bool strict;
    tori_estimates estimates;
    double count_fraction;
    uint64_t flags;
    const char *durations;
    const char *service;
    const char *keep;
    tori_time resample;
    const char *size_from;
} tori_workload_options;
#define TORI_WORKLOAD(...)                                                    \
    (&(const tori_workload_options){.size = sizeof (tori_workload_options),   \
                                    __VA_ARGS__})
int tori_workload_read (const char *path, const tori_machine *machine,
                        const tori_workload_options *options,
                        tori_workload *ret_workload, tori_error *err);
int tori_workload_from_swf (tori_swf_reader *reader,
                            const tori_machine *machine,
                            const tori_workload_options *options,
                            tori_workload *ret_workload, tori_error *err);
int tori_workload_model (const char *name, const tori_machine *machine,
                         const tori_workload_options *options,
                         tori_workload *ret_workload, tori_error *err);
typedef struct tori_model_info {
    const char *name;
    const char *summary;
} tori_model_info;
const tori_model_info *tori_model_list (size_t i);
double tori_workload_offered (const tori_workload *workload,
                              const tori_machine *machine);
void tori_workload_clear (tori_workload *workload);
typedef struct tori_sim_job {
    const tori_work *work;
    tori_time start;
    tori_time finish;
    const tori_placement *place;
    tori_time numerical;
    tori_time topological;
    tori_time waited;
    tori_time ran;
    uint32_t starts;
    uint32_t moves;
    uint32_t level;
    bool killed;
} tori_sim_job;
typedef struct tori_sim_network {
    size_t size;
    int pattern;
    uint32_t rounds;
    uint32_t link, node;
    uint64_t seed;
} tori_sim_network;
typedef struct tori_sim_preempt {
    size_t size;
    const tori_net_config *net;
    const tori_drain_config *drain;
    uint64_t clock;
} tori_sim_preempt;
typedef struct tori_sim_gang {
    size_t size;
    const char *policy;
    tori_time slot;
    tori_time switch_cost;
    const tori_sim_preempt *preempt;
    tori_time hop;
    uint32_t degree;
    uint32_t leaf;
    struct tori_sim_gang_result *result;
} tori_sim_gang;
typedef struct tori_sim_gang_result {
    uint64_t turns;
    uint64_t switches;
    tori_time switch_least, switch_most;
    uint64_t messages;
    uint64_t root;
    uint64_t busiest;
    uint32_t busiest_node;
} tori_sim_gang_result;
typedef struct tori_sim_outage {
    tori_time time;
    uint32_t node;
    tori_link link;
    bool down;
} tori_sim_outage;
typedef enum tori_on_failure {
    TORI_ON_FAILURE_REQUEUE,
    TORI_ON_FAILURE_KILL,
    TORI_ON_FAILURE_REPAIR
} tori_on_failure;
typedef struct tori_sim_interrupts {
    size_t size;
    const tori_sim_outage *outages;
    size_t noutages;
    tori_time mtbf;
    tori_time mttr;
    uint64_t seed;
    tori_on_failure on_failure;
    tori_time checkpoint;
    uint32_t restarts;
    tori_preempted preempted;
    double urgent;
} tori_sim_interrupts;
typedef struct tori_sim_window {
    size_t size;
    tori_time begin, end;
} tori_sim_window;
typedef struct tori_sim_look {
    size_t size;
    tori_time at;
    int (*on_look) (void *arg, tori_sched *sched, tori_error *err);
} tori_sim_look;
typedef enum tori_fate {
    TORI_FATE_NONE,
    TORI_FATE_DONE,
    TORI_FATE_KILLED,
    TORI_FATE_REJECTED
} tori_fate;
const char *tori_fate_name (tori_fate fate);
typedef struct tori_sim_columns {
    size_t size;
    uint8_t *fate;
    tori_time *start;
    tori_time *finish;
    tori_time *waited;
    tori_time *ran;
    uint32_t *starts;
    uint32_t *moves;
    uint32_t *nodes;
    uint64_t *pairwise;
} tori_sim_columns;
typedef struct tori_sim_config {
    size_t size;
    const tori_machine *machine;
    const tori_sched_config *sched;
    int (*on_start) (void *arg, const tori_sim_job *job, tori_error *err);
    void (*on_finish) (void *arg, const tori_work *work);
    void (*on_reject) (void *arg, const tori_work *work, const char *why);
    void (*on_gave_up) (void *arg, const tori_work *work, const char *why);
    void (*on_progress) (void *arg, size_t finished, size_t total);
    void *arg;
    const tori_state *initial;
    bool no_pairwise;
    const tori_sim_network *network;
    const tori_sim_gang *gang;
    const tori_sim_window *window;
    const tori_sim_look *look;
    const tori_sched *resume;
    int (*on_place) (void *arg, const tori_work *work,
                     const tori_placement *place, tori_error *err);
    const tori_sim_interrupts *interrupts;
    void (*on_run) (void *arg, const tori_work *work, tori_time begin,
                    tori_time end, tori_time ran);
    int (*on_pass) (void *arg, const tori_sched *sched, tori_time now,
                    tori_time until, tori_error *err);
    const tori_sim_columns *columns;
    const volatile int *stop;
} tori_sim_config;
typedef struct tori_summary {
    double mean, p50, p90, p99, max;
} tori_summary;
typedef struct tori_sim_class {
    size_t jobs;
    double wait, response;
} tori_sim_class;
typedef struct tori_sim_result {
    size_t jobs;
    size_t rejected;
    double utilization;
    double held;
    double offered;
    double makespan;
    tori_summary response;
    tori_summary wait;
    tori_summary slowdown;
    tori_summary bounded_slowdown;
    size_t zero_runtime;
    double numerical;
    double topological;
    double pairwise;
    double average;
    double internal_fragmentation;
    double external_fragmentation;
    uint64_t events;
    tori_summary stretch;
    uint64_t messages;
    double goodput;
    double lost;
    uint64_t failures;
    uint64_t killed;
    uint64_t requeues;
    uint64_t repairs;
    uint64_t moves;
    uint64_t suspensions;
    tori_sim_class urgent, others;
    double placeable;
    double accepted;
} tori_sim_result;
const tori_sched_info *tori_sim_policy_list (size_t i);
int tori_sim_run (const tori_sim_config *config,
                  const tori_workload *workload, tori_sim_result *ret_result,
                  tori_error *err);
typedef struct tori_decide_config {
    size_t size;
    const tori_machine *machine;
    const tori_sched_config *sched;
    const tori_alloc_config *const *allocs;
    size_t nallocs;
    void (*on_progress) (void *arg, size_t decided, size_t total);
    void *arg;
    const tori_state *initial;
} tori_decide_config;
int tori_decide_row (const tori_decide_config *config, size_t situation,
                     const tori_workload *workload, double ret_row[],
                     tori_sim_result *ret_result, tori_error *err);
typedef struct tori_decide_cell {
    double mean;
    size_t left_out;
    double common;
} tori_decide_cell;
int tori_decide_cells (const tori_decide_config *config, size_t situation,
                       const tori_workload *workload,
                       tori_decide_cell ret_row[], size_t *ret_common,
                       tori_sim_result *ret_result, tori_error *err);

__extension__ typedef __int128 tori_wide;
#define TORI_WIDE_MAX ((tori_wide)(~(__extension__(unsigned __int128) 0) >> 1))
typedef struct tori_exact {
    tori_wide num;
    tori_wide den;
} tori_exact;
enum { TORI_EXACT_TEXT = 84 };
int tori_exact_parse (const char *text, const char *what,
                      tori_exact *ret_number, tori_error *err);
void tori_exact_format (tori_exact number, char text[TORI_EXACT_TEXT]);
void tori_exact_decimal (tori_exact number, char text[TORI_EXACT_TEXT]);
double tori_exact_value (tori_exact number);
tori_exact tori_exact_make (tori_wide num, tori_wide den);
int tori_exact_compare (tori_exact a, tori_exact b);
int tori_exact_add (tori_exact a, tori_exact b, tori_exact *ret_sum,
                    tori_error *err);
int tori_exact_sub (tori_exact a, tori_exact b, tori_exact *ret_difference,
                    tori_error *err);
int tori_exact_mul (tori_exact a, tori_exact b, tori_exact *ret_product,
                    tori_error *err);
tori_wide tori_wide_gcd (tori_wide a, tori_wide b);
int tori_wide_lcm (tori_wide a, tori_wide b, tori_wide *ret_lcm,
                   tori_error *err);

#include <stddef.h>
#include <stdint.h>
typedef struct tori_pattern_info {
    const char *name;
    const char *summary;
} tori_pattern_info;
const tori_pattern_info *tori_pattern_list (size_t i);
int tori_pattern_find (const char *name);
uint64_t tori_pattern_phases (int pattern, uint32_t n);
void tori_pattern_targets (int pattern, uint32_t n, uint64_t phase,
                           uint64_t seed, uint32_t ret_target[]);
typedef struct tori_fluid tori_fluid;
typedef struct tori_fluid_config {
    size_t size;
    uint32_t link;
    uint32_t node;
    uint64_t latency;
} tori_fluid_config;
typedef struct tori_fluid_job {
    const uint32_t *nodes;
    uint32_t n;
    int pattern;
    uint32_t rounds;
    uint64_t seed;
    int64_t time;
    uint64_t message;
} tori_fluid_job;
int tori_fluid_create (const tori_machine *machine,
                       const tori_fluid_config *config, tori_fluid **ret_fluid,
                       tori_error *err);
void tori_fluid_destroy (tori_fluid *fluid);
int64_t tori_fluid_time (const tori_fluid *fluid);
int tori_fluid_start (tori_fluid *fluid, const tori_fluid_job *job,
                      uint64_t tag, tori_error *err);
int tori_fluid_run (tori_fluid *fluid, int64_t until, uint64_t *ret_tag,
                    tori_error *err);
size_t tori_fluid_flows (const tori_fluid *fluid);
uint64_t tori_fluid_events (const tori_fluid *fluid);
typedef struct tori_fluid_flow {
    uint32_t src, dst;
    uint64_t tag;
    double rate;
    double left;
} tori_fluid_flow;
bool tori_fluid_flow_at (const tori_fluid *fluid, size_t i,
                         tori_fluid_flow *ret_flow);

typedef enum tori_after_kind {
    TORI_AFTER_OK,
    TORI_AFTER_FAILED,
    TORI_AFTER_ANY
} tori_after_kind;
const char *tori_after_name (tori_after_kind kind);
typedef struct tori_after {
    uint64_t tag;
    tori_after_kind kind;
} tori_after;
typedef struct tori_condition {
    tori_hold hold;
    bool known;
    tori_after job;
} tori_condition;
void tori_condition_text (const tori_condition *condition, char *text,
                          size_t size);
typedef struct tori_push {
    uint64_t tag;
    tori_decision_kind how;
} tori_push;
const char *tori_push_name (tori_decision_kind how);
typedef struct tori_forecast {
    tori_job job;
    uint64_t tag;
    tori_time start;
    const tori_placement *place;
    tori_condition condition;
    const tori_push *pushes;
    size_t npushes;
} tori_forecast;
int tori_forecast_each (const tori_sched *sched,
                        void (*visit) (void *arg, const tori_forecast *it),
                        void *arg, tori_error *err);
struct tori_snapshot;
int tori_forecast_by (const tori_sched *sched,
                      const struct tori_snapshot *rules,
                      void (*visit) (void *arg, const tori_forecast *it),
                      void *arg, tori_error *err);

#define TORI_GANG_NONE UINT32_MAX
#define TORI_GANG_HOST (UINT32_MAX - 1)
#define TORI_GANG_FOREVER INT64_MAX
enum { TORI_GANG_MAX_DEGREE = 1024, TORI_GANG_MAX_SHARES = 1000 };
typedef struct tori_gang_tree tori_gang_tree;
typedef struct tori_gang_place {
    uint32_t parent;
    uint32_t first;
    uint32_t children;
    uint32_t level;
    uint32_t size;
    tori_box box;
} tori_gang_place;
int tori_gang_tree_create (const tori_machine *machine, uint32_t degree,
                           uint32_t leaf, tori_gang_tree **ret_tree,
                           tori_error *err);
void tori_gang_tree_destroy (tori_gang_tree *tree);
const tori_machine *tori_gang_tree_machine (const tori_gang_tree *tree);
uint32_t tori_gang_tree_nodes (const tori_gang_tree *tree);
uint32_t tori_gang_tree_levels (const tori_gang_tree *tree);
void tori_gang_tree_place (const tori_gang_tree *tree, uint32_t node,
                           tori_gang_place *ret_place);
uint32_t tori_gang_tree_host (const tori_gang_tree *tree, uint32_t node);
int tori_gang_switch_cycles (const tori_gang_tree *tree,
                             const tori_net_config *net,
                             const tori_drain_config *drain,
                             uint64_t ret_cycles[], tori_error *err);
typedef struct tori_gang_need {
    uint32_t count;
    bool fixed;
    tori_shape shape;
} tori_gang_need;
bool tori_gang_tree_holds (const tori_gang_tree *tree,
                           const tori_gang_need *need);
typedef enum tori_gang_kind {
    TORI_GANG_ADD_TASK,
    TORI_GANG_LOAD,
    TORI_GANG_ACTIVATE,
    TORI_GANG_DONE,
    TORI_GANG_SUSPEND,
    TORI_GANG_RESUME,
    TORI_GANG_WAKE,
    TORI_GANG_PLACED,
    TORI_GANG_RUN
} tori_gang_kind;
const char *tori_gang_kind_name (tori_gang_kind kind);
typedef struct tori_gang_message {
    tori_gang_kind kind;
    uint32_t from, to;
    uint64_t task;
    int64_t slot;
    int64_t end;
    uint64_t seen;
    uint64_t load;
    uint64_t accepted;
    uint32_t height;
    uint32_t shares;
    tori_gang_need need;
} tori_gang_message;
typedef struct tori_gang_outbox {
    tori_gang_message *item;
    size_t n;
    size_t room;
} tori_gang_outbox;
void tori_gang_outbox_clear (tori_gang_outbox *out);
typedef struct tori_gang_policy_info {
    const char *name;
    const char *summary;
} tori_gang_policy_info;
const tori_gang_policy_info *tori_gang_policy_list (size_t i);
typedef struct tori_gang_node tori_gang_node;
int tori_gang_node_create (const tori_gang_tree *tree, uint32_t node,
                           const char *policy, tori_gang_node **ret_node,
                           tori_error *err);
void tori_gang_node_destroy (tori_gang_node *node);
int tori_gang_node_handle (tori_gang_node *node, int64_t slot,
                           const tori_gang_message *message,
                           tori_gang_outbox *out, tori_error *err);
void tori_gang_node_limit (tori_gang_node *node, uint32_t i, uint32_t most);
size_t tori_gang_node_length (const tori_gang_node *node);
uint64_t tori_gang_node_task (const tori_gang_node *node, size_t i);
uint64_t tori_gang_node_load (const tori_gang_node *node);
uint32_t tori_gang_node_height (const tori_gang_node *node);
typedef struct tori_gang_world tori_gang_world;
typedef struct tori_gang_turn {
    uint32_t node;
    uint32_t task;
    int64_t slot;
    int64_t begin, end;
} tori_gang_turn;
typedef struct tori_gang_config {
    size_t size;
    const tori_gang_tree *tree;
    const char *policy;
    int64_t slot;
    int64_t hop;
    int64_t switch_cost;
    const int64_t *switch_more;
    void (*on_place) (void *arg, uint32_t task, uint32_t node, int64_t time);
    void (*on_start) (void *arg, uint32_t task, int64_t time);
    void (*on_turn) (void *arg, const tori_gang_turn *turn);
    void (*on_finish) (void *arg, uint32_t task, int64_t time);
    void *arg;
} tori_gang_config;
int tori_gang_world_create (const tori_gang_config *config,
                            tori_gang_world **ret_world, tori_error *err);
void tori_gang_world_destroy (tori_gang_world *world);
int tori_gang_world_add (tori_gang_world *world, int64_t time,
                         const tori_gang_need *need, int64_t runtime,
                         uint32_t *ret_task, tori_error *err);
int tori_gang_world_put (tori_gang_world *world, uint32_t node,
                         int64_t runtime, uint32_t *ret_task, tori_error *err);
int tori_gang_world_suspend (tori_gang_world *world, int64_t time,
                             uint32_t task, tori_error *err);
int tori_gang_world_resume (tori_gang_world *world, int64_t time,
                            uint32_t task, tori_error *err);
int tori_gang_world_run (tori_gang_world *world, int64_t until,
                         tori_error *err);
int64_t tori_gang_world_left (const tori_gang_world *world, uint32_t task,
                              int64_t time);
uint64_t tori_gang_world_messages (const tori_gang_world *world,
                                   uint32_t node);
uint64_t tori_gang_world_turns (const tori_gang_world *world);
uint64_t tori_gang_world_switches (const tori_gang_world *world);
typedef struct tori_gang_cell {
    uint32_t node;
    uint32_t process;
} tori_gang_cell;
size_t tori_gang_period (const tori_gang_tree *tree, const uint32_t lengths[]);
int tori_gang_table (const tori_gang_tree *tree, const uint32_t lengths[],
                     size_t slots, tori_gang_cell ret_cells[],
                     tori_error *err);

typedef struct tori_partition {
    const tori_box *box;
    const uint32_t *nodes;
    size_t n;
} tori_partition;
typedef struct tori_escape {
    uint32_t src, dst;
    uint32_t outside;
} tori_escape;
int tori_partition_closed (const tori_machine *machine,
                           const tori_partition *part, bool *ret_closed,
                           tori_escape *ret_escape, tori_error *err);
typedef struct tori_disturbance {
    size_t part[2];
    uint32_t from, to;
    int dim;
    int step;
    uint32_t src[2], dst[2];
} tori_disturbance;
int tori_partition_disturb (const tori_machine *machine, tori_routing routing,
                            const tori_partition parts[], size_t n,
                            tori_disturbance **ret_list, size_t *ret_n,
                            tori_error *err);

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef struct tori_subtorus {
    tori_shape shape;
    uint32_t offset[TORI_MAX_DIMS];
} tori_subtorus;
int tori_subtorus_check (const tori_machine *machine, const tori_shape *shape,
                         tori_error *err);
uint32_t tori_subtorus_stride (const tori_machine *machine,
                               const tori_shape *shape, int dim);
uint32_t tori_subtorus_count (const tori_machine *machine,
                              const tori_shape *shape);
void tori_subtorus_at (const tori_machine *machine, const tori_shape *shape,
                       uint32_t index, tori_subtorus *ret_subtorus);
uint32_t tori_subtorus_index (const tori_machine *machine,
                              const tori_subtorus *subtorus);
bool tori_subtorus_contains (const tori_machine *machine,
                             const tori_subtorus *subtorus, uint32_t id);
void tori_subtorus_nodes (const tori_machine *machine,
                          const tori_subtorus *subtorus, uint32_t ids[]);
uint32_t tori_subtorus_span (const tori_machine *machine,
                             const tori_subtorus *subtorus, uint32_t node,
                             int dim, tori_link links[]);
bool tori_subtorus_uses (const tori_machine *machine,
                         const tori_subtorus *subtorus,
                         const tori_link *link);
bool tori_subtorus_node_disjoint (const tori_machine *machine,
                                  const tori_subtorus *a,
                                  const tori_subtorus *b);
bool tori_subtorus_link_disjoint (const tori_machine *machine,
                                  const tori_subtorus *a,
                                  const tori_subtorus *b);
int tori_subtorus_shared_dim (const tori_machine *machine,
                              const tori_subtorus *a, const tori_subtorus *b);
uint32_t tori_subtorus_sets (const tori_machine *machine,
                             const tori_shape *shape);
uint32_t tori_subtorus_set_size (const tori_machine *machine,
                                 const tori_shape *shape);
void tori_subtorus_of_set (const tori_machine *machine,
                           const tori_shape *shape, uint32_t set, uint32_t i,
                           tori_subtorus *ret_subtorus);
typedef struct tori_preemptive_job {
    uint32_t dimension;
    tori_exact time;
} tori_preemptive_job;
typedef struct tori_segment {
    size_t job;
    uint32_t first;
    uint32_t size;
    tori_wide start;
    tori_wide finish;
} tori_segment;
typedef struct tori_preemptive {
    bool feasible;
    tori_exact finish;
    tori_wide unit;
    size_t preemptions;
    tori_segment *segment;
    size_t segments;
    size_t failed;
    size_t stages;
} tori_preemptive;
int tori_preemptive_side (const tori_machine *machine, uint32_t *ret_side,
                          tori_error *err);
int tori_preemptive_check (const tori_machine *machine,
                           const tori_preemptive_job job[], size_t n,
                           size_t *ret_bad, tori_error *err);
int tori_preemptive_plan (const tori_machine *machine,
                          const tori_preemptive_job job[], size_t n,
                          tori_exact deadline, tori_preemptive *ret_plan,
                          tori_error *err);
void tori_preemptive_clear (tori_preemptive *plan);
int tori_preemptive_least (const tori_machine *machine,
                           const tori_preemptive_job job[], size_t n,
                           tori_exact *ret_finish, tori_error *err);
typedef struct tori_preemptive_bound {
    tori_exact longest;
    tori_exact area;
} tori_preemptive_bound;
int tori_preemptive_bounds (const tori_machine *machine,
                            const tori_preemptive_job job[], size_t n,
                            tori_preemptive_bound *ret_bound, tori_error *err);
typedef struct tori_contention_job {
    tori_shape shape;
    tori_exact time;
} tori_contention_job;
int tori_contention_check (const tori_machine *machine,
                           const tori_contention_job *job, tori_error *err);
enum { TORI_CONTENTION_BRANCH = 16 };
typedef struct tori_contention_search {
    uint64_t steps;
    uint64_t seed;
    bool (*enough) (void *arg);
    void *arg;
    bool own_delay;
} tori_contention_search;
typedef struct tori_contention tori_contention;
int tori_contention_create (const tori_machine *machine,
                            const tori_contention_job job[], size_t n,
                            const tori_contention_search *search,
                            tori_contention **ret_plan, tori_error *err);
void tori_contention_destroy (tori_contention *plan);
typedef struct tori_contention_place {
    tori_subtorus subtorus;
    size_t order;
    double time;
    double start;
    double finish;
} tori_contention_place;
tori_contention_place tori_contention_at (const tori_contention *plan,
                                          size_t i);
double tori_contention_makespan (const tori_contention *plan);
bool tori_contention_is_exact (const tori_contention *plan);
bool tori_contention_is_least (const tori_contention *plan);
double tori_contention_first (const tori_contention *plan);
typedef struct tori_contention_bound {
    double longest;
    double area;
    double contention_free;
    double events;
} tori_contention_bound;
tori_contention_bound tori_contention_bounds (const tori_contention *plan);
typedef enum tori_contention_number {
    TORI_CONTENTION_TIME,
    TORI_CONTENTION_START,
    TORI_CONTENTION_FINISH,
    TORI_CONTENTION_MAKESPAN,
    TORI_CONTENTION_LONGEST,
    TORI_CONTENTION_AREA,
    TORI_CONTENTION_FREE
} tori_contention_number;
enum { TORI_CONTENTION_TEXT = 128 };
void tori_contention_text (const tori_contention *plan,
                           tori_contention_number which, size_t i,
                           char text[TORI_CONTENTION_TEXT]);
bool tori_contention_exact (const tori_contention *plan,
                            tori_contention_number which, size_t i,
                            tori_exact *ret_number);

__attribute__ ((visibility ("default"))) extern const tori_alloc_ops
    tori_plugin_alloc;

typedef struct tori_points {
    int ndims;
    size_t n;
    const int64_t *coords;
    const uint64_t *around;
} tori_points;
int tori_points_choose (const tori_alloc_config *config,
                        const tori_points *points, size_t count,
                        size_t ret_chosen[], uint64_t *ret_pairwise,
                        tori_error *err);
int tori_points_choose_box (const tori_points *points, size_t count,
                            const tori_shape *shape, bool fixed,
                            size_t ret_chosen[], uint64_t *ret_pairwise,
                            tori_error *err);
int tori_points_pairwise (const tori_points *points, const size_t chosen[],
                          size_t count, uint64_t *ret_sum, tori_error *err);

typedef struct tori_preempt_config {
    size_t size;
    const tori_machine *machine;
    const tori_box *box;
    const tori_net_config *net;
    const tori_drain_config *drain;
    uint32_t processes;
    uint32_t switches;
    uint64_t slice;
    uint64_t cycles;
    uint32_t partners;
    uint32_t flits;
    double load;
    uint64_t seed;
} tori_preempt_config;
typedef struct tori_preempt_switch {
    uint32_t from, to;
    tori_drain_report drain;
    uint64_t messages;
    uint64_t sends;
} tori_preempt_switch;
typedef struct tori_preempt_process {
    uint64_t sent, delivered;
    uint64_t reordered;
    uint64_t sum_sent, sum_delivered;
    bool terminated;
} tori_preempt_process;
typedef struct tori_preempt_result {
    tori_preempt_switch *switches;
    size_t nswitches;
    tori_preempt_process *processes;
    size_t nprocesses;
    uint64_t cycles;
} tori_preempt_result;
int tori_preempt_run (const tori_preempt_config *config,
                      tori_preempt_result *ret_result, tori_error *err);
void tori_preempt_clear (tori_preempt_result *result);
bool tori_preempt_kept (const tori_preempt_process *process);

typedef struct tori_room_job {
    const tori_placement *place;
    bool stays;
    bool fixed;
    bool wrap;
    uint64_t work;
    const uint64_t *barred;
} tori_room_job;
enum {
    TORI_ROOM_LIVE = 1
};
typedef struct tori_room_config {
    size_t size;
    uint64_t steps;
    uint64_t moves;
    uint64_t flags;
    const uint64_t *barred;
    const char *slices;
} tori_room_config;
#define TORI_ROOM(...)                                                        \
    (&(const tori_room_config){.size = sizeof (tori_room_config), __VA_ARGS__})
typedef struct tori_room_move {
    size_t job;
    tori_placement to;
} tori_room_move;
typedef struct tori_room {
    bool found;
    bool least;
    tori_placement place;
    tori_room_move *moves;
    size_t n;
    uint64_t nodes;
    uint64_t bound;
    uint64_t steps;
} tori_room;
void tori_room_clear (tori_room *room);
int tori_room_make (const tori_state *state, const tori_room_job jobs[],
                    size_t n, const tori_request *request,
                    const tori_room_config *config, tori_room *ret_room,
                    tori_error *err);
int tori_room_victims (const tori_state *state, const tori_room_job jobs[],
                       size_t n, const tori_request *request,
                       const tori_room_config *config, tori_room *ret_room,
                       tori_error *err);
int tori_room_repair (const tori_state *state, const tori_room_job *job,
                      const tori_room_config *config, tori_room *ret_room,
                      tori_error *err);

#include <stddef.h>
size_t tori_struct_size (const char *name);

#include <stdio.h>
enum { TORI_SNAPSHOT_VERSION = 1 };
enum { TORI_SNAPSHOT_UNKNOWN = 8 };
typedef struct tori_snapshot_job {
    tori_job_spec spec;
    tori_time start;
    tori_placement place;
    tori_time submit;
    bool promised;
    tori_time promised_at;
    tori_placement promised_place;
    tori_request *alternatives;
    uint64_t *only;
    bool suspended;
    tori_time saved;
    char *alias;
    char *why;
    char *user, *queue;
    tori_after *after;
    size_t nafter;
    uint64_t array;
    uint32_t array_limit;
    bool array_waits;
    bool late;
} tori_snapshot_job;
typedef struct tori_snapshot_limits {
    uint64_t running, nodes;
} tori_snapshot_limits;
typedef struct tori_snapshot_span {
    tori_time from, until;
} tori_snapshot_span;
typedef struct tori_snapshot_queue {
    char *name;
    int64_t priority;
    uint32_t tier;
    tori_preempted preempted;
    tori_snapshot_limits limits;
    tori_snapshot_limits each;
    tori_snapshot_span *open;
    size_t nopen;
} tori_snapshot_queue;
typedef struct tori_snapshot_user {
    char *name;
    int64_t penalty;
} tori_snapshot_user;
typedef struct tori_snapshot_window {
    char *id;
    tori_placement place;
    tori_time from, until;
    uint64_t *tags;
    size_t ntags;
    uint64_t count;
} tori_snapshot_window;
typedef struct tori_snapshot {
    char *name;
    tori_machine *machine;
    tori_time now;
    char *policy;
    tori_order order;
    uint32_t depth, work;
    char *alloc_shape, *alloc_count;
    double epsilon;
    tori_hypercube hypercube;
    tori_noncubic noncubic;
    uint64_t steps;
    tori_snapshot_job *running;
    size_t nrunning;
    tori_snapshot_job *queue;
    size_t nqueued;
    uint32_t *down;
    size_t ndown;
    uint32_t *drained;
    size_t ndrained;
    tori_link *down_links;
    size_t ndown_links;
    tori_snapshot_window *windows;
    size_t nwindows;
    bool places;
    tori_time move;
    bool moves;
    bool restarts;
    char *unknown[TORI_SNAPSHOT_UNKNOWN];
    size_t nunknown;
    uint64_t spacing;
    char *slices;
    uint64_t next_id;
    tori_snapshot_queue *queues;
    size_t nqueues;
    tori_snapshot_user *users;
    size_t nusers;
    tori_snapshot_limits user_limits;
    const tori_alloc_ops *shape_ops, *count_ops;
    void *shape_arg, *count_arg;
    const tori_order_ops *own_order;
} tori_snapshot;
typedef struct tori_snapshot_own {
    size_t size;
    const tori_alloc_config *const *allocs;
    size_t nallocs;
    const tori_order_ops *const *orders;
    size_t norders;
} tori_snapshot_own;
int tori_snapshot_read (const char *path, tori_snapshot **ret_snapshot,
                        tori_error *err);
int tori_snapshot_parse (const char *text, size_t size, const char *name,
                         tori_snapshot **ret_snapshot, tori_error *err);
int tori_snapshot_read_own (const char *path, const tori_snapshot_own *own,
                            tori_snapshot **ret_snapshot, tori_error *err);
int tori_snapshot_parse_own (const char *text, size_t size, const char *name,
                             const tori_snapshot_own *own,
                             tori_snapshot **ret_snapshot, tori_error *err);
int tori_snapshot_take (tori_sched *sched, tori_snapshot **ret_snapshot,
                        tori_error *err);
void tori_snapshot_destroy (tori_snapshot *snapshot);
int tori_snapshot_write (const tori_snapshot *snapshot, FILE *to,
                         tori_error *err);
int tori_snapshot_format (const tori_snapshot *snapshot, char **ret_text,
                          size_t *ret_size, tori_error *err);
int tori_snapshot_state (const tori_snapshot *snapshot, tori_state **ret_state,
                         tori_error *err);
int tori_snapshot_sched (const tori_snapshot *snapshot,
                         const tori_sched_config *config,
                         tori_sched **ret_sched, tori_error *err);

enum {
    TORI_TRAFFIC_NEIGHBOUR = -1,
    TORI_TRAFFIC_LIST = -2
};
typedef struct tori_traffic_message {
    uint32_t src, dst;
    uint32_t flits;
    uint64_t time;
} tori_traffic_message;
typedef struct tori_traffic_job {
    const uint32_t *nodes;
    uint32_t n;
    const tori_shape *shape;
    int pattern;
    uint32_t flits;
    uint32_t rounds;
    const tori_traffic_message *list;
    size_t nlist;
} tori_traffic_job;
typedef struct tori_traffic_config {
    size_t size;
    const tori_machine *machine;
    const tori_net_config *net;
    const tori_traffic_job *jobs;
    size_t njobs;
    double rate;
    uint64_t warmup;
    uint64_t cycles;
    uint64_t limit;
    uint64_t seed;
    void (*on_message) (void *arg, size_t job,
                        const tori_net_message *message);
    void *arg;
} tori_traffic_config;
typedef struct tori_traffic_sample {
    double mean;
    uint64_t p50, p90, p99, max;
} tori_traffic_sample;
typedef struct tori_traffic_outcome {
    uint64_t messages;
    uint64_t flits;
    tori_traffic_sample latency;
    double waited;
    double blocked;
    double hops;
    double offered;
    double accepted;
    uint64_t finish;
    bool saturated;
    bool unfinished;
} tori_traffic_outcome;
typedef struct tori_traffic_result {
    tori_traffic_outcome *jobs;
    size_t njobs;
    tori_net_link *links;
    size_t nlinks;
    uint64_t measured;
    uint64_t cycles;
    uint64_t flit_hops;
} tori_traffic_result;
int tori_traffic_run (const tori_traffic_config *config,
                      tori_traffic_result *ret_result, tori_error *err);
void tori_traffic_clear (tori_traffic_result *result);
#define TORI_VERSION_MAJOR 0
#define TORI_VERSION_MINOR 1
#define TORI_VERSION_PATCH 0
const char *tori_version (void);
typedef struct tori_blocker {
    tori_job job;
    uint64_t tag;
    uint32_t nodes;
} tori_blocker;
typedef enum tori_change {
    TORI_CHANGE_WIRING,
    TORI_CHANGE_SHAPE,
    TORI_CHANGE_COUNT,
    TORI_CHANGE_ESTIMATE,
    TORI_CHANGE_JOB,
    TORI_CHANGE_MOVES
} tori_change;
const char *tori_change_name (tori_change change);
typedef struct tori_help_move {
    tori_job job;
    uint64_t tag;
    const tori_placement *from, *to;
} tori_help_move;
typedef struct tori_help {
    tori_change change;
    tori_job_spec spec;
    tori_job job;
    uint64_t tag;
    tori_placement place;
    const tori_help_move *moves;
    size_t nmoves;
    uint64_t nodes;
} tori_help;
enum { TORI_WHY_LINKS = 16 };
typedef struct tori_why {
    tori_job job;
    uint64_t tag;
    const tori_job_spec *spec;
    tori_reason reason;
    const char *aside;
    uint32_t free;
    tori_box largest;
    tori_placement place;
    uint32_t missing;
    const tori_blocker *blockers;
    size_t nblockers;
    const tori_link *links;
    size_t nlinks;
    const uint32_t *down;
    size_t ndown;
    bool starts;
    tori_time start;
    tori_placement start_place;
    const tori_help *helps;
    size_t nhelps;
    const tori_request *request;
    tori_job behind;
    uint64_t behind_tag;
    const char *window;
    const tori_placement *suspended;
    tori_condition condition;
    const tori_push *pushes;
    size_t npushes;
} tori_why;
int tori_why_each (const tori_sched *sched,
                   int (*visit) (void *arg, const tori_why *why), void *arg,
                   tori_error *err);
int tori_why_some (const tori_sched *sched, const uint64_t tags[], size_t n,
                   int (*visit) (void *arg, const tori_why *why), void *arg,
                   tori_error *err);
int tori_why_by (const tori_sched *sched, const struct tori_snapshot *rules,
                 const uint64_t tags[], size_t n,
                 int (*visit) (void *arg, const tori_why *why), void *arg,
                 tori_error *err);
void tori_why_text (const tori_why *why, const tori_machine *machine,
                    char *text, size_t size);
