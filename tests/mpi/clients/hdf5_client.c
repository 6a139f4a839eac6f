/* An HDF5 program: a contiguous and a chunked dataset, hyperslab selections with holes, collective
 * metadata; written collectively, read back collectively. */
#include <hdf5.h>

#include "support/mpi_program.h"

enum { rows = 24, columns = 40 }; /* of one rank */

/* Rank r owns every ranks-th row, and of its columns every other pair. */
static hid_t selection(hid_t file_space) {
  const hsize_t start[2] = {(hsize_t)rank, 0}, stride[2] = {(hsize_t)ranks, 4};
  const hsize_t count[2] = {rows, columns / 4}, block[2] = {1, 2};
  EXPECT(H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, stride, count, block) >= 0,
         "no hyperslab");
  return file_space;
}

static double value(long i) {
  return rank * 1e6 + (double)i;
}

static void write_and_read(hid_t file, const char* name, int chunked) {
  const hsize_t size[2] = {(hsize_t)rows * (hsize_t)ranks, columns}, chunk[2] = {7, 16};
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(creation, 0); /* the same file at any time */
  if (chunked) H5Pset_chunk(creation, 2, chunk);
  const double fill = -1;
  H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &fill);
  const hid_t space = H5Screate_simple(2, size, NULL);
  const hid_t dataset =
      H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);

  const long count = rows * columns / 2;
  double* values = malloc(sizeof(double) * (size_t)count);
  for (long i = 0; i < count; ++i) values[i] = value(i);
  const hsize_t memory_size = (hsize_t)count;
  const hid_t memory = H5Screate_simple(1, &memory_size, NULL);
  selection(space);
  EXPECT(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, transfer, values) >= 0, "no write");
  memset(values, 0, sizeof(double) * (size_t)count);
  EXPECT(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, transfer, values) >= 0, "no read");
  for (long i = 0; i < count; ++i) {
    EXPECT(values[i] == value(i), "%s, value %ld: expected %g, got %g", name, i, value(i),
           values[i]);
  }
  free(values);
  H5Sclose(memory);
  H5Pclose(transfer);
  H5Dclose(dataset);
  H5Sclose(space);
  H5Pclose(creation);
}

int main(int argc, char** argv) {
  begin(&argc, &argv, 100);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  H5Pset_coll_metadata_write(access, 1);
  H5Pset_all_coll_metadata_ops(access, 1);
  const hid_t file = H5Fcreate(scratch("client.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  EXPECT(file >= 0, "no file");
  write_and_read(file, "contiguous", 0);
  write_and_read(file, "chunked", 1);
  EXPECT(H5Fclose(file) >= 0, "the file cannot be closed");
  H5Pclose(access);
  return end();
}
