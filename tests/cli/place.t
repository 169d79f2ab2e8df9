A box on an idle machine: the first rotation in lexicographic order at node 0.

  $ tori place --machine torus:8x8x8 --alloc first-fit --shape 2x1x2
  placed    0,0,0/1x2x2, 4 nodes
  pairwise  8 hops
  average   1.333 hops
  $ tori place --machine torus:8x8x8 --alloc first-fit --shape 2x1x2 --json
  {"placed":true,"nodes":[[0,0,0],[0,0,1],[0,1,0],[0,1,1]],"pairwise":8,"average":1.33333333333333,"origin":[0,0,0],"shape":[1,2,2]}
  $ tori place --machine torus:8x8x8 --shape 2x1x2 --json --no-rotate
  {"placed":true,"nodes":[[0,0,0],[0,0,1],[1,0,0],[1,0,1]],"pairwise":8,"average":1.33333333333333,"origin":[0,0,0],"shape":[2,1,2]}
  $ tori place --machine mesh:3 --shape 1 --json
  {"placed":true,"nodes":[[0]],"pairwise":0,"average":0.0,"origin":[0],"shape":[1]}

Node files: one node or box per line, comments, blank lines, any line ends.

  $ cat > busy <<END
  > # the first row
  > 0,0/1x4
  > 
  >   1,0   # and one more
  > END
  $ tori place --machine mesh:4x4 --shape 2x3 --busy busy --map
  placed    1,1/2x3, 6 nodes
  pairwise  25 hops
  average   1.667 hops
  ####
  #OOO
  .OOO
  ....
  $ printf '0,0/1x4\r\n1,0\r\n' | tori place --machine mesh:4x4 --shape 2x3 --busy - --json
  {"placed":true,"nodes":[[1,1],[1,2],[1,3],[2,1],[2,2],[2,3]],"pairwise":25,"average":1.66666666666667,"origin":[1,1],"shape":[2,3]}
  $ gzip -k busy && tori place --machine mesh:4x4 --shape 2x3 --busy busy.gz --json
  {"placed":true,"nodes":[[1,1],[1,2],[1,3],[2,1],[2,2],[2,3]],"pairwise":25,"average":1.66666666666667,"origin":[1,1],"shape":[2,3]}
  $ printf '3,3' > down
  $ tori place --machine mesh:4x4 --shape 3x3 --busy busy --down down --map
  does not fit now: 10 nodes are free, but not in a box of this shape
  ####
  #...
  ....
  ...x
  [3]
  $ tori place --machine mesh:4x4 --shape 2x2 --busy busy --down down --map
  placed    1,1/2x2, 4 nodes
  pairwise  8 hops
  average   1.333 hops
  ####
  #OO.
  .OO.
  ...x

Not now, in three ways, and never.

  $ tori place --machine mesh:4x4 --shape 4x3 --busy busy --json
  {"placed":false,"reason":"numerical","detail":"12 nodes asked for, 11 free"}
  [3]
  $ tori place --machine mesh:4x4 --shape 4x2 --no-rotate --busy busy --json
  {"placed":false,"reason":"topological","detail":"11 nodes are free, but not in a box of this shape"}
  [3]
  $ printf '0,0/8x4 torus\n' > half
  $ tori place --machine torus:8x8 --shape 2x2 --wiring torus --partitions half --json
  {"placed":false,"reason":"wiring","detail":"a box of this shape is free (0,4/2x2), but its links are not: link 0,0-0,1 n is taken, see half:1"}
  [3]
  $ tori place --machine multitorus:8x8 --shape 2x2 --wiring torus --partitions half
  placed    0,4/2x2, 4 nodes
  wiring    torus, 10 links
    dimension 0, 2 lines: 0-1n 0-1s
    dimension 1, 2 lines: 4-5n 5-6n 4-6s
  pairwise  8 hops
  average   1.333 hops
  $ tori place --machine mesh:4x4 --shape 5x1 --json
  {"placed":false,"reason":"never","detail":"the shape does not fit the machine's sides"}
  [4]
  $ tori place --machine mesh:4x4 --shape 5x1
  never fits on this machine: the shape does not fit the machine's sides
  [4]
  $ tori place --machine mesh:4x4 --shape 2x2 --wiring torus --json
  {"placed":false,"reason":"never","detail":"a mesh dimension cannot be wired as a torus"}
  [4]
  $ tori place --machine mesh:4x4 --count 17
  never fits on this machine: larger than the machine
  [4]
  $ tori place --machine mesh:4x4 --count 5000000000 --json
  {"placed":false,"reason":"never","detail":"larger than the machine"}
  [4]
  $ tori place --machine mesh:4x8 --shape 8x4 --no-rotate --json
  {"placed":false,"reason":"never","detail":"the shape does not fit the machine's sides"}
  [4]
  $ tori place --machine mesh:4x4 --shape 4294967295x4294967295 --json
  {"placed":false,"reason":"never","detail":"larger than the machine"}
  [4]
  $ tori place --machine mesh:4x4 --shape 4x4 --busy busy
  does not fit now: 16 nodes asked for, 11 free
  [3]

