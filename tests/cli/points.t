Points without a machine: numbers with commas, one point per line,
repeats, comments and blank lines as in a node file. What is chosen is in the
order of the file.

  $ cat > points <<END
  > # a corner, and what is far from it
  > 9,9
  > 0,0
  > -1,0
  > 
  > 0,1   # near
  > 0,0
  >   40,-40
  > END
  $ tori place --points points --alloc mm --count 4
  placed    4 points
    0,0
    -1,0
    0,1
    0,0
  pairwise  6
  average   1
  $ tori place --points points --alloc mm --count 4 --json
  {"placed":true,"nodes":[[0,0],[-1,0],[0,1],[0,0]],"indexes":[1,2,3,4],"pairwise":6,"average":1.0}
  $ tori place --points points --alloc mc1x1 --count 2 --json
  {"placed":true,"nodes":[[0,0],[0,0]],"indexes":[1,4],"pairwise":0,"average":0.0}
  $ tori place --points points --alloc mm --count 6 --json
  {"placed":true,"nodes":[[9,9],[0,0],[-1,0],[0,1],[0,0],[40,-40]],"indexes":[0,1,2,3,4,5],"pairwise":480,"average":32.0}
  $ tori place --points points --count 1 --json
  {"placed":true,"nodes":[[9,9]],"indexes":[0],"pairwise":0,"average":0.0}
  $ tori place --points - --alloc mm --count 4 --json < points | bare | md5sum > 1; gzip points; tori place --points points.gz --alloc mm --count 4 --json | bare | md5sum | cmp - 1
  $ printf '3\r\n-2\r\n4\r\n' | tori place --points - --alloc mm --count 2 --json
  {"placed":true,"nodes":[[3],[4]],"indexes":[0,2],"pairwise":1,"average":1.0}
  $ printf '1,2,3,4,5,6,7\n1,2,3,4,5,6,9\n' | tori place --points - --alloc gen-alg --count 2 --json
  {"placed":true,"nodes":[[1,2,3,4,5,6,7],[1,2,3,4,5,6,9]],"indexes":[0,1],"pairwise":2,"average":2.0}

Every allocator that takes points.

  $ for a in $(tori list allocators --json | grep -o '"name":"[^"]*","takes":[^]]*"points"' | cut -d'"' -f4); do
  >   printf '0,0\n7,7\n1,0\n' | tori place --points - --alloc $a --count 2 --json
  > done | bare | sort -u
  {"placed":true,"nodes":[[0,0],[1,0]],"indexes":[0,2],"pairwise":1,"average":1.0}

Shells around a box, and along curves through the box that holds the points.

  $ printf '0,0\n5,0\n0,1\n5,1\n5,2\n0,3\n' > two
  $ tori place --points two --alloc mc --shape 3x1 --json
  {"placed":true,"nodes":[[5,0],[5,1],[5,2]],"indexes":[1,3,4],"pairwise":4,"average":1.3333333333333...}
  $ tori place --points two --shape 1x3 --count 2 --json
  {"placed":true,"nodes":[[0,0],[0,1]],"indexes":[0,2],"pairwise":1,"average":1.0}
  $ tori place --points two --shape 3
  tori: --shape: '3' has 1 dimensions, the points have 2
  [2]
  $ tori place --points two --shape 2x2 --count 5
  tori: --count: a box of 2x2 has fewer than 5 nodes
  [2]
  $ tori place --points two --alloc mm --shape 1x3
  tori: --alloc: mm takes no shape among points, only mc does
  [2]
  $ tori place --points two --alloc row-bf --count 2 --json
  {"placed":true,"nodes":[[0,0],[0,1]],"indexes":[0,2],"pairwise":1,"average":1.0}
  $ for a in row-ff snake-bf hilbert-ss; do printf '0,0\n20000000,1\n0,1\n' | tori place --points - --alloc $a --count 2 --json; done | bare | sort -u
  {"placed":true,"nodes":[[0,0],[0,1]],"indexes":[0,2],"pairwise":1,"average":1.0}
  $ for a in row-bf snake-ss hilbert-bf; do printf '%s\n' -9223372036854775808,-9223372036854775808 9223372036854775807,9223372036854775807 9223372036854775807,9223372036854775806 | tori place --points - --alloc $a --count 2 --json; done | bare | sort -u
  {"placed":true,"nodes":[[9223372036854775807,9223372036854775807],[9223372036854775807,9223372036854775806]],"indexes":[1,2],"pairwise":1,"average":1.0}
  $ printf '0,0,0\n9223372036854775807,9223372036854775807,9223372036854775807\n' | tori place --points - --alloc hilbert-bf --count 1
  tori: the box that holds these points has more than 2^128 places, too many for a curve; mc1x1 and gen-alg take any
  [2]

