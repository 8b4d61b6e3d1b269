// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

namespace wave {

std::string help_text() {
  return R"(wave: elastic waves in the ground on a staggered grid, faces exchanged behind the computation.

usage: mpiexec -n RANKS wave [options]

x and y are horizontal, z is the depth; metres, seconds, kg, N. The first point is at 0 0 0.

grid and time
  -n NX NY NZ          points of the whole grid (default 64 64 64)
  --per-rank N         N x N x N points on each process instead
  --grid PX PY PZ      process grid, 0 for a free choice; by default all are, and x stays whole if it can; or -P
  --spacing H          between points (default 100)
  --steps N            time steps (default 100; with --check full-space until all waves have passed)
  --duration T         so many seconds instead
  --dt DT              time step (default 0.8 of the largest stable one)

ground
  --material VP VS RHO the same everywhere (default 6000 3464 2700)
  --quality QP QS      and what it loses (default: nothing)
  --layers FILE        lines of: thickness vp vs density [Qp Qs], from the top; the last goes on
  --medium FILE        array (.npy) of shape (3 or 5, nz, ny, nx): vp, vs, density [, Qp, Qs]
  --elastic            ignore all Q
  --band F1 F2         Hz, where Q is to be constant (default 0.1 and 4 times the source's frequency)
  --reference-frequency F   at which the ground has its vp and vs (default: the source's)
  --boundaries NAME    surface: free surface at the top, the other sides absorb (default)
                       absorbing: all sides absorb; rigid: walls without friction
  --absorbing-width N  points of each absorbing layer (default 10)

sources, any number; what follows a --source is about that one
  --source X Y Z       (default: an explosion in the middle)
  --moment MXX MYY MZZ MXY MXZ MYZ   N m (default: an explosion, unless there is a force)
  --force FX FY FZ     N
  --time-function NAME ricker (default), gaussian, derivative (of it), or file FILE DT: a number per line, DT apart;
                       largest value 1, by which --force and the rate of --moment are multiplied; a gaussian is
                       divided by its area where it multiplies moments
  --frequency F        Hz (default: 8 points per shortest wavelength, which is that of 2.5 F)
  --delay T            of its middle (default 1.5 / F); of a file: of its beginning (default 0)

receivers of all three velocities
  --receiver X Y Z     any number of them
  --receivers FILE     lines of: x y z
  --seismograms FILE   .npy: rows of (t, vx, vy, vz); or .csv
  --snapshots FOLDER   planes as arrays (.npy), of which weft plot FOLDER makes a film
  --snapshot-every N   steps between them
  --snapshot C AXIS AT component, axis that the plane is across, position (default vz y, the middle)

run
  --exchange NAME      how neighbours get each other's faces:
                       blocking     MPI_Sendrecv for each face, then the next component
                       nonblocking  MPI_Irecv, MPI_Isend, waited for where the component is needed
                       neighbour    the same with MPI_Ineighbor_alltoallw
                       one-sided    MPI_Put into the neighbours' windows, between post, start, complete, wait (default)
                       nocheck      the same with MPI_MODE_NOCHECK: posts are known of by what has come since
                       fence        MPI_Put between fences
                       lock         MPI_Put within locks, and a message that it is there
                       skipped      no exchange: a wrong answer, to measure what the others cost
  --precision NAME     single (default) or double
  --check NAME         full-space: compare with the exact solution of a homogeneous full space
                       standing: a standing wave between rigid walls, compared with the exact one
  --checkpoint FILE    keep everything at the end
  --checkpoint-every N and every N steps
  --restart FILE       go on from a checkpoint of the same problem, on any number of ranks, with the same bits
  --repeat K           run K times and report the run of median time (default 1)

output
  --bandwidth          measure a stream triad on all ranks too, and compare with it
  --json FILE          write everything as one JSON object; - means standard output, instead of the tables
  --help               this text

exit code: 0 right (or not checked), 1 a wrong answer, 2 bad input
)";
}

}  // namespace wave
