# How a program of GoogleTest cases becomes tests of ctest.

find_package(GTest REQUIRED)
include(GoogleTest)

# Environment of tests in which SystemC processes run: LeakSanitizer looks through the stacks of its
# coroutines and now and then faults on their guard pages.
set(knc_simulation_environment "")
if(KNC_SANITIZE MATCHES "address")
    set(knc_simulation_environment "ASAN_OPTIONS=detect_leaks=0")
endif()

# knc_test_program(NAME SOURCES... PREFIX AREA TIMEOUT SECONDS LIBRARIES LIBRARIES... [SIMULATES])
#
# NAME is an executable; each of its cases is the ctest AREA.SUITE.CASE, and so a process of its own: a
# SystemC kernel elaborates once. SECONDS limit a case. SIMULATES: its cases run SystemC processes.
# main() comes with LIBRARIES: test_main has SystemC's, GTest::gtest_main has none of SystemC.
function(knc_test_program name)
    cmake_parse_arguments(PARSE_ARGV 1 test "SIMULATES" "PREFIX;TIMEOUT" "LIBRARIES")
    add_executable(${name} ${test_UNPARSED_ARGUMENTS})
    target_link_libraries(${name} PRIVATE ${test_LIBRARIES} test_support)
    target_compile_definitions(${name} PRIVATE KNC_SOURCE="${PROJECT_SOURCE_DIR}")
    knc_test_options(${name})
    if("test_main" IN_LIST test_LIBRARIES)
        target_precompile_headers(${name} REUSE_FROM test_main)
    endif()
    set(properties TIMEOUT ${test_TIMEOUT})
    if(test_SIMULATES AND knc_simulation_environment)
        list(APPEND properties ENVIRONMENT "${knc_simulation_environment}")
    endif()
    gtest_discover_tests(${name} TEST_PREFIX "${test_PREFIX}." DISCOVERY_TIMEOUT 120
        PROPERTIES ${properties})
endfunction()
