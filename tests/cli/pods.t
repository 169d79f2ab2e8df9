Pods of cubes: what is placed on them, what is wired, and who refuses them.

  $ tori place --machine pod:4/4x4 --shape 8x4 --wiring torus
  placed    4x8 of 2 pieces, 32 nodes
    0,0,0/1x4x4 at 0,0
    1,0,0/1x4x4 at 0,4
  wiring    torus, 80 links, 16 cross-connects
    dimension 1, cubes: 0>0 1>1
    dimension 2, cubes: 0>1 1>0
  pairwise  1536 hops
  average   3.097 hops
  $ tori place --machine pod:4/4x4 --shape 6x3 --wiring mesh --alloc cube-first
  placed    3x6 of 2 pieces, 18 nodes
    0,0,0/1x3x4 at 0,0
    1,0,0/1x3x2 at 0,4
  wiring    mesh, 30 links, 3 cross-connects
    dimension 2, cubes: 0>1
  pairwise  459 hops
  average   3 hops
  $ tori place --machine 2*pod:2x1/2x2 --shape 2x3 --wiring mesh --json | bare
  {"placed":true,"nodes":[[0,0,0,0,0],[0,0,0,0,1],[0,0,0,1,0],[0,0,0,1,1],[0,1,0,0,0],[0,1,0,1,0]],"pairwise":25,"average":1.66666666666667,"origin":[0,0,0,0,0],"shape":[2,3],"boxes":["0,0,0,0,0/1x1x1x2x2","0,1,0,0,0/1x1x1x2x1"],"links":[{"dim":3,"line":[0,0,0,0],"a":0,"b":1,"kind":"n"},{"dim":3,"line":[0,0,0,1],"a":0,"b":1,"kind":"n"},{"dim":4,"line":[0,0,0,0],"a":0,"b":1,"kind":"n"},{"dim":4,"line":[0,0,0,0],"a":1,"b":1,"kind":"+"},{"dim":4,"line":[0,0,0,1],"a":0,"b":1,"kind":"n"},{"dim":4,"line":[0,0,0,1],"a":1,"b":1,"kind":"+"},{"dim":3,"line":[0,1,0,0],"a":0,"b":1,"kind":"n"},{"dim":4,"line":[0,1,0,0],"a":0,"b":0,"kind":"-"},{"dim":4,"line":[0,1,0,1],"a":0,"b":0,"kind":"-"}],"pieces":[{"origin":[0,0,0,0,0],"shape":[1,1,1,2,2],"at":[0,0]},{"origin":[0,1,0,0,0],"shape":[1,1,1,2,1],"at":[0,2]}],"cross_connects":[{"dim":4,"from":[0,0,0,0,1],"to":[0,1,0,0,0]},{"dim":4,"from":[0,0,0,1,1],"to":[0,1,0,1,0]}]}

A side that is no multiple of the cube's cannot be closed, and a pod has only so
many cubes.

  $ tori place --machine pod:4/4x4 --shape 6x4 --wiring torus
  never fits on this machine: a ring goes through whole cubes: a side of a torus is 1 or a multiple of the cube's
  [4]
  $ tori place --machine 2*pod:4/4x4 --shape 20x4
  never fits on this machine: the slice needs more cubes than a pod has
  [4]
  $ tori place --machine pod:4/4x4 --shape 4x4x4
  tori: --shape: '4x4x4' has 3 dimensions, the machine has 2
  [2]

