A message alone takes its hops and its flits: from corner to corner of mesh:4x4
6 hops and 5 flits. Two that meet: the second waits for the first.

  $ printf '# src dst flits cycle\n0,0 3,3 5 10\n' | tori net --machine mesh:4x4 --messages -
  mesh:4x4: wormhole, dimension order, 2 virtual channels of 8 flits, 1 flit per cycle and link
  file, 21 cycles

  box      messages   mean  p50  p90  p99  max  waited  blocked  hops  offered  accepted  finish
  0,0/4x4         1  11.00   11   11   11   11    0.00     0.00  6.00   0.0149    0.0149      21

  links: 48, busy for 2.98 % of the time; the busiest, from 0,0 to 1,0, for 23.81 %
  $ printf '0,0 0,3 5\n0,1 0,3 5 1\n' | tori net --machine mesh:4x4 --pattern file --messages - --json
  {"machine":"mesh:4x4","pattern":"file","switching":"wormhole","routing":"dor","vcs":2,"buffer":8,"width":1,"jobs":[{"box":"0,0/4x4","nodes":16,"closed":true,"messages":2,"flits":10,"latency":{"mean":10.0,"p50":8,"p90":12,"p99":12,"max":12},"waited":2.5,"blocked":0.0,"hops":2.5,"offered":0.0480769230769231,"accepted":0.0480769230769231,"finish":13,"saturated":false,"unfinished":false}],"disturb":[],"load":{"links":48,"mean":0.0400641025641026,"max":0.769230769230769,"busiest":{"from":[0,1],"to":[0,2],"dim":1}},"measured":13,"cycles":13,"flit_hops":25}

Boxes of a mesh do not disturb each other; each job's phases follow its own
messages.

  $ tori net --machine mesh:8x8 --pattern all-to-all --box 0,0/4x8 --box 4,0/4x8 --flits 4
  mesh:8x8: wormhole, dimension order, 2 virtual channels of 8 flits, 1 flit per cycle and link
  all-to-all, messages of 4 flits, 510 cycles

  box      messages   mean  p50  p90  p99  max  waited  blocked  hops  offered  accepted  finish
  0,0/4x8       992  11.15   11   17   21   23    0.00     3.15  4.00   0.2460    0.2460     504
  4,0/4x8       992  11.16   11   17   20   23    0.00     3.16  4.00   0.2431    0.2431     510

  links: 224, busy for 27.79 % of the time; the busiest, from 0,3 to 0,4, for 50.20 %

  0,0/4x8 is closed
  4,0/4x8 is closed
  $ tori net --machine mesh:4x4 --pattern all-to-all --box 0,0/4x2 --flits 4 --json
  {"machine":"mesh:4x4","pattern":"all-to-all","switching":"wormhole","routing":"dor","vcs":2,"buffer":8,"width":1,"flits":4,"jobs":[{"box":"0,0/4x2","nodes":8,"closed":true,"messages":56,"flits":224,"latency":{"mean":6.75,"p50":6,"p90":10,"p99":10,"max":10},"waited":0.0,"blocked":0.75,"hops":2.0,"offered":0.474576271186441,"accepted":0.474576271186441,"finish":59,"saturated":false,"unfinished":false}],"disturb":[],"load":{"links":48,"mean":0.15819209039548,"max":0.542372881355932,"busiest":{"from":[1,0],"to":[2,0],"dim":0}},"measured":59,"cycles":59,"flit_hops":448}

