'tori slurm' writes a comment, and becomes a command of Slurm. A real Slurm
reads it in slurm_plugin.py.

  $ tori slurm comment --shape 4x4x2 --wiring torus
  tori:shape=4x4x2,wiring=torus
  $ tori slurm comment --shape 4x4x2
  tori:shape=4x4x2
  $ tori slurm comment --shape 4x4x2@10m,count=32
  tori:shape=4x4x2@10m,count=32
  $ tori slurm comment --shape 4x4x2@10m,count=16
  tori: --shape: 4x4x2 has 32 nodes, but count is 16
  [2]
  $ for shape in 4x4x2@0m 4x4x2@10m,count=32x 4x4x2@10m,cont=32 4x4x2@; do tori slurm comment --shape $shape; done
  tori: --shape: expected a time above 0
  tori: --shape: expected SHAPE@TIME[,count=N]
  tori: --shape: expected SHAPE@TIME[,count=N]
  tori: --shape: expected SHAPE@TIME[,count=N]
  [2]
  $ tori slurm comment --shape 4x4x2 --or boxes --wiring mesh
  tori:shape=4x4x2,or=boxes,wiring=mesh
  $ tori slurm comment --shape 4x4x2@10m --or boxes
  tori: --or boxes, and a shape with a time, after which the job takes any nodes: expected one of the two
  [2]
  $ tori slurm comment --shape 4x4x2@10m
  tori:shape=4x4x2@10m
  $ tori slurm comment --shape 4x4x2@10,count=32
  tori: --shape: '10' has two meanings, seconds or, as in Slurm, minutes: write 10s or 10m
  [2]
  $ tori slurm comment --shape 4x4x2 --wiring torus --machine torus:4x4x4
  tori:shape=4x4x2,wiring=torus
  $ tori slurm comment --shape 4x4x9 --machine torus:4x4x4
  tori: the machine, torus:4x4x4, can never hold 4x4x9: larger than the machine
  [4]
  $ tori slurm comment
  tori: --shape SHAPE is missing; see 'tori slurm comment --help'
  [2]
  $ tori slurm comment --shape 4x0
  tori: --shape: bad shape '4x0': expected sides from 1 to 2^32 - 1, such as 4x4x2
  [2]
  $ tori slurm
  tori: slurm: no command given; see 'tori slurm --help'
  [2]

Own options come first; all others are Slurm's.

  $ mkdir bin; printf '#!/bin/sh\nprintf "[%%s]" "${0##*/}" "$@"; echo; exit 7\n' > bin/sbatch; chmod +x bin/sbatch; cp bin/sbatch bin/srun; cp bin/sbatch bin/salloc
  $ PATH=bin:$PATH tori slurm sbatch --shape 4x4x2 --wiring torus --time=1:00 -p mesh job.sh --shape 3
  [sbatch][--comment=tori:shape=4x4x2,wiring=torus][--nodes=32][--time=1:00][-p][mesh][job.sh][--shape][3]
  [7]
  $ PATH=bin:$PATH tori slurm sbatch --shape 4x4x2 --or boxes job.sh
  [sbatch][--comment=tori:shape=4x4x2,or=boxes][--nodes=32][job.sh]
  [7]
  $ PATH=bin:$PATH tori slurm sbatch --nodes=4 job.sh
  [sbatch][--nodes=4][job.sh]
  [7]
  $ PATH=bin:$PATH tori slurm srun --shape=4x1 -n8 -- ./program --wiring
  [srun][--comment=tori:shape=4x1][--nodes=4][-n8][--][./program][--wiring]
  [7]

A comment of the user's own comes after the shape, and one of the program is left alone.

  $ PATH=bin:$PATH tori slurm sbatch --shape 2x2 --comment=foo job.sh --comment=bar
  [sbatch][--comment=tori:shape=2x2][--nodes=4][--comment=tori:shape=2x2 foo][job.sh][--comment=bar]
  [7]
  $ PATH=bin:$PATH tori slurm sbatch --shape 2x2 --wiring mesh -H --comm 'for me' -p mesh job.sh
  [sbatch][--comment=tori:shape=2x2,wiring=mesh][--nodes=4][-H][--comm][tori:shape=2x2,wiring=mesh for me][-p][mesh][job.sh]
  [7]
  $ PATH=bin:$PATH tori slurm sbatch --comment=tori:shape=2x2 job.sh
  [sbatch][--comment=tori:shape=2x2][job.sh]
  [7]
  $ PATH=bin:$PATH tori slurm srun --shape 2x2 -n 4 -- ./program --comment=foo
  [srun][--comment=tori:shape=2x2][--nodes=4][-n][4][--][./program][--comment=foo]
  [7]
  $ tori slurm srun --shape 2x2 -n 4 --comment=foo ./program
  tori: is --comment=foo for Slurm? Then let it come first; otherwise write -- before the program
  [2]
  $ tori slurm srun --shape 2x2 --comment=tori:shape=4x1 ./program
  tori: --shape and --comment=tori: both say what the job asks for
  [2]
  $ PATH=bin:$PATH tori slurm salloc
  [salloc]
  [7]
  $ tori slurm sbatch --wiring mesh job.sh
  tori: --wiring has no effect without --shape
  [2]
  $ tori slurm sbatch --shape 4y2 job.sh
  tori: --shape: bad shape '4y2': expected sides from 1 to 2^32 - 1, such as 4x4x2
  [2]
  $ rm bin/sbatch; t=$(command -v tori); PATH=bin "$t" slurm sbatch --shape 4x4x2 job.sh
  tori: sbatch: there is no such program; is Slurm installed?
  [1]

