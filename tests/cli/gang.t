Table 1 of Hori et al., "Time Space Sharing Scheduling and Architectural
Support", 1995, to the letter.

  $ tori gang table --levels 3 --queues 0:2,1:2,2:1,3:1,4:2,5:3,6:2 --slots 12
  slot  PE0    PE1    PE2    PE3
     0  Q0(0)  Q0(0)  Q0(0)  Q0(0)
     1  Q0(1)  Q0(1)  Q0(1)  Q0(1)
     2  Q1(0)  Q1(0)  Q2(0)  Q2(0)
     3  Q1(1)  Q1(1)  Q5(0)  Q6(0)
     4  Q3(0)  Q4(0)  Q5(1)  Q6(1)
     5  Q3(0)  Q4(1)  Q5(2)  Q6(0)
     6  Q0(0)  Q0(0)  Q0(0)  Q0(0)
     7  Q0(1)  Q0(1)  Q0(1)  Q0(1)
     8  Q1(0)  Q1(0)  Q2(0)  Q2(0)
     9  Q1(1)  Q1(1)  Q5(0)  Q6(1)
    10  Q3(0)  Q4(0)  Q5(1)  Q6(0)
    11  Q3(0)  Q4(1)  Q5(2)  Q6(1)
  $ tori gang table --levels 3 --queues 0:2,1:2,2:1,3:1,4:2,5:3,6:2 --slots 12 --json
  {"slots":[["Q0(0)","Q0(0)","Q0(0)","Q0(0)"],["Q0(1)","Q0(1)","Q0(1)","Q0(1)"],["Q1(0)","Q1(0)","Q2(0)","Q2(0)"],["Q1(1)","Q1(1)","Q5(0)","Q6(0)"],["Q3(0)","Q4(0)","Q5(1)","Q6(1)"],["Q3(0)","Q4(1)","Q5(2)","Q6(0)"],["Q0(0)","Q0(0)","Q0(0)","Q0(0)"],["Q0(1)","Q0(1)","Q0(1)","Q0(1)"],["Q1(0)","Q1(0)","Q2(0)","Q2(0)"],["Q1(1)","Q1(1)","Q5(0)","Q6(1)"],["Q3(0)","Q4(0)","Q5(1)","Q6(0)"],["Q3(0)","Q4(1)","Q5(2)","Q6(1)"]],"period":6}

One period if it is not said how many slots; an empty branch idles.

  $ tori gang table --levels 3 --queues 1:1,3:2
  slot  PE0    PE1    PE2  PE3
     0  Q1(0)  Q1(0)  -    -
     1  Q3(0)  -      -    -
     2  Q3(1)  -      -    -
  $ tori gang table --levels 3 --queues 1:1,3:2 --slots 2 --json
  {"slots":[["Q1(0)","Q1(0)",null,null],["Q3(0)",null,null,null]],"period":3}
  $ tori gang table --levels 2 --queues 0:0
  slot  PE0  PE1
  $ tori gang table --levels 2 --queues 0:0 --slots 1 --json
  {"slots":[[null,null]],"period":0}
  $ tori gang table --levels 1 --queues 0:2 --slots 3
  slot  PE0
     0  Q0(0)
     1  Q0(1)
     2  Q0(0)

The tree of a machine: the longest side is halved; a square is quartered.

  $ tori gang table --machine mesh:2x4 --queues 0:1,2:1,4:2
  slot  PE0    PE1    PE2    PE3    PE4    PE5    PE6    PE7
     0  Q0(0)  Q0(0)  Q0(0)  Q0(0)  Q0(0)  Q0(0)  Q0(0)  Q0(0)
     1  -      -      Q2(0)  Q2(0)  Q4(0)  Q4(0)  Q2(0)  Q2(0)
     2  -      -      Q2(0)  Q2(0)  Q4(1)  Q4(1)  Q2(0)  Q2(0)
  $ tori gang table --machine torus:2x2 --degree 4 --queues 0:1,4:1
  slot  PE0    PE1    PE2    PE3
     0  Q0(0)  Q0(0)  Q0(0)  Q0(0)
     1  -      -      -      Q4(0)
  $ tori gang table --machine mesh:3 --queues 1:1,2:1,3:1,4:1
  slot  PE0    PE1    PE2
     0  Q1(0)  Q1(0)  Q2(0)
     1  Q3(0)  Q4(0)  Q2(0)

What is wrong is said.

  $ tori gang
  tori: gang: no command given; see 'tori gang --help'
  [2]
  $ tori gang table --queues 0:1
  tori: one of --levels and --machine is needed
  [2]
  $ tori gang table --levels 3
  tori: --queues NODE:LENGTH,... is missing; see 'tori gang table --help'
  [2]
  $ tori gang table --levels 3 --machine mesh:4 --queues 0:1
  tori: one of --levels and --machine is needed
  [2]
  $ tori gang table --levels 3 --queues 7:1
  tori: --queues: there is no node 7: the tree has nodes 0 to 6
  [2]
  $ tori gang table --levels 3 --queues 0:1,
  tori: --queues: '0:1,' is not NODE:LENGTH,... with lengths up to 1000000
  [2]
  $ tori gang table --levels 3 --queues 0=1
  tori: --queues: '0=1' is not NODE:LENGTH,... with lengths up to 1000000
  [2]
  $ tori gang table --levels 3 --queues 0:1 --degree 1
  tori: --degree: '1' is not a whole number from 2 to 1024
  [2]
  $ tori gang table --levels 17 --queues 0:1 --degree 1024
  tori: a table is for at most 65536 processors
  [2]
  $ tori gang table --levels 9 --queues 0:1
  tori: 256 processors are too many for a table: at most 64 without --json
  [2]
  $ tori gang table --levels 9 --queues 0:1 --slots 0
  tori: --slots: '0' is not a whole number from 1 to 1000000
  [2]
  $ tori gang tabel
  tori: unknown command 'tabel'; did you mean 'table'? see 'tori gang --help'
  [2]