Partitions: a box that is longer than half of a ring is left by messages between
its ends, and disturbs whoever is there; half and one more depends on who sends
to whom.

  $ tori net --machine torus:8x8 --pattern ring --box 0,0/6x8 --box 6,0/2x4 --box 6,4/2x4 | tail -6

  0,0/6x8 is open: a message from 0,0 to 5,0 leaves it at 7,0
  6,0/2x4 is closed
  6,4/2x4 is closed
  0,0/6x8 and 6,0/2x4 share the link from 6,0 to 7,0: messages from 5,0 to 0,0 and from 6,0 to 7,0
  0,0/6x8 and 6,4/2x4 share the link from 6,4 to 7,4: messages from 5,4 to 0,4 and from 6,4 to 7,4
  $ tori net --machine torus:8x8 --pattern ring --box 0,0/5x1 --box 5,0/3x1 --routing adaptive --json | grep -o '"closed":[^}]*}\|"disturb.*"load'
  "closed":false,"escape":{"src":[4,0],"dst":[0,0],"outside":[5,0],"route":[[4,0],[5,0],[6,0],[7,0],[0,0]]}
  "closed":true,"messages":3,"flits":24,"latency":{"mean":13.6666666666667,"p50":15,"p90":16,"p99":16,"max":16}
  "disturb":[{"jobs":[0,1],"link":{"from":[5,0],"to":[6,0],"dim":0,"step":1},"messages":[{"src":[4,0],"dst":[0,0]},{"src":[5,0],"dst":[6,0]}]}],"load
  $ tori net --machine torus:6x6 --pattern ring --box 2,0/4x1 --json | grep -o '"closed":[^,]*\|"disturb.*"load'
  "closed":true
  "disturb":[],"load
  $ for b in 0,0,0/3x5x1 1,2,0/4x1x4 0,1,2/2x4x3 2,0,1/1x3x4; do tori net --machine torus:4x6x5 --pattern ring --box $b --wrap --json; done | python3 -c '
  > import json, sys
  > for j in (json.loads(line)["jobs"][0] for line in sys.stdin):
  >     e = j.get("escape")
  >     print(j["closed"], e and (e["route"][0] == e["src"], e["route"][-1] == e["dst"], e["outside"] in e["route"]))'
  False (True, True, True)
  False (True, True, True)
  False (True, True, True)
  False (True, True, True)

Open traffic, by chance. The same seed gives the same answer, another seed
another one.

  $ tori net --machine torus:8x8 --rate 0.2 --flits 1 --cycles 2000 --warm-up 500
  torus:8x8: wormhole, dimension order, 2 virtual channels of 8 flits, 1 flit per cycle and link
  random, messages of 1 flit, 0.2 flits per node and cycle, 2000 cycles after 500

  box      messages  mean  p50  p90  p99  max  waited  blocked  hops  offered  accepted  finish
  0,0/8x8     25507  5.45    5    8   10   18    0.07     0.34  4.05   0.1993    0.1993    2509

  links: 256, busy for 20.15 % of the time; the busiest, from 2,2 to 2,3, for 22.70 %
  $ tori net --machine torus:8x8 --rate 1/5 --flits 1 --cycles 2000 --warm-up 500 > again
  $ tori net --machine torus:8x8 --rate 0.20 --flits 1 --cycles 2000 --warm-up 500 | cmp - again
  $ tori net --machine torus:8x8 --rate 0.2 --flits 1 --cycles 2000 --warm-up 500 --seed 2 | cmp -s - again
  [1]
  $ tori net --machine mesh:8x8 --pattern transpose --rate 0.8 --cycles 1000 --routing adaptive | tail -4
  0,0/8x8      2140  877.32  928  1595  1999  2108  823.42    40.39  5.51   0.7106    0.3240    3128  saturated

  links: 224, busy for 53.06 % of the time; the busiest, from 2,3 to 3,3, for 100.00 %
  0,0/8x8: 8 of 64 messages of a round are not sent: their nodes have no partner in the pattern

A run too short to tell is not called saturated, and one that was cut short is
unfinished.

  $ tori net --machine torus:8x8 --rate 0.01 --cycles 30 | sed -n 5p
  0,0/8x8         2  12.00   10   14   14   14    0.00     0.00  4.00   0.0083    0.0047    1037
  $ tori net --machine torus:8x8 --pattern all-to-all --cycles 5 | sed -n 5p
  0,0/8x8         0  0.00    0    0    0    0    0.00     0.00  0.00   0.0000    0.0000       0  unfinished
  $ tori net --machine torus:8x8 --pattern all-to-all --cycles 5 --json | grep -o '"saturated.*}]'
  "saturated":false,"unfinished":true}]