Names of nodes: in Slurm's files x varies fastest, here the last dimension does.

  $ tori slurm topology --machine torus:4x3x2 --nodes 'n[00-23]' --fastest first --placement 2x1x2 --placement 1,0,0/4x3x1:4x3x2 > topology.yaml; cat topology.yaml
  ---
  - topology: torus
    cluster_default: true
    torus3d:
      toruses:
        - name: torus
          dims: {x: 4, y: 3, z: 2}
          nodes: n[00-23]
          placements:
            - dims: {x: 2, y: 1, z: 2}
            - dims: {x: 4, y: 3, z: 1}
              anchor_seed: {x: 1, y: 0, z: 0}
              anchor_spacing: {x: 4, y: 3, z: 2}
  $ tori slurm topology --machine torus:2x3 --nodes 'n[0-5]' --name rack
  ---
  - topology: rack
    cluster_default: true
    torus3d:
      toruses:
        - name: rack
          dims: {x: 2, y: 3, z: 1}
          nodes: n[0,3,1,4,2,5]
  $ tori slurm topology --topology topology.yaml | cmp - topology.yaml
  $ tori slurm topology --topology topology.yaml --format map > map; head -3 map
  n00 0,0,0
  n12 0,0,1
  n04 0,1,0
  $ tori slurm topology --machine torus:4x3x2 --map map --placement 2x1x2 --placement 1,0,0/4x3x1:4x3x2 | cmp - topology.yaml

A tree of boxes, which is read by its comments.

  $ tori slurm topology --machine mesh:4x6 --nodes 'n[0-23]' --format conf > topology.conf; cat topology.conf
  SwitchName=t0s0 Switches=t1s[0-3] # 0,0/4x6
  SwitchName=t1s0 Nodes=n[0-2,6-8] # 0,0/2x3
  SwitchName=t1s1 Nodes=n[3-5,9-11] # 0,3/2x3
  SwitchName=t1s2 Nodes=n[12-14,18-20] # 2,0/2x3
  SwitchName=t1s3 Nodes=n[15-17,21-23] # 2,3/2x3
  $ tori slurm topology --machine mesh:4x6 --topology topology.conf --format map > again; tori slurm topology --machine mesh:4x6 --nodes 'n[0-23]' --format map | cmp - again
  $ printf 'SwitchName=top Switches=s[0-1]\nSwitchName=s0 LinkSpeed=7 nodes=a[2-0],b\n' > bad.conf; tori slurm topology --machine mesh:2x3 --topology bad.conf
  tori: bad.conf:2: bad list of hosts 'a[2-0],b': expected names such as n[0-63]
  [2]
  $ printf '# lines\nSwitchName=s0 \\\n  Nodes=a[3-1],b\n' | sed 's/3-1/7-8/' > line.conf; echo 'SwitchName=s1 Nodes=c[08-10]' >> line.conf; tori slurm topology --machine mesh:2x3 --topology line.conf --format map
  a7 0,0
  a8 0,1
  b 0,2
  c08 1,0
  c09 1,1
  c10 1,2

Coordinates in names, and places without a node.

  $ tori slurm topology --machine torus:2x1x11 --nodes 'tux[000x10A]' --suffixes --format map | tail -2
  tux109 1,0,9
  tux10A 1,0,10
  $ printf -- '- 1,1\na 0,0\nb 0,1\nc 1,0\n' > holes; tori slurm topology --machine torus:2x2 --map holes
  ---
  - topology: torus
    cluster_default: true
    torus3d:
      toruses:
        - name: torus
          dims: {x: 2, y: 2, z: 1}
          regions:
            - anchor: {x: 0, y: 0, z: 0}
              dims: {x: 2, y: 1, z: 1}
              nodes: a,c
            - anchor: {x: 0, y: 1, z: 0}
              dims: {x: 1, y: 1, z: 1}
              nodes: b
  $ tori slurm topology --machine torus:2x2 --map holes > holes.yaml; tori slurm topology --topology holes.yaml --machine torus:2x2 --format map
  a 0,0
  b 0,1
  c 1,0
  - 1,1
  $ tori slurm topology --machine torus:2x2 --map holes --format conf
  tori: topology.conf cannot say that places are empty
  [2]

