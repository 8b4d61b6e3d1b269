! SPDX-License-Identifier: BSD-3-Clause
! What the Fortran programs share, compiled for mpif.h, mpi and mpi_f08.
#if defined(USE_F08)
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif

module checks
#if defined(USE_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(USE_MPIFH)
  include 'mpif.h'
#endif
  integer :: me, ranks, ierr, cases = 0

contains

  subroutine check(found, wanted, what)
    integer, intent(in) :: found(:), wanted(:)
    character(*), intent(in) :: what
    integer :: code
    if (any(found /= wanted)) then
      print *, 'rank', me, what, ': found', found, 'wanted', wanted
      call MPI_Abort(MPI_COMM_WORLD, 1, code)
    end if
    cases = cases + 1
  end subroutine

  ! An operator that commutes, in the two forms that Fortran's bindings have.
  subroutine modular_sum(left, into, length, datatype)
#if defined(USE_F08)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: left, into
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    if (datatype /= MPI_INTEGER) return
    call c_f_pointer(left, a, [length])
    call c_f_pointer(into, b, [length])
    b = mod(a + b, 101)
#else
    integer :: length, datatype
    integer :: left(length), into(length)
    if (datatype /= MPI_INTEGER) return
    into = mod(left + into, 101)
#endif
  end subroutine

end module checks
