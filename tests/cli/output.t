Standard output that cannot be written is a failure like any other.

  $ tori --version > /dev/full
  tori: standard output: No space left on device
  [1]
  $ tori list --json > /dev/full
  tori: standard output: No space left on device
  [1]
  $ tori help sim > /dev/full
  tori: standard output: No space left on device
  [1]
  $ tori place --machine torus:64x64 --shape 64x64 --json > /dev/full
  tori: standard output: No space left on device
  [1]
  $ tori place --machine mesh:2x2 --shape 3x3 > /dev/full
  tori: standard output: No space left on device
  [1]
  $ tori --version >&-
  tori: standard output: Bad file descriptor
  [1]

Nor is a standard input that was closed an empty file.

  $ tori place --machine mesh:2x2 --shape 1x1 --busy - <&-
  tori: standard input: Bad file descriptor
  [1]
  $ tori sim --machine mesh:2x2 --trace - <&- >&-
  tori: standard input: Bad file descriptor
  [1]
  $ tori place --machine mesh:2x2 --shape 1x1 --busy - < /dev/null | head -1
  placed    0,0/1x1, 1 node
  $ tori place --machine mesh:2x2 --shape 1x1 <&- | head -1
  placed    0,0/1x1, 1 node

An error that came first is the one that is told.

  $ tori place --machine nowhere > /dev/full
  tori: unknown machine 'nowhere': expected mesh:, torus: or multitorus: and sizes such as 8x8x8 or 8^3, or pod:64/4x4x4
  [2]

A reader that goes away is no reason for a message.

  $ tori place --machine torus:64x64 --shape 64x64 --json | bare | head -c 14; echo
  {"placed":true