Each segment is a slice of its own: a piece at 0,0 is the first of one.

  $ tori place --machine pod:4/4x4x4 --shape 4x4x8 --segments 2 --wiring torus
  placed    256 nodes
    0,0,0,0/1x4x4x4 at 0,0,0
    1,0,0,0/1x4x4x4 at 0,0,4
    2,0,0,0/1x4x4x4 at 0,0,0
    3,0,0,0/1x4x4x4 at 0,0,4
  wiring    torus, 960 links, 192 cross-connects
    dimension 1, cubes: 0>0 1>1
    dimension 2, cubes: 0>0 1>1
    dimension 3, cubes: 0>1 1>0
    dimension 1, cubes: 2>2 3>3
    dimension 2, cubes: 2>2 3>3
    dimension 3, cubes: 2>3 3>2
  pairwise  124672 hops
  average   3.82 hops
  $ tori place --machine pod:4/2x2 --shape 2x2 --segments 2 --wiring torus --json
  {"placed":true,"nodes":[[0,0,0],[0,0,1],[0,1,0],[0,1,1],[1,0,0],[1,0,1],[1,1,0],[1,1,1]],"pairwise":40,"average":1.42857142857143,"origin":[0,0,0],"shape":[2,2],"boxes":["0,0,0/1x2x2","1,0,0/1x2x2"],"segments":[{"shape":[2,2],"boxes":["0,0,0/1x2x2"]},{"shape":[2,2],"boxes":["1,0,0/1x2x2"]}],"links":[{"dim":1,"line":[0,0],"a":0,"b":1,"kind":"n"},{"dim":1,"line":[0,0],"a":1,"b":1,"kind":"+"},{"dim":1,"line":[0,0],"a":0,"b":0,"kind":"-"},{"dim":1,"line":[0,1],"a":0,"b":1,"kind":"n"},{"dim":1,"line":[0,1],"a":1,"b":1,"kind":"+"},{"dim":1,"line":[0,1],"a":0,"b":0,"kind":"-"},{"dim":2,"line":[0,0],"a":0,"b":1,"kind":"n"},{"dim":2,"line":[0,0],"a":1,"b":1,"kind":"+"},{"dim":2,"line":[0,0],"a":0,"b":0,"kind":"-"},{"dim":2,"line":[0,1],"a":0,"b":1,"kind":"n"},{"dim":2,"line":[0,1],"a":1,"b":1,"kind":"+"},{"dim":2,"line":[0,1],"a":0,"b":0,"kind":"-"},{"dim":1,"line":[1,0],"a":0,"b":1,"kind":"n"},{"dim":1,"line":[1,0],"a":1,"b":1,"kind":"+"},{"dim":1,"line":[1,0],"a":0,"b":0,"kind":"-"},{"dim":1,"line":[1,1],"a":0,"b":1,"kind":"n"},{"dim":1,"line":[1,1],"a":1,"b":1,"kind":"+"},{"dim":1,"line":[1,1],"a":0,"b":0,"kind":"-"},{"dim":2,"line":[1,0],"a":0,"b":1,"kind":"n"},{"dim":2,"line":[1,0],"a":1,"b":1,"kind":"+"},{"dim":2,"line":[1,0],"a":0,"b":0,"kind":"-"},{"dim":2,"line":[1,1],"a":0,"b":1,"kind":"n"},{"dim":2,"line":[1,1],"a":1,"b":1,"kind":"+"},{"dim":2,"line":[1,1],"a":0,"b":0,"kind":"-"}],"pieces":[{"origin":[0,0,0],"shape":[1,2,2],"at":[0,0]},{"origin":[1,0,0],"shape":[1,2,2],"at":[0,0]}],"cross_connects":[{"dim":1,"from":[0,1,0],"to":[0,0,0]},{"dim":1,"from":[0,1,1],"to":[0,0,1]},{"dim":2,"from":[0,0,1],"to":[0,0,0]},{"dim":2,"from":[0,1,1],"to":[0,1,0]},{"dim":1,"from":[1,1,0],"to":[1,0,0]},{"dim":1,"from":[1,1,1],"to":[1,0,1]},{"dim":2,"from":[1,0,1],"to":[1,0,0]},{"dim":2,"from":[1,1,1],"to":[1,1,0]}]}
  $ tori place --machine pod:4/4x4x4 --shape 16x4 --fold rings --segments 2 --wiring torus
  placed    128 nodes
    0,0,0,0/1x4x4x4
    1,0,0,0/1x4x4x4
  folded    16x4, neighbours 1 hop apart
  wiring    mtmm, 352 links, 32 cross-connects
    dimension 1, cubes: 0>0
    dimension 1, cubes: 1>1
  pairwise  29120 hops
  average   3.583 hops
  $ tori place --machine pod:4/4x4 --shape 4x8 --segments 2 --wiring twisted
  placed    64 nodes
    0,0,0/1x4x4 at 0,0
    1,0,0/1x4x4 at 0,4
    2,0,0/1x4x4 at 0,0
    3,0,0/1x4x4 at 0,4
  wiring    twisted, 160 links, 32 cross-connects
    dimension 1, cubes: 0>1 1>0
    dimension 2, cubes: 0>1 1>0
    dimension 1, cubes: 2>3 3>2
    dimension 2, cubes: 2>3 3>2
  pairwise  5696 hops
  average   2.825 hops
  $ tori place --machine pod:4/4x4x4 --shape 4x4x4 --segments 5 --wiring torus
  never fits on this machine: 5 segments of 64 nodes: larger than the machine
  [4]
  $ tori place --machine pod:4/4x4x4 --shape 4x4x4 --segments 2 --wiring torus --names 'p[0-3]' --slice-file slice
  tori: --slice-file is of one slice or box, not of several segments
  [2]

