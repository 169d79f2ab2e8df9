The best set, and what is too large for it.

  $ tori place --machine mesh:4x4 --alloc exact --count 5 --json
  {"placed":true,"nodes":[[0,0],[0,1],[0,2],[1,0],[1,1]],"pairwise":16,"average":1.6}
  $ printf '0,0\n9,9\n0,1\n9,9\n0,0\n' > points
  $ tori place --points points --alloc exact --count 2 --json
  {"placed":true,"nodes":[[0,0],[0,0]],"indexes":[0,4],"pairwise":0,"average":0.0}
  $ tori place --machine torus:1000 --alloc exact --count 3 --json
  {"placed":true,"nodes":[[0],[1],[2]],"pairwise":4,"average":1.3333333333333...}
  $ echo 1 > busy; tori place --machine torus:4 --alloc exact --count 2 --busy busy --json
  {"placed":true,"nodes":[[0],[3]],"pairwise":1,"average":1.0}
  $ tori place --machine torus:100 --alloc exact --count 50 --json | grep -o '"pairwise.*'
  "pairwise":20825,"average":17.0}
  $ tori place --machine mesh:100x100 --alloc exact --count 1 --json
  {"placed":true,"nodes":[[0,0]],"pairwise":0,"average":0.0}
  $ tori place --machine mesh:100x100 --alloc exact --count 10000 --json | grep -o '"pairwise.*'
  "pairwise":3333000000...}
  $ tori place --machine mesh:30x30 --alloc exact --count 3 --json
  {"placed":true,"nodes":[[0,0],[0,1],[0,2]],"pairwise":4,"average":1.33333333333333}
  $ tori place --machine mesh:100x100 --alloc exact --count 50
  tori: exact is for small instances: a search for the best 50 of 10000 points needs more steps than allowed; gen-alg always answers; --json prints the best set found
  [2]
  $ tori place --machine mesh:100x100 --alloc exact --count 50 --json 2>&1 >answer | grep -c '^tori: exact is'; cat answer
  1
  {"placed":false,"reason":"gave-up","detail":"exact is for small instances: a search for the best 50 of 10000 points needs more steps than allowed; gen-alg always answers","steps":0,"limit":17179869184,"best":5675,"at_least":4125,"best_nodes":[[0,2],[0,3],[0,4],[0,5],[1,1],[1,2],[1,3],[1,4],[1,5],[1,6],[2,0],[2,1],[2,2],[2,3],[2,4],[2,5],[2,6],[2,7],[3,0],[3,1],[3,2],[3,3],[3,4],[3,5],[3,6],[3,7],[4,0],[4,1],[4,2],[4,3],[4,4],[4,5],[4,6],[4,7],[5,0],[5,1],[5,2],[5,3],[5,4],[5,5],[5,6],[5,7],[6,1],[6,2],[6,3],[6,4],[6,5],[6,6],[7,3],[7,4]]}

A search that gives up says what it knows, and with --json the set as well.

  $ tori place --machine mesh:8x8 --alloc exact --count 12 --steps 100000
  tori: exact gave up after 1e+05 steps, its limit: the best 12 of 64 points found have a sum of 152, and proved is at least 108; gen-alg always answers; --json prints the best set found
  [2]
  $ tori place --machine mesh:8x8 --alloc exact --count 12 --steps 100000 --json 2>/dev/null
  {"placed":false,"reason":"gave-up","detail":"exact gave up after ...","steps":...,"limit":100000,"best":152,"at_least":108,"best_nodes":[[0,2],[0,3],[1,1],[1,2],[1,3],[1,4],[2,1],[2,2],[2,3],[2,4],[3,2],[3,3]]}
  [2]
  $ for y in 0 1 2 3 4 5 6 7; do for x in 0 1 2 3 4 5 6 7; do echo $y,$x; done; done > grid
  $ tori place --points grid --alloc exact --count 12 --steps 100000 --json 2>/dev/null
  {"placed":false,"reason":"gave-up",...,"best":152,"at_least":108,"best_nodes":[[0,2],...]],"best_indexes":[2,3,9,10,11,12,17,18,19,20,26,27]}
  [2]
  $ tori place --machine mesh:8x8 --alloc mm --count 12 --steps 100000
  tori: --steps: mm has no use for it
  [2]
  $ tori place --machine mesh:8x8 --alloc exact --count 12 --steps 0
  tori: --steps: '0' is ...
  [2]