Nodes by count are close together unless another allocator is named; so is a
count that tori sim keeps. What serves is in the config of the answer.

  $ tori place --machine mesh:4x4 --count 6 --busy busy --map
  placed    6 nodes
    1,1/1x3
    2,1/1x3
  pairwise  25 hops
  average   1.667 hops
  ####
  #OOO
  .OOO
  ....
  $ for m in mesh:256x256 mesh:256x257; do tori place --machine $m --count 3 --json; done | grep -o '"alloc":"[^"]*"'
  "alloc":"mm"
  "alloc":"hilbert-bf"
  $ tori place --machine mesh:4x4 --shape 2x2 --json | grep -o '"alloc":"[^"]*"'
  "alloc":"first-fit"
  $ echo 1 > points; for o in --count --shape; do tori place --points points $o 1 --json; done | grep -o '"alloc":"[^"]*"'
  "alloc":"mc1x1"
  "alloc":"mc"
  $ tori sim --machine mesh:4x4 --jobs 20 --shapes count --json | grep -o '"alloc":"[^"]*"'
  "alloc":"mm"

Boxes of files may wrap also where nodes are asked for by count.

  $ printf '7/2 mesh\n' > p; tori place --machine torus:8 --count 3 --partitions p
  tori: p:1: box 7/2 wraps around; --wrap allows it
  [2]
  $ tori place --machine torus:8 --count 3 --alloc row-ff --partitions p --wrap
  placed    3 nodes
    1/3
  pairwise  4 hops
  average   1.333 hops
  $ tori place --machine torus:8 --count 3 --wrap
  tori: --wrap has no effect without --shape or --partitions or --busy or --down or --request
  [2]

What fails under a running partition does not make its file wrong: the answer
says which partitions are hit. They keep what they have.

  $ printf '0,0/2x2 torus\n4,2/2x2 mesh\n4,4/2x2 none\n6,6/2x2 mesh\n' > running
  $ printf '0,0\n0,1\n7,7\n' > nodes; printf '0,3-0,4\n1,5-1,6\n4,2-4,3\n4,4-4,5\n' > links
  $ tori place --machine torus:8x8 --shape 1x2 --wiring torus --partitions running --down nodes --down-links links
  placed    0,4/2x1, 2 nodes
  wiring    torus, 8 links
    dimension 0, 1 line: 0-1n 1-2n 2-3n 3-4n 4-5n 5-6n 6-7n 0-7w
  pairwise  1 hops
  average   1 hops
  hit       running:1: 0,0/2x2 torus: 2 nodes are down, the first 0,0; 2 links are down, the first 0,3-0,4 n
  hit       running:2: 4,2/2x2 mesh: link 4,2-4,3 n is down
  hit       running:4: 6,6/2x2 mesh: node 7,7 is down
  $ tori place --machine torus:8x8 --shape 8x8 --partitions running --down nodes --json
  {"placed":false,"reason":"numerical","detail":"64 nodes asked for, 48 free","hit":[{"partition":0,"box":"0,0/2x2","wiring":"torus","nodes":[[0,0],[0,1]],"links":[]},{"partition":3,"box":"6,6/2x2","wiring":"mesh","nodes":[[7,7]],"links":[]}]}
  [3]
  $ tori place --machine torus:8x8 --count 1 --partitions running --down-links links --json | grep -o '"hit".*'
  "hit":[{"partition":0,"box":"0,0/2x2","wiring":"torus","nodes":[],"links":[{"dim":1,"line":[0],"a":3,"b":4,"kind":"n"},{"dim":1,"line":[1],"a":5,"b":6,"kind":"n"}]},{"partition":1,"box":"4,2/2x2","wiring":"mesh","nodes":[],"links":[{"dim":1,"line":[4],"a":2,"b":3,"kind":"n"}]}],"down_links_ignored":true}
  $ tori place --machine torus:8x8 --shape 8x8 --partitions running --down nodes | tail -1
  hit       running:4: 6,6/2x2 mesh: node 7,7 is down
  $ tori place --machine torus:8x8 --shape 2x1 --wiring torus --no-rotate --partitions running --down-links links | head -1
  placed    0,4/2x1, 2 nodes

Links are to blame only where a free box could be wired at all: not where the
only free one lies along a mesh dimension.

  $ printf '1,0\n1,1\n' > b; tori place --machine torus:2x2m --shape 2x1 --wiring torus --busy b
  does not fit now: 2 nodes are free, but not in a box of this shape that could be wired as a torus
  [3]
  $ tori place --machine torus:2x2m --shape 2x1 --wiring torus --busy b --json
  {"placed":false,"reason":"topological","detail":"2 nodes are free, but not in a box of this shape that could be wired as a torus"}
  [3]
  $ tori place --machine torus:2x2m --shape 2x1 --wiring torus --busy b --alloc best-fit
  does not fit now: 2 nodes are free, but not in a box of this shape that could be wired as a torus
  [3]
  $ printf '0,0-1,0 n\n' > l; printf '0,1\n' > b; tori place --machine torus:2x2m --shape 2x1 --wiring torus --busy b --down-links l
  does not fit now: a box of this shape is free (0,0/2x1), but its links are not: link 0,0-1,0 n is down
  [3]

