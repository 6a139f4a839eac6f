program mpif_h
    implicit none
    include 'mpif.h'
    integer :: file, absolute, status(MPI_STATUS_SIZE)
    integer :: ierror, rank, count, failures = 0, lengths(1)
    integer, asynchronous :: output(4), input(4)
    integer(MPI_OFFSET_KIND) :: displacement, offset
    integer(MPI_ADDRESS_KIND) :: address(1)
    character(len=1000) :: path
    include 'fortran_body.inc'
end program mpif_h