Within 1 + epsilon of it.

  $ tori place --points points --alloc ptas --count 3 --json
  {"placed":true,"nodes":[[0,0],[0,1],[0,0]],"indexes":[0,2,4],"pairwise":2,"average":0.6666666666666...}
  $ tori place --machine mesh:5x5 --alloc ptas --epsilon 0.1 --count 5 --json | grep -o '"pairwise.*'
  "pairwise":16,"average":1.6}
  $ tori place --machine mesh:8x8 --alloc ptas --count 8 --json | grep -o '"pairwise.*'
  "pairwise":54,"average":1.9285714285714...}
  $ tori place --machine torus:8x8 --alloc ptas --count 4 --json
  {"placed":true,"nodes":[[0,0],[0,7],[1,0],[1,7]],"pairwise":8,"average":1.3333333333333...}
  $ printf '0,0\n9,9\n1,0\n0,1\n0,0\n' | tori place --points - --alloc ptas --count 3 --json | grep -o '"indexes":[^]]*'
  "indexes":[0,2,4
  $ tori place --machine mesh:64x64 --alloc ptas --epsilon 0.3 --count 40 --json | grep -o '"pairwise.*'
  "pairwise":3241,...
  $ tori place --machine torus:8x8 --alloc ptas --epsilon 1/5 --count 12 --json | grep -o '"pairwise.*'
  "pairwise":152,...

Idle machines are settled around one node, busy ones around each, where there
are more than 2^32 ways to cut.

  $ tori place --machine mesh:8x8x8 --alloc ptas --epsilon 0.1 --count 60 --json | grep -o '"pairwise.*'
  "pairwise":6458,...
  $ tori place --machine torus:8x8x8 --alloc ptas --epsilon 0.1 --count 100 --json | grep -o '"pairwise.*'
  "pairwise":20874,...
  $ tori place --machine mesh:64x64 --alloc ptas --epsilon 0.1 --count 60 --json | grep -o '"pairwise.*'
  "pairwise":8968,...
  $ awk 'BEGIN { x = 1; for (i = 0; i < 256; i++) { x = x * 16807 % 2147483647; if (x % 2) print int (i / 16) "," i % 16 } }' > half
  $ tori place --machine torus:16x16 --busy half --alloc ptas --epsilon 0.1 --count 40 --json | grep -o '"pairwise.*'
  "pairwise":4220,...

With a limit, what would take too long is refused, with a count of the ways.

  $ for y in 0 1 2 3 4 5; do for x in 0 1 2 3 4 5; do echo $y,$x; done; done > six; echo 0,0 >> six
  $ tori place --points six --alloc ptas --epsilon 0.1 --count 10 --json | grep -o '"pairwise.*'
  "pairwise":90,"average":2.0}
  $ tori place --points six --alloc ptas --epsilon 0.1 --count 10 --steps 1000
  tori: ptas would have to try up to 4.5e+04 ways to cut 37 points into strips for the best 10 within 1 + 0.1, and may try 1e+03; a larger epsilon or fewer points may do, and gen-alg always answers; --json prints the best set found
  [2]
  $ tori place --points six --alloc ptas --epsilon 0.1 --count 10 --steps 1000 --json 2>/dev/null
  {"placed":false,"reason":"gave-up","detail":"ptas would have to try up to 4.5e+04 ways ...","steps":0,"limit":1000,"best":90,"at_least":70,"best_nodes":[[...]],"best_indexes":[0,1,2,6,7,8,12,13,14,36]}
  [2]

