! SPDX-License-Identifier: BSD-3-Clause
! Barrier, bcast, reduce, allreduce, allgather and alltoall, blocking and non-blocking, in place, with an operator of the program's own, with requests
! of messages and collectives in one waitall; compiled three times, for mpif.h, mpi and mpi_f08.
#include "fortran_checks.inc"

program fortran_collectives
  use checks
  implicit none
  integer, parameter :: words = 5, rounds = 20
  integer :: round, root, r, i
  integer, asynchronous :: base(words), many(words * 64), in(words), all(words * 64)
  integer, asynchronous :: in2(words), in3(words), all2(words * 64), spread(words * 64), word, other
  HANDLE(MPI_Request) :: requests(8)
  HANDLE(MPI_Op) :: own
  HANDLE(MPI_Comm) :: half
  integer :: total(words), next, previous, half_sum, wanted_sum

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_Op_create(modular_sum, .true., own, ierr)
  next = mod(me + 1, ranks)
  previous = mod(me + ranks - 1, ranks)

  do round = 1, rounds
    root = mod(round, ranks)
    base = [(100 * me + i + round, i = 1, words)]
    many = [(1000 * me + i + round, i = 1, size(many))]
    total = 0
    do r = 0, ranks - 1
      total = total + [(100 * r + i + round, i = 1, words)]
    end do

    ! Blocking.
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    in = base
    call MPI_Bcast(in, words, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
    call check(in, [(100 * root + i + round, i = 1, words)], 'bcast')
    call MPI_Reduce(base, in, words, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD, ierr)
    if (me == root) call check(in, total, 'reduce')
    call MPI_Allreduce(base, in, words, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(in, total, 'allreduce')
    call MPI_Allgather(base, words, MPI_INTEGER, all, words, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    do r = 0, ranks - 1
      call check(all(r * words + 1 : (r + 1) * words), [(100 * r + i + round, i = 1, words)], 'allgather')
    end do
    call MPI_Alltoall(many, words, MPI_INTEGER, all, words, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    do r = 0, ranks - 1
      call check(all(r * words + 1 : (r + 1) * words), [(1000 * r + me * words + i + round, i = 1, words)], 'alltoall')
    end do

    ! In place.
    in = base
    call MPI_Allreduce(MPI_IN_PLACE, in, words, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(in, total, 'allreduce in place')
    in = base
    if (me == root) then
      call MPI_Reduce(MPI_IN_PLACE, in, words, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD, ierr)
      call check(in, total, 'reduce in place')
    else
      call MPI_Reduce(in, in2, words, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD, ierr)
    end if
    all = -1
    all(me * words + 1 : (me + 1) * words) = base
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, all, words, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    do r = 0, ranks - 1
      call check(all(r * words + 1 : (r + 1) * words), [(100 * r + i + round, i = 1, words)], 'allgather in place')
    end do
    all = many
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, all, words, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    do r = 0, ranks - 1
      call check(all(r * words + 1 : (r + 1) * words), [(1000 * r + me * words + i + round, i = 1, words)], &
                 'alltoall in place')
    end do

    ! The program's own operator.
    in2 = [(mod(me + i, 101), i = 1, words)]
    call MPI_Allreduce(in2, in, words, MPI_INTEGER, own, MPI_COMM_WORLD, ierr)
    call check(in, [(mod(ranks * (ranks - 1) / 2 + ranks * i, 101), i = 1, words)], 'own operator')

    ! Non-blocking, all at once, with two messages among them.
    in = base
    in2 = -1
    in3 = -1
    call MPI_Irecv(other, 1, MPI_INTEGER, previous, 4, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Ibcast(in, words, MPI_INTEGER, root, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Ireduce(base, in2, words, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD, requests(4), ierr)
    word = me + round
    call MPI_Isend(word, 1, MPI_INTEGER, next, 4, MPI_COMM_WORLD, requests(5), ierr)
    call MPI_Iallreduce(base, in3, words, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(6), ierr)
    call MPI_Iallgather(base, words, MPI_INTEGER, all2, words, MPI_INTEGER, MPI_COMM_WORLD, requests(7), ierr)
    spread = many
    call MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_INTEGER, spread, words, MPI_INTEGER, MPI_COMM_WORLD, requests(8), ierr)
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE, ierr)
    call check([other], [previous + round], 'message')
    call check(in, [(100 * root + i + round, i = 1, words)], 'ibcast')
    if (me == root) call check(in2, total, 'ireduce')
    call check(in3, total, 'iallreduce')
    do r = 0, ranks - 1
      call check(all2(r * words + 1 : (r + 1) * words), [(100 * r + i + round, i = 1, words)], 'iallgather')
      call check(spread(r * words + 1 : (r + 1) * words), [(1000 * r + me * words + i + round, i = 1, words)], &
                 'ialltoall in place')
    end do

    ! A communicator of the program's own.
    call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), me, half, ierr)
    call MPI_Iallreduce(me, half_sum, 1, MPI_INTEGER, MPI_SUM, half, requests(1), ierr)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    wanted_sum = 0
    do r = mod(me, 2), ranks - 1, 2
      wanted_sum = wanted_sum + r
    end do
    call check([half_sum], [wanted_sum], 'split')
    call MPI_Comm_free(half, ierr)
    ! The other way around, and without the last one.
    call MPI_Comm_split(MPI_COMM_WORLD, merge(MPI_UNDEFINED, 7, me == ranks - 1), -me, half, ierr)
    if (me < ranks - 1) then
      call MPI_Comm_rank(half, r, ierr)
      call check([r], [ranks - 2 - me], 'split by keys')
      r = me
      call MPI_Bcast(r, 1, MPI_INTEGER, 0, half, ierr)
      call check([r], [ranks - 2], 'first of a split')
      call MPI_Comm_free(half, ierr)
    else
      call check([merge(1, 0, half == MPI_COMM_NULL)], [1], 'no part of a split')
    end if
  end do

  call MPI_Op_free(own, ierr)
  if (me == 0) print '(a)', 'fortran: 20 rounds'
  call MPI_Finalize(ierr)
end program fortran_collectives
