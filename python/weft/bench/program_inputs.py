# SPDX-License-Identifier: BSD-3-Clause
"""What the programs of `weft bench programs` are given to do. {folder} is where their files lie."""

# The standard benchmark of LAMMPS: atoms that repel and attract by Lennard-Jones, 4 per cell of a cubic lattice.
LIQUID = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
thermo 1
run 400
"""
# Debian has no pseudopotentials, but the program that makes them: silicon with its two outer shells.
SILICON_ATOM = """\
&input title='Si', prefix='Si', zed=14.0, rel=1, config='[Ne] 3s2 3p2 3d-1', iswitch=3, dft='PBE' /
&inputp lloc=1, pseudotype=1, tm=.true., file_pseudopw='Si.UPF' /
2
3S  1  0  2.00  0.00  1.90  1.90  0.0
3P  2  1  2.00  0.00  1.90  1.90  0.0
"""
SILICON_CRYSTAL = """\
&control calculation='scf', prefix='si', pseudo_dir='{folder}', outdir='{folder}/out', disk_io='none' /
&system ibrav=2, celldm(1)=10.26, nat=2, ntyp=1, ecutwfc=30.0 /
&electrons conv_thr=1.0d-10 /
ATOMIC_SPECIES
Si 28.086 Si.UPF
ATOMIC_POSITIONS alat
Si 0.00 0.00 0.00
Si 0.25 0.25 0.25
K_POINTS automatic
2 2 2 0 0 0
"""
# Global Arrays, on which NWChem stands, puts, gets and adds to windows of MPI_Win_allocate.
WATER = """\
start water
permanent_dir {folder}
scratch_dir {folder}
geometry units angstrom noautosym
 O 0.0 0.000 0.117
 H 0.0 0.757 -0.469
 H 0.0 -0.757 -0.469
 O 2.9 0.000 0.117
 H 2.9 0.757 -0.469
 H 2.9 -0.757 -0.469
end
basis
 * library cc-pvtz
end
dft
 xc b3lyp
end
task dft energy
"""
# Plane waves and Gaussians: grids are spread over the ranks for each transform, small matrices are multiplied.
THREE_WATERS = """\
&GLOBAL
  PROJECT {folder}/waters
  RUN_TYPE ENERGY
&END
&FORCE_EVAL
  METHOD Quickstep
  &DFT
    BASIS_SET_FILE_NAME GTH_BASIS_SETS
    POTENTIAL_FILE_NAME GTH_POTENTIALS
    &MGRID
      CUTOFF 280
    &END
    &SCF
      EPS_SCF 1.0E-7
      &PRINT
        &RESTART OFF
        &END
      &END
    &END
    &XC
      &XC_FUNCTIONAL PADE
      &END
    &END
  &END
  &SUBSYS
    &CELL
      ABC 6 6 6
    &END
    &COORD
      O 0.0  0.000 0.000
      H 0.0  0.757 0.586
      H 0.0 -0.757 0.586
      O 3.0  0.000 0.000
      H 3.0  0.757 0.586
      H 3.0 -0.757 0.586
      O 0.0  3.000 3.000
      H 0.0  3.757 3.586
      H 0.0  2.243 3.586
    &END
    &KIND H
      BASIS_SET DZVP-GTH
      POTENTIAL GTH-PADE-q1
    &END
    &KIND O
      BASIS_SET DZVP-GTH
      POTENTIAL GTH-PADE-q6
    &END
  &END
&END
"""
# A box of grains that fall, bounce and come to rest: contacts come and go, so that neighbours change all the time.
GRAINS = """\
atom_style granular
atom_modify map array
boundary f f f
newton off
communicate single vel yes
units si
region box block -0.05 0.05 -0.05 0.05 0 0.15 units box
create_box 1 box
neighbor 0.002 bin
neigh_modify delay 0
fix young all property/global youngsModulus peratomtype 5e6
fix poisson all property/global poissonsRatio peratomtype 0.45
fix bounce all property/global coefficientRestitution peratomtypepair 1 0.9
fix rub all property/global coefficientFriction peratomtypepair 1 0.05
pair_style gran model hertz tangential history
pair_coeff * *
timestep 0.00001
fix fall all gravity 9.81 vector 0 0 -1
fix below all wall/gran model hertz tangential history primitive type 1 zplane 0
fix above all wall/gran model hertz tangential history primitive type 1 zplane 0.15
fix left all wall/gran model hertz tangential history primitive type 1 xplane -0.05
fix right all wall/gran model hertz tangential history primitive type 1 xplane 0.05
fix front all wall/gran model hertz tangential history primitive type 1 yplane -0.05
fix behind all wall/gran model hertz tangential history primitive type 1 yplane 0.05
fix grain all particletemplate/sphere 15485863 atom_type 1 density constant 2500 radius constant 0.002
fix grains all particledistribution/discrete 15485867 1 grain 1
fix fill all insert/pack seed 32452843 distributiontemplate grains vel constant 0 0 -0.5 insert_every once &
  overlapcheck yes all_in yes volumefraction_region 0.2 region box
fix move all nve/sphere
thermo_style custom step atoms ke
thermo 1000
thermo_modify lost ignore norm no
run 1
run 3000
"""
# Water is pressed into one corner of a field of oil, 30 x 30 x 5 cells in layers that let through more or less, and oil
# comes out at the opposite one.
OIL_AND_WATER = """\
RUNSPEC
DIMENS
 30 30 5 /
OIL
WATER
METRIC
START
 1 'JAN' 2020 /
WELLDIMS
 2 10 1 2 /
TABDIMS
/
EQLDIMS
/
GRID
DX
 4500*20 /
DY
 4500*20 /
DZ
 4500*4 /
TOPS
 900*2000 /
PORO
 4500*0.25 /
PERMX
 900*500 900*50 900*200 900*800 900*100 /
PERMY
 900*500 900*50 900*200 900*800 900*100 /
PERMZ
 4500*20 /
PROPS
SWOF
 0.2 0.0 1.0 0
 0.4 0.05 0.5 0
 0.6 0.2 0.15 0
 0.8 0.5 0.0 0
 1.0 1.0 0.0 0 /
PVTW
 200 1.0 4.5E-5 0.5 0 /
PVDO
 100 1.10 1.5
 200 1.08 1.6
 400 1.05 1.7 /
ROCK
 200 4E-5 /
DENSITY
 850 1000 1 /
SOLUTION
EQUIL
 2000 200 2100 0 1* 0 /
SCHEDULE
WELSPECS
 'IN' 'ALL' 1 1 2000 'WATER' /
 'OUT' 'ALL' 30 30 2000 'OIL' /
/
COMPDAT
 'IN' 1 1 1 5 'OPEN' 1* 1* 0.2 /
 'OUT' 30 30 1 5 'OPEN' 1* 1* 0.2 /
/
WCONINJE
 'IN' 'WATER' 'OPEN' 'RATE' 400 1* 500 /
/
WCONPROD
 'OUT' 'OPEN' 'BHP' 5* 150 /
/
TSTEP
 20*30 /
END
"""
