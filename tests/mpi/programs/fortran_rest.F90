! SPDX-License-Identifier: BSD-3-Clause
! The other collectives, blocking, non-blocking and persistent, with lists of counts, displacements and datatypes,
! array sections and neighbours; compiled three times, for mpif.h, mpi and mpi_f08. For three ranks or more.
#include "fortran_checks.inc"

! Open MPI 4 has the persistent collectives of MPI-4 as an extension.
#if defined(EXTENSION)
#define ALLREDUCE_INIT MPIX_Allreduce_init
#define ALLTOALLW_INIT MPIX_Alltoallw_init
#define BARRIER_INIT MPIX_Barrier_init
#else
#define ALLREDUCE_INIT MPI_Allreduce_init
#define ALLTOALLW_INIT MPI_Alltoallw_init
#define BARRIER_INIT MPI_Barrier_init
#endif

program fortran_rest
  use checks
#if defined(EXTENSION) && defined(USE_F08)
  use mpi_f08_ext
#elif defined(EXTENSION) && defined(USE_MPI)
  use mpi_ext
#endif
  implicit none
#if defined(EXTENSION) && defined(USE_MPIFH)
  include 'mpif-ext.h'
#endif
  integer, parameter :: most = 64
  integer, asynchronous :: one(most), all(most * most), own(most), parts(most * most), wide(2 * most)
  integer, asynchronous :: bytes(most), counts(most), places(most), vector(most), ring_in(2), ring_out(2)
  integer, asynchronous :: grid(6, 6)
  integer :: root, r, i, n, reverse, wanted, turn, sides(2), filled(6, 6)
  integer(kind=MPI_ADDRESS_KIND) :: far(2)
  HANDLE(MPI_Request) :: requests(6), persistent(3)
  HANDLE(MPI_Datatype) :: types(most), pair(2), spaced
  HANDLE(MPI_Comm) :: ring

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  n = ranks
  root = n - 1
  ! Rank r has r + 1 numbers, which lie in reverse order of the ranks where blocks are listed.
  counts(:n) = [(r + 1, r = 0, n - 1)]
  reverse = 0
  do r = n - 1, 0, -1
    places(r + 1) = reverse
    reverse = reverse + r + 1
  end do
  one = [(100 * me + i, i = 1, most)]

  do turn = 1, 2
    call MPI_Gather(one, 2, MPI_INTEGER, all, 2, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
    if (me == root) call check(all(:2 * n), [((100 * r + i, i = 1, 2), r = 0, n - 1)], 'gather')
    call MPI_Gatherv(one, me + 1, MPI_INTEGER, all, counts, places, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
    do r = 0, n - 1
      if (me == root) call check(all(places(r + 1) + 1 : places(r + 1) + r + 1), [(100 * r + i, i = 1, r + 1)], 'gatherv')
    end do
    call MPI_Allgatherv(one, me + 1, MPI_INTEGER, all, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    do r = 0, n - 1
      call check(all(places(r + 1) + 1 : places(r + 1) + r + 1), [(100 * r + i, i = 1, r + 1)], 'allgatherv')
    end do
    parts(:reverse) = [(7 * i, i = 1, reverse)]
    own = -1
    call MPI_Scatterv(parts, counts, places, MPI_INTEGER, own, me + 1, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
    call check(own(:me + 2), [(7 * (places(me + 1) + i), i = 1, me + 1), -1], 'scatterv')
    own = -1
    if (me == root) then
      call MPI_Scatter(parts, 1, MPI_INTEGER, MPI_IN_PLACE, 1, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
    else
      call MPI_Scatter(parts, 1, MPI_INTEGER, own, 1, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
      call check(own(:1), [7 * (me + 1)], 'scatter')
    end if
    call MPI_Alltoallv(parts, counts, places, MPI_INTEGER, all, [(me + 1, i = 1, n)], &
                       [((me + 1) * i, i = 0, n - 1)], MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call check(all(:n * (me + 1)), [((7 * (places(me + 1) + i), i = 1, me + 1), r = 1, n)], 'alltoallv')

    call MPI_Reduce_scatter_block(one, own, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(own(:1), [sum([(100 * r + me + 1, r = 0, n - 1)])], 'reduce_scatter_block')
    vector(:n) = 0
    vector(n) = n
    call MPI_Reduce_scatter(one, own, vector, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
    if (me == n - 1) call check(own(:n), [(100 * (n - 1) + i, i = 1, n)], 'reduce_scatter')
    call MPI_Scan(one, own, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(own(:2), [(sum([(100 * r + i, r = 0, me)]), i = 1, 2)], 'scan')
    call MPI_Exscan(one, own, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (me > 0) call check(own(:2), [(sum([(100 * r + i, r = 0, me - 1)]), i = 1, 2)], 'exscan')

    ! Every second word, as an array section, and as a datatype of its own, which differs from rank to rank.
    wide = [(1000 * me + i, i = 1, size(wide))]
    call MPI_Gather(wide(1 : 2 * n : 2), n, MPI_INTEGER, all, n, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
    if (me == root) call check(all(:n * n), [((1000 * r + 2 * i - 1, i = 1, n), r = 0, n - 1)], 'array section')
#if defined(USE_F08) && !defined(EXTENSION)
    if (MPI_SUBARRAYS_SUPPORTED) then  ! the library's own datatypes, freed before the operation ends
      grid = -1
      if (me == root) grid(2:6:2, 1:5:2) = turn
      call MPI_Ibcast(grid(2:6:2, 1:5:2), 9, MPI_INTEGER, root, MPI_COMM_WORLD, requests(1), ierr)
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
      filled = -1
      filled(2:6:2, 1:5:2) = turn
      call check(reshape(grid, [36]), reshape(filled, [36]), 'section of a matrix')
    end if
#endif
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, spaced, ierr)
    call MPI_Type_commit(spaced, ierr)
    do r = 1, n
      types(r) = spaced
      bytes(r) = 0
      vector(r) = 1
    end do
    all(:4 * n) = -1
    call MPI_Alltoallw(wide, vector, bytes, types, all, [(1, i = 1, n)], [(16 * i, i = 0, n - 1)], types, &
                       MPI_COMM_WORLD, ierr)
    call check(all(:4 * n), [((/1000 * r + 1, -1, 1000 * r + 3, -1/), r = 0, n - 1)], 'alltoallw')

    ! Neighbours on a ring.
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [n], [.true.], .false., ring, ierr)
    call MPI_Neighbor_allgather(me, 1, MPI_INTEGER, ring_in, 1, MPI_INTEGER, ring, ierr)
    call check(ring_in, [mod(me + n - 1, n), mod(me + 1, n)], 'neighbor_allgather')
    call MPI_Comm_free(ring, ierr)
    sides = [mod(me + n - 1, n), mod(me + 1, n)]
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sides, MPI_UNWEIGHTED, 2, sides, MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., ring, ierr)
    ring_out = [10 * me, 10 * me + 1]
    pair(1) = MPI_INTEGER
    pair(2) = MPI_INTEGER
    far = [0, 4]
    ring_in = -1
    call MPI_Neighbor_alltoallw(ring_out, [1, 1], far, pair, ring_in, [1, 1], far, pair, ring, ierr)
    call check(ring_in, [10 * mod(me + n - 1, n) + 1, 10 * mod(me + 1, n)], 'neighbor_alltoallw')

    ! Non-blocking, all at once.
    ring_in = -1
    all(:4 * n) = -1
    own = -1
    call MPI_Ineighbor_alltoallw(ring_out, [1, 1], far, pair, ring_in, [1, 1], far, pair, ring, requests(1), ierr)
    call MPI_Ialltoallw(wide, vector, bytes, types, all, vector, bytes_of_blocks(), types, MPI_COMM_WORLD, &
                        requests(2), ierr)
    call MPI_Iscan(one, own, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Iscatterv(parts, counts, places, MPI_INTEGER, own(3:), me + 1, MPI_INTEGER, root, MPI_COMM_WORLD, &
                       requests(4), ierr)
    call MPI_Iallgatherv(one, me + 1, MPI_INTEGER, all(4 * n + 1), counts, places, MPI_INTEGER, MPI_COMM_WORLD, &
                         requests(5), ierr)
    call MPI_Ireduce_scatter_block(one, own(most), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(6), ierr)
    call MPI_Waitall(6, requests, MPI_STATUSES_IGNORE, ierr)
    call check(ring_in, [10 * mod(me + n - 1, n) + 1, 10 * mod(me + 1, n)], 'ineighbor_alltoallw')
    call check(all(:4 * n), [((/1000 * r + 1, -1, 1000 * r + 3, -1/), r = 0, n - 1)], 'ialltoallw')
    call check(own(:2), [(sum([(100 * r + i, r = 0, me)]), i = 1, 2)], 'iscan')
    call check(own(3:me + 3), [(7 * (places(me + 1) + i), i = 1, me + 1)], 'iscatterv')
    do r = 0, n - 1
      call check(all(4 * n + places(r + 1) + 1 : 4 * n + places(r + 1) + r + 1), [(100 * r + i, i = 1, r + 1)], &
                 'iallgatherv')
    end do
    call check(own(most:), [sum([(100 * r + me + 1, r = 0, n - 1)])], 'ireduce_scatter_block')
    call MPI_Comm_free(ring, ierr)
    if (turn == 1) call MPI_Type_free(spaced, ierr)
  end do

  ! A duplicate that is made meanwhile.
  call MPI_Comm_idup(MPI_COMM_WORLD, ring, requests(1), ierr)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
  call MPI_Scan(one, own, 2, MPI_INTEGER, MPI_SUM, ring, ierr)
  call check(own(:2), [(sum([(100 * r + i, r = 0, me)]), i = 1, 2)], 'scan on a duplicate')
  call MPI_Comm_free(ring, ierr)

  ! Persistent: started one by one and together.
  call BARRIER_INIT(MPI_COMM_WORLD, MPI_INFO_NULL, persistent(1), ierr)
  call ALLREDUCE_INIT(one, own, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, persistent(2), ierr)
  places(:n) = [(16 * i, i = 0, n - 1)]
  call ALLTOALLW_INIT(wide, vector, bytes, types, all, vector, places, types, MPI_COMM_WORLD, MPI_INFO_NULL, &
                      persistent(3), ierr)
  call MPI_Type_free(spaced, ierr)
  do turn = 1, 3
    one(:n) = [(100 * me + i + turn, i = 1, n)]
    wide = [(1000 * me + i + turn, i = 1, size(wide))]
    if (turn == 1) then
      do i = 1, 3
        call MPI_Start(persistent(i), ierr)
      end do
    else
      call MPI_Startall(3, persistent, ierr)
    end if
    call MPI_Waitall(3, persistent, MPI_STATUSES_IGNORE, ierr)
    wanted = sum([(100 * r + turn, r = 0, n - 1)])
    call check(own(:n), [(wanted + n * i, i = 1, n)], 'persistent allreduce')
    call check(all(1:4 * n:4), [(1000 * r + 1 + turn, r = 0, n - 1)], 'persistent alltoallw')
  end do
  do i = 1, 3
    call MPI_Request_free(persistent(i), ierr)
  end do
  if (me == 0) print '(a)', 'fortran: the rest'
  call MPI_Finalize(ierr)

contains

  function bytes_of_blocks() result(at)
    integer, asynchronous, save, target :: kept(most)
    integer, pointer :: at(:)
    kept(:n) = [(16 * i, i = 0, n - 1)]
    at => kept(:n)
  end function

end program fortran_rest