Links are listed only when they are reserved, the box may wrap only if allowed.

  $ tori place --machine torus:4 --shape 2 --wiring mesh --json
  {"placed":true,"nodes":[[0],[1]],"pairwise":1,"average":1.0,"origin":[0],"shape":[2],"links":[{"dim":0,"line":[],"a":0,"b":1,"kind":"n"}]}
  $ tori place --machine torus:4 --shape 2 --wiring torus --json
  {"placed":true,"nodes":[[0],[1]],"pairwise":1,"average":1.0,"origin":[0],"shape":[2],"links":[{"dim":0,"line":[],"a":0,"b":1,"kind":"n"},{"dim":0,"line":[],"a":1,"b":2,"kind":"n"},{"dim":0,"line":[],"a":2,"b":3,"kind":"n"},{"dim":0,"line":[],"a":0,"b":3,"kind":"w"}]}
  $ printf '1/2\n' > middle
  $ tori place --machine torus:4 --shape 2 --busy middle --json
  {"placed":false,"reason":"topological","detail":"2 nodes are free, but not in a box of this shape"}
  [3]
  $ tori place --machine torus:4 --shape 2 --busy middle --wrap --wiring mesh --json
  {"placed":true,"nodes":[[0],[3]],"pairwise":1,"average":1.0,"origin":[3],"shape":[2],"links":[{"dim":0,"line":[],"a":0,"b":3,"kind":"w"}]}
  $ tori place --machine multitorus:4 --shape 2 --busy middle --wrap
  does not fit now: 2 nodes are free, but not in a box of this shape
  [3]

Links that are down.

  $ printf '0-1\n' > links
  $ tori place --machine torus:4 --shape 2 --wiring mesh --down-links links --json
  {"placed":true,"nodes":[[1],[2]],"pairwise":1,"average":1.0,"origin":[1],"shape":[2],"links":[{"dim":0,"line":[],"a":1,"b":2,"kind":"n"}]}
  $ tori place --machine torus:4 --shape 4 --wiring torus --down-links links --json
  {"placed":false,"reason":"wiring","detail":"a box of this shape is free (0/4), but its links are not: link 0-1 n is down"}
  [3]
  $ tori place --machine torus:4 --shape 2 --down-links links --json
  {"placed":true,"nodes":[[0],[1]],"pairwise":1,"average":1.0,"origin":[0],"shape":[2],"down_links_ignored":true}

By count: the nodes in the order of their ids.

  $ tori place --machine mesh:4x4 --count 6 --alloc row-ff --busy busy --json
  {"placed":true,"nodes":[[1,1],[1,2],[1,3],[2,0],[2,1],[2,2]],"pairwise":28,"average":1.86666666666667}
  $ tori place --machine mesh:4x4 --count 6 --alloc row-ff --busy busy --map
  placed    6 nodes
    1,1/1x3
    2,0/1x3
  pairwise  28 hops
  average   1.867 hops
  ####
  #OOO
  OOO.
  ....
  $ tori place --machine mesh:4x4 --count 1 --json
  {"placed":true,"nodes":[[0,0]],"pairwise":0,"average":0.0}

A shape with the number of nodes that are really wanted of it.

  $ tori place --machine mesh:4x4 --shape 2x3 --count 5 --json
  {"placed":true,"asked":5,"nodes":[[0,0],[0,1],[0,2],[1,0],[1,1],[1,2]],"pairwise":25,"average":1.66666666666667,"origin":[0,0],"shape":[2,3]}
  $ tori place --machine mesh:4x4 --shape 2x3 --count 7
  tori: --count: a box of 2x3 has fewer than 7 nodes
  [2]

Maps of other machines.

  $ printf '0,0/2x2 none\n# a comment\n2,0/1x3 mesh\n' > parts; echo 0,1 > broken
  $ tori place --machine mesh:4x4 --shape 2x1 --partitions parts --down broken --map
  placed    0,2/1x2, 2 nodes
  pairwise  1 hops
  average   1 hops
  hit       parts:1: 0,0/2x2 none: node 0,1 is down
  axOO
  aa..
  bbb.
  ....

  a  parts:1, 0,0/2x2 none
  b  parts:3, 2,0/1x3 mesh
  $ tori place --machine mesh:8 --shape 3 --map
  placed    0/3, 3 nodes
  pairwise  4 hops
  average   1.333 hops
  OOO.....
  $ tori place --machine mesh:3x2x4 --shape 2x2x2 --map
  placed    0,0,0/2x2x2, 8 nodes
  pairwise  48 hops
  average   1.714 hops
  0     1     2
  OO..  OO..  ....
  OO..  OO..  ....
  $ tori place --machine mesh:2^4 --shape 1x1x1x1 --map
  tori: --map draws machines of up to three dimensions, at most 64x64x79
  [2]
  $ tori place --machine mesh:200 --shape 1 --map
  tori: --map draws machines of up to three dimensions, at most 64x64x79
  [2]
  $ tori place --machine mesh:2x2 --shape 1x1 --map --json
  tori: --map and --json exclude each other
  [2]

