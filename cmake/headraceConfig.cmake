# Gives headrace::openmpi and headrace::mpich, as many as were built. They bring no MPI: link your
# own after them, so that Headrace comes first.
include(${CMAKE_CURRENT_LIST_DIR}/headraceTargets.cmake)
foreach(mpi ${headrace_FIND_COMPONENTS})
  if(TARGET headrace::${mpi})
    set(headrace_${mpi}_FOUND TRUE)
  elseif(headrace_FIND_REQUIRED_${mpi})
    set(headrace_FOUND FALSE)
    set(headrace_NOT_FOUND_MESSAGE "this installation of headrace was built without ${mpi}")
  endif()
endforeach()