Round rings, odd and even, and of 1 and 2 nodes.

  $ tori place --machine torus:8x8 --alloc ptas --epsilon 0.1 --count 4 --json | grep -o '"pairwise.*'
  "pairwise":8,"average":1.3333333333333...}
  $ tori place --machine torus:5x4 --alloc ptas --count 5 --json | grep -o '"pairwise.*'
  "pairwise":16,"average":1.6}
  $ tori place --machine torus:1x2x5 --alloc ptas --epsilon 0.01 --count 8 --json | grep -o '"pairwise.*'
  "pairwise":52,...
  $ tori place --machine torus:1x2x5 --alloc exact --count 8 --json | grep -o '"pairwise.*'
  "pairwise":52,...
  $ printf '0\n3\n6\n9\n1\n4\n' | tori place --points - --around 10 --alloc ptas --epsilon 0.01 --count 4 --json
  {"placed":true,"nodes":[[0],[3],[9],[1]],"indexes":[0,1,3,4],"pairwise":13,...

Their entries in the list of papers.

  $ tori paper clusters --out results > text
  $ grep "sums are proved" text
  20 of 20 sums are proved and as printed.
  $ head -n 3 results/clusters.csv
  k,sum,printed,average,average_cut,side,square,proved,picture
  2,1,1,1.000000,1.000,2,2x2,1,#/#
  3,4,4,1.333333,1.333,3,3x3,1,#/#/#
  $ tori paper manhattan-median --json --out results | grep -o '"trials":.."dims":2,"k":8,"scale":10,"mm":259,"best":160'
  "trials":[{"dims":2,"k":8,"scale":10,"mm":259,"best":160
  $ wc -l < results/manhattan-median.csv
  37
  $ tail -n 1 results/manhattan-median.csv
  5,320,1000,48596224,25600000,25600000,1.898290,1.900000
  $ tail -n 1 results/hilbert-worst.csv
  8,256,6096,56,56,56,108.857143,0.425223
  $ printf '%s\n' 7,0 8,0 0,15 15,15 > kept
  $ seq 0 15 | while read x; do seq 0 15 | sed "s/^/$x,/"; done | grep -vxFf kept > others
  $ tori place --machine mesh:16x16 --busy others --alloc hilbert-bf --count 2 --json
  {"tori":...,"nodes":[[0,15],[7,0]],"pairwise":22,"average":22.0}
  $ touch file
  $ tori paper clusters --out file/below
  tori: file/below: Not a directory
  [1]

What a theorem serves, and lines and rings, ptas takes of any length.

  $ tori place --machine mesh:65x65 --alloc ptas --count 2 | head -n 2
  placed    2 nodes
    0,0/1x2
  $ tori place --machine mesh:65x65 --alloc ptas --count 10 --epsilon 1 | tail -n 2
  pairwise  96 hops
  average   2.133 hops
  $ tori place --machine torus:5000 --alloc ptas --count 50 | tail -n 2
  pairwise  20825 hops
  average   17 hops
  $ tori place --machine mesh:65x65 --alloc ptas --count 10 --epsilon 1/10 | tail -n 2
  pairwise  96 hops
  average   2.133 hops
  $ tori place --machine mesh:130x130 --alloc ptas --count 4 --epsilon 1/10 --steps 4294967296 --json
  {"placed":false,"reason":"gave-up","detail":"with a limit, ptas is for up to 16384 points: of 16900, 1.4e+08 pairs would have to be looked at for an epsilon of 0.1; one of 0.5 takes any, and gen-alg always answers","steps":0,"best":9,"at_least":6,"best_nodes":[[0,0],[0,1],[0,2],[1,1]]}
  tori: with a limit, ptas is for up to 16384 points: of 16900, 1.4e+08 pairs would have to be looked at for an epsilon of 0.1; one of 0.5 takes any, and gen-alg always answers
  [2]