Folded: as many nodes as the shape has, in a box of other sides. The map has
the node of the machine for each of the shape's, the last dimension fastest.

  $ tori place --machine mesh:4x4 --alloc isomorphic --shape 8x1 --json
  {"placed":true,"nodes":[[0,0],[0,1],[0,2],[0,3],[1,0],[1,1],[1,2],[1,3]],"pairwise":56,"average":2.0,"origin":[0,0],"shape":[2,4],"subcube":{"origin":[0,0],"shape":[2,4]},"dilation":{"max":1,"average":1.0},"map":[[0,0],[0,1],[0,2],[0,3],[1,3],[1,2],[1,1],[1,0]]}
  $ tori place --machine mesh:4x4x4 --alloc isomorphic --shape 16
  placed    0,0,0/2x2x4, 16 nodes
  subcube   0,0,0/2x2x4, neighbours 1 hop apart
  pairwise  288 hops
  average   2.4 hops
  $ tori place --machine mesh:8x8 --alloc isomorphic --shape 3x5 --noncubic decompose --map
  placed    15 nodes
    0,0/1x4
    1,0/1x4
    2,0/1x4
    3,0/1x3
  subcube   0,0/4x4, neighbours at most 2 hops apart, 1.318 on average
  pairwise  272 hops
  average   2.59 hops
  OOOO....
  OOOO....
  OOOO....
  OOO.....
  ........
  ........
  ........
  ........
  $ echo 1,1 > down
  $ tori place --machine mesh:8x8 --alloc isomorphic --shape 2x8 --down down --map
  placed    0,4/4x4, 16 nodes
  subcube   0,4/4x4, neighbours at most 2 hops apart, 1.091 on average
  pairwise  320 hops
  average   2.667 hops
  ....OOOO
  .x..OOOO
  ....OOOO
  ....OOOO
  ........
  ........
  ........
  ........

Not folded, it is a box. Decomposed, what is down elsewhere does not matter.

  $ tori place --machine mesh:8x8 --alloc isomorphic --shape 7x7 --noncubic decompose
  placed    0,0/7x7, 49 nodes
  subcube   0,0/8x8, neighbours 1 hop apart
  pairwise  5488 hops
  average   4.667 hops
  $ tori place --machine torus:8x8 --alloc isomorphic --shape 3x5
  placed    0,0/3x5, 15 nodes
  subcube   0,0/4x8, neighbours 1 hop apart
  pairwise  280 hops
  average   2.667 hops
  $ echo 3,3 > corner
  $ tori place --machine mesh:4x4 --alloc isomorphic --shape 3x5 --noncubic decompose --down corner
  placed    15 nodes
    0,0/1x4
    1,0/1x4
    2,0/1x4
    3,0/1x3
  subcube   0,0/4x4, neighbours at most 2 hops apart, 1.318 on average
  pairwise  272 hops
  average   2.59 hops
  $ printf '0,1/4x1\n' > wall
  $ tori place --machine mesh:4x4 --alloc isomorphic --shape 3x3 --noncubic decompose --down wall
  does not fit now: 12 nodes are free, but not in a subcube for this shape
  [3]
  $ tori place --machine torus:6x5 --alloc isomorphic --shape 5x5
  placed    0,0/5x5, 25 nodes
  subcube   0,0/6x5, neighbours 1 hop apart
  pairwise  825 hops
  average   2.75 hops
  $ tori place --machine mesh:6x6 --alloc isomorphic --shape 5x5 --json | grep -o '"subcube":{[^}]*}'
  "subcube":{"origin":[0,0],"shape":[6,6]}

What the others make of a plane, and of too few nodes for what they take.

  $ tori place --machine torus:8^3 --alloc eb --shape 4x4
  placed    0,0,0/1x8x8, 64 nodes, 16 asked for
  pairwise  8192 hops
  average   4.063 hops
  $ tori place --machine mesh:4x4 --alloc eb --shape 2x2 --down corner
  does not fit now: 15 nodes are free, but not in a slice that holds this shape
  [3]
  $ printf '0,2/8x6\n' > right
  $ tori place --machine mesh:8x8 --alloc sniffing --shape 3x2 --busy right
  placed    0,0/3x2, 6 nodes
  pairwise  25 hops
  average   1.667 hops

  $ tori place --machine mesh:6x3 --alloc isomorphic --shape 4x4
  never fits on this machine: the machine has no subcube as large as this
  [4]
  $ tori place --machine mesh:8x8 --alloc isomorphic --shape 4x4 --wiring mesh
  tori: --wiring mesh: isomorphic gives nodes or folds shapes, and reserves no links
  [2]
  $ tori place --machine mesh:8x8 --alloc isomorphic --shape 4x4 --no-rotate
  never fits on this machine: a shape that is folded cannot be fixed
  [4]

A large answer, which is never held as a whole.

  $ tori place --machine torus:64^3 --shape 64x64x64 --json | bare | wc -c
  2760818

Twenty dimensions and 2^24 nodes.

  $ tori place --machine mesh:2^20 --shape 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2 --json
  {"placed":true,"nodes":[[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]],"pairwise":1,"average":1.0,"origin":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]}
  $ tori place --machine torus:256^3 --shape 1x2x1 --json
  {"placed":true,"nodes":[[0,0,0],[0,0,1]],"pairwise":1,"average":1.0,"origin":[0,0,0],"shape":[1,1,2]}

