program use_mpi_f08
    use mpi_f08
    implicit none
    type(MPI_File) :: file
    type(MPI_Datatype) :: absolute
    type(MPI_Status) :: status
    integer :: ierror, rank, count, failures = 0, lengths(1)
    integer, asynchronous :: output(4), input(4)
    integer(MPI_OFFSET_KIND) :: displacement, offset
    integer(MPI_ADDRESS_KIND) :: address(1)
    character(len=1000) :: path
    include 'fortran_body.inc'
end program use_mpi_f08
