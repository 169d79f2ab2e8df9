/* Nodes and links that go down or are drained under a scheduler, and come
 * back. */
#include "desk.h"

DESK_TEST (node_down, "mesh:6 easy first-fit",
      "0: A=3m/10 B=2m/20 C=3m/5 > A@0/3 B@3/2 ; C~10@0/3",
      /* A is killed and its other two nodes are free: too few for C, which has to
       * wait for B now. */
      "2: down 1 said A killed ; running 1 free 3 links 1 D=1m/99 > D@0/1 ; C~20@2/3",
      "3: up 1 > ; C~20@1/3",
      "8: -D > C@0/3")

/* Planned starts that need the node are given up, the others stay. */
DESK_TEST (node_down_under_plan, "mesh:4x2 conservative first-fit",
      "0: A=4x2m/10 B=2x2m/5 C=2x2m/5 D=4x2m/5 > A@0,0/4x2 ; B~10@0,0/2x2"
      " C~10@2,0/2x2 D~15@0,0/4x2",
      "1: -A drain 0 > B@1,0/2x2 ; C~6@1,0/2x2 D~",
      "2: undrain 0 > ; C~6@1,0/2x2 D~11@0,0/4x2")

/* B will get three nodes of a box of four, and needs all four to be there. */
DESK_TEST (drain_under_room, "mesh:8 conservative isomorphic",
      "0: A=8/5 B=3/5 > A@0/8 ; B~5@0/3",
      "1: drain 3 > ; B~5@4/3")

DESK_TEST (drain, "mesh:4 easy row-ff",
      "0: A*3/10 B*3/10 > A@0-2 ; B~10",
      /* A goes on, but its node will not come back; nor will node 3. */
      "1: drain 1 drain 3 > ; running 1 B~ aside B/many",
      "5: -A > ; blocked unknown",
      "6: undrain 3 > B@0-3",
      /* Down as well as drained: both have to end. */
      "7: down 1 undrain 1 C*1/1 >",
      "8: up 1 > C@1-1")

DESK_TEST (link_down, "torus:4 easy first-fit",
      "0: A=2t/10 B=1t/10 C=2t/5 > A@0/2 B@2/1 ; C~10@0/2",
      /* The ring of A passes through a link outside its box; B has no link. */
      "1: down 2-3 said A killed ; D=2m/9 E=2m/9 > D@0/2 ; C~",
      "2: -B >",
      "3: up 2-3 > ; C~10@0/2",
      "4: -D > C@0/2")

/* ---- jobs that do not fit beside what is down ---- */

/* C holds easy's reservation instead of B, which keeps its place. */
DESK_TEST (aside_easy, "mesh:6 easy first-fit",
      "0: A=2/10 B=6/10 > A@0/2 ; B~10@0/6",
      "1: down 5 C=5/10 D=1/10 E=1/9 > E@2/1 ; aside B/many C~10@0/5 queue BCD"
      " blocked numerical head B",
      /* Repaired, it is the first again. */
      "2: up 5 > ; aside B/none B~10@0/6 C~ queue BCD")

/* No job overtakes, except jobs that are set aside. In another order it is the
 * same. */
DESK_TEST (aside_fcfs, "mesh:4x4 fcfs first-fit largest",
      "0: drain 5 A=3x3/10 B=2x4/10 C=2x2/10 D=4x4/10 > B@0,2/4x2 C@2,0/2x2 ;"
      " aside A/nodes aside D/many queue DA blocked unknown",
      "1: undrain 5 E=1x1/10 >",
      "2: -B -C > D@0,0/4x4 ; queue AE")

/* The planned starts of other jobs stay, and may become earlier. */
DESK_TEST (aside_conservative, "mesh:4 conservative first-fit",
      "0: A=3/5 B=4/5 C=2/5 > A@0/3 ; B~5@0/4 C~10@0/2",
      "1: down 3 > ; aside B/many C~5@0/2",
      "2: up 3 > ; C~5@0/2 B~10@0/4")

/* The reason may change while a job is set aside. */
DESK_TEST (aside_for_links, "torus:4 easy first-fit",
      "0: down 2-3 A=3t/10 B=2m/10 > B@0/2 ; aside A/links",
      "1: down 2 down 3 > ; aside A/many",
      "2: up 2-3 up 2 > ; aside A/none",
      "3: -B > A@0/3")

/* It can be cancelled, and holds no reservation, nor does it take one over. */
DESK_TEST (aside_and_others, "mesh:4 easy row-ff",
      "0: A*4/10 B*3/10 C*4/10 > A@0-3",
      /* They were not looked at yet: B is still the first. */
      "1: down 3 said A killed ; reserve B/5 D*4/10 E*2/10 reserve D/no",
      "> B@0-2 ; E~11 queue CDE",
      "2: !C > ; queue DE",
      "3: -B > E@0-1",
      "4: !D queued 0")

/* The first is given a reservation after it lost its place: the next has to
 * get one of its own. */
DESK_TEST (aside_after_reserve, "mesh:4 easy row-ff",
      "0: A*2/10 B*4/10 C*3/10 > A@0-1",
      "1: drain 3 reserve B/10 D*1/20 > ; aside B/many C~10")
