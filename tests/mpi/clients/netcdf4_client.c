/* A parallel netCDF-4 program: one chunked variable, collective access. */
#include <netcdf.h>
#include <netcdf_par.h>

#include "support/mpi_program.h"

enum { side = 20 };

#define NC(call)                                                    \
  do {                                                              \
    const int code_ = (call);                                       \
    EXPECT(code_ == NC_NOERR, "%s: %s", #call, nc_strerror(code_)); \
  } while (0)

int main(int argc, char** argv) {
  begin(&argc, &argv, 100);
  int file, dimensions[2], variable;
  NC(nc_create_par(scratch("client4.nc"), NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &file));
  NC(nc_def_dim(file, "row", side, &dimensions[0]));
  NC(nc_def_dim(file, "column", (size_t)side * (size_t)ranks, &dimensions[1]));
  NC(nc_def_var(file, "field", NC_DOUBLE, 2, dimensions, &variable));
  const size_t chunk[2] = {6, 14};
  NC(nc_def_var_chunking(file, variable, NC_CHUNKED, chunk));
  NC(nc_enddef(file));
  NC(nc_var_par_access(file, variable, NC_COLLECTIVE));

  double values[side * side];
  for (int i = 0; i < side * side; ++i) values[i] = rank * 1000 + i;
  const size_t start[2] = {0, (size_t)rank * side}, count[2] = {side, side};
  NC(nc_put_vara_double(file, variable, start, count, values));
  memset(values, 0, sizeof values);
  NC(nc_get_vara_double(file, variable, start, count, values));
  for (int i = 0; i < side * side; ++i) {
    EXPECT(values[i] == rank * 1000 + i, "value %d is %g", i, values[i]);
  }
  NC(nc_close(file));
  return end();
}
