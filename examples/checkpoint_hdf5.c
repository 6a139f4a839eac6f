/* A checkpoint of a combustion code's 3-D field (the variables of S3D: 11 species, 3 velocities,
 * pressure, temperature), decomposed block-block-block over the ranks, written to one HDF5 file by
 * collective writes, and read back. It is an ordinary MPI program: nothing here knows Headrace.
 *
 *   mpirun -n 16 ./checkpoint_hdf5 FILE EDGE     a cube of EDGE cells a side, 16 doubles a cell */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { variable_count = 4, dimensions = 4 };

typedef struct {
  const char* name;
  hsize_t components;
} Variable;

static const Variable variables[variable_count] = {
    {"yspecies", 11}, {"u", 3}, {"pressure", 1}, {"temp", 1}};

/* The block of one rank, z y x, in cells of the cube. */
typedef struct {
  hsize_t edge;
  hsize_t start[3];
  hsize_t size[3];
} Block;

/* HDF5 has said what is wrong by the time it returns a negative number. */
static hid_t check(hid_t result) {
  if (result < 0) MPI_Abort(MPI_COMM_WORLD, 1);
  return result;
}

static Block block_of_this_rank(hsize_t edge) {
  int rank, ranks, grid[3] = {0, 0, 0};
  Block block = {.edge = edge};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 3, grid);
  const int place[3] = {rank / (grid[1] * grid[2]), rank / grid[2] % grid[1], rank % grid[2]};
  for (int d = 0; d < 3; ++d) {
    block.start[d] = edge * place[d] / grid[d];
    block.size[d] = edge * (place[d] + 1) / grid[d] - block.start[d];
  }
  return block;
}

static size_t cells(const Block* block) {
  return block->size[0] * block->size[1] * block->size[2];
}

/* A value that tells variable, component and cell of the cube apart. */
static double value_at(int variable, hsize_t component, const Block* block, hsize_t cell) {
  const hsize_t x = block->start[2] + cell % block->size[2];
  const hsize_t y = block->start[1] + cell / block->size[2] % block->size[1];
  const hsize_t z = block->start[0] + cell / block->size[2] / block->size[1];
  return variable * 100.0 + component + ((z * block->edge + y) * block->edge + x) * 1e-9;
}

static void fill(double* data, int variable, const Block* block) {
  for (hsize_t c = 0; c < variables[variable].components; ++c)
    for (hsize_t cell = 0; cell < cells(block); ++cell)
      *data++ = value_at(variable, c, block, cell);
}

static long count_wrong(const double* data, int variable, const Block* block) {
  long wrong = 0;
  for (hsize_t c = 0; c < variables[variable].components; ++c)
    for (hsize_t cell = 0; cell < cells(block); ++cell)
      wrong += *data++ != value_at(variable, c, block, cell);
  return wrong;
}

/* The block of this rank, all components of one variable, in the dataset's space. */
static hid_t select_block(hid_t space, hsize_t components, const Block* block) {
  const hsize_t start[dimensions] = {0, block->start[0], block->start[1], block->start[2]};
  const hsize_t size[dimensions] = {components, block->size[0], block->size[1], block->size[2]};
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL));
  return check(H5Screate_simple(dimensions, size, NULL));
}

static hid_t collective_transfer(void) {
  const hid_t transfer = check(H5Pcreate(H5P_DATASET_XFER));
  check(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE));
  return transfer;
}

/* No times, so that two runs give the same bytes; no fill values, as every byte is written. */
static hid_t dataset_properties(void) {
  const hid_t properties = check(H5Pcreate(H5P_DATASET_CREATE));
  check(H5Pset_obj_track_times(properties, 0));
  check(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER));
  return properties;
}

static void write_variable(hid_t file, int variable, const Block* block, const double* data) {
  const hsize_t components = variables[variable].components;
  const hsize_t size[dimensions] = {components, block->edge, block->edge, block->edge};
  const hid_t space = check(H5Screate_simple(dimensions, size, NULL));
  const hid_t properties = dataset_properties();
  const hid_t dataset = check(H5Dcreate2(file, variables[variable].name, H5T_IEEE_F64LE, space,
                                         H5P_DEFAULT, properties, H5P_DEFAULT));
  const hid_t memory = select_block(space, components, block);
  const hid_t transfer = collective_transfer();
  check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, transfer, data));
  check(H5Pclose(transfer));
  check(H5Sclose(memory));
  check(H5Dclose(dataset));
  check(H5Pclose(properties));
  check(H5Sclose(space));
}

static void read_variable(hid_t file, int variable, const Block* block, double* data) {
  const hid_t dataset = check(H5Dopen2(file, variables[variable].name, H5P_DEFAULT));
  const hid_t space = check(H5Dget_space(dataset));
  const hid_t memory = select_block(space, variables[variable].components, block);
  const hid_t transfer = collective_transfer();
  check(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, transfer, data));
  check(H5Pclose(transfer));
  check(H5Sclose(memory));
  check(H5Sclose(space));
  check(H5Dclose(dataset));
}

static hid_t parallel_access(void) {
  const hid_t access = check(H5Pcreate(H5P_FILE_ACCESS));
  check(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL));
  return access;
}

static double now(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

/* Seconds from before the create until after the close. */
static double write_checkpoint(const char* path, const Block* block, double** data) {
  const double start = now();
  const hid_t access = parallel_access();
  const hid_t file = check(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access));
  for (int v = 0; v < variable_count; ++v) write_variable(file, v, block, data[v]);
  check(H5Fclose(file));
  check(H5Pclose(access));
  return now() - start;
}

static double read_checkpoint(const char* path, const Block* block, double** data) {
  const double start = now();
  const hid_t access = parallel_access();
  const hid_t file = check(H5Fopen(path, H5F_ACC_RDONLY, access));
  for (int v = 0; v < variable_count; ++v) read_variable(file, v, block, data[v]);
  check(H5Fclose(file));
  check(H5Pclose(access));
  return now() - start;
}

static long wrong_on_all_ranks(const Block* block, double** data) {
  long wrong = 0;
  for (int v = 0; v < variable_count; ++v) wrong += count_wrong(data[v], v, block);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return wrong;
}

static void allocate(const Block* block, double** data) {
  for (int v = 0; v < variable_count; ++v) {
    data[v] = calloc(cells(block) * variables[v].components + 1, sizeof(double));
    if (!data[v]) MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void clear(const Block* block, double** data) {
  for (int v = 0; v < variable_count; ++v)
    for (size_t i = 0; i < cells(block) * variables[v].components; ++i) data[v][i] = -1;
}

int main(int argc, char** argv) {
  int rank;
  double* data[variable_count];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long edge = argc == 3 ? atol(argv[2]) : 0;
  if (edge < 1) {
    if (rank == 0) fprintf(stderr, "usage: %s FILE EDGE\n", argv[0]);
    MPI_Finalize();
    return 2;
  }
  const Block block = block_of_this_rank(edge);
  allocate(&block, data);
  for (int v = 0; v < variable_count; ++v) fill(data[v], v, &block);
  const double write_seconds = write_checkpoint(argv[1], &block, data);
  clear(&block, data);
  const double read_seconds = read_checkpoint(argv[1], &block, data);
  const long wrong = wrong_on_all_ranks(&block, data);
  if (rank == 0) {
    printf("write %.6f s\nread %.6f s\nwrong %ld of %ld values\n", write_seconds, read_seconds,
           wrong, 16 * edge * edge * edge);
  }
  for (int v = 0; v < variable_count; ++v) free(data[v]);
  MPI_Finalize();
  return wrong ? 1 : 0;
}
