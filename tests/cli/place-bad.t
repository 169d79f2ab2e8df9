Machines that are none.

  $ tori place --machine ring:8 --count 1
  tori: unknown machine 'ring:8': expected mesh:, torus: or multitorus: and sizes such as 8x8x8 or 8^3, or pod:64/4x4x4
  [2]
  $ tori place --machine torus --count 1
  tori: unknown machine 'torus': expected mesh:, torus: or multitorus: and sizes such as 8x8x8 or 8^3, or pod:64/4x4x4
  [2]
  $ tori place --machine torus: --count 1
  tori: bad machine size at the end: expected a number up to 1073741824
  [2]
  $ tori place --machine torus:0x8 --count 1
  tori: machine size 0: sizes are at least 1
  [2]
  $ tori place --machine torus:8x --count 1
  tori: bad machine size at the end: expected a number up to 1073741824
  [2]
  $ tori place --machine torus:8xx8 --count 1
  tori: bad machine size at 'x8': expected a number up to 1073741824
  [2]
  $ tori place --machine torus:-8 --count 1
  tori: bad machine size at '-8': expected a number up to 1073741824
  [2]
  $ tori place --machine torus:99999999999999999999 --count 1
  tori: bad machine size at '99999999999999999999': expected a number up to 1073741824
  [2]
  $ tori place --machine torus:65536x65536 --count 1
  tori: machine has more than 1073741824 nodes
  [2]
  $ tori place --machine torus:2^31 --count 1
  tori: machine has more than 1073741824 nodes
  [2]
  $ tori place --machine torus:1^33 --count 1
  tori: bad machine power at '^33': expected 1 to 32 dimensions
  [2]
  $ tori place --machine torus:8q --count 1
  tori: unexpected 'q' in machine: expected x, ^, one of the letters m, t, u, l, f, k after a size, or links such as +0-2
  [2]

Requests that are none.

  $ tori place --machine torus:8x8
  tori: one of --shape, --count and --request is needed
  [2]
  $ tori place --machine torus:8x8 --shape 4
  tori: --shape: '4' has 1 dimensions, the machine has 2
  [2]
  $ tori place --machine torus:8x8 --shape 4x4x2
  tori: --shape: '4x4x2' has 3 dimensions, the machine has 2
  [2]
  $ tori place --machine torus:8x8 --shape 0x4
  tori: bad shape '0x4': expected sides from 1 to 2^32 - 1, such as 4x4x2
  [2]
  $ tori place --machine torus:8x8 --shape 4x
  tori: bad shape '4x': expected sides from 1 to 2^32 - 1, such as 4x4x2
  [2]
  $ tori place --machine torus:8x8 --shape ''
  tori: bad shape '': expected sides from 1 to 2^32 - 1, such as 4x4x2
  [2]
  $ tori place --machine torus:8x8 --shape 99999999999x1
  tori: bad shape '99999999999x1': expected sides from 1 to 2^32 - 1, such as 4x4x2
  [2]
  $ tori place --machine torus:8x8 --count 0
  tori: --count: '0' is not a whole number from 1 to 9223372036854775807
  [2]
  $ tori place --machine torus:8x8 --count 4 --wiring torus
  tori: --wiring torus needs --shape
  [2]
  $ tori place --machine torus:8x8 --count 4 --alloc first-fit
  tori: --alloc: first-fit takes no count; see 'tori list allocators'
  [2]
  $ tori place --machine torus:8x8 --shape 2x2 --alloc row-ff
  tori: --alloc: row-ff takes no shape; see 'tori list allocators'
  [2]

Files that cannot be read.

  $ tori place --machine mesh:4x4 --shape 1x1 --busy none-such
  tori: none-such: No such file or directory
  [1]
  $ mkdir folder; tori place --machine mesh:4x4 --shape 1x1 --busy folder
  tori: folder: Is a directory
  [1]
  $ tori place --machine mesh:4x4 --shape 1x1 --busy ''
  tori: : No such file or directory
  [1]
  $ seq -f '%.0f,0' 0 3 > rows; seq -f '0,%.0f # a line to pack' 1 3 >> rows; gzip rows
  $ head -c 40 rows.gz > cut.gz; tori place --machine mesh:4x4 --shape 1x1 --busy cut.gz
  tori: cut.gz: truncated gzip data
  [2]
  $ tori place --machine mesh:4x4 --shape 1x1 --busy rows.gz --json
  {"placed":true,"nodes":[[1,1]],"pairwise":0,"average":0.0,"origin":[1,1],"shape":[1,1]}
  $ printf '\037\213\010garbage' > bad.gz; tori place --machine mesh:4x4 --shape 1x1 --busy bad.gz
  tori: bad.gz: damaged gzip data
  [2]

