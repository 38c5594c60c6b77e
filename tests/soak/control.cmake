# A harness that cannot see a loss proves nothing: on a server that acknowledges before it has written, and is killed, the
# soak must be red, and because of what was lost. Now and then a crash comes when everything has just been written, and
# the run is green for good reason; not three times.
foreach(seed RANGE 1 3)
  execute_process(
    COMMAND "${SOAK}" --seed ${seed} --minutes 0.25 --lease 3 --rate 100 --lazy-disk --faults server-crash
      --out soak-control
    RESULT_VARIABLE status
    OUTPUT_QUIET)
  if(NOT status EQUAL 0 AND NOT status EQUAL 1)
    message(FATAL_ERROR "the soak ended with ${status} instead of 1, which is red")
  endif()
  file(READ soak-control-verdict.json verdict)
  string(JSON lost GET "${verdict}" figures lost)
  if(status EQUAL 1 AND lost GREATER 0)
    message(STATUS "${lost} acknowledged things were lost, and seen to be")
    return()
  endif()
endforeach()
message(FATAL_ERROR "nothing that was acknowledged was lost, or it was not seen")
