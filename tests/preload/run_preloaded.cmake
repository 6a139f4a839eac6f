# Runs COMMAND (a list) and fails unless it succeeds. Preloading is the command's own business.
#   REPORT   the file that HEADRACE_REPORT names in the command; emptied first
#   SERVED   how many collective calls Headrace must have served, over all files and ranks
#   HOST     the same for calls left to the host
#   SAME_AS  another command: both must print the same
#   ERRORS   what standard error must be, as a regular expression; not looked at if not given
file(REMOVE "${REPORT}")

function(run command output)
  execute_process(COMMAND ${command} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE errors)
  message("${text}${errors}")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "exit status ${result}")
  endif()
  if(DEFINED ERRORS AND NOT errors MATCHES "${ERRORS}")
    message(FATAL_ERROR "standard error is not ${ERRORS}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# The sum over the report's lines of the named counters.
function(reported result)
  set(sum 0)
  if(EXISTS "${REPORT}")
    file(STRINGS "${REPORT}" lines)
    foreach(line IN LISTS lines)
      foreach(counter ${ARGN})
        string(JSON value GET "${line}" counters ${counter})
        math(EXPR sum "${sum} + ${value}")
      endforeach()
    endforeach()
  endif()
  set(${result} ${sum} PARENT_SCOPE)
endfunction()

function(expect what expected)
  reported(found ${ARGN})
  if(NOT found EQUAL expected)
    message(FATAL_ERROR "${what}: ${found} collective calls, not ${expected}")
  endif()
endfunction()

run("${COMMAND}" printed)
if(DEFINED SERVED)
  expect("served by Headrace" ${SERVED} write_calls read_calls)
endif()
if(DEFINED HOST)
  expect("left to the host" ${HOST} host_calls)
endif()
if(DEFINED SAME_AS)
  unset(ERRORS)
  run("${SAME_AS}" printed_without)
  if(NOT printed STREQUAL printed_without)
    message(FATAL_ERROR "printed otherwise without Headrace")
  endif()
endif()