Lines that are wrong.

  $ printf '0,0\n4,0\n' > f; tori place --machine mesh:4x4 --shape 1x1 --busy f
  tori: f:2: '4,0' is not a node of mesh:4x4: expected coordinates up to 3,3
  [2]
  $ printf '# one\n0,0,0\n' > f; tori place --machine mesh:4x4 --shape 1x1 --busy f
  tori: f:2: bad box '0,0,0': expected a node, or an origin and a shape such as 0,0,4/4x4x2
  [2]
  $ printf '0,0/5x1\n' > f; tori place --machine mesh:4x4 --shape 1x1 --busy f
  tori: f:1: box '0,0/5x1' leaves the machine in dimension 0, which has 4 nodes
  [2]
  $ printf '0,0/2\n' > f; tori place --machine mesh:4x4 --shape 1x1 --busy f
  tori: f:1: box '0,0/2' has 1 dimensions in its shape, the machine has 2
  [2]
  $ printf '0,0/0x1\n' > f; tori place --machine mesh:4x4 --shape 1x1 --busy f
  tori: f:1: bad shape '0x1': expected sides from 1 to 2^32 - 1, such as 4x4x2
  [2]
  $ printf '3,0/2x1\n' > f; tori place --machine torus:4x4 --shape 1x1 --busy f
  tori: f:1: box 3,0/2x1 wraps around; --wrap allows it
  [2]
  $ printf '0,0 0,1\n' > f; tori place --machine mesh:4x4 --shape 1x1 --busy f
  tori: f:1: bad box '0,0 0,1': expected a node, or an origin and a shape such as 0,0,4/4x4x2
  [2]
  $ printf '0,0\n0,1\0\n' > f; tori place --machine mesh:4x4 --shape 1x1 --busy f
  tori: f:2: line contains a zero byte
  [2]
  $ printf '99999999999999999999,0\n' > f; tori place --machine mesh:4x4 --shape 1x1 --busy f
  tori: f:1: '99999999999999999999,0' is not a node of mesh:4x4: expected coordinates up to 3,3
  [2]
  $ printf 'x' | tori place --machine mesh:4x4 --shape 1x1 --busy -
  tori: -:1: 'x' is not a node of mesh:4x4: expected coordinates up to 3,3
  [2]

Lines without end are given up in time.

  $ head -c 100000 /dev/zero | tr '\0' 1 > f; tori place --machine mesh:4x4 --shape 1x1 --busy f
  tori: f:1: line longer than 65536 bytes
  [2]
  $ (echo 0,0; yes 1 | tr -d '\n' | head -c 1000000000) | tori place --machine mesh:4x4 --shape 1x1 --busy -
  tori: -:2: line longer than 65536 bytes
  [2]
  $ (echo 0,0; head -c 65535 /dev/zero | tr '\0' '#'; echo; echo 0,0) > f; tori place --machine mesh:4x4 --shape 1x1 --busy f
  tori: f:3: node 0,0 is already held, see f:1
  [2]
  $ head -c 300000 /dev/zero > f; tori place --machine mesh:4x4 --shape 1x1 --busy f
  tori: f:1: line longer than 65536 bytes
  [2]