Every pattern, switching and routing.

  $ for p in all-to-all ring random nbody fft transpose complement neighbour; do tori net --machine torus:4x4 --pattern $p --rounds 2 | sed -n 5p; done
  0,0/4x4       480  11.45   10   17   20   20    0.00     1.32  2.13   0.6452    0.6452     372
  0,0/4x4        32  9.25    9   10   10   10    0.00     0.00  1.25   0.8000    0.8000      20
  0,0/4x4        32  14.28   11   25   26   26    0.00     3.94  2.34   0.3077    0.3077      52
  0,0/4x4       288  9.33    9   10   10   10    0.00     0.00  1.33   0.8000    0.8000     180
  0,0/4x4       128  9.50    9   10   10   10    0.00     0.00  1.50   0.8421    0.8421      76
  0,0/4x4        24  14.17   10   19   19   19    0.00     3.50  2.67   0.3158    0.3158      38
  0,0/4x4        32  10.00   10   10   10   10    0.00     0.00  2.00   0.8000    0.8000      20
  0,0/4x4       128  9.00    9    9    9    9    0.00     0.00  1.00   0.8889    0.8889      72
  $ tori net --machine torus:4x4 --pattern random --switching cut-through --packet 4 --buffer 4 --width 2 | sed -n 1,2p
  torus:4x4: cut-through, dimension order, 2 virtual channels of 4 flits, 2 flits per cycle and link
  random, messages of 8 flits, 19 cycles
  $ tori net --machine torus:4x4 --pattern random --routing adaptive | sed -n 1p
  torus:4x4: wormhole, adaptive, 3 virtual channels of 8 flits, 1 flit per cycle and link
  $ tori net --machine mesh:2^10 --pattern fft --flits 2 | tail -1
  links: 10240, busy for 6.67 % of the time; the busiest, from 0,0,0,0,0,0,0,0,0,0 to 1,0,0,0,0,0,0,0,0,0, for 6.67 %

Other names of patterns.

  $ tori net --machine torus:4x4 --pattern uniform > other; tori net --machine torus:4x4 --pattern random | cmp - other
  $ tori net --machine torus:4x4 --pattern bit-complement > other; tori net --machine torus:4x4 --pattern complement | cmp - other
  $ tori net --machine torus:4x4 --pattern neighbor > other; tori net --machine torus:4x4 --pattern neighbour | cmp - other

A pattern that does not fit its box says what it leaves out.

  $ tori net --machine torus:8x8 --pattern transpose --box 0,0/4x8 | tail -4
  0,0/4x8: transpose turns a square of 5 x 5 ranks, because the box cannot be turned
  0,0/4x8: 12 of 32 messages of a round are not sent: their nodes have no partner in the pattern

  0,0/4x8 is closed
  $ tori net --machine torus:8 --pattern transpose --box 0/3 | tail -4
  0/3: transpose turns a square of 1 x 1 ranks, because the box cannot be turned
  0/3: 3 of 3 messages of a round are not sent: their nodes have no partner in the pattern

  0/3 is closed
  $ tori net --machine torus:3x4 --pattern fft --json | grep -o '"silent":[0-9]*'
  "silent":8
  $ tori net --machine torus:2x4 --pattern fft --json | grep -o '"silent":[0-9]*'
  [1]

