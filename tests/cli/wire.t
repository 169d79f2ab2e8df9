Two tori side by side: a multi-torus wires both, a torus only one, a mesh none.

  $ printf '0,0,0/4x4x4 torus\n4,0,0/4x4x4 torus\n' > two
  $ tori wire --machine multitorus:8x8x8 --partitions two
  0,0,0/4x4x4 torus
    dimension 0, 16 lines: 0-2s 1-3s 0-1s 2-3n
    dimension 1, 16 lines: 0-2s 1-3s 0-1s 2-3n
    dimension 2, 16 lines: 0-2s 1-3s 0-1s 2-3n
  4,0,0/4x4x4 torus
    dimension 0, 16 lines: 4-6s 5-7s 4-5n 6-7s
    dimension 1, 16 lines: 0-2s 1-3s 0-1s 2-3n
    dimension 2, 16 lines: 0-2s 1-3s 0-1s 2-3n
  384 of 2880 links used
  $ tori wire --machine torus:8x8x8 --partitions two
  two:2: 4,0,0/4x4x4 cannot be wired: link 0,0,0-1,0,0 n is taken, see two:1
  [3]
  $ tori wire --machine torus:8x8x8 --partitions two --json
  {"ok":false,"conflict":{"partition":1,"with":0,"dim":0,"line":[0,0],"detail":"link 0,0,0-1,0,0 n is taken, see two:1"},"conflicts":[{"partition":1,"with":0,"dim":0,"line":[0,0],"detail":"link 0,0,0-1,0,0 n is taken, see two:1"}]}
  [3]
  $ tori wire --machine mesh:8x8x8 --partitions two --json
  {"ok":false,"never":{"partition":0,"detail":"a mesh dimension cannot be wired as a torus"},"nevers":[{"partition":0,"detail":"a mesh dimension cannot be wired as a torus"},{"partition":1,"detail":"a mesh dimension cannot be wired as a torus"}]}
  [4]
  $ tori wire --machine mesh:8x8x8 --partitions two
  two:1: 0,0,0/4x4x4 can never be wired: a mesh dimension cannot be wired as a torus
  two:2: 4,0,0/4x4x4 can never be wired: a mesh dimension cannot be wired as a torus
  [4]