In many dimensions, where the grid of centres has more than can be counted.

  $ awk 'BEGIN { x = 1; for (i = 0; i < 12; i++) { for (d = 0; d < 20; d++) { x = x * 16807 % 2147483647; printf "%s%d", d ? "," : "", x % 1000 } print "" } }' > many
  $ tori place --points many --alloc mm --count 6
  tori: mm would take too long: the coordinates of these 12 points in 20 dimensions span a grid of 3.8e+21 centres; gen-alg and mc1x1 always answer; --json prints the best set found
  [2]
  $ for a in gen-alg exact; do tori place --points many --alloc $a --count 6 --json | grep -o '"indexes.*'; done
  "indexes":[1,2,4,8,9,10],"pairwise":85052,"average":5670.13333333333}
  "indexes":[1,2,4,8,9,10],"pairwise":85052,"average":5670.13333333333}
  $ awk 'BEGIN { x = 1; for (i = 0; i < 3000; i++) { for (d = 0; d < 6; d++) { x = x * 16807 % 2147483647; printf "%s%d", d ? "," : "", x % 100000 } print "" } }' > more
  $ tori place --points more --alloc mm --count 3
  tori: mm would take too long: the coordinates of these 3000 points in 6 dimensions span a grid of 6.7e+20 centres; gen-alg and mc1x1 always answer; --json prints the best set found
  [2]
  $ tori place --points more --alloc mm+inc --count 3 --json
  {"placed":false,"reason":"gave-up","detail":"mm would take too long: the coordinates of these 3000 points in 6 dimensions span a grid of 6.7e+20 centres; gen-alg and mc1x1 always answer","steps":0,"best":72944,"best_nodes":[[87561,32581,74165,45802,57732,67332],[88952,33887,87244,43718,52673,77770],[90533,31047,83575,44297,56462,68037]],"best_indexes":[126,1142,1996]}
  tori: mm would take too long: the coordinates of these 3000 points in 6 dimensions span a grid of 6.7e+20 centres; gen-alg and mc1x1 always answer
  [2]
  $ tori place --points more --alloc gen-alg --count 3 --json
  {"placed":true,"nodes":[[87561,32581,74165,45802,57732,67332],[88952,33887,87244,43718,52673,77770],[90533,31047,83575,44297,56462,68037]],"indexes":[126,1142,1996],"pairwise":72944,"average":24314.6666666667}

Round rings: coordinates are taken modulo their lengths.

  $ printf '1\n500\n999\n-2\n' > round
  $ tori place --points round --alloc exact --count 3 --json
  {"placed":true,"nodes":[[1],[500],[-2]],"indexes":[0,1,3],"pairwise":1004,"average":334.66666666666...}
  $ tori place --points round --around 1000 --alloc exact --count 3 --json
  {"placed":true,"nodes":[[1],[999],[-2]],"indexes":[0,2,3],"pairwise":6,"average":2.0}
  $ for a in mm gen-alg mm+inc mc1x1; do tori place --points round --around 1000 --alloc $a --count 3 --json; done | bare | sort -u
  {"placed":true,"nodes":[[1],[999],[-2]],"indexes":[0,2,3],"pairwise":6,"average":2.0}
  $ printf '0,0,0\n0,9,7\n7,0,7\n' | tori place --points - --around 8x0x8 --alloc mm --count 2 --json
  {"placed":true,"nodes":[[0,0,0],[7,0,7]],"indexes":[0,2],"pairwise":2,"average":2.0}
  $ for a in 8 8x8x8x8 x 8x 8x-1x8 9999999999999999999; do tori place --points two --around $a --count 1; done
  tori: --around: '8' has 1 dimensions, the points have 2
  tori: --around: '8x8x8x8' has 4 dimensions, the points have 2
  tori: --around: 'x' is not a list of lengths up to 2^62 such as 8x0x8
  tori: --around: '8x' is not a list of lengths up to 2^62 such as 8x0x8
  tori: --around: '8x-1x8' is not a list of lengths up to 2^62 such as 8x0x8
  tori: --around: '9999999999999999999' is not a list of lengths up to 2^62 such as 8x0x8
  [2]
  $ tori place --machine mesh:4x4 --count 1 --around 4x4
  tori: --around is for --points; the kind of a machine says where it wraps
  [2]