Nodes held twice, and files that contradict each other.

  $ printf '0,0/2x2\n3,3\n1,1\n' > twice; tori place --machine mesh:4x4 --shape 1x1 --busy twice
  tori: twice:3: node 1,1 is already held, see twice:1
  [2]
  $ printf '0,0\n' > a; printf '\n0,0/2x1\n' > b; tori place --machine mesh:4x4 --shape 1x1 --busy a --down b
  placed    0,1/1x1, 1 node
  pairwise  0 hops
  average   0 hops
  $ printf '0,0/2x2 mesh\n' > p; tori place --machine mesh:4x4 --shape 1x1 --busy a --partitions p
  tori: a:1: node 0,0 is already held, see p:1
  [2]
  $ printf '\357\273\2770,0\n' > bom; tori place --machine mesh:1x2 --shape 1x1 --busy bom --json
  {"placed":true,"nodes":[[0,1]],"pairwise":0,"average":0.0,"origin":[0,1],"shape":[1,1]}
  $ gzip < bom > bom.gz; tori place --machine mesh:1x2 --shape 1x1 --busy bom.gz --json | bare | cut -c-30
  {"placed":true,"nodes":[[0,1]]
  $ printf '0,0\033[2J\n' > f; tori place --machine mesh:4x4 --shape 1x1 --busy f
  tori: f:1: bad box '0,0?[2J': expected a node, or an origin and a shape such as 0,0,4/4x4x2
  [2]
  $ tori place --machine mesh:4x4 --shape 4x4 --down twice --json
  {"placed":false,"reason":"numerical","detail":"16 nodes asked for, 11 free"}
  [3]

Partition files.

  $ printf '0,0/2x2\n' > p; tori place --machine mesh:4x4 --shape 1x1 --partitions p
  tori: p:1: '0,0/2x2' has no wiring: expected a box and mesh, torus or none
  [2]
  $ printf '0,0/2x2 star\n' > p; tori place --machine mesh:4x4 --shape 1x1 --partitions p
  tori: p:1: unknown wiring 'star': expected none, mesh, torus or twisted
  [2]
  $ printf '0,0/2x2 mesh now\n' > p; tori place --machine mesh:4x4 --shape 1x1 --partitions p
  tori: p:1: unexpected 'now' after the wiring of a partition
  [2]
  $ printf '0,0/2x2 torus\n' > p; tori place --machine mesh:4x4 --shape 1x1 --partitions p
  tori: p:1: a mesh dimension cannot be wired as a torus
  [2]
  $ printf '0,0/2x2 mesh\n# a comment\n1,1/2x2 mesh\n' > p; tori place --machine mesh:4x4 --shape 1x1 --partitions p
  tori: p:3: node 1,1 is already held, see p:1
  [2]
  $ printf '0,0/2x2 torus\n0,2/2x2 torus\n' > p; tori place --machine torus:4x4 --shape 1x1 --partitions p
  tori: p:2: link 0,0-0,1 n is taken, see p:1
  [2]

Link files.

  $ printf '0,0-1,1\n' > l; tori place --machine torus:4x4 --shape 1x1 --down-links l
  tori: l:1: no such link on this machine: '0,0-1,1'
  [2]
  $ printf '0,0-0,3w\n' > l; tori place --machine torus:1x4 --shape 1x4 --wiring torus --down-links l --json
  {"placed":false,"reason":"wiring","detail":"a box of this shape is free (0,0/1x4), but its links are not: link 0,0-0,3 w is down"}
  [3]
  $ printf '0,0-0,3 n\n' > l; tori place --machine torus:4x4 --shape 1x1 --down-links l
  tori: l:1: no such link on this machine: '0,0-0,3 n'
  [2]
  $ printf '0,0-0,3\n' > l; tori place --machine mesh:4x4 --shape 1x1 --down-links l
  tori: l:1: no such link on this machine: '0,0-0,3'
  [2]
  $ printf '0,0\n' > l; tori place --machine mesh:4x4 --shape 1x1 --down-links l
  tori: l:1: bad link '0,0': expected two nodes and perhaps a kind (n, w, s, x), as in 0,1-0,2 n
  [2]

What cannot be folded.

  $ tori place --machine torus:4x4 --shape 8 --fold rings --no-rotate
  tori: --fold and --no-rotate exclude each other
  [2]
  $ tori place --machine torus:4x4 --count 8 --fold rings
  tori: --fold needs --shape
  [2]
  $ tori place --machine torus:4x4 --shape 8 --fold rings --alloc efl
  tori: --fold: efl does not fold rings
  [2]
  $ tori place --machine torus:4x4 --shape 8 --fold twice
  tori: --fold: 'twice' is not one of none, rings
  [2]
  $ tori place --points /dev/null --shape 8 --fold rings
  tori: --points and --fold exclude each other
  [2]
  $ echo 0,0/2x2 tmm > partitions
  $ tori wire --machine torus:4x4 --partitions partitions
  tori: partitions:1: unknown wiring 'tmm': expected 2 letters, m or t for each dimension
  [2]
