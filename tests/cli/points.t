Points without a machine: whole numbers with commas, a point a line, repeats,
comments and blank lines as in a node file. What is chosen is in the order of
the file.

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
  {"placed":true,"nodes":[[0,0],[-1,0],[0,1],[0,0]],"pairwise":6,"average":1.0}
  $ tori place --points points --alloc mc1x1 --count 2 --json
  {"placed":true,"nodes":[[0,0],[0,0]],"pairwise":0,"average":0.0}
  $ tori place --points points --alloc mm --count 6 --json
  {"placed":true,"nodes":[[9,9],[0,0],[-1,0],[0,1],[0,0],[40,-40]],"pairwise":480,"average":32.0}
  $ tori place --points points --count 1 --json
  {"placed":true,"nodes":[[9,9]],"pairwise":0,"average":0.0}
  $ tori place --points - --alloc mm --count 4 --json < points | md5sum > 1; gzip points; tori place --points points.gz --alloc mm --count 4 --json | md5sum | cmp - 1
  $ printf '3\r\n-2\r\n4\r\n' | tori place --points - --alloc mm --count 2 --json
  {"placed":true,"nodes":[[3],[4]],"pairwise":1,"average":1.0}
  $ printf '1,2,3,4,5,6,7\n1,2,3,4,5,6,9\n' | tori place --points - --alloc gen-alg --count 2 --json
  {"placed":true,"nodes":[[1,2,3,4,5,6,7],[1,2,3,4,5,6,9]],"pairwise":2,"average":2.0}

Every allocator that takes points.

  $ for a in $(tori list allocators --json | grep -o '"name":"[^"]*","takes":[^]]*"points"' | cut -d'"' -f4); do
  >   printf '0,0\n7,7\n1,0\n' | tori place --points - --alloc $a --count 2 --json
  > done | sort -u
  {"placed":true,"nodes":[[0,0],[1,0]],"pairwise":1,"average":1.0}

More points than there are, and none.

  $ tori place --points points.gz --alloc mm --count 7 --json
  {"placed":false,"reason":"numerical","detail":"7 points asked for, 6 there"}
  [3]
  $ tori place --points points.gz --alloc mm --count 9223372036854775807
  does not fit now: 9223372036854775807 points asked for, 6 there
  [3]
  $ tori place --points points.gz --alloc mm --count 0
  tori: --count: '0' is not a whole number from 1 to 9223372036854775807
  [2]
  $ tori place --points points.gz --alloc mm
  tori: nothing is asked for: give --count
  [2]
  $ printf '# none\n\n' > empty; tori place --points empty --alloc mm --count 1
  tori: empty: no points in it
  [2]
  $ tori place --points - --alloc mm --count 1 < /dev/null
  tori: -: no points in it
  [2]

Coordinates near the limits of 64 bits, and beyond.

  $ printf '%s\n' 9223372036854775807,-9223372036854775808 9223372036854775806,-9223372036854775808 0,0 > far
  $ tori place --points far --alloc mm --count 2 --json
  {"placed":true,"nodes":[[9223372036854775807,-9223372036854775808],[9223372036854775806,-9223372036854775808]],"pairwise":1,"average":1.0}
  $ printf '9223372036854775807\n-9223372036854775808\n' > ends; tori place --points ends --alloc mm --count 2
  placed    2 points
    9223372036854775807
    -9223372036854775808
  pairwise  18446744073709551615
  average   1.845e+19
  $ for a in mm gen-alg mm+inc mc1x1; do tori place --points far --alloc $a --count 3; done
  tori: the sum of distances does not fit 64 bits
  tori: the sum of distances does not fit 64 bits
  tori: the sum of distances does not fit 64 bits
  tori: the sum of distances does not fit 64 bits
  [2]
  $ echo 9223372036854775808 | tori place --points - --alloc mm --count 1
  tori: -:1: '9223372036854775808' is not a point: expected whole numbers of 64 bits such as 3,-1,4
  [2]
  $ echo -9223372036854775809 | tori place --points - --alloc mm --count 1
  tori: -:1: '-9223372036854775809' is not a point: expected whole numbers of 64 bits such as 3,-1,4
  [2]

Lines that are not points.

  $ printf '1,2\n1,2,3\n' > f; tori place --points f --alloc mm --count 1
  tori: f:2: '1,2,3' has 3 coordinates, the points before it have 2
  [2]
  $ printf '1,2\n\n1 2\n' > f; tori place --points f --alloc mm --count 1
  tori: f:3: '1 2' is not a point: expected whole numbers of 64 bits such as 3,-1,4
  [2]
  $ for t in 1, ,1 1,,2 1.5 x 1,x -- - +1 1/2 0,0/2x2; do
  >   echo "$t" | tori place --points - --alloc mm --count 1
  > done
  tori: -:1: '1,' is not a point: expected whole numbers of 64 bits such as 3,-1,4
  tori: -:1: ',1' is not a point: expected whole numbers of 64 bits such as 3,-1,4
  tori: -:1: '1,,2' is not a point: expected whole numbers of 64 bits such as 3,-1,4
  tori: -:1: '1.5' is not a point: expected whole numbers of 64 bits such as 3,-1,4
  tori: -:1: 'x' is not a point: expected whole numbers of 64 bits such as 3,-1,4
  tori: -:1: '1,x' is not a point: expected whole numbers of 64 bits such as 3,-1,4
  tori: -:1: '--' is not a point: expected whole numbers of 64 bits such as 3,-1,4
  tori: -:1: '-' is not a point: expected whole numbers of 64 bits such as 3,-1,4
  tori: -:1: '+1' is not a point: expected whole numbers of 64 bits such as 3,-1,4
  tori: -:1: '1/2' is not a point: expected whole numbers of 64 bits such as 3,-1,4
  tori: -:1: '0,0/2x2' is not a point: expected whole numbers of 64 bits such as 3,-1,4
  [2]
  $ seq 33 | paste -sd, | tori place --points - --alloc mm --count 1
  tori: -:1: more than 32 coordinates
  [2]
  $ seq 32 | paste -sd, | tori place --points - --alloc mm --count 1 --json
  {"placed":true,"nodes":[[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32]],"pairwise":0,"average":0.0}
  $ printf '1\0\n' | tori place --points - --alloc mm --count 1
  tori: -:1: line holds a zero byte
  [2]
  $ tori place --points none-such --alloc mm --count 1
  tori: none-such: No such file or directory
  [1]

What needs a machine, and who takes no points.

  $ for o in '--machine mesh:4x4' '--shape 2x2' '--wiring mesh' '--busy f' '--down f' '--down-links f' '--partitions f' --no-rotate --wrap --map; do
  >   tori place --points points.gz --count 2 $o
  > done
  tori: --points and --machine exclude each other
  tori: --points and --shape exclude each other
  tori: --points and --wiring exclude each other
  tori: --points and --busy exclude each other
  tori: --points and --down exclude each other
  tori: --points and --down-links exclude each other
  tori: --points and --partitions exclude each other
  tori: --points and --no-rotate exclude each other
  tori: --points and --wrap exclude each other
  tori: --points and --map exclude each other
  [2]
  $ tori place --points points.gz --count 2 --alloc first-fit
  tori: --alloc: first-fit takes no points, only ...mm...do
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