Every link by itself, in the order of the nodes that they leave.

  $ printf '0,0 1,1 3\n' | tori net --machine mesh:2x2 --messages - --links links.csv --json
  {"machine":"mesh:2x2","pattern":"file","switching":"wormhole","routing":"dor","vcs":2,"buffer":8,"width":1,"jobs":[{"box":"0,0/2x2","nodes":4,"closed":true,"messages":1,"flits":3,"latency":{"mean":5.0,"p50":5,"p90":5,"p99":5,"max":5},"waited":0.0,"blocked":0.0,"hops":2.0,"offered":0.15,"accepted":0.15,"finish":5,"saturated":false,"unfinished":false}],"disturb":[],"load":{"links":8,"mean":0.15,"max":0.6,"busiest":{"from":[0,0],"to":[1,0],"dim":0}},"links":[{"from":[0,0],"to":[1,0],"dim":0,"step":1,"flits":3,"load":0.6},{"from":[0,0],"to":[0,1],"dim":1,"step":1,"flits":0,"load":0.0},{"from":[0,1],"to":[1,1],"dim":0,"step":1,"flits":0,"load":0.0},{"from":[0,1],"to":[0,0],"dim":1,"step":-1,"flits":0,"load":0.0},{"from":[1,0],"to":[0,0],"dim":0,"step":-1,"flits":0,"load":0.0},{"from":[1,0],"to":[1,1],"dim":1,"step":1,"flits":3,"load":0.6},{"from":[1,1],"to":[0,1],"dim":0,"step":-1,"flits":0,"load":0.0},{"from":[1,1],"to":[1,0],"dim":1,"step":-1,"flits":0,"load":0.0}],"measured":5,"cycles":5,"flit_hops":6}
  $ cat links.csv
  from,to,dim,step,flits,load
  "0,0","1,0",0,1,3,0.600000
  "0,0","0,1",1,1,0,0.000000
  "0,1","1,1",0,1,0,0.000000
  "0,1","0,0",1,-1,0,0.000000
  "1,0","0,0",0,-1,0,0.000000
  "1,0","1,1",1,1,3,0.600000
  "1,1","0,1",0,-1,0,0.000000
  "1,1","1,0",1,-1,0,0.000000
  $ printf '0,0 1,1 3\n' | tori net --machine mesh:2x2 --messages - --links - | cmp - links.csv

Every message by itself, as they are delivered; what begins before the warm-up
is over is not among them.

  $ printf '0,0 0,3 5\n0,1 0,3 5 1\n3,0 3,1 1 2\n' | tori net --machine mesh:4x4 --messages - --box 0,0/2x4 --box 3,0/1x2 --log - | tee log
  {"job":1,"src":[3,0],"dst":[3,1],"flits":1,"hops":1,"sent":2,"entered":2,"delivered":4,"blocked":0}
  {"job":0,"src":[0,0],"dst":[0,3],"flits":5,"hops":3,"sent":0,"entered":0,"delivered":8,"blocked":0}
  {"job":0,"src":[0,1],"dst":[0,3],"flits":5,"hops":2,"sent":1,"entered":6,"delivered":13,"blocked":0}
  $ printf '0,0 0,3 5\n0,1 0,3 5 1\n3,0 3,1 1 2\n' | tori net --machine mesh:4x4 --messages - --box 0,0/2x4 --box 3,0/1x2 --log again > /dev/null; cmp log again
  $ tori net --machine torus:4x4 --rate 0.2 --cycles 500 --log log --json | grep -o '"messages":[0-9]*'; grep -c delivered log
  "messages":208
  208
  $ python3 -c 'import json; m = [json.loads(l) for l in open("log")]; print(min(x["sent"] for x in m) >= 1000, all(x["delivered"] - x["sent"] >= x["hops"] + x["flits"] for x in m))'
  True True