Who reserves no links does not miss those that are down, and is told so.

  $ echo 0,0-0,1 > dead; tori place --machine mesh:4x4 --shape 2x2 --down-links dead
  placed    0,0/2x2, 4 nodes
  pairwise  8 hops
  average   1.333 hops
  links     those that are down are ignored: none are reserved
  $ tori place --machine mesh:4x4 --count 4 --down-links dead --json | grep -o '"down_links.*'
  "down_links":"dead","no_rotate":false,"wrap":false},"placed":true,"nodes":[[0,0],[0,1],[0,2],[1,1]],"pairwise":9,"average":1.5,"down_links_ignored":true}
  $ tori place --machine mesh:4x4 --shape 2x2 --wiring mesh --down-links dead | head -1
  placed    0,1/2x2, 4 nodes

Ranks: the nodes of a placement in an order, and files for launchers.

  $ for order in row morton hilbert folded; do tori place --machine torus:4x4x4 --shape 4x4x1 --ranks $order | grep -A9 ^ranks; done
  ranks     0,0,0 0,0,1 0,0,2 0,0,3 0,1,0 0,1,1 0,1,2 0,1,3
            0,2,0 0,2,1 0,2,2 0,2,3 0,3,0 0,3,1 0,3,2 0,3,3
  ranks     0,0,0 0,0,1 0,1,0 0,1,1 0,0,2 0,0,3 0,1,2 0,1,3
            0,2,0 0,2,1 0,3,0 0,3,1 0,2,2 0,2,3 0,3,2 0,3,3
  ranks     0,0,0 0,1,0 0,1,1 0,0,1 0,0,2 0,0,3 0,1,3 0,1,2
            0,2,2 0,2,3 0,3,3 0,3,2 0,3,1 0,2,1 0,2,0 0,3,0
  ranks     0,0,0 0,0,2 0,0,3 0,0,1 0,2,0 0,2,2 0,2,3 0,2,1
            0,3,0 0,3,2 0,3,3 0,3,1 0,1,0 0,1,2 0,1,3 0,1,1
  $ tori place --machine torus:4x4x4 --shape 4x2x1 --ranks folded --json | grep -o '"ranks".*'
  "ranks":"folded"},"placed":true,"nodes":[[0,0,0],[0,0,1],[0,0,2],[0,0,3],[0,1,0],[0,1,1],[0,1,2],[0,1,3]],"pairwise":48,"average":1.71428571428571,"origin":[0,0,0],"shape":[1,2,4],"ranks":[[0,0,0],[0,0,2],[0,0,3],[0,0,1],[0,1,0],[0,1,2],[0,1,3],[0,1,1]]}
  $ tori place --machine mesh:4x4 --count 5 --ranks hilbert | grep ^ranks
  ranks     0,0 1,0 1,1 0,1 0,2
  $ printf '1/2 mesh\n' > p; tori place --machine torus:4 --shape 2 --wrap --partitions p --ranks row
  placed    3/2, 2 nodes
  pairwise  1 hops
  average   1 hops
  ranks     3 0
  $ for format in mpich openmpi slurm; do
  >   tori place --machine torus:2x3 --shape 2x2 --names 'n[1-6]' --ranks folded --rank-file hosts --rank-format $format > out
  >   cat hosts
  > done
  n1:1
  n2:1
  n4:1
  n5:1
  rank 0=n1 slot=0
  rank 1=n2 slot=0
  rank 2=n4 slot=0
  rank 3=n5 slot=0
  n1
  n2
  n4
  n5
  $ printf 'a 0,0\nb 0,1\n- 1,0\nd 1,1\n' > names
  $ tori place --machine mesh:2x2 --shape 1x2 --names names --rank-file - | head -2
  a:1
  b:1
  $ tori place --machine mesh:2x2 --shape 2x2 --names names --rank-file hosts
  tori: --names: node 1,0 has no name
  [2]
  $ tori place --machine mesh:2x2 --shape 2x2 --names 'n[0-2]' --rank-file hosts
  tori: 'n[0-2]' has 3 nodes, but the machine has 4
  [2]
  $ printf 'a 0,0\nb 0,0\n' > names; tori place --machine mesh:2x2 --shape 2x2 --names names --rank-file hosts
  tori: names:2: a and b are both node 0,0
  [2]
  $ tori place --machine mesh:2x2 --shape 2x2 --rank-file hosts
  tori: --rank-file needs --names
  [2]
  $ tori place --machine mesh:2x2 --shape 2x2 --ranks random
  tori: --ranks: 'random' is not one of row, morton, hilbert, folded
  [2]

