# Included once per MPI, ${mpi} naming it: everything that includes mpi.h.
file(GLOB mpi_sources CONFIGURE_DEPENDS mpi/*.cpp transport/mpi/*.cpp)
headrace_library(mpi_layer_${mpi} SOURCES ${mpi_sources} LINK headrace_engine headrace_mpi_${mpi})

file(GLOB library_sources CONFIGURE_DEPENDS capi/*.cpp preload/*.cpp)
if(library_sources)
  add_library(headrace_library_${mpi} SHARED ${library_sources})
  set_target_properties(headrace_library_${mpi} PROPERTIES
    OUTPUT_NAME headrace-${mpi}
    LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/preload/exports.map)
  target_link_options(headrace_library_${mpi} PRIVATE
    -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/preload/exports.map -Wl,--no-undefined)
  target_include_directories(headrace_library_${mpi} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_compile_definitions(headrace_library_${mpi} PRIVATE
    HEADRACE_MPI_NAME="${mpi}" HEADRACE_VERSION_TEXT="${PROJECT_VERSION}")
  target_link_libraries(headrace_library_${mpi} PRIVATE headrace_mpi_layer_${mpi} ${CMAKE_DL_LIBS})
endif()

# What `headrace bench` runs.
if(HEADRACE_BENCH)
  file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.cpp)
  add_executable(headrace_bench_${mpi} ${bench_sources})
  set_target_properties(headrace_bench_${mpi} PROPERTIES OUTPUT_NAME headrace-bench-${mpi})
  target_link_libraries(headrace_bench_${mpi} PRIVATE headrace_workload headrace_mpi_layer_${mpi}
                        nlohmann_json::nlohmann_json)
endif()
