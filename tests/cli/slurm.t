'tori slurm' writes a comment, and becomes a command of Slurm. A real Slurm
reads it in slurm_plugin.py.

  $ tori slurm comment --shape 4x4x2 --wiring torus
  tori:shape=4x4x2,wiring=torus
  $ tori slurm comment --shape 4x4x2
  tori:shape=4x4x2
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
  $ PATH=bin:$PATH tori slurm sbatch --nodes=4 job.sh
  [sbatch][--nodes=4][job.sh]
  [7]
  $ PATH=bin:$PATH tori slurm srun --shape=4x1 -n8 -- ./program --wiring
  [srun][--comment=tori:shape=4x1][--nodes=4][-n8][--][./program][--wiring]
  [7]
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