Everything that is in the way is listed, with partitions that cannot be wired
themselves.

  $ printf '0,0/2x2 torus\n2,0/2x2 torus\n0,2/2x4 mesh\n6,6/1x2 torus\n2,2/2x2 torus\n' > many
  $ printf '6,3-6,4\n2,2-3,2\n' > cut
  $ tori wire --machine torus:8x8 --partitions many --down-links cut
  many:2: 2,0/2x2 cannot be wired: link 0,0-1,0 n is taken, see many:1
  many:3: 0,2/2x4 cannot be wired: link 0,2-0,3 n is taken, see many:1
  many:4: 6,6/1x2 cannot be wired: link 6,3-6,4 n is down
  many:5: 2,2/2x2 cannot be wired: link 0,2-1,2 n is taken, see many:3
  many:5: 2,2/2x2 cannot be wired: link 2,2-3,2 n is down
  many:5: 2,2/2x2 cannot be wired: link 2,0-2,1 n is taken, see many:2
  [3]
  $ tori wire --machine torus:8x8 --partitions many --down-links cut --json | grep -o '"partition":[0-9]*,"with":[a-z0-9]*,"dim":[01],"line":.[0-9]*'
  "partition":1,"with":0,"dim":0,"line":[0
  "partition":1,"with":0,"dim":0,"line":[0
  "partition":2,"with":0,"dim":1,"line":[0
  "partition":3,"with":null,"dim":1,"line":[6
  "partition":4,"with":2,"dim":0,"line":[2
  "partition":4,"with":null,"dim":0,"line":[2
  "partition":4,"with":1,"dim":1,"line":[2
  $ printf '0,0/2x2 torus\n2,0/2x1 torus\n4,0/2x1 torus\n' | tori wire --machine torus:8x8m --partitions - --json
  {"ok":false,"never":{"partition":0,"detail":"a mesh dimension cannot be wired as a torus"},"nevers":[{"partition":0,"detail":"a mesh dimension cannot be wired as a torus"}],"conflict":{"partition":2,"with":1,"dim":0,"line":[0],"detail":"link 0,0-1,0 n is taken, see -:2"},"conflicts":[{"partition":2,"with":1,"dim":0,"line":[0],"detail":"link 0,0-1,0 n is taken, see -:2"}]}
  [4]

The three kinds of links, and a line's coordinates without the line's own.

  $ printf '0,1,0/2x1x1 mesh\n0,0,2/1x1x2 torus\n' > p
  $ tori wire --machine multitorus:2x2x4 --partitions p --json
  {"ok":true,"partitions":[{"box":"0,1,0/2x1x1","wiring":"mesh","links":[{"dim":0,"line":[1,0],"a":0,"b":1,"kind":"n"}]},{"box":"0,0,2/1x1x2","wiring":"torus","links":[{"dim":2,"line":[0,0],"a":2,"b":3,"kind":"n"},{"dim":2,"line":[0,0],"a":2,"b":3,"kind":"s"}]}],"used":3,"total":60}
  $ printf '0,1/2x1 torus\n1,2 torus\n0,3/2x1 none\n' > p
  $ tori wire --machine torus:2x4 --partitions p --json
  {"ok":true,"partitions":[{"box":"0,1/2x1","wiring":"torus","links":[{"dim":0,"line":[1],"a":0,"b":1,"kind":"n"},{"dim":0,"line":[1],"a":0,"b":1,"kind":"w"}]},{"box":"1,2/1x1","wiring":"torus","links":[]},{"box":"0,3/2x1","wiring":"none","links":[]}],"used":2,"total":16}
  $ tori wire --machine torus:2x4 --partitions p
  0,1/2x1 torus
    dimension 0, 1 line: 0-1n 0-1w
  1,2/1x1 torus
  0,3/2x1 none
  2 of 16 links used

The properties of Aridor et al., section 2: of odd and even size, of two nodes
at either edge and, right-oriented, inside.

  $ for box in 0/5 1/6 0/2 6/2 3/2 0/8 4 ; do echo $box torus | tori wire --machine multitorus:8 --partitions -; done
  0/5 torus
    dimension 0, 1 line: 0-2s 1-3s 2-4s 0-1s 3-4n
  5 of 15 links used
  1/6 torus
    dimension 0, 1 line: 1-3s 2-4s 3-5s 4-6s 1-2n 5-6n
  6 of 15 links used
  0/2 torus
    dimension 0, 1 line: 0-1n 0-1s
  2 of 15 links used
  6/2 torus
    dimension 0, 1 line: 6-7n 6-7s
  2 of 15 links used
  3/2 torus
    dimension 0, 1 line: 3-4n 4-5n 3-5s
  3 of 15 links used
  0/8 torus
    dimension 0, 1 line: 0-2s 1-3s 2-4s 3-5s 4-6s 5-7s 0-1s 6-7s
  8 of 15 links used
  4/1 torus
  0 of 15 links used

An inner torus of two nodes takes links of its right neighbour, and yet every
free box can be wired.

  $ printf '1/2 torus\n3/2 torus\n5/2 torus\n0 torus\n7 torus\n' | tori wire --machine multitorus:8 --partitions -
  1/2 torus
    dimension 0, 1 line: 1-2n 2-3n 1-3s
  3/2 torus
    dimension 0, 1 line: 3-4n 4-5n 3-5s
  5/2 torus
    dimension 0, 1 line: 5-6n 6-7n 5-7s
  0/1 torus
  7/1 torus
  9 of 15 links used

Left-oriented pairs, and the mixed orientation of Figure 9, which leaves no links
for the pair between. In another order each pair finds some.

  $ printf '1/2 torus\n5/2 torus\n3/2 torus\n' > pairs
  $ tori wire --machine multitorus-left:8 --partitions pairs
  1/2 torus
    dimension 0, 1 line: 0-1n 1-2n 0-2s
  5/2 torus
    dimension 0, 1 line: 4-5n 5-6n 4-6s
  3/2 torus
    dimension 0, 1 line: 2-3n 3-4n 2-4s
  9 of 15 links used
  $ tori wire --machine multitorus-facing:8 --partitions pairs
  pairs:3: 3/2 cannot be wired: link 4-5 n is taken, see pairs:2
  [3]
  $ sort pairs | tori wire --machine mesh:8f --partitions -
  1/2 torus
    dimension 0, 1 line: 1-2n 2-3n 1-3s
  3/2 torus
    dimension 0, 1 line: 3-4n 4-5n 3-5s
  5/2 torus
    dimension 0, from 0: 5-6n 6-7n 5-7s
  9 of 15 links used

Lines with any links, here those of BlueGene/L, from a file or in the machine's
text: halves, quarters of two kinds, and sets of nodes that are not adjacent.

  $ printf '0 1-2\n0 5-6\n0 0-3 # twice\n0 0-3\n0 4-7\n0 4-7\n' > bgl
  $ printf '0,0/4x2 torus\n4,0/4x2 mesh\n' | tori wire --machine torus:8x4 --links bgl --partitions -
  0,0/4x2 torus
    dimension 0, 2 lines: 0-1n 1-2n 2-3n 0-3x
    dimension 1, 4 lines: 0-1n 1-2n 2-3n 0-3w
  4,0/4x2 mesh
    dimension 0, 2 lines: 4-5n 5-6n 6-7n
    dimension 1, 4 lines: 0-1n
  34 of 88 links used
  $ printf '1/2 torus\n4/4 torus\n' | tori wire --machine torus:8 --links bgl --partitions - --rings 2
  1/2 torus
    dimension 0, 1 line: 1-2n 1-2x
  4/4 torus
    dimension 0, 1 line: 4-5n 5-6n 6-7n 4-7x
  6 of 14 links used
  ring of 0 3: 0-3x 0-3y
  1 set of 2 free nodes can be a ring
  $ printf '4/4 torus\n' | tori wire --machine torus:8+1-2+5-6+0-3+0-3+4-7+4-7 --partitions - --rings 4 --json
  {"ok":true,"partitions":[{"box":"4/4","wiring":"torus","links":[{"dim":0,"line":[],"a":4,"b":5,"kind":"n"},{"dim":0,"line":[],"a":5,"b":6,"kind":"n"},{"dim":0,"line":[],"a":6,"b":7,"kind":"n"},{"dim":0,"line":[],"a":4,"b":7,"kind":"x"}]}],"used":4,"total":14,"rings":[{"nodes":[[0],[1],[2],[3]],"links":[{"dim":0,"line":[],"a":0,"b":1,"kind":"n"},{"dim":0,"line":[],"a":1,"b":2,"kind":"n"},{"dim":0,"line":[],"a":2,"b":3,"kind":"n"},{"dim":0,"line":[],"a":0,"b":3,"kind":"x"}]}]}

Every error of such a file is told with its line.

  $ for l in '2 0-1' '0 0-8' '0 3-3' '0 1' 'x 0-1' '0 0-1 2'; do printf '# links\n%s\n' "$l" | tori wire --machine torus:8x4 --links - --partitions bgl; done
  tori: -:2: no dimension 2: the machine has 2, counted from 0
  tori: -:2: no link 0-8 in a line of 8: expected two different nodes, from 0 on
  tori: -:2: no link 3-3 in a line of 8: expected two different nodes, from 0 on
  tori: -:2: bad link '0 1': expected a dimension and two nodes of its lines, such as 0 2-7
  tori: -:2: bad link 'x 0-1': expected a dimension and two nodes of its lines, such as 0 2-7
  tori: -:2: bad link '0 0-1 2': expected a dimension and two nodes of its lines, such as 0 2-7
  [2]
  $ printf '1 0-1\n1 0-1\n1 0-1\n1 0-1\n' | tori wire --machine torus:8x4 --links - --partitions bgl
  tori: -:4: link 0-1 is given more than three times
  [2]
  $ printf '0 0-1\n' | tori wire --machine mesh:17 --links - --partitions bgl
  tori: -:1: links cannot be given for a side of 17: only for sides of up to 16
  [2]
  $ printf '0/2 torus\n' | tori wire --machine links:4+0-1+1-2+0-2 --partitions -
  0/2 torus
    dimension 0, 1 line: 0-1x 1-2x 0-2x
  3 of 3 links used
  $ printf '2/2 torus\n' | tori wire --machine links:4+0-1+1-2+0-2 --partitions -
  -:1: 2/2 can never be wired: the lines have no links that wire it this way
  [4]
  $ printf '0,0/2x2 torus\n' | tori wire --machine torus:4x4 --partitions - --rings 2
  tori: --rings: expected a machine of one dimension, such as torus:8+2-7
  [2]

A box that wraps, if it may; on a line of its own it is no conflict.

  $ printf '3/2 mesh\n' | tori wire --machine torus:4 --partitions - --wrap --json
  {"ok":true,"partitions":[{"box":"3/2","wiring":"mesh","links":[{"dim":0,"line":[],"a":0,"b":3,"kind":"w"}]}],"used":1,"total":4}
  $ printf '3/2 mesh\n' | tori wire --machine torus:4 --partitions -
  tori: -:1: box 3/2 wraps around; --wrap allows it
  [2]
  $ printf '3/2 mesh\n' | tori wire --machine mesh:4 --partitions - --wrap
  tori: -:1: box '3/2' leaves the machine in dimension 0, which has 4 nodes
  [2]

Links that are down: nobody has them, so the conflict is with null.

  $ printf '1,0-1,1\n' > down
  $ printf '0,0/1x4 torus\n1,0/1x4 torus\n' > p
  $ tori wire --machine multitorus:2x4 --partitions p --down-links down --json
  {"ok":true,"partitions":[{"box":"0,0/1x4","wiring":"torus","links":[{"dim":1,"line":[0],"a":0,"b":2,"kind":"s"},{"dim":1,"line":[0],"a":1,"b":3,"kind":"s"},{"dim":1,"line":[0],"a":0,"b":1,"kind":"s"},{"dim":1,"line":[0],"a":2,"b":3,"kind":"s"}]},{"box":"1,0/1x4","wiring":"torus","links":[{"dim":1,"line":[1],"a":0,"b":2,"kind":"s"},{"dim":1,"line":[1],"a":1,"b":3,"kind":"s"},{"dim":1,"line":[1],"a":0,"b":1,"kind":"s"},{"dim":1,"line":[1],"a":2,"b":3,"kind":"s"}]}],"used":8,"total":22}
  $ printf '1,0-1,1 s\n1,0-1,1 n\n' > down
  $ tori wire --machine multitorus:2x4 --partitions p --down-links down --json
  {"ok":false,"conflict":{"partition":1,"with":null,"dim":1,"line":[1],"detail":"link 1,0-1,1 s is down"},"conflicts":[{"partition":1,"with":null,"dim":1,"line":[1],"detail":"link 1,0-1,1 s is down"}]}
  [3]
  $ tori wire --machine multitorus:2x4 --partitions p --down-links down
  p:2: 1,0/1x4 cannot be wired: link 1,0-1,1 s is down
  [3]

Lines of a multi-torus are wired around links that are down: through the
neighbour link beside the ring's, inside the partition, or through switches
outside.

  $ printf '1,0-1,1 s\n' > down
  $ tori wire --machine multitorus:2x4 --partitions p --down-links down --json
  {"ok":true,"partitions":[{"box":"0,0/1x4","wiring":"torus","links":[{"dim":1,"line":[0],"a":0,"b":2,"kind":"s"},{"dim":1,"line":[0],"a":1,"b":3,"kind":"s"},{"dim":1,"line":[0],"a":0,"b":1,"kind":"s"},{"dim":1,"line":[0],"a":2,"b":3,"kind":"s"}]},{"box":"1,0/1x4","wiring":"torus","links":[{"dim":1,"line":[1],"a":0,"b":1,"kind":"n"},{"dim":1,"line":[1],"a":2,"b":3,"kind":"n"},{"dim":1,"line":[1],"a":0,"b":2,"kind":"s"},{"dim":1,"line":[1],"a":1,"b":3,"kind":"s"}]}],"used":8,"total":22}
  $ tori wire --machine multitorus:2x4 --partitions p --down-links down
  0,0/1x4 torus
    dimension 1, 1 line: 0-2s 1-3s 0-1s 2-3s
  1,0/1x4 torus
    dimension 1, from 1,0: 0-1n 2-3n 0-2s 1-3s
  8 of 22 links used
  $ printf '2,3/4x2 torus\n' > p
  $ printf '3,3-5,3 s\n2,4-3,4\n3,3-3,4\n' > down
  $ tori wire --machine multitorus:8x8 --partitions p --down-links down
  2,3/4x2 torus
    dimension 0, from 0,3: 2-3n 3-4n 4-5n 5-6n 2-4s 4-6s
    dimension 0, from 0,4: 1-2n 4-5n 1-3s 2-4s 3-5s
    dimension 1, 3 lines: 3-4n 4-5n 3-5s
    dimension 1, from 3,0: 2-3n 4-5n 2-4s 3-5s
  24 of 240 links used
  $ printf '2,4-4,4 s\n' >> down
  $ tori place --machine multitorus:8x8 --down-links down --shape 8x8 --wiring torus
  does not fit now: a box of this shape is free (0,0/8x8), but its links are not: link 3,3-5,3 s is down
  [3]
  $ tori place --machine multitorus:8 --down-links /dev/stdin --shape 2 --wiring torus --json <<END
  > 0-1
  > 1-2
  > 1-3
  > END
  {"placed":true,"nodes":[[2],[3]],"pairwise":1,"average":1.0,"origin":[2],"shape":[2],"links":[{"dim":0,"line":[],"a":2,"b":3,"kind":"n"},{"dim":0,"line":[],"a":3,"b":4,"kind":"n"},{"dim":0,"line":[],"a":2,"b":4,"kind":"s"}]}

A later partition finds links taken that an earlier one has taken to go around.

  $ printf '2/2 torus\n4/4 torus\n' > p
  $ printf '3-4 n\n1-3\n' > down
  $ tori wire --machine multitorus:8 --partitions p --down-links down
  p:2: 4/4 cannot be wired: link 4-5 n is taken, see p:1
  [3]

Links that are down at random: a share of all. With the same seed, a larger
share has all that a smaller one has.

  $ echo 0,0,0/4x4x4 torus > p
  $ tori wire --machine multitorus:8x8x8 --partitions p --down-links 0.2% | tail -3
    dimension 1, from 1,0,2: 0-1n 1-2n 2-3n 1-3s 0-1s
    dimension 2, 16 lines: 0-2s 1-3s 0-1s 2-3n
  193 of 2880 links used
  $ for seed in 1 2 3 4; do tori wire --machine torus:8x8x8 --partitions p --down-links 0.1%:$seed | head -1; done
  p:1: 0,0,0/4x4x4 cannot be wired: link 1,0,3-1,1,3 n is down
  0,0,0/4x4x4 torus
  0,0,0/4x4x4 torus
  0,0,0/4x4x4 torus
  $ tori wire --machine torus:8x8x8 --partitions p --down-links 0.2% | head -1
  p:1: 0,0,0/4x4x4 cannot be wired: link 1,0,3-1,1,3 n is down
  $ for share in x% 5%7 5%: 101% -1%; do tori wire --machine torus:8x8x8 --partitions p --down-links $share; done
  tori: --down-links: 'x' is not a number such as 2.5 or 5/2
  tori: --down-links: '5%7': expected a file, or a share of all links such as 2.5% or 2.5%:7
  tori: --down-links: '' is not a whole number from 0 to 9223372036854775807
  tori: --down-links: '101%': expected a file, or a share of all links such as 2.5% or 2.5%:7
  tori: --down-links: '-1%': expected a file, or a share of all links such as 2.5% or 2.5%:7
  [2]

Nothing to wire.

  $ tori wire --machine multitorus:8x8x8 --partitions /dev/null
  0 of 2880 links used
  $ tori wire --machine mesh:1x1 --partitions /dev/null --json
  {"ok":true,"partitions":[],"used":0,"total":0}

What is no partition, or overlaps another one.

  $ printf '0,0/2x2 mesh\n1,1/2x2 mesh\n' > p; tori wire --machine mesh:4x4 --partitions p
  tori: p:2: node 1,1 is already held, see p:1
  [2]
  $ tori wire --machine mesh:4x4
  tori: --partitions FILE is missing; see 'tori wire --help'
  [2]
  $ tori wire --machine mesh:4x4 --partitions none-such
  tori: none-such: No such file or directory
  [1]
  $ printf '0,0/2x2 ring\n' > p; tori wire --machine mesh:4x4 --partitions p
  tori: p:1: unknown wiring 'ring': expected none, mesh, torus or twisted
  [2]
  $ printf '0,0/2x2\n' > p; tori wire --machine mesh:4x4 --partitions p
  tori: p:1: '0,0/2x2' has no wiring: expected a box and mesh, torus or none
  [2]
  $ printf '0,0/5x2 mesh\n' > p; tori wire --machine mesh:4x4 --partitions p
  tori: p:1: box '0,0/5x2' leaves the machine in dimension 0, which has 4 nodes
  [2]
  $ tori wire --machine mesh:4x4 --partitions p --json --down-links none-such
  tori: p:1: box '0,0/5x2' leaves the machine in dimension 0, which has 4 nodes
  [2]