How busy the links were, drawn.

  $ tori net --machine torus:2x3 --pattern ring --heat links.svg > answer
  $ head -3 links.svg; grep -c '<path' links.svg; grep -c '<circle' links.svg
  <svg xmlns="http://www.w3.org/2000/svg" width="420" height="208" font-family="sans-serif">
  <rect width="100%" height="100%" fill="#ffffff"/>
  <text x="14" y="26" font-size="14">torus:2x3, ring: load of the links</text>
  34
  6
  $ tori net --machine torus:3x3x3 --pattern ring --heat - | grep -c '\*,\*'
  3
  $ tori net --machine torus:4x4 --pattern ring --box 2,0/2x2 --box 3,3/2x1 --wrap --heat - | grep -c 'rx="6"'
  3
  $ tori net --machine torus:4x4 --pattern ring --box 2,0/2x2 --box 3,3/2x1 --wrap --heat - | grep 'rx="6"\|outlined\|rows:'
  <text x="14" y="78">rows: dimension 0, columns: dimension 1; the darkest is the busiest link</text>
  <text x="14" y="93">outlined: the boxes</text>
  <rect x="21" y="197" width="62" height="62" rx="6"/>
  <rect x="129" y="233" width="26" height="26" rx="6"/>
  <rect x="129" y="125" width="26" height="26" rx="6"/>
  $ tori net --machine torus:3x4x5 --pattern ring --box 1,0,0/2x2x2 --heat - | grep 'rx="6"\|outlined\|rows:'
  <text x="14" y="78">rows: dimension 1, columns: dimension 2; the darkest is the busiest link</text>
  <text x="14" y="93">a node: the busiest of its links to other slices; outlined: the boxes</text>
  <rect x="233" y="125" width="62" height="62" rx="6"/>
  <rect x="445" y="125" width="62" height="62" rx="6"/>
  $ tori net --machine mesh:8 --pattern ring --heat - | grep 'columns:\|>7<'
  <text x="14" y="78">columns: dimension 0; the darkest is the busiest link</text>
  <text x="286" y="164" text-anchor="middle">7</text>

Bad input.

  $ tori net --machine torus:8x8 --vcs 1
  tori: at least 2 virtual channels per link are needed to prevent deadlock, not 1
  [2]
  $ tori net --machine torus:8x8 --box 0,0/4x4 --box 3,3/2x2
  tori: boxes 0,0/4x4 and 3,3/2x2 overlap
  [2]
  $ tori net --machine torus:8x8 --box 6,0/4x4
  tori: box 6,0/4x4 wraps around; --wrap allows it
  [2]
  $ tori net --machine torus:8x8 --box 6,0/4x4 --wrap --pattern neighbour --flits 1 | sed -n 5p
  6,0/4x4        64  2.50    2    4    4    4    0.00     0.00  1.50   0.2500    0.2500      16
  $ printf '0,0 0,1 1\n0,0 1\n' | tori net --machine mesh:4x4 --messages -
  tori: -:2: expected SRC DST FLITS [CYCLE]
  [2]
  $ printf '0,0 0,1 0\n' | tori net --machine mesh:4x4 --messages -
  tori: -:1: flits: '0' is not a whole number from 1 to 4294967295
  [2]
  $ printf '0,0 3,3 1\n' | tori net --machine mesh:4x4 --messages - --box 0,0/2x2
  tori: -:1: node 3,3 is in no box
  [2]
  $ printf '0,0 3,3 1\n' | tori net --machine mesh:4x4 --messages - --box 0,0/2x2 --box 2,2/2x2
  tori: -:1: 0,0 and 3,3 are not in the same box
  [2]
  $ tori net --machine mesh:4x4 --pattern file
  tori: --pattern file and --messages FILE go together
  [2]
  $ tori net --machine mesh:4x4 --rate 0.1 --rounds 2
  tori: --rate: rounds are for phases, without a rate
  [2]
  $ tori net --machine mesh:4x4 --rate 1.1
  tori: --rate: a node cannot send more flits per cycle than a link carries
  [2]
  $ tori net --machine mesh:4x4 --rate 1.1 --width 2 --cycles 10 | sed -n 2p
  random, messages of 8 flits, 1.1 flits per node and cycle, 10 cycles after 1000
  $ tori net --machine mesh:4x4 --warm-up 100
  tori: --warm-up is for messages at a --rate
  [2]
  $ tori net --machine mesh:4x4 --rate 0.1 --warm-up 1.5
  tori: --warm-up: '1.5' is not a whole number from 0 to 2305843009213693951
  [2]
  $ tori net --machine mesh:4x4 --heat - --json
  tori: only one of --heat, --links, --log and --json can go to standard output
  [2]
  $ printf '# none\n' | tori net --machine mesh:4x4 --messages -
  tori: -: no messages; expected one per line: SRC DST FLITS [CYCLE]
  [2]
  $ tori net --machine mesh:4x4 --switching cut-through --packet 9
  tori: a packet of 9 flits does not fit a buffer of 8
  [2]
  $ tori net --machine mesh:256x256 --heat links.svg
  tori: a machine of more than 16384 nodes is too large to be drawn
  [2]

