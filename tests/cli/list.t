Everything that has a name.

  $ tori list
  allocators...takes
  first-fit...shape...the first free box from node 0 on, in any rotation
  best-fit...shape...the free box that the fewest free nodes touch
  ...
  row-ff...count...the first run of free nodes in the order of ids
  row-bf...count...the shortest run of free nodes in the order of ids
  ...

  schedulers
  fcfs          first come, first served: nobody overtakes
  backfill      whatever fits starts: no planned starts
  easy          the first waiting job has a planned start
  conservative  every waiting job has a planned start
  ...

  orders
  submit    first submitted first
  shortest  least estimated time first
  smallest  fewest nodes first
  largest   most nodes first

  models
  lublin ... rigid jobs with a daily cycle (Lublin and Feitelson, 2003)
  ...

  shapes
  count        no shape: a number of nodes anywhere
  first-match  the first box of least volume, in nested loops from 1
  fat          the same with loops from 2
  compact      the box of least volume with the least sum of sides
  as-given     its own shape if it has one in the log, else a number of nodes

  wirings
  none     no links are reserved
  mesh     the links between neighbours in the box
  torus    a ring in every line of the box
  twisted  on a pod: a torus with sides of K and 2K, whose wraps are shifted

  machines
  mesh               lines of nodes; mesh:16x16, mesh:2^10
  torus              rings of nodes; torus:8x8x8, torus:16x16x8m
  multitorus         lines with neighbour links and a folded ring; multitorus:8x8x8
  multitorus-left    the same; two inner nodes close to the left
  multitorus-facing  the same, but towards the middle of the line
  links              lines with the links that are given; links:4+0-1+1-3
  pod                cubes joined by optical switches; pod:64/4x4x4

  patterns
  all-to-all      each to each other, one after the other
  ring            each to the next
  random          each to another one, by chance
  nbody           half way round a ring step by step, then straight back
  fft             pairs whose ranks differ in a bit, bit by bit
  transpose       each to its mirror image in a matrix
  complement      the first to the last, and so on
  neighbour       each to the next node in the box, every way in turn (tori net only)
  file            the messages of --messages FILE (tori net only)
  uniform         another name of random (tori net only)
  bit-complement  another name of complement (tori net only)
  neighbor        neighbour (tori net only)

  branches
  lightest     the branch with the fewest virtual processors
  lowest       the branch with the shortest pass, then the lightest
  round-robin  the branches in turn
  
  folds
  none   a job gets a box of its own shape
  rings  or one of other sides in which its neighbours are neighbours and its rings closed
  $ tori list allocators
  allocators...takes
  first-fit...shape...the first free box from node 0 on, in any rotation
  best-fit...shape...the free box that the fewest free nodes touch
  ...
  row-ff...count...the first run of free nodes in the order of ids
  row-bf...count...the shortest run of free nodes in the order of ids
  ...
  $ tori list schedulers --json
  {"schedulers":[{"name":"fcfs","summary":"first come, first served: nobody overtakes"},{"name":"backfill","summary":"whatever fits starts: no planned starts"},{"name":"easy","summary":"the first waiting job has a planned start"},{"name":"conservative","summary":"every waiting job has a planned start"}...
  $ tori list --json | python3 -c 'import json, sys; print(list(json.load(sys.stdin))[3:])'
  ['allocators', 'schedulers', 'orders', 'models', 'shapes', 'wirings', 'machines', 'patterns', 'branches', 'folds']

Every name that is listed is taken where it belongs.

  $ cat > names <<'END'
  > tori list $1 --json | grep -o '"name":"[^"]*' | cut -d'"' -f4
  > END
  $ for a in $(sh names allocators); do
  >   tori place --machine mesh:4x4 --alloc $a --shape 2x2 --json 2> /dev/null ||
  >   tori place --machine mesh:4x4 --alloc $a --count 4 --json 2> /dev/null ||
  >   tori place --machine pod:4/2x2 --alloc $a --shape 2x2 --json
  > done | bare | cut -c-14 | sort -u
  {"placed":true
  $ for o in $(sh names orders); do
  >   tori sim --machine mesh:4x4 --jobs 50 --order $o --json
  > done | bare | cut -c-11 | sort -u
  {"jobs":50,
  $ for s in $(sh names schedulers); do
  >   tori sim --machine mesh:4x4 --jobs 50 --sched $s --json
  > done | bare | cut -c-11 | sort -u
  {"jobs":50,
  $ for s in $(sh names shapes); do
  >   a=first-fit; test $s = count && a=row-ff
  >   tori sim --machine mesh:4x4 --jobs 50 --shapes $s --alloc $a --json
  > done | bare | cut -c-11 | sort -u
  {"jobs":50,
  $ for m in $(sh names models); do
  >   tori sim --machine pod:64/4x4x4 --jobs 50 --model $m --json
  > done | bare | cut -c-11 | sort -u
  {"jobs":50,
  $ for w in $(sh names wirings); do
  >   tori place --machine pod:4/2x2 --shape 2x4 --wiring $w --json
  > done | bare | cut -c-14 | sort -u
  {"placed":true
  $ for b in $(sh names branches); do
  >   tori sim --machine mesh:4x4 --jobs 50 --sched gang --branch $b --json
  > done | grep -c '"jobs":50'
  3
  $ for k in $(sh names machines); do
  >   case $k in pod) sides=4/2x2 ;; *) sides=4x4 ;; esac
  >   tori place --machine $k:$sides --shape 2x2 --json
  > done | bare | cut -c-14 | sort -u
  {"placed":true
  $ echo 0,0 1,1 3 > m; for p in $(sh names patterns); do
  >   tori net --machine torus:4x4 --pattern $p --json $(test $p != file || echo --messages m)
  > done | grep -c '"unfinished":false'
  12
  $ for f in $(sh names folds); do
  >   tori place --machine torus:4x4 --shape 8x1 --fold $f --json
  > done | bare | cut -c-15
  {"placed":false
  {"placed":true,