Requests as Fujitsu's job manager has them.

  $ tori place --machine torus:4x4x4 --request node=4x1x2:torus | head -2
  placed    0,0,0/1x2x4, 8 nodes
  wiring    torus, 24 links
  $ tori place --machine torus:4x4x2 --request node=1x2x4 | head -2
  placed    0,0,0/1x4x2, 8 nodes
  wiring    mesh, 10 links
  $ tori place --machine torus:4x4x2 --request node=1x2x4:mesh:strict
  never fits on this machine: the shape does not fit the machine's sides
  [4]
  $ tori place --machine torus:4x4x2 --request node=1x2x3:noncont | head -1
  placed    6 nodes
  $ tori place --machine torus:4x4x2 --request node=5 --json
  tori: --shape: '5' has 1 dimensions, the machine has 3
  [2]
  $ tori place --machine torus:4x4x2 --request node=5:noncont | head -1
  placed    5 nodes
  $ for text in 4x4x1 node=4x node=2x2x1:ring node=2x2x1:torus:loose node=2x2x1:strict:torus; do
  >   tori place --machine torus:4x4x2 --request $text
  > done
  tori: --request: '4x4x1': expected node=4x3x2, perhaps :torus, :mesh or :noncont, perhaps :strict
  tori: --request: 'node=4x': expected node=4x3x2, perhaps :torus, :mesh or :noncont, perhaps :strict
  tori: --request: 'node=2x2x1:ring': expected node=4x3x2, perhaps :torus, :mesh or :noncont, perhaps :strict
  tori: --request: 'node=2x2x1:torus:loose': expected node=4x3x2, perhaps :torus, :mesh or :noncont, perhaps :strict
  tori: --request: 'node=2x2x1:strict:torus': expected node=4x3x2, perhaps :torus, :mesh or :noncont, perhaps :strict
  [2]
  $ tori place --machine torus:4x4x2 --request node=2x2x1 --shape 2x2x1
  tori: --request cannot be used with --shape
  [2]

A torus of other sides: see doc/folding.md.

  $ tori place --machine mesh:4x4 --shape 8x1 --fold rings --wiring torus --json
  {"placed":true,"nodes":[[0,0],[0,1],[0,2],[0,3],[1,0],[1,1],[1,2],[1,3]],"pairwise":56,"average":2.0,"origin":[0,0],"shape":[2,4],"links":[{"dim":0,"line":[0],"a":0,"b":1,"kind":"n"},{"dim":0,"line":[1],"a":0,"b":1,"kind":"n"},{"dim":0,"line":[2],"a":0,"b":1,"kind":"n"},{"dim":0,"line":[3],"a":0,"b":1,"kind":"n"},{"dim":1,"line":[0],"a":0,"b":1,"kind":"n"},{"dim":1,"line":[0],"a":1,"b":2,"kind":"n"},{"dim":1,"line":[0],"a":2,"b":3,"kind":"n"},{"dim":1,"line":[1],"a":0,"b":1,"kind":"n"},{"dim":1,"line":[1],"a":1,"b":2,"kind":"n"},{"dim":1,"line":[1],"a":2,"b":3,"kind":"n"}],"folded":true,"box_wiring":"mesh","map":[[0,0],[0,1],[0,2],[0,3],[1,3],[1,2],[1,1],[1,0]]}
  $ tori place --machine torus:8x8x8 --shape 64x2 --fold rings
  placed    0,0,0/2x8x8, 128 nodes
  folded    64x2, neighbours 1 hop apart
  pairwise  36864 hops
  average   4.535 hops
  $ tori place --machine torus:8x8x8 --shape 16x8 --fold rings --wiring torus
  placed    0,0,0/4x4x8, 128 nodes
  folded    16x8, neighbours 1 hop apart
  wiring    mmt, 320 links
    dimension 0, 32 lines: 0-1n 1-2n 2-3n
    dimension 1, 32 lines: 0-1n 1-2n 2-3n
    dimension 2, 16 lines: 0-1n 1-2n 2-3n 3-4n 4-5n 5-6n 6-7n 0-7w
  pairwise  36864 hops
  average   4.535 hops
  $ tori place --machine torus:4x4 --shape 2x4 --fold rings --json
  {"placed":true,"nodes":[[0,0],[0,1],[0,2],[0,3],[1,0],[1,1],[1,2],[1,3]],"pairwise":48,"average":1.71428571428571,"origin":[0,0],"shape":[2,4],"folded":false,"box_wiring":"none","map":[[0,0],[0,1],[0,2],[0,3],[1,0],[1,1],[1,2],[1,3]]}
  $ tori place --machine mesh:4x4 --shape 9x1 --fold rings --wiring torus
  never fits on this machine: no box of the machine carries the shape, folded or not
  [4]
  $ tori place --machine torus:8x8x8 --shape 9 --fold rings --wiring torus
  never fits on this machine: no box of the machine carries the shape, folded or not
  [4]
  $ tori place --machine torus:8x3x8 --shape 9 --fold rings --wiring torus | head -3
  placed    0,0,0/1x3x3, 9 nodes
  folded    9, neighbours 1 hop apart
  wiring    mtm, 15 links

