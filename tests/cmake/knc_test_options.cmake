# Options of test code: a short build counts for more than its speed. The models that it runs are those of the program.

function(knc_test_options target)
    knc_target_options(${target})
    target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
endfunction()