More points than there are, and none.

  $ tori place --points points.gz --alloc mm --count 7 --json
  {"placed":false,"reason":"numerical","detail":"7 points asked for, but there are 6"}
  [3]
  $ tori place --points points.gz --alloc mm --count 9223372036854775807
  does not fit now: 9223372036854775807 points asked for, but there are 6
  [3]
  $ tori place --points points.gz --alloc mm --count 0
  tori: --count: '0' is not a whole number from 1 to 9223372036854775807
  [2]
  $ tori place --points points.gz --alloc mm
  tori: --count is needed
  [2]
  $ printf '# none\n\n' > empty; tori place --points empty --alloc mm --count 1
  tori: empty: no points
  [2]
  $ tori place --points - --alloc mm --count 1 < /dev/null
  tori: -: no points
  [2]

Coordinates near the limits of 64 bits, and beyond.

  $ printf '%s\n' 9223372036854775807,-9223372036854775808 9223372036854775806,-9223372036854775808 0,0 > far
  $ tori place --points far --alloc mm --count 2 --json
  {"placed":true,"nodes":[[9223372036854775807,-9223372036854775808],[9223372036854775806,-9223372036854775808]],"indexes":[0,1],"pairwise":1,"average":1.0}
  $ printf '9223372036854775807\n-9223372036854775808\n' > ends; tori place --points ends --alloc mm --count 2
  placed    2 points
    9223372036854775807
    -9223372036854775808
  pairwise  18446744073709551615
  average   1.845e+19
  $ tori place --points ends --alloc mm --count 2 --json | grep -o '"pairwise":[^,]*'
  "pairwise":18446744073709551615
  $ for a in mm gen-alg mm+inc mc1x1; do tori place --points far --alloc $a --count 3; done
  tori: the sum of distances does not fit 64 bits: ask for fewer points, or take a larger unit
  tori: the sum of distances does not fit 64 bits: ask for fewer points, or take a larger unit
  tori: the sum of distances does not fit 64 bits: ask for fewer points, or take a larger unit
  tori: the sum of distances does not fit 64 bits: ask for fewer points, or take a larger unit
  [2]
  $ echo 9223372036854775808 | tori place --points - --alloc mm --count 1
  tori: -:1: '9223372036854775808' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  [2]
  $ echo -9223372036854775809 | tori place --points - --alloc mm --count 1
  tori: -:1: '-9223372036854775809' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  [2]

Decimals are taken exactly, in any order, and zeros at the end do not count.

  $ printf '%s\n' 1.5,2.25 0,0 -0.1,0.10 1.0,-3.000 > decimals
  $ tori place --points decimals --alloc exact --count 3
  placed    3 points
    1.5,2.25
    0,0
    -0.1,0.1
  pairwise  7.7
  average   2.567
  $ for a in mm gen-alg mm+inc ptas exact; do tori place --points decimals --alloc $a --count 2 --json; done | bare | sort -u
  {"placed":true,"nodes":[[0,0],[-0.1,0.1]],"indexes":[1,2],"pairwise":0.2,"average":0.2}
  $ printf '0.1\n0.2\n0.3\n' | tori place --points - --alloc mc1x1 --count 3 --json
  {"placed":true,"nodes":[[0.1],[0.2],[0.3]],"indexes":[0,1,2],"pairwise":0.4,"average":0.13333333333333...}
  $ printf '0.5\n9.75\n5\n' | tori place --points - --around 10 --alloc exact --count 2 --json
  {"placed":true,"nodes":[[0.5],[9.75]],"indexes":[0,1],"pairwise":0.75,"average":0.75}
  $ printf '1.00000000000000000000000000\n2.0\n' | tori place --points - --alloc mm --count 2 --json
  {"placed":true,"nodes":[[1],[2]],"indexes":[0,1],"pairwise":1,"average":1.0}
  $ printf '%s\n' -922337203685477580.8 922337203685477580.7 | tori place --points - --alloc mm --count 2 --json
  {"placed":true,"nodes":[[-922337203685477580.8],[922337203685477580.7]],"indexes":[0,1],"pairwise":1844674407370955161.5,"average":1.84467440737096e18}
  $ printf '922337203685477580\n0.5\n0.25\n' | tori place --points - --alloc mm --count 2
  tori: -:3: '0.25': not all points up to here fit 64 bits in units of 1e-2, the least that any of them needs
  [2]
  $ printf '0.25\n922337203685477580\n' | tori place --points - --alloc mm --count 2
  tori: -:2: '922337203685477580': not all points up to here fit 64 bits in units of 1e-2, the least that any of them needs
  [2]
  $ printf '0.25\n1\n' | tori place --points - --around 4611686018427387904 --count 1
  tori: --around: '4611686018427387904' is more than 2^62 in units of 1e-2, those of the points
  [2]
  $ echo 0.00000000000000000000000000000000000000000000000000000001 | tori place --points - --count 1
  tori: -:1: '0.00000000000000000000000000000000000000000000000000000001' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  [2]
  $ printf '%s\n' 0.000000000000000001 -9 | tori place --points - --alloc mm --count 2
  placed    2 points
    0.000000000000000001
    -9
  pairwise  9.000000000000000001
  average   9
  $ tori place --points decimals --alloc mc --shape 2x1
  tori: --shape needs points with whole coordinates
  [2]

