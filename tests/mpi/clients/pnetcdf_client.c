/* A PnetCDF program: a fixed-size and a record variable, strided and subarray access, blocking and
 * nonblocking calls (which PnetCDF joins into one collective call). */
#include <pnetcdf.h>

#include "support/mpi_program.h"

enum { rows = 30, columns = 17, records = 3 };

#define NC(call)                                                       \
  do {                                                                 \
    const int code_ = (call);                                          \
    EXPECT(code_ == NC_NOERR, "%s: %s", #call, ncmpi_strerror(code_)); \
  } while (0)

static int content(int variable, int i) {
  return variable * 100000 + rank * 1000 + i;
}

/* Rank r's rows are r, r + ranks, ... */
static void write_and_read_strided(int file, int variable) {
  int values[rows * columns];
  for (int i = 0; i < rows * columns; ++i) values[i] = content(1, i);
  const MPI_Offset start[2] = {rank, 0}, count[2] = {rows, columns}, stride[2] = {ranks, 1};
  NC(ncmpi_put_vars_int_all(file, variable, start, count, stride, values));
  memset(values, 0, sizeof values);
  NC(ncmpi_get_vars_int_all(file, variable, start, count, stride, values));
  for (int i = 0; i < rows * columns; ++i) EXPECT(values[i] == content(1, i), "value %d", i);
}

static void write_and_read_records(int file, int variable) {
  int values[records][columns], requests[records], statuses[records];
  for (int r = 0; r < records; ++r) {
    for (int i = 0; i < columns; ++i) values[r][i] = content(2 + r, i);
    const MPI_Offset start[2] = {r, rank * columns}, count[2] = {1, columns};
    NC(ncmpi_iput_vara_int(file, variable, start, count, values[r], &requests[r]));
  }
  NC(ncmpi_wait_all(file, records, requests, statuses));
  int back[records * columns];
  const MPI_Offset start[2] = {0, rank * columns}, count[2] = {records, columns};
  NC(ncmpi_get_vara_int_all(file, variable, start, count, back));
  for (int i = 0; i < records * columns; ++i) {
    EXPECT(back[i] == content(2 + i / columns, i % columns), "record value %d", i);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv, 100);
  int file, dimensions[2], record_dimensions[2], fixed, record;
  NC(ncmpi_create(MPI_COMM_WORLD, scratch("client.nc"), NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL,
                  &file));
  NC(ncmpi_def_dim(file, "row", (MPI_Offset)rows * ranks, &dimensions[0]));
  NC(ncmpi_def_dim(file, "column", columns, &dimensions[1]));
  NC(ncmpi_def_dim(file, "time", NC_UNLIMITED, &record_dimensions[0]));
  NC(ncmpi_def_dim(file, "place", (MPI_Offset)columns * ranks, &record_dimensions[1]));
  NC(ncmpi_def_var(file, "fixed", NC_INT, 2, dimensions, &fixed));
  NC(ncmpi_def_var(file, "record", NC_INT, 2, record_dimensions, &record));
  NC(ncmpi_enddef(file));
  write_and_read_strided(file, fixed);
  write_and_read_records(file, record);
  NC(ncmpi_close(file));
  return end();
}
