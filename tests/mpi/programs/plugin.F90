! SPDX-License-Identifier: BSD-3-Clause
! A library that a program loads for itself alone (dlopen with RTLD_LOCAL), and with it Fortran's of the MPI.
subroutine plugin(good) bind(c)
#ifdef USE_F08
  use mpi_f08
#define HANDLE(kind) type(kind)
#else
  use mpi
#define HANDLE(kind) integer
#endif
  use iso_c_binding
  implicit none
  integer(c_int) :: good
  integer :: ierror, ranks, total(1)
  logical :: done
  HANDLE(MPI_Request) :: request
  HANDLE(MPI_Comm) :: ring
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring, ierror)
  total = 1
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, ring, ierror)
  call MPI_Ibarrier(ring, request, ierror)
  done = .false.
  do while (.not. done)
    call MPI_Test(request, done, MPI_STATUS_IGNORE, ierror)
  end do
  call MPI_Comm_free(ring, ierror)
  good = merge(1, 0, total(1) == ranks)
end subroutine
