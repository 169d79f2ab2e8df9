Jobs that leave a choice to the scheduler.

  $ cat > queue <<END
  > {"machine": "torus:4x4", "now": 0,
  >  "running": [{"id": 1, "box": "0,0/2x4", "start": 0, "end": 100},
  >              {"id": 2, "box": "2,0/1x4", "start": 0, "end": 50}],
  >  "queue": [{"id": 3, "shape": "3x3", "time_limit": 60,
  >             "alternatives": [{"shape": "2x4", "wiring": "torus"},
  >                              {"count": 9}]},
  >            {"id": 4, "shape": "4x4", "time_limit": 10,
  >             "alternatives": [{"shape": "1x3"}]}]}
  > END
  $ tori forecast queue
  job  start, s   in  place
    4         0  now  3,0/1x3
    3        50  50s  2,0/2x4
  $ tori why queue
  job 3: not enough free nodes: it asks for a box of 2x4 or one of 2 alternatives; only 1 is free
    nearest place: 0,2/4x2 lacks 7 nodes; in the way: job 1 (4 nodes), job 2 (2 nodes), job 4 (1 node)
    expected to start at 50 s, in 50s, on 2,0/2x4
    would start now at 0,0/2x4 if job 1 ended
  job 4: it starts now
  $ tori what-if queue --add shape=4x4,time=10,or=2x2/torus,or=1
  job  start, s  without  change  place
    3        50       50       0  2,0/2x4
    4         0        0       0  3,0/1x3
    5         0              new  3,3
  $ tori what-if queue --add shape=4x4,time=10,or=
  tori: --add: count: '' is not a whole number from 1 to 1073741824
  [2]
  $ tori what-if queue --add count=4,time=10,or=2x2/ring
  tori: --add: unknown wiring 'ring': expected none, mesh, torus or twisted
  [2]

A snapshot says what is wrong with them.

  $ cat > bad <<'END'
  > printf '{"machine": "torus:4x4", "queue": [{"id": 3, "shape": "3x3",
  >  "time_limit": 60, "alternatives": %s}]}' "$1" | tori forecast -
  > END
  $ sh bad 7
  tori: -: queue[0].alternatives: expected a list
  [2]
  $ sh bad '[7]'
  tori: -: queue[0].alternatives[0]: expected an object
  [2]
  $ sh bad '[{"count": 3}, {"wiring": "mesh"}]'
  tori: -: queue[0].alternatives[1].shape: is missing, and so is a count
  [2]
  $ sh bad '[{"shape": "2x2x2"}]'
  tori: -: queue[0].alternatives[0].shape: 3 dimensions on a machine of 2
  [2]
  $ sh bad '[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}]'
  tori: -: queue[0].alternatives: more than 15
  [2]