A torus may be folded, and twisted.

  $ tori place --machine pod:4/4x4 --shape 16x2 --wiring torus --fold rings
  placed    4x8 of 2 pieces, 32 nodes
    0,0,0/1x4x4 at 0,0
    1,0,0/1x4x4 at 0,4
  folded    16x2, neighbours 1 hop apart
  wiring    mtm, 72 links, 12 cross-connects
    dimension 1, cubes: 0>0 1>1
    dimension 2, cubes: 0>1
  pairwise  1856 hops
  average   3.742 hops
  $ tori place --machine pod:8/4x4x4 --shape 16x16 --wiring torus --fold rings --ranks row --json | python3 -c 'import json, sys; a = json.load(sys.stdin); print(a["folded"], a["ranks"] == a["map"])'
  True True
  $ tori place --machine pod:4/4x4 --shape 16 --wiring torus --fold rings --json | grep -o '"map":.*'
  "map":[[0,0,0],[0,0,1],[0,0,2],[0,0,3],[0,1,3],[0,1,2],[0,1,1],[0,2,1],[0,2,2],[0,2,3],[0,3,3],[0,3,2],[0,3,1],[0,3,0],[0,2,0],[0,1,0]]}
  $ tori place --machine pod:4/4x4 --shape 4x8 --wiring twisted
  placed    4x8 of 2 pieces, 32 nodes
    0,0,0/1x4x4 at 0,0
    1,0,0/1x4x4 at 0,4
  wiring    twisted, 80 links, 16 cross-connects
    dimension 1, cubes: 0>1 1>0
    dimension 2, cubes: 0>1 1>0
  pairwise  1344 hops
  average   2.71 hops
  $ tori place --machine pod:4/4x4 --shape 4x4 --wiring twisted
  never fits on this machine: a twisted torus has sides of K and 2K, K whole cubes
  [4]
  $ tori place --machine torus:8x8 --shape 4x8 --wiring twisted
  never fits on this machine: only slices of a pod can be twisted
  [4]
  $ echo '0/4x4 3/4x4 1x2 twisted' > p; tori wire --machine pod:4/4x4 --partitions p
  0,0,0/1x4x4 3,0,0/1x4x4 twisted
    dimension 1, cubes: 0>3 3>0
    dimension 2, cubes: 0>3 3>0
  80 of 160 links used
  $ echo '0/4x4 2/4x4 3/4x4 1x3 twisted' > p; tori wire --machine pod:4/4x4 --partitions p
  tori: p:1: the pieces of a slice cannot be joined: a twisted torus has sides of K and 2K, K whole cubes
  [2]

Down are a cube, a port, and a link.

  $ echo 0/4x4 > down; echo '1,3,2 +1' > ports
  $ tori place --machine pod:2/4x4 --shape 4x4 --down down --map
  placed    1,0,0/1x4x4, 16 nodes
  pairwise  320 hops
  average   2.667 hops
  0     1
  xxxx  OOOO
  xxxx  OOOO
  xxxx  OOOO
  xxxx  OOOO
  $ tori place --machine pod:2/4x4 --shape 4x4 --wiring torus --down down --down-links ports
  does not fit now: a box of this shape is free (1,0,0/1x4x4), but its links are not: link 1,3,2 +1 is down
  [3]
  $ tori place --machine pod:2/4x4 --shape 4x4 --wiring mesh --down down --down-links ports
  placed    1,0,0/1x4x4, 16 nodes
  wiring    mesh, 24 links
  pairwise  320 hops
  average   2.667 hops
  $ tori place --machine pod:2/4x4 --shape 8x4 --wiring mesh --down-links ports
  placed    4x8 of 2 pieces, 32 nodes
    0,0,0/1x4x4 at 0,0
    1,0,0/1x4x4 at 0,4
  wiring    mesh, 56 links, 4 cross-connects
    dimension 2, cubes: 0>1
  pairwise  1984 hops
  average   4 hops
  $ echo '1,3,2 +0' > ports
  $ tori place --machine pod:2/4x4 --shape 4x4 --down-links ports
  tori: ports:1: no such link on this machine: '1,3,2 +0'
  [2]

