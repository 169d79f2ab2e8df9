Two processes share a partition in turns. What a process sends comes, once and
in order, and kernels are interrupted within the bound.

  $ tori net drain --machine torus:8x8 --load 0.3
  torus:8x8, box 0,0/8x8: cut-through, 2 virtual channels of 16 flits, 1 flit per cycle and link
  messages of 16 flits, 0.3 flits per node and cycle
  drain: 64 routers, Dmax 8, Lmax 16, Hmax 1

  signal  from  to  drain  bound  save  words  messages  packets  flits  waiting  sends
     500     0   1     31    136   148     52        23       23    368       41     24
    1180     1   0     23    136   148     52        14       14    224       27     20
    2000     0   1     32    136   148     36        10       10    160       30     16
    2829     1   0     30    136   148     68        25       25    400       24     14

  process  sent  delivered  out of order  digest            order kept  ended
        0  2237       2237             0  5042cf9c2285458f         yes    yes
        1  1454       1454             0  480efdb7f36ca208         yes    yes

  4856 cycles
  $ tori net drain --machine mesh:2^4 --box 0,0,0,0/2x2x1x2 --switches 1 --json
  {"machine":"mesh:2x2x2x2","box":"0,0,0,0/2x2x1x2","method":"drain","switching":"cut-through","vcs":2,"buffer":16,"width":1,"packet":16,"flits":16,"load":0.2,"switches":[{"signal":500,"from":0,"to":1,"cycles":14,"bound":51,"interrupts":8,"save_cycles":112,"words":112,"words_used":16,"messages":0,"packets":0,"flits":0,"waiting":2,"sends":2}],"processes":[{"process":0,"sent":79,"delivered":79,"reordered":0,"digest":"1162775cc94e7e9e","kept":true,"terminated":true},{"process":1,"sent":54,"delivered":54,"reordered":0,"digest":"17f34b2fe8204156","kept":true,"terminated":true}],"order_kept":true,"cycles":1736}
  $ tori net drain --machine torus:4x4 --switches 0 --processes 1 --load 1/4
  torus:4x4, box 0,0/4x4: cut-through, 2 virtual channels of 16 flits, 1 flit per cycle and link
  messages of 16 flits, 0.25 flits per node and cycle

  process  sent  delivered  out of order  digest            order kept  ended
        0   189        189             0  97d8ebbbf5c70b30         yes    yes

  810 cycles

Alone or not, a process hears the same.

  $ tori net drain --machine torus:4x4 --switches 6 --processes 3 --hop 2 --words 4 --width 2 --vcs 4 | sed -n 4,20p

  signal  from  to  drain  bound  save  words  messages  packets  flits  waiting  sends
     500     0   1     10     40    74     40         0        0      0        2      3
    1085     1   2     10     40    74     40         0        0      0        1      1
    1670     2   0     10     40    74     56         1        1     16        1      2
    2329     0   1     10     40    74     40         0        0      0        2      2
    2988     1   2     13     40    74     40         0        0      0        3      4
    3650     2   0     10     40    74     56         1        1     16        0      0

  process  sent  delivered  out of order  digest            order kept  ended
        0   406        406             0  11c9e8f6a8a84d4d         yes    yes
        1   230        230             0  4a8a571ded5e786b         yes    yes
        2   275        275             0  99a1b518b66624c0         yes    yes

  5557 cycles

All falls down: nothing is lost, but order.

  $ tori net drain --machine torus:8x8 --load 0.3 --partners 1 --method all-fall-down | sed -n 3,13p
  all-fall-down: 64 routers, Dmax 8, Lmax 16, Hmax 1

  signal  from  to  drain  bound  save  words  messages  packets  flits  waiting  sends
     500     0   1     35    136   148     52        16       16    256       37     23
    1184     1   0     48    136   148     36        16       16    256       33     26
    2029     0   1     36    136   148     52        13       13    208       32     20
    2862     1   0     45    136   148     52        14       14    224       30     15

  process  sent  delivered  out of order  digest            order kept  ended
        0  2237       2237             1  ea6e85de05448bb1          no    yes
        1  1454       1454             1  318c6e233e25ee84          no    yes
  $ tori net drain --machine torus:8x8 --load 0.3 --partners 1 | sed -n 11,13p
  process  sent  delivered  out of order  digest            order kept  ended
        0  2237       2237             0  ea6e85de05448bb1         yes    yes
        1  1454       1454             0  318c6e233e25ee84         yes    yes

With wormhole switching flits stop where they are.

  $ tori net drain --machine torus:8x8 --load 0.3 --switching wormhole --switches 2 | sed -n 3,7p
  drain: 64 routers, Dmax 8, Lmax 1, Hmax 1

  signal  from  to  drain  bound  save  words  messages  packets  flits  waiting  sends
     500     0   1      9     16   148     45        45      123    317       34      8
    1158     1   0      9     16   148     51        26       80    206       26     13

Bad input.

  $ tori net drain --machine torus:8x8 --box 0,0/6x8
  tori: an open partition cannot be drained: a message from 0,0 to 5,0 goes by 7,0
  [2]
  $ tori net drain --machine torus:8x8 --box 6,0/4x8
  tori: box 6,0/4x8 wraps around; --wrap allows it
  [2]
  $ tori net drain --machine torus:8x8 --box 0,0/1x1
  tori: processes that send need two nodes or more
  [2]
  $ tori net drain --machine torus:8x8 --origin 64
  tori: a drain starts at one of the 64 nodes of its partition, 0 to 63, not at 64
  [2]
  $ tori net drain --machine torus:8x8 --load 17
  tori: a load of 17 flits per node and cycle is more than one message of 16 per cycle
  [2]
  $ tori net drain --machine torus:8x8 --switching wormhole --method all-fall-down
  tori: packets can fall down only where a router has room for them: with cut-through
  [2]
  $ tori net drain
  tori: --machine KIND:SIZES is missing; see 'tori net drain --help'
  [2]
  $ tori net drian --machine torus:8x8
  tori: unknown command 'drian'; did you mean 'drain'? see 'tori net --help'
  [2]
  $ tori net --help | head -2
  Usage: tori net --machine KIND:SIZES [OPTION]...
     or: tori net COMMAND...

What would have no effect.

  $ tori net drain --machine torus:8x8 --partners 64
  tori: --partners: a node of 0,0/8x8 has only 63 others
  [2]
  $ tori net drain --machine torus:4x4 --partners 15 --switches 1 --slice 10 --json | grep -o '"order_kept":true'
  "order_kept":true