Shapes and counts in one queue have an allocator each.

  $ tori sim --machine torus:4x4x4 --jobs 200 --load 0.8 --alloc first-fit+mm --count-fraction 0.5 --json | bare | cut -c 1-60
  {"jobs":200,"rejected":0,"placeable":1.0,"utilization":0.534
  $ tori sim --machine torus:4x4x4 --jobs 200 --load 0.8 --alloc best-fit --count-fraction 1/2 --json | grep -o '"alloc":"[^"]*"'
  "alloc":"best-fit+mm"
  $ tori sim --machine torus:4x4x4 --jobs 50 --load 0.8 --alloc first-fit+mm | head -n 1
  lublin on torus:4x4x4: easy, submit order, first-fit+mm, shapes first-match, wiring none, estimates exact
  $ tori sim --machine torus:4x4x4 --jobs 60 --load 2 --alloc first-fit+mc1x1 --count-fraction 1/2 --snapshot 20000:mixed > all
  $ grep '"alloc"' mixed
   "alloc": {"shape": "first-fit", "count": "mc1x1"},
  $ tori sim --from mixed --json | grep -o '"alloc":"[^"]*"'
  "alloc":"first-fit+mc1x1"
  $ tori forecast mixed | head -n 2
  job   start, s      in  place
   42  21962.826  32m43s  0,3,0 0,3,1 0,3,3 and 1 more
  $ tori what-if mixed --alloc best-fit+row-bf | head -n 2
  job   start, s    without  change  place
   42  21962.826  21962.826       0  0,3,0 0,3,1 0,3,2 and 1 more
  $ tori sim --machine torus:4x4x4 --alloc mm+first-fit
  tori: --alloc: mm takes no shape; expected one for shapes and one for counts, such as first-fit+mm
  [2]
  $ tori sim --machine torus:4x4x4 --alloc first-fit+mn
  tori: --alloc: 'mn' (did you mean 'mc'?) is not one of first-fit, best-fit, anchors, isomorphic, eb, egc, k-partner, multiple-gc, sniffing, efl, etc, row-ff, row-bf, row-ss, snake-ff, snake-bf, snake-ss, hilbert-ff, hilbert-bf, hilbert-ss, mc1x1, mc, mm, gen-alg, mm+inc, regard, exact, ptas, cube-first, cube-best
  [2]

A comma is between allocators that are compared. It is not a pair.

  $ tori sim --machine torus:4x4x4 --alloc first-fit,mm
  tori: --alloc: 'first-fit,mm': a comma is between allocators that are compared ('tori compare'); for one of shapes and one of counts in the same queue, write first-fit+mm
  [2]
  $ tori what-if mixed --alloc first-fit,mm
  tori: --alloc: 'first-fit,mm': a comma is between allocators that are compared ('tori compare'); for one of shapes and one of counts in the same queue, write first-fit+mm
  [2]
  $ tori sim --machine torus:4x4x4 --alloc mm --count-fraction 0.5
  tori: --count-fraction: these jobs are counts already
  [2]
  $ tori what-if mixed --alloc first-fit+best-fit
  tori: --alloc: best-fit takes no count; expected one for shapes and one for counts, such as first-fit+mm
  [2]

Jobs take other boxes, or any nodes, if their shape has no place. A box has at most
an eighth more nodes than the job needs: 16 for 15, but not 8 for 7.

  $ cat > starts <<'END'
  > printf 'submit,run_time,estimate,shape\n0,100,100,%s\n1,10,10,%s\n' "$2" "$3" > boxes.csv
  > tori sim --machine $1 --jobs-csv boxes.csv --or $4 --log - | tail -n 1 | sed 's/.*"start":\([0-9]*\).*"count":[0-9]*,/\1 /; s/,"numerical.*//; s/"origin.*"nodes"/"nodes"/'
  > END
  $ sh starts mesh:4x4 3x4 2x2 none
  100 "shape":[2,2],"nodes":[0,1,4,5]
  $ sh starts mesh:4x4 3x4 2x2 boxes
  1 "shape":[1,4],"nodes":[12,13,14,15]
  $ sh starts mesh:4x4 3x4 2x2 count
  1 "wiring":"none","nodes":[12,13,14,15]
  $ sh starts mesh:4x4 3x4 2x2 both
  1 "shape":[1,4],"nodes":[12,13,14,15]
  $ sh starts mesh:8x4 4x4 5x3 boxes
  1 "shape":[4,4],"nodes":[16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31]
  $ sh starts mesh:4x7 4x5 7x1 boxes
  100 "shape":[1,7],"nodes":[0,1,2,3,4,5,6]

With patience, they wait for their shape first.

  $ sh starts mesh:4x4 3x4 2x2 'boxes --patience 30s'
  31 "shape":[1,4],"nodes":[12,13,14,15]
  $ sh starts mesh:4x4 3x4 2x2 'boxes --patience 2m'
  100 "shape":[2,2],"nodes":[0,1,4,5]
  $ tori sim --machine mesh:4x4 --patience 1h
  tori: --patience has no effect without --or
  [2]
  $ tori sim --machine mesh:4x4 --or none --patience 1h
  tori: --patience: jobs with no alternatives wait for their shape anyway
  [2]
  $ tori sim --machine mesh:4x4 --or boxes --patience soon
  tori: --patience: 'soon' is not a time such as 90s, 1h20m, 1:20:30 or 2-12:00:00
  [2]
  $ tori sim --machine torus:8x8x8 --jobs 50 --load 0.8 --or both | head -n 1
  lublin on torus:8x8x8: easy, submit order, first-fit+mm, shapes first-match or both, wiring none, estimates exact
  $ tori sim --machine torus:4x4x4 --alloc mm --or boxes
  tori: --or: these jobs have no shape that others could replace
  [2]
  $ tori sim --machine torus:4x4x4 --or boxes --no-rotate
  tori: --no-rotate: a shape that others may replace cannot be fixed
  [2]
  $ tori sim --machine torus:4x4x4 --or count --wiring torus
  tori: --wiring: any nodes have no links of their own, so --or takes only boxes
  [2]
  $ tori sim --from mixed --or boxes
  tori: --from: what jobs take instead of their shape is in the file
  [2]

A job may be limited to some of the nodes.

  $ cat > parts <<END
  > {"machine": "torus:4x4", "now": 0, "down": ["3,3"],
  >  "running": [{"id": 1, "box": "0,0/2x4", "start": 0, "end": 100}],
  >  "queue": [{"id": 2, "shape": "2x2", "time_limit": 60,
  >             "only": ["0,0/2x4", "2,0"]},
  >            {"id": 3, "shape": "2x2", "time_limit": 60,
  >             "only": ["0,0/2x1"]},
  >            {"id": 4, "shape": "1x3", "time_limit": 60,
  >             "only": ["2,0/2x4"]}]}
  > END
  $ tori forecast parts
  job  start, s     in  place
    4         0    now  2,0/1x3
    2       100  1m40s  0,0/2x2
    3     never
  $ tori why parts
  job 2: not enough free nodes: it asks for a box of 2x2 with 4 nodes; only 0 are free of those it may use
    expected to start at 100 s, in 1m40s, on 0,0/2x2
    would start now at 0,0/2x2 if job 1 ended
  job 3: it has no place among the nodes in service that it may use
    not expected to start as things are
  job 4: it starts now
  $ tori what-if parts --add count=3,only=3,0/1x4,only=2,3,time=10
  job  start, s  without  change  place
    2       100      100       0  0,0/2x2
    3     never    never
    4         0        0       0  2,0/1x3
    5         0              new  3,0 3,1 3,2
  $ tori what-if parts --add count=3,only=3,0/1x5,time=10
  tori: --add: box '3,0/1x5' leaves the machine in dimension 1, which has 4 nodes
  [2]
  $ sed 's/"2,0"/"2,0", "2,0"/' parts | tori forecast -
  tori: -: queue[0].only: node 2,0 is there twice
  [2]
  $ sed 's/"2,0"/7/' parts | tori forecast -
  tori: -: queue[0].only: entry 1: expected a node or a box, such as "0,0,0", [0,0,0] or "0,0,0/2x2x2"
  [2]
  $ tori forecast parts > by-text; sed 's/"2,0"/[2, 0]/' parts | tori forecast - | cmp - by-text

A reservation of a count keeps the nodes free that will be, by their ids.

  $ cat > kept <<END
  > {"machine": "mesh:8", "now": 0, "alloc": "first-fit",
  >  "running": [{"id": 1, "box": "0/2", "start": 0, "end": 100}],
  >  "queue": [{"id": 2, "shape": "3", "time_limit": 60},
  >            {"id": 3, "shape": "3", "time_limit": 60}],
  >  "reservations": [{"id": "service", "count": 4, "from": 50, "until": 90}]}
  > END
  $ tori forecast kept
  job  start, s     in  place
    2        90  1m30s  2/3
    3        90  1m30s  5/3
  not a promise for 1 job without a planned start: jobs that come later may delay it
  $ tori sim --from kept --snapshot 0:again > all && sed -n "/reservations/,/]/p" again | grep service
    {"id": "service", "nodes": ["2", "3", "4", "5"], "from": 50, "until": 90}],
  $ tori what-if kept --reservation count=2,from=+10,until=+20
  job  start, s  without  change  place
    2        90       90       0  2/3
    3        90       90       0  5/3
  $ tori what-if kept --reservation count=5,from=50,until=60
  tori: --reservation: reservation what-if 1: not enough nodes to choose from
  [2]
  $ sed 's/"count": 4/"count": 9/' kept | tori forecast -
  tori: -: reservations[0]: reservation service: not enough nodes to choose from
  [2]
  $ sed 's/"count": 4/"count": 0/' kept | tori forecast -
  tori: -: reservations[0].count: expected a whole number of at least 1
  [2]
  $ sed 's/"count": 4, //' kept | tori forecast -
  tori: -: reservations[0].box: is missing, and so are its nodes
  [2]