Partitions are slices; their pieces must be such that switches can join them.

  $ cat > p << END
  > 0/4x4 2/4x4 2x1 torus
  > 1,0,2/4x2 3,0,0/4x2 1x2 mesh
  > END
  $ tori wire --machine pod:4/4x4 --partitions p
  0,0,0/1x4x4 2,0,0/1x4x4 torus
    dimension 1, cubes: 0>2 2>0
    dimension 2, cubes: 0>0 2>2
  1,0,2/1x4x2 3,0,0/1x4x2 mesh
    dimension 2, cubes: 1>3
  108 of 160 links used
  $ tori wire --machine pod:4/4x4 --partitions p --json | bare | cut -c-160
  {"ok":true,"partitions":[{"box":"0,0,0/1x4x4 2,0,0/1x4x4","wiring":"torus","links":[{"dim":1,"line":[0,0],"a":0,"b":1,"kind":"n"},{"dim":1,"line":[0,0],"a":1,"b
  $ echo '1,0,1/4x2 3,0,0/4x2 1x2 mesh' > p
  $ tori wire --machine pod:4/4x4 --partitions p
  tori: p:1: the pieces of a slice cannot be joined: one does not end at the face of its cube
  [2]
  $ echo '1,0,2/4x2 3,1,0/3x2 1x2 mesh' > p
  $ tori wire --machine pod:4/4x4 --partitions p
  tori: p:1: the pieces of a slice cannot be joined: they are not at equal positions of their cubes
  [2]
  $ echo '0/4x4 1/4x4 2x2 mesh' > p
  $ tori wire --machine pod:4/4x4 --partitions p
  tori: p:1: 2 boxes, but not as many along the dimensions
  [2]
  $ echo '0/4x4 1/4x4 mesh' > p
  $ tori wire --machine pod:4/4x4 --partitions p
  tori: p:1: 2 boxes: only the pieces of a slice of a pod can be several, and their number along each dimension follows them
  [2]
  $ echo '0,0,0/4x3 torus' > p
  $ tori wire --machine pod:4/4x4 --partitions p
  p:1: 0,0,0/1x4x3 can never be wired: a part of a cube's side cannot be wired as a torus, nor cubes as one box
  [4]
  $ echo 0,0,0/2x4x4 mesh > p
  $ tori wire --machine pod:4/4x4 --partitions p
  p:1: 0,0,0/2x4x4 can never be wired: a part of a cube's side cannot be wired as a torus, nor cubes as one box
  [4]

Jobs of models and logs are scheduled on a pod.

  $ tori sim --machine pod:8/4x4x4 --model lublin --jobs 100 --load 0.7 --wiring mesh | head -5
  lublin on pod:8/4x4x4: easy, submit order, cube-best, shapes first-match, wiring mesh, estimates exact

  jobs run                 100
  jobs rejected            0
  jobs that can be placed  100.00 %
  $ tori sim --machine pod:8/4x4x4 --model isomorphic --jobs 100 --load 0.7 --wiring torus --sched fcfs --alloc cube-first | head -4
  isomorphic on pod:8/4x4x4: fcfs, submit order, cube-first, shapes first-match, wiring torus, estimates exact

  jobs run                 74
  jobs rejected            26

The log as a table says how slices are joined, for the replay of a report.

  $ printf 'submit,runtime,shape\n0,10,8x4\n0,10,2x2\n' > two.csv
  $ tori sim --machine pod:4/4x4 --jobs-csv two.csv --wiring mesh --log - --log-format csv | grep -o 'user=.*'
  user=-1 numerical=0 topological=0 wiring=mesh across=1x2 boxes=0.0.0/1x4x4+1.0.0/1x4x4
  user=-1 numerical=0 topological=0 wiring=mesh across=1x1 boxes=2.0.0/1x2x2

A snapshot has the pieces of a slice and how they are joined.

  $ cat > now << END
  > {"machine": "pod:4/4x4",
  >  "running": [{"id": 1, "boxes": ["0/4x4", "2/4x4"], "across": "2x1",
  >               "wiring": "torus", "start": 0, "time_limit": 100}],
  >  "queue": [{"id": 2, "shape": "8x8", "wiring": "torus", "submit": 0,
  >             "time_limit": 50}]}
  > END
  $ tori forecast now
  job  start, s     in  place
    2       100  1m40s  0,0,0/1x4x4 1,0,0/1x4x4 2,0,0/1x4x4 3,0,0/1x4x4
  $ tori why now
  job 2: not enough free nodes: it asks for a box of 8x8 with 64 nodes; only 32 are free
    expected to start at 100 s, in 1m40s, on 0,0,0/1x4x4 1,0,0/1x4x4 2,0,0/1x4x4 3,0,0/1x4x4
    would start now at 1,0,0/1x4x4 3,0,0/1x4x4 with 32 nodes instead of 64, as a box of 4x8
    would start now at 0,0,0/1x4x4 1,0,0/1x4x4 2,0,0/1x4x4 3,0,0/1x4x4 if job 1 ended
  $ tori map now
  0     1     2     3
  aaaa  ....  aaaa  ....
  aaaa  ....  aaaa  ....
  aaaa  ....  aaaa  ....
  aaaa  ....  aaaa  ....

  dimension 0 above each plane, 1 downwards, 2 to the right
  a  job 1, 0,0,0/1x4x4 2,0,0/1x4x4
  32 of 64 nodes are free
  $ tori defrag now --for 2
  no moves help
  [3]

Jobs move on a pod, slices of several pieces too. Live, each has room at its turn.

  $ cat > full << END
  > {"machine": "pod:4/4x4", "now": 10,
  >  "running": [{"id": 1, "boxes": ["0,0,0/4x2", "1,0,0/4x2"], "across": "2x1",
  >               "wiring": "mesh", "start": 0, "time_limit": 100},
  >              {"id": 2, "box": "2,0,0/1x4x2", "wiring": "mesh", "start": 0,
  >               "time_limit": 90},
  >              {"id": 3, "box": "3,0,0/1x2x2", "start": 0, "time_limit": 80}],
  >  "queue": [{"id": 4, "shape": "8x4", "wiring": "torus", "time_limit": 50},
  >            {"id": 5, "shape": "4x4", "wiring": "torus", "time_limit": 50}]}
  > END
  $ tori defrag full --for 5
  job  nodes  from         to           stopped  does again
    3      4  3,0,0/1x2x2  0,0,2/1x2x2       0s          0s
  then it fits at 3,0,0/1x4x4
  job 5 then starts now instead of at 100 s, in 1m30s
  nodes moved: 4, and no fewer will do
  $ tori defrag full --for 5 --keep 3
  job  nodes  from         to           stopped  does again
    2      8  2,0,0/1x4x2  0,0,2/1x4x2       0s          0s
  then it fits at 2,0,0/1x4x4
  job 5 then starts now instead of at 100 s, in 1m30s
  nodes moved: 8, and no fewer will do
  $ tori defrag full --for 4
  job  nodes  from         to           stopped  does again
    2      8  2,0,0/1x4x2  0,0,2/1x4x2       0s          0s
    3      4  3,0,0/1x2x2  1,0,2/1x2x2       0s          0s
  then it fits at 2,0,0/1x4x4 3,0,0/1x4x4
  job 4 then starts now instead of at 90 s, in 1m20s
  nodes moved: 12, and no fewer will do
  $ tori defrag full --for 4 --live --json
  {"possible":true,"place":"2,0,0/1x4x4 3,0,0/1x4x4 1x2","moves":[{"job":2,"from":"2,0,0/1x4x2","to":"0,0,2/1x4x2","nodes":8,"stopped":0,"redone":0},{"job":3,"from":"3,0,0/1x2x2","to":"1,0,2/1x2x2","nodes":4,"stopped":0,"redone":0}],"nodes_moved":12,"least":true,"bound":12,"start_before":90,"start_after":10}
  $ tori defrag full --for 4 --moves 1
  job  nodes  from                     to                       stopped  does again
    1     16  0,0,0/1x4x2 1,0,0/1x4x2  2,0,2/1x4x2 3,0,2/1x4x2       0s          0s
  then it fits at 0,0,0/1x4x4 1,0,0/1x4x4
  job 4 then starts now instead of at 90 s, in 1m20s
  nodes moved: 16, and no fewer will do
  $ tori why full 5
  job 5: fragmented: 36 nodes are free, but no box of 4x4; the largest free box is 1x2x4
    expected to start at 100 s, in 1m30s, on 0,0,0/1x4x4
    would start now at 0,0,2/1x4x1 1,0,2/1x4x1 with 8 nodes instead of 16, as a box of 1x8
    would start now at 3,0,0/1x4x4 if job 3 moved to 0,0,2/1x2x2
    would start now at 3,0,0/1x4x4 if job 3 ended

Other shapes are looked for, but not for all jobs of a long queue.

  $ cat > asks <<END
  > {"machine": "pod:64/4x4", "now": 0, "sched": "easy",
  >  "running": [{"id": 1, "box": "0/4x4", "end": 100}],
  >  "queue": [{"id": 2, "shape": "32x32", "time_limit": 9},
  >   {"id": 3, "shape": "31x32", "wiring": "mesh", "time_limit": 999},
  >   {"id": 4, "shape": "31x32", "wiring": "mesh", "time_limit": 999},
  >   {"id": 5, "shape": "31x32", "wiring": "mesh", "time_limit": 999},
  >   {"id": 6, "shape": "32x32", "time_limit": 50}]}
  > END
  $ tori why asks | grep -c 'would start'
  3
  $ tori why asks 6 | grep -o 'with .*'
  with 1024 nodes; only 1008 are free
  with 896 nodes instead of 1024, as a box of 28x32

A slice of many pieces is shortened, and that is said. JSON has all of them, and how
they lie.

  $ echo '{"machine": "pod:64/4x4x4", "queue": [{"id": 1, "shape": "16x16x16",
  >  "earliest": 50, "time_limit": 50}]}' > large
  $ tori forecast large | head -2 | tail -c 40
  ,0/1x4x4x4 30,0,0,0/1x4x4x4 and 33 more
  $ tori forecast large --json | bare | tail -c 63
  ,0,0/1x4x4x4 63,0,0,0/1x4x4x4 4x4x4","unsure":["unplanned"]}]}
  $ tori why large --json | grep -o '"start_place".*' | tail -c 55
  62,0,0,0/1x4x4x4 63,0,0,0/1x4x4x4 4x4x4","helps":[]}]}

Who needs a grid says so.

  $ tori place --machine pod:4/4x4 --count 5
  placed    5 nodes
    0,0,0/1x1x4
    0,1,0/1x1x1
  pairwise  20 hops
  average   2 hops
  $ tori place --machine pod:4/4x4 --shape 2x2 --alloc best-fit
  tori: best-fit does not place slices on a pod: cube-first and cube-best do, and row-ff, row-bf and row-ss take counts
  [2]
  $ tori place --machine torus:4x4 --shape 2x2 --alloc cube-best
  tori: cube-best places slices on a pod, and this machine is not a pod
  [2]
  $ tori sim --machine pod:4/4x4 --model lublin --jobs 5 --alloc mm
  tori: mm does not place slices on a pod: cube-first and cube-best do, and row-ff, row-bf and row-ss take counts
  [2]
  $ tori net --machine pod:4/4x4
  tori: a network: not on a pod, whose cubes are joined only where a slice is
  [2]
  $ tori net drain --machine pod:4/4x4
  tori: a network: not on a pod, whose cubes are joined only where a slice is
  [2]
  $ tori gang table --machine pod:4/4x4 --queues 0:1
  tori: the queue tree: not on a pod, whose cubes are joined only where a slice is
  [2]

# Planes of a cube stay together in pictures.

  $ tori place --machine pod:4/4x4x2 --shape 4x4x4 --wiring torus --map | tail -9
    dimension 2, cubes: 0>0 1>1
    dimension 3, cubes: 0>1 1>0
  pairwise  6144 hops
  average   3.048 hops
  0,0  0,1  0,2  0,3  1,0  1,1  1,2  1,3  2,0  2,1  2,2  2,3  3,0  3,1  3,2  3,3
  OO   OO   OO   OO   OO   OO   OO   OO   ..   ..   ..   ..   ..   ..   ..   ..
  OO   OO   OO   OO   OO   OO   OO   OO   ..   ..   ..   ..   ..   ..   ..   ..
  OO   OO   OO   OO   OO   OO   OO   OO   ..   ..   ..   ..   ..   ..   ..   ..
  OO   OO   OO   OO   OO   OO   OO   OO   ..   ..   ..   ..   ..   ..   ..   ..
  $ tori place --machine pod:200/4x4x4 --shape 4x4x4 --map
  tori: --map draws pods of up to 128 cubes
  [2]

# Slices for Google Kubernetes Engine.

  $ tori place --machine pod:64/4x4x4 --shape 8x4x8 --wiring torus --names 'p[0-63]' --slice-file slice.yaml --slice-name train | tail -4
  slice     train, tpu7x 4x8x8, 4 partitions
  labels    cloud.google.com/gke-tpu-accelerator=tpu7x
            cloud.google.com/gke-tpu-topology=4x8x8
            cloud.google.com/gke-tpu-slice=train
  $ cat slice.yaml
  apiVersion: accelerator.gke.io/v1beta1
  kind: Slice
  metadata:
    name: "train"
  spec:
    type: "tpu7x"
    topology: "4x8x8"
    partitionIds:
      - "p0"
      - "p1"
      - "p2"
      - "p3"
  $ tori place --machine pod:64/4x4x4 --shape 4x4x4 --wiring torus --names 'p[0-63]' --slice-file slice.yaml --json | grep -o '"slice":.*}}'
  "slice":{"name":"slice","type":"tpu7x","topology":"4x4x4","partitions":["p0"],"labels":{"cloud.google.com/gke-tpu-accelerator":"tpu7x","cloud.google.com/gke-tpu-topology":"4x4x4","cloud.google.com/gke-tpu-slice":"slice"}}}
  $ tori place --machine pod:64/4x4x4 --shape 8x4x4 --names 'p[0-63]' --slice-file slice.yaml
  tori: --slice-file: GKE joins slices to tori: --wiring torus is needed
  [2]
  $ tori place --machine pod:64/4x4x4 --shape 4x4x1 --wiring torus --names 'p[0-63]' --slice-file slice.yaml
  tori: --slice-file: GKE cuts cubes into 2x2x1, 2x2x2, 2x2x4 and 2x4x4, as they lie (--no-rotate), and larger slices have whole cubes
  [2]
  $ tori place --machine pod:64/4x4x4 --shape 8x8x1 --wiring torus --names 'p[0-63]' --slice-file slice.yaml
  tori: --slice-file: the slice is not made of whole cubes
  [2]
  $ tori place --machine pod:64/4x4x4 --shape 2x2x2 --no-rotate --wiring mesh --names 'q[0-511]' --slice-file slice.yaml --slice-name serve | tail -4
  slice     serve, tpu7x 2x2x2, 1 partition
  labels    cloud.google.com/gke-tpu-accelerator=tpu7x
            cloud.google.com/gke-tpu-topology=2x2x2
            cloud.google.com/gke-tpu-slice=serve
  $ tail -4 slice.yaml
    type: "tpu7x"
    topology: "2x2x2"
    partitionIds:
      - "q0"
  $ tori place --machine pod:64/4x4x4 --shape 2x2x2 --no-rotate --names 'q[0-511]' --slice-file slice.yaml
  tori: --slice-file: GKE closes no rings within a cube: --wiring mesh is needed
  [2]
  $ echo 0,0,0,0/1x2x2x1 > half
  $ tori place --machine pod:1/4x4x4 --shape 2x2x2 --no-rotate --wiring mesh --busy half --names 'q[0-7]' --slice-file slice.yaml
  tori: --slice-file: GKE has no partition there: they begin at multiples of their sides
  [2]
  $ for z in 0 1 2 3; do echo 0,0,0,$z/1x4x2x1; echo 1,0,0,$z/1x4x2x1; done > half
  $ echo 0,0,2,0/1x4x2x2 >> half; echo 1,0,2,2/1x4x2x2 >> half
  $ tori place --machine pod:2/4x4x4 --shape 2x2x4 --no-rotate --wiring mesh --busy half --names 'q[0-7]' --slice-file slice.yaml
  tori: --slice-file: the slice is smaller than a cube, and lies in several
  [2]
  $ tori place --machine torus:4x4x4 --shape 4x4x4 --wiring torus --names 'p[0-63]' --slice-file slice.yaml
  tori: --slice-file: GKE has slices of cubes of 4x4x4, as in pod:64/4x4x4
  [2]
  $ tori place --machine pod:8/2x2x2 --shape 2x2x2 --wiring torus --names 'p[0-7]' --slice-file slice.yaml
  tori: --slice-file: GKE has slices of cubes of 4x4x4, as in pod:64/4x4x4
  [2]
  $ tori place --machine pod:64/4x4x4 --shape 4x4x4 --wiring torus --names 'p[0-63]' --slice-file slice.yaml --slice-name Train
  tori: --slice-name: 'Train' is not a name: expected up to 49 lower-case letters, digits and -, beginning with a letter and not ending with -
  [2]
  $ tori place --machine pod:64/4x4x4 --shape 4x4x4 --wiring torus --names 'p[0-62]' --slice-file slice.yaml
  tori: 'p[0-62]' has 63 nodes, but the machine has 64
  [2]
  $ tori place --machine pod:64/4x4x4 --shape 4x4x4 --wiring torus --slice-file slice.yaml
  tori: --slice-file needs --names, of all cubes
  [2]
  $ tori place --machine pod:2/4x4x4 --shape 4x4x4 --slice-name train
  tori: --slice-name has no effect without --slice-file
  [2]

# Ranks of a slice go along the box of the job.

  $ printf '0,0,0\n' > busy
  $ tori place --machine pod:3/2x2 --shape 4x2 --wiring torus --busy busy --ranks row | grep -A9 '^ranks'
  ranks     1,0,0 1,0,1 2,0,0 2,0,1 1,1,0 1,1,1 2,1,0 2,1,1
  $ tori place --machine pod:3/2x2 --shape 4x2 --wiring torus --busy busy --ranks hilbert | grep -A9 '^ranks'
  ranks     1,0,0 1,1,0 1,1,1 1,0,1 2,0,0 2,1,0 2,1,1 2,0,1

# Meshes of Tenstorrent.

  $ cat > galaxy.textproto <<END
  > mesh_descriptors {
  >   name: "M0"
  >   arch: WORMHOLE_B0
  >   device_topology { dims: [ 8, 4 ] dim_types: [ LINE, RING ] }
  >   host_topology { dims: [ 2, 1 ] }
  >   channels { count: 4 policy: RELAXED }
  > }
  > top_level_instance { mesh { mesh_descriptor: "M0" mesh_id: 0 } }
  > END
  $ tori place --mesh-graph galaxy.textproto --shape 8x2 --no-rotate --rank-file job.yaml --rank-format tenstorrent
  placed    0,0/8x2, 16 nodes
  pairwise  400 hops
  average   3.333 hops
  $ cat job.yaml
  rank_bindings:
    - rank: 0 # host 0,0
      mesh_id: 0
      mesh_host_rank: 0
      env_overrides:
        TT_VISIBLE_DEVICES: "0,1,4,5,8,9,12,13"
    - rank: 1 # host 1,0
      mesh_id: 0
      mesh_host_rank: 1
      env_overrides:
        TT_VISIBLE_DEVICES: "0,1,4,5,8,9,12,13"
  mesh_graph_desc_path: "job.textproto"
  $ tori place --mesh-graph galaxy.textproto --shape 8x2 --no-rotate --rank-file - --rank-format tenstorrent-mesh
  mesh_descriptors {
    name: "JOB"
    arch: WORMHOLE_B0
    device_topology {
      dims: [8, 2]
      dim_types: [LINE, LINE]
    }
    host_topology {
      dims: [2, 1]
    }
    channels {
      count: 4
      policy: RELAXED
    }
  }

  top_level_instance {
    mesh {
      mesh_descriptor: "JOB"
      mesh_id: 0
    }
  }
  placed    0,0/8x2, 16 nodes
  pairwise  400 hops
  average   3.333 hops
  $ tori place --mesh-graph galaxy.textproto --shape 8x4 --names 'h[0-1]' --rank-file - --rank-format tenstorrent | tail -11
      env_overrides:
        TT_VISIBLE_DEVICES: "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
    - rank: 1 # host h1
      mesh_id: 0
      mesh_host_rank: 1
      env_overrides:
        TT_VISIBLE_DEVICES: "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
  mesh_graph_desc_path: "galaxy.textproto"
  placed    0,0/8x4, 32 nodes
  pairwise  1856 hops
  average   3.742 hops
  $ tori place --mesh-graph galaxy.textproto --shape 6x4 --no-rotate --rank-file job.yaml --rank-format tenstorrent
  tori: --rank-format: 0,0/6x4 cuts a host of 4 devices along dimension 0; whole hosts or a part of one can be bound
  [2]
  $ tori place --machine mesh:8x4 --shape 6x4 --rank-file job.yaml --rank-format tenstorrent
  tori: --rank-format tenstorrent needs --mesh-graph
  [2]
  $ tori place --mesh-graph galaxy.textproto --count 3 --rank-file job.yaml --rank-format tenstorrent
  tori: --rank-format: a mesh of Tenstorrent is one box that does not wrap
  [2]
  $ tori place --mesh-graph galaxy.textproto --machine mesh:8x4 --count 3
  tori: --mesh-graph cannot be used with --machine
  [2]
  $ tori place --mesh-graph missing --count 3
  tori: cannot open missing: No such file or directory
  [1]

Room is made for any fold of a job. Here one fits without moves; on a smaller
pod, half a cube has to be cleared.

  $ cat > folds.json <<EOF
  > {"machine":"pod:3/4x4x4","now":10,"running":[
  > {"id":1,"box":"0,0,0,0/4x4x2","wiring":"mesh","end":100}],
  > "queue":[{"id":4,"shape":"16x4x1","fold":"rings","wiring":"torus","time_limit":50}]}
  > EOF
  $ tori defrag folds.json --for 4
  no moves are needed: it fits at 1,0,0,0/1x4x4x4
  $ cat > folds.json <<EOF
  > {"machine":"pod:2/4x4x4","now":10,"running":[
  > {"id":1,"box":"0,0,0,0/4x4x2","wiring":"mesh","end":100},
  > {"id":2,"box":"1,0,0,0/2x4x4","wiring":"mesh","end":100}],
  > "queue":[{"id":4,"shape":"16x4x1","fold":"rings","wiring":"torus","time_limit":50}]}
  > EOF
  $ tori defrag folds.json --for 4
  job  nodes  from             to               stopped  does again
    1     32  0,0,0,0/1x4x4x2  1,2,0,0/1x2x4x4       0s          0s
  then it fits at 0,0,0,0/1x4x4x4
  job 4 then starts now instead of at 100 s, in 1m30s
  nodes moved: 32, and no fewer will do

What can never run, and why.

  $ cat > never.json <<EOF
  > {"machine":"pod:4/4x4x4","queue":[
  > {"id":3,"shape":"5x4x4","wiring":"torus","time_limit":50},
  > {"id":4,"shape":"8x8x4","wiring":"twisted","time_limit":50},
  > {"id":5,"shape":"4x4x16","wiring":"twisted","time_limit":50}]}
  > EOF
  $ tori why never.json
  job 4: it starts now
  job 3: it can never run on this machine: a ring goes through whole cubes: a side of a torus is 1 or a multiple of the cube's
  job 5: it can never run on this machine: a twisted torus has sides of K and 2K, K whole cubes
  $ tori place --machine pod:4/4x4x4 --shape 4x4x16 --wiring twisted
  never fits on this machine: a twisted torus has sides of K and 2K, K whole cubes
  [4]

A job of a snapshot that is no slice is named.

  $ echo '{"machine":"pod:3/4x4x4","queue":[{"id":1,"count":5,"time_limit":9}]}' | tori why -
  tori: -: queue[0].shape: job 1 has no shape: on a pod one is expected, not a count
  [2]
  $ echo '{"machine":"pod:3/4x4x4","running":[{"id":1,"boxes":["0,0,0,0/4x4x4","1,0,0,0/4x4x4"],"wiring":"torus","end":9}]}' | tori why -
  tori: -: running[0].across: job 1 has several boxes on a pod: how many there are along each dimension is expected
  [2]
  $ echo 0,0,0,0/4x4x4 mmt > wired
  $ tori wire --machine pod:3/4x4x4 --partitions wired
  tori: wired:1: unknown wiring 'mmt': expected 4 letters, m or t for each dimension
  [2]
  $ tori place --machine pod:64/4x4x4 --shape 16x16 --fold rings --wiring torus --names 'p[0-63]' --slice-file s.yaml
  tori: --slice-file: the shape was folded, and GKE wires no folded slices: ask for whole cubes without --fold
  [2]

Without wiring nothing joins the cubes, and a shape has the dimensions of the pod.
  $ tori place --machine pod:4/4x4 --shape 8x4x1 --fold rings --wiring none
  tori: --shape: '8x4x1' has 3 dimensions, the machine has 2
  [2]
  $ tori place --machine pod:4/4x4 --shape 8x4x1 --fold rings --wiring torus | head -1
  placed    4x8 of 2 pieces, 32 nodes
  $ tori place --machine pod:4/4x4 --shape 32x1 --fold rings --wiring none
  placed    4x8 of 2 pieces, 32 nodes
    0,0,0/1x4x4 at 0,0
    1,0,0/1x4x4 at 0,4
  folded    32x1, neighbours 1 hop apart within a cube, not joined across cubes
  pairwise  1984 hops
  average   4 hops
  $ tori place --machine pod:4/4x4 --shape 16x1 --fold rings --wiring none | grep folded
  folded    16x1, neighbours 1 hop apart
  $ tori place --machine pod:4/4x4 --shape 32x1 --fold rings --wiring torus | grep folded
  folded    32x1, neighbours 1 hop apart

The map tells the same: without wiring, neighbours in one cube are one hop apart,
also where a ring closes, and four pairs are in different cubes.
  $ tori place --machine pod:4/4x4 --shape 32x1 --fold rings --wiring none --json | python3 -c '
  > import json, sys
  > map = json.load(sys.stdin)["map"]
  > pairs = list(zip(map, map[1:] + map[:1]))
  > same = [(a, b) for a, b in pairs if a[0] == b[0]]
  > print(len(pairs) - len(same), max(sum(abs(x - y) for x, y in zip(a, b)) for a, b in same))'
  4 1

A mesh is folded as lines: only the 4 that serves two sides is closed.
  $ tori place --machine pod:64/4x4x4 --shape 2x10x82 --wiring mesh --fold rings | grep -E '^(placed|folded|wiring)'
  placed    4x10x41 of 33 pieces, 1640 nodes
  folded    2x10x82, neighbours 1 hop apart
  wiring    mtmm, 5854 links, 1138 cross-connects

Help offers pods where they are taken, and nowhere else.
  $ for c in decide 'gang sim' 'gang table' net 'net drain' place 'plan contention' 'plan preemptive' sim wire; do
  >   tori $c --help | tr -s ' \n' ' ' | grep -q 'or a pod of cubes' && echo $c
  > done
  place
  sim
  wire
  $ echo 2 1 > jobs; for c in 'gang sim' 'gang table --queues 0:1' net 'net drain' 'plan contention --jobs jobs' 'plan preemptive --min --jobs jobs'; do
  >   tori $c --machine pod:4/4x4x4 2>/dev/null; echo $?
  > done
  2
  2
  2
  2
  4
  4
