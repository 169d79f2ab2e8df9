Wraps of a slice that are shifted: see doc/folding.md.

  $ tori twist --shape 4x4x8
  4x4x8, 128 nodes, 384 links

              straight   twisted
  diameter           8         6  hops
  average        4.031     3.465  hops
  bisection         32        64  links
  $ tori twist --shape 4x8x8 --json
  {"nodes":256,"links":768,"straight":{"diameter":10,"average":5.01960784313725,"bisection":64},"twisted":{"diameter":6,"average":4.32941176470588,"bisection":128}}
  $ tori twist --shape 8x4
  8x4, 32 nodes, 64 links

              straight   twisted
  diameter           6         4  hops
  average        3.097      2.71  hops
  bisection          8        16  links
  $ tori twist --shape 4x4x4
  tori: --shape: '4x4x4' has no twist: expected sides of K and 2K, such as 4x4x8
  [2]
  $ tori twist --shape 256x256x512
  tori: --shape: '256x256x512' has more than 16777216 nodes
  [2]
  $ tori twist
  tori: --shape SHAPE is missing; see 'tori twist --help'
  [2]