On a multi-torus the map follows the rings that are wired, and ranks the map.

  $ tori place --machine multitorus:8 --shape 6 --wiring torus --fold rings --json | grep -o '"map":.*'
  "map":[[0],[2],[4],[5],[3],[1]]}
  $ tori place --machine multitorus:4x4x8 --shape 16x6 --fold rings --wiring torus --json | grep -o '"map":.*' | cut -c-55
  "map":[[0,0,0],[0,0,2],[0,0,4],[0,0,5],[0,0,3],[0,0,1],
  $ tori place --machine torus:4x4 --shape 16 --fold rings --wiring torus --names 'n[0-15]' --ranks row --rank-file ranks | tail -2; paste -sd ' ' ranks
  ranks     0,0 0,1 0,2 0,3 1,3 1,2 1,1 2,1
            2,2 2,3 3,3 3,2 3,1 3,0 2,0 1,0
  n0:1 n1:1 n2:1 n3:1 n7:1 n6:1 n5:1 n9:1 n10:1 n11:1 n15:1 n14:1 n13:1 n12:1 n8:1 n4:1
  $ for order in row folded hilbert morton; do tori place --machine multitorus:4x4 --shape 4x3 --fold rings --wiring torus --ranks $order | tail -2; done
  ranks     0,0 2,0 1,0 0,2 2,2 1,2 0,3 2,3
            1,3 0,1 2,1 1,1
  ranks     0,0 2,0 1,0 0,2 2,2 1,2 0,3 2,3
            1,3 0,1 2,1 1,1
  ranks     0,0 0,2 2,2 2,0 1,0 1,2 1,3 1,1
            2,1 2,3 0,3 0,1
  ranks     0,0 2,0 0,2 2,2 1,0 1,2 0,3 2,3
            0,1 2,1 1,3 1,1

  $ echo 0,0/4x4 tm > partitions
  $ tori place --machine torus:8x8 --shape 8x3 --fold rings --wiring torus --partitions partitions
  does not fit now: a box for this shape is free (0,4/8x3), but its links are not: link 0,0-0,1 n is taken, see partitions:1
  [3]
  $ tori place --machine torus:8x8 --shape 24 --fold rings --wiring torus --partitions partitions --map
  placed    0,4/6x4, 24 nodes
  folded    24, neighbours 1 hop apart
  wiring    mesh, 38 links
    dimension 0, 4 lines: 0-1n 1-2n 2-3n 3-4n 4-5n
    dimension 1, 6 lines: 4-5n 5-6n 6-7n
  pairwise  888 hops
  average   3.217 hops
  aaaaOOOO
  aaaaOOOO
  aaaaOOOO
  aaaaOOOO
  ....OOOO
  ....OOOO
  ........
  ........

  a  partitions:1, 0,0/4x4 tm
  $ tori wire --machine torus:8x8 --partitions partitions
  0,0/4x4 tm
    dimension 0, 4 lines: 0-1n 1-2n 2-3n 3-4n 4-5n 5-6n 6-7n 0-7w
    dimension 1, 4 lines: 0-1n 1-2n 2-3n
  44 of 128 links used

Several boxes for one job: all of them, or none.

  $ tori place --machine multitorus:8x8 --shape 4x2 --segments 3 --wiring torus --ranks row
  placed    24 nodes
    0,0/2x4
    0,4/2x4
    2,0/2x4
  wiring    torus, 52 links
    dimension 0, 4 lines: 0-1n 0-1s
    dimension 1, 2 lines: 0-2s 1-3s 0-1s 2-3n
    dimension 0, 4 lines: 0-1n 0-1s
    dimension 1, 2 lines: 4-6s 5-7s 4-5n 6-7s
    dimension 0, 4 lines: 2-3n 3-4n 2-4s
    dimension 1, 2 lines: 0-2s 1-3s 0-1s 2-3n
  pairwise  1048 hops
  average   3.797 hops
  ranks     0,0 0,1 0,2 0,3 1,0 1,1 1,2 1,3
            0,4 0,5 0,6 0,7 1,4 1,5 1,6 1,7
            2,0 2,1 2,2 2,3 3,0 3,1 3,2 3,3
  $ tori place --machine torus:8x8 --shape 4x4 --segments 3 --json
  {"placed":true,"nodes":[[0,0],[0,1],[0,2],[0,3],[0,4],[0,5],[0,6],[0,7],[1,0],[1,1],[1,2],[1,3],[1,4],[1,5],[1,6],[1,7],[2,0],[2,1],[2,2],[2,3],[2,4],[2,5],[2,6],[2,7],[3,0],[3,1],[3,2],[3,3],[3,4],[3,5],[3,6],[3,7],[4,0],[4,1],[4,2],[4,3],[5,0],[5,1],[5,2],[5,3],[6,0],[6,1],[6,2],[6,3],[7,0],[7,1],[7,2],[7,3]],"pairwise":4416,"average":3.91489361702128,"origin":[0,0],"shape":[4,4],"boxes":["0,0/4x4","0,4/4x4","4,0/4x4"],"segments":[{"shape":[4,4],"boxes":["0,0/4x4"]},{"shape":[4,4],"boxes":["0,4/4x4"]},{"shape":[4,4],"boxes":["4,0/4x4"]}]}
  $ tori place --machine torus:8x8 --shape 4x4 --segments 3 --wiring torus
  does not fit now: segment 3 of 3: a box of this shape is free, but its links are not; no room was found on the idle machine either
  [3]
  $ tori place --machine torus:8x8 --shape 5x5 --segments 2
  does not fit now: segment 2 of 2: 39 nodes are free, but not in a box of this shape; no room was found on the idle machine either
  [3]
  $ tori place --machine mesh:5x5 --shape 2x3 --segments 4
  does not fit now: segment 4 of 4: 7 nodes are free, but not in a box of this shape; no room was found on the idle machine either
  [3]
  $ tori place --machine torus:4x4 --shape 4x4 --segments 2 --json
  {"placed":false,"reason":"never","detail":"2 segments of 16 nodes: larger than the machine"}
  [4]
  $ echo 4,4/4x4 > b; tori place --machine torus:8x8 --shape 4x4 --segments 4 --busy b
  does not fit now: segment 4 of 4: 16 nodes asked for, 0 free
  [3]
  $ tori place --machine torus:4x4 --shape 2x2 --alloc mc --segments 2
  tori: --segments: the allocator gives no boxes
  [2]
  $ tori place --machine torus:4x4 --shape 4 --segments 2 --fold rings --wiring torus
  placed    8 nodes
    0,0/1x4
    1,0/1x4
  wiring    torus, 8 links
    dimension 1, 1 line: 0-1n 1-2n 2-3n 0-3w
    dimension 1, 1 line: 0-1n 1-2n 2-3n 0-3w
  pairwise  48 hops
  average   1.714 hops
  $ tori place --machine torus:4x4 --shape 8 --segments 2 --fold rings --wiring torus
  placed    16 nodes
    0,0/2x4
    2,0/2x4
  folded    8, neighbours 1 hop apart
  wiring    mesh, 20 links
    dimension 0, 4 lines: 0-1n
    dimension 1, 2 lines: 0-1n 1-2n 2-3n
    dimension 0, 4 lines: 2-3n
    dimension 1, 2 lines: 0-1n 1-2n 2-3n
  pairwise  256 hops
  average   2.133 hops
  $ printf '0,7\n1,7\n' > b; tori place --machine torus:3x8 --shape 8 --segments 2 --fold rings --wiring torus --busy b
  placed    16 nodes
    2,0/1x8
    0,0/2x4
  folded    8, neighbours 1 hop apart
  wiring    torus, 8 links
    dimension 1, 1 line: 0-1n 1-2n 2-3n 3-4n 4-5n 5-6n 6-7n 0-7w
  wiring    mesh, 10 links
    dimension 0, 4 lines: 0-1n
    dimension 1, 2 lines: 0-1n 1-2n 2-3n
  pairwise  312 hops
  average   2.6 hops
  $ tori place --machine torus:3x8 --shape 8 --segments 2 --fold rings --wiring torus --busy b --json | grep -o '"segments":\[.*\],"links\|"map.*'
  "segments":[{"shape":[1,8],"boxes":["2,0/1x8"],"folded":false,"box_wiring":"torus"},{"shape":[2,4],"boxes":["0,0/2x4"],"folded":true,"box_wiring":"mesh"}],"links
  "map":[[2,0],[2,1],[2,2],[2,3],[2,4],[2,5],[2,6],[2,7],[0,0],[0,1],[0,2],[0,3],[1,3],[1,2],[1,1],[1,0]]}
  $ tori place --machine torus:8x8 --shape 9x1 --segments 2
  never fits on this machine: segment 1 of 2: the shape does not fit the machine's sides
  [4]
  $ tori place --machine torus:8x8 --count 4 --segments 2
  tori: --segments cannot be used with --count
  [2]
  $ tori place --machine mesh:4x4 --shape 2x2 --alloc isomorphic --segments 2
  tori: --segments: the allocator gives no boxes
  [2]
  $ echo 0,0-2,0 s > l; tori place --machine multitorus:4x2 --shape 4x1 --segments 2 --wiring torus --down-links l
  placed    8 nodes
    0,0/4x1
    0,1/4x1
  wiring    torus, 9 links
    dimension 0, from 0,0: 0-1n 1-2n 2-3n 1-3s 0-1s
    dimension 0, 1 line: 0-2s 1-3s 0-1s 2-3s
  pairwise  56 hops
  average   2 hops
  $ tori place --machine mesh:4 --request node=2:mesh --segments 2 | head -3
  placed    4 nodes
    0/2
    2/2

A site may list the boxes that anchors gives, as Slurm's torus3d does. They are not
turned; what is not listed is refused.

  $ tori place --machine torus:4x4x2 --shape 1x2x2 --alloc anchors --slices 2x2x2,2x2x1 | head -1
  placed    0,0,0/2x2x1, 4 nodes
  $ tori place --machine torus:4x4x2 --shape 4x2x1 --alloc anchors --slices 2x2x2,2x2x1
  never fits on this machine: the shape is not one of those that are listed
  [4]
  $ tori place --machine torus:4x4x2 --shape 2x1x2 --no-rotate --alloc anchors --slices 2x2x2,2x2x1
  never fits on this machine: the shape is not one of those that are listed
  [4]
  $ tori place --machine torus:4x4x2 --shape 2x2x1 --alloc anchors --slices 2x2x4
  tori: slices: the machine has no room for 2x2x4
  [2]
  $ tori place --machine torus:4x4x2 --shape 2x2x1 --alloc best-fit --slices 2x2x1
  tori: --slices: best-fit has no use for it
  [2]