What is wrong is told with its line.

  $ tori slurm topology --nodes 'n[0-5]'
  tori: --machine KIND:SIZES is missing
  [2]
  $ tori slurm topology --machine mesh:2x3 --nodes 'n[0-5]'
  tori: topology.yaml has tori of up to three dimensions, and mesh:2x3 is not one
  [2]
  $ tori slurm topology --machine torus:2x3 --nodes 'n[0-4]'
  tori: 'n[0-4]' has 5 nodes, but the machine has 6
  [2]
  $ tori slurm topology --machine torus:2x3 --nodes 'n[0-'
  tori: bad list of hosts 'n[0-': expected names such as n[0-63]
  [2]
  $ tori slurm topology --machine torus:2x3 --nodes 'n[0-5]' --placement 3x2x1
  tori: the placement is larger than the torus
  [2]
  $ tori slurm topology --machine torus:2x3 --nodes 'n[0-5]' --placement 2x
  tori: bad placement '2x': expected [SEED/]SIDES[:SPACING], such as 2x2x1 or 1,0,0/4x2x1:2x2x1
  [2]
  $ tori slurm topology --machine torus:2x3 --nodes 'n[0-5]' --suffixes
  tori: 'n0' does not end in coordinates of the machine, a digit for each of 2
  [2]
  $ tori slurm topology --machine torus:2x3 --nodes 'n[0-5]' --format map --name x
  tori: --name and --placement have no effect without --format yaml
  [2]
  $ tori slurm topology --machine torus:2x3x4 --topology topology.yaml
  tori: topology.yaml:6: the torus is 4x3x2, but the machine is torus:2x3x4
  [2]
  $ tori slurm topology --topology topology.yaml --torus pod7
  tori: topology.yaml: there is no torus 'pod7'
  [2]
  $ tori slurm topology --machine torus:2x3 --topology none.yaml
  tori: none.yaml: No such file or directory
  [1]
  $ for change in 's/x: 4/x: 5/' 's/name:/nam:/' 's/toruses:/toruses: 7/' 's/z: 2}/z: -2}/' 's/nodes:/regions:/' 's/00-23/00-22/' 's/00-23/00-22,1x[/' 's/- dims/- dims: {x: 0}\n          - dims/' 's/spacing: {x: 4/spacing: {x: 9/' 's/seed: {x: 1/seed: {x: 4/' 's/dims:/dims: {y: 1}\n        dims:/' 's/torus3d:/torus3d: {}\n  torus3d:/' 's/---/--- {/' 's/- topology: .*/- flat: true/' 's/23]/22],n00/'; do sed "$change" topology.yaml > bad.yaml; tori slurm topology --topology bad.yaml; done
  tori: bad.yaml:8: 'n[00-23]' has 24 nodes, but 5x3x2 has 30
  tori: bad.yaml:6: 'nam' is not understood
  tori: bad.yaml:6: it is not YAML: mapping values are not allowed in this context
  tori: bad.yaml:7: expected a number from 0 to 65535
  tori: bad.yaml:8: expected a list of regions
  tori: bad.yaml:8: 'n[00-22]' has 23 nodes, but 4x3x2 has 24
  tori: bad.yaml:8: bad list of hosts 'n[00-22,1x[]': expected names such as n[0-63]
  tori: bad.yaml:10: the placement has a side of 0, or none
  tori: bad.yaml:11: the anchor_spacing is larger than the torus
  tori: bad.yaml:11: the anchor_seed is not inside the torus
  tori: bad.yaml:13: it is not YAML: did not find expected key
  tori: bad.yaml:5: 'torus3d' is given twice
  tori: bad.yaml:2: it is not YAML: did not find expected node content
  tori: bad.yaml:5: the name of the topology must stand first
  tori: bad.yaml:8: node n00 is mapped twice
  [2]
  $ printf -- '- topology: a\n  torus3d: {toruses: {name: p, dims: {x: 2, y: 1, z: 1}, nodes: "a,b"}}\n- topology: b\n  torus3d: {toruses: [{name: p, dims: {x: 2, y: 1, z: 1}, nodes: "b,a"}]}\n- topology: c\n  flat: true\n' > two.yaml; tori slurm topology --topology two.yaml; tori slurm topology --topology two.yaml --torus b:p --format map
  tori: two.yaml: there are several tori, such as a:p and b:p; --torus says which
  b 0,0,0
  a 1,0,0
  $ printf -- '- topology: a\n  torus3d:\n    toruses:\n      name: p\n      dims: {x: 2, y: 2, z: 1}\n      regions:\n      - {dims: {x: 2, y: 1, z: 1}, nodes: "a[0-1]"}\n      - {anchor: {x: 1}, dims: {x: 1, y: 2, z: 1}, nodes: "b[0-1]"}\n' > meet.yaml; tori slurm topology --topology meet.yaml
  tori: meet.yaml:8: two regions overlap
  [2]
  $ printf '' > empty.yaml; tori slurm topology --topology empty.yaml; echo '- topology: a' > empty.yaml; tori slurm topology --topology empty.yaml
  tori: empty.yaml:1: the file is empty
  tori: empty.yaml: there is no torus3d
  [2]