What is down carries nothing: a run is refused if a message could meet it, and
no other run uses it.

  $ echo 1,1-1,2 > links; echo 5,5 > nodes
  $ tori net --machine mesh:8x8 --pattern all-to-all --box 0,0/4x4 --down-links links
  tori: a message from 0,0 to 1,2 would cross the link from 1,1 to 1,2, which is down
  [3]
  $ tori net --machine mesh:8x8 --pattern ring --box 0,0/4x4 --box 4,4/4x4 --down nodes
  tori: a message from 4,7 to 5,4 would meet node 5,5, which is down
  [3]
  $ tori net --machine torus:8 --pattern ring --box 6/1 --box 7/1 --routing adaptive --vcs 3 --down-links /dev/null
  torus:8: wormhole, adaptive, 3 virtual channels of 8 flits, 1 flit per cycle and link
  ring, messages of 8 flits, 0 cycles

  box  messages  mean  p50  p90  p99  max  waited  blocked  hops  offered  accepted  finish
  6/1         0  0.00    0    0    0    0    0.00     0.00  0.00   0.0000    0.0000       0
  7/1         0  0.00    0    0    0    0    0.00     0.00  0.00   0.0000    0.0000       0

  6/1 is closed
  7/1 is closed
  $ tori net --machine mesh:4x4 --pattern ring --box 0,0/1x4 --routing adaptive --down-links links | tail -1
  0,0/1x4 is closed
  $ tori net --machine mesh:4x4 --pattern complement --routing adaptive --down-links links
  tori: a message from 0,0 to 3,3 could cross the link from 1,1 to 1,2, which is down
  [3]
  $ echo 0-7 > wrap; tori net --machine torus:8 --pattern all-to-all --down-links wrap
  tori: a message from 0 to 5 would cross the link from 0 to 7, which is down
  [3]
  $ tori net --machine mesh:8x8 --pattern all-to-all --box 0,4/8x4 --down-links links --links carried.csv --json | grep -o '"cycles":[0-9]*'
  "cycles":915
  $ python3 -c '
  > import csv
  > rows = list(csv.DictReader(open("carried.csv")))
  > dead = [r for r in rows if {r["from"], r["to"]} == {"1,1", "1,2"}]
  > print(len(dead), {r["flits"] for r in dead}, sum(int(r["flits"]) for r in rows) > 0)'
  2 {'0'} True
  $ echo 0,0 3,3 8 > one; tori net --machine mesh:4x4 --pattern file --messages one --down-links links | tail -1
  links: 48, busy for 7.14 % of the time; the busiest, from 0,0 to 1,0, for 57.14 %
  $ echo 1,0 1,3 8 > one; tori net --machine mesh:4x4 --pattern file --messages one --down-links links
  tori: a message from 1,0 to 1,3 would cross the link from 1,1 to 1,2, which is down
  [3]

Transpose of a box that cannot be turned is that of a square of its ranks.

  $ tori net --machine mesh:12 --pattern transpose | tail -2
  0/12: transpose turns a square of 3 x 3 ranks, because the box cannot be turned
  0/12: 6 of 12 messages of a round are not sent: their nodes have no partner in the pattern
  $ tori net --machine mesh:12 --pattern transpose --json | grep -oE '"(silent|square)":[0-9]+'
  "silent":6
  "square":3
  $ tori net --machine mesh:4x4 --pattern transpose --json | grep -c square
  0
  [1]

Pods are refused, and the help does not speak of them.

  $ tori net --machine pod:8/4x4x4
  tori: a network: not on a pod, whose cubes are joined only where a slice is
  [2]
  $ tori net --help | grep -c -w pod
  0
  [1]