A search that gives up names the unit of the sums in its message.

  $ awk 'BEGIN { x = 1; for (i = 0; i < 60; i++) { for (d = 0; d < 2; d++) { x = x * 16807 % 2147483647; printf "%s%d.%d", d ? "," : "", x % 100, x % 10 } print "" } }' > tenths
  $ tori place --points tenths --alloc exact --count 20 --steps 200000
  tori: exact gave up after ... steps, its limit: the best 20 of 60 points found have a sum of ..., and proved is at least ...; gen-alg always answers; these sums are in units of 1e-1; --json prints the best set found
  [2]

Lines that are not points.

  $ printf '1,2\n1,2,3\n' > f; tori place --points f --alloc mm --count 1
  tori: f:2: '1,2,3' has 3 coordinates, the points before it have 2
  [2]
  $ printf '1,2\n3\n' | tori place --points - --alloc mm --count 1
  tori: -:2: '3' has 1 coordinate, the points before it have 2
  [2]
  $ printf '\200\303\251\302\233\n' | tori place --points - --alloc mm --count 1
  tori: -:1: '?é??' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  [2]
  $ printf '1,2\n\n1;2\n' > f; tori place --points f --alloc mm --count 1
  tori: f:3: '1;2' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  [2]
  $ printf '1, 2\n1 2\n1\t,2\n' | tori place --points - --alloc mm --count 3 --json
  {"placed":true,"nodes":[[1,2],[1,2],[1,2]],"indexes":[0,1,2],"pairwise":0,"average":0.0}
  $ for t in 1, ,1 1,,2 1. .5 1.5.2 -.5 1e2 92233720368547758.08 x 1,x -- - +1 1/2 0,0/2x2; do
  >   echo "$t" | tori place --points - --alloc mm --count 1
  > done
  tori: -:1: '1,' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  tori: -:1: ',1' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  tori: -:1: '1,,2' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  tori: -:1: '1.' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  tori: -:1: '.5' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  tori: -:1: '1.5.2' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  tori: -:1: '-.5' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  tori: -:1: '1e2' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  tori: -:1: '92233720368547758.08' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  tori: -:1: 'x' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  tori: -:1: '1,x' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  tori: -:1: '--' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  tori: -:1: '-' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  tori: -:1: '+1' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  tori: -:1: '1/2' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  tori: -:1: '0,0/2x2' is not a point: expected numbers of 64 bits such as 3,-1,4 or 1.5,-2.25, with up to 18 decimals
  [2]
  $ seq 33 | paste -sd, | tori place --points - --alloc mm --count 1
  tori: -:1: more than 32 coordinates
  [2]
  $ seq 32 | paste -sd, | tori place --points - --alloc mm --count 1 --json
  {"placed":true,"nodes":[[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32]],"indexes":[0],"pairwise":0,"average":0.0}
  $ printf '1\0\n' | tori place --points - --alloc mm --count 1
  tori: -:1: line contains a zero byte
  [2]
  $ tori place --points none-such --alloc mm --count 1
  tori: none-such: No such file or directory
  [1]

What needs a machine, and who takes no points.

  $ for o in '--machine mesh:4x4' '--wiring mesh' '--busy f' '--down f' '--down-links f' '--partitions f' --no-rotate --wrap --map; do
  >   tori place --points points.gz --count 2 $o
  > done
  tori: --points and --machine exclude each other
  tori: --points and --wiring exclude each other
  tori: --points and --busy exclude each other
  tori: --points and --down exclude each other
  tori: --points and --down-links exclude each other
  tori: --points and --partitions exclude each other
  tori: --no-rotate needs --shape
  tori: --wrap cannot be used with --points
  tori: --points and --map exclude each other
  [2]
  $ tori place --points points.gz --count 2 --alloc first-fit
  tori: --alloc: first-fit takes no points; those that do are ...mm...
  [2]

A bound is for those who keep one.

  $ tori place --points points.gz --count 2 --alloc mm --epsilon 0.1
  tori: --epsilon: mm has no use for it
  [2]
  $ tori place --machine mesh:4x4 --count 2 --alloc mm --epsilon 0.1
  tori: --epsilon: mm has no use for it
  [2]
  $ tori place --machine mesh:4x4 --count 2 --alloc mm --epsilon 0
  tori: --epsilon: '0' is not above 0
  [2]
  $ tori sim --machine mesh:4x4 --alloc mm --epsilon 1/2
  tori: --epsilon: mm has no use for it
  [2]
