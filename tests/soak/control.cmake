# A harness that cannot see a loss proves nothing: on a server that acknowledges before it has written, and is killed, the
# soak must be red, and because of what was lost.
execute_process(
  COMMAND "${SOAK}" --seed 1 --minutes 0.25 --lease 3 --lazy-disk --faults server-crash --out soak-control
  RESULT_VARIABLE status
  OUTPUT_QUIET)
if(NOT status EQUAL 1)
  message(FATAL_ERROR "the soak ended with ${status} instead of 1, which is red")
endif()
file(READ soak-control-verdict.json verdict)
string(JSON lost GET "${verdict}" figures lost)
if(lost EQUAL 0)
  message(FATAL_ERROR "the soak is red, and not because anything acknowledged was lost")
endif()
message(STATUS "${lost} acknowledged things were lost, and seen to be")
