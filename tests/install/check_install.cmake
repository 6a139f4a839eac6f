# Installs the build tree somewhere, builds the example against it in both ways, and runs it.
# Called with -DBUILD=, -DSOURCE= (this folder), -DWORK=, -DMPI=, -DMPICC=, -DRUN= (words with commas between),
# -DLIBDIR= (as in the installation).
string(REPLACE "," ";" RUN "${RUN}")

function(run_step)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/make)
run_step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

run_step(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/cmake -DMPI=${MPI} -DCMAKE_C_COMPILER=${MPICC}
         -DCMAKE_PREFIX_PATH=${prefix})
run_step(${CMAKE_COMMAND} --build ${WORK}/cmake)
run_step(${RUN} ${WORK}/cmake/list_io ${WORK}/matrix)

run_step(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${prefix}/${LIBDIR}/pkgconfig
         make -f ${SOURCE}/Makefile MPI=${MPI} CC=${MPICC} OUT=${WORK}/make)
run_step(${RUN} ${WORK}/make/list_io ${WORK}/matrix)

file(SIZE ${WORK}/matrix size)
if(NOT size EQUAL 64000)  # 2 ranks of 4 columns of 1000 doubles
  message(FATAL_ERROR "the matrix has ${size} bytes, not 64000")
endif()
