# Language level, warnings and sanitizers of everything this project compiles.
#
# knc_add_library(NAME SOURCES... ) and knc_target_options(TARGET) keep these private: nothing of
# them reaches a consumer of the installed package except the language level.

if(NOT DEFINED CMAKE_CXX_STANDARD)
    set(CMAKE_CXX_STANDARD 17)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

if(PROJECT_IS_TOP_LEVEL)
    find_program(KNC_CCACHE ccache)
    if(KNC_CCACHE)
        set(CMAKE_CXX_COMPILER_LAUNCHER "${KNC_CCACHE}")
    endif()
endif()

# Interface-free options of a target compiled here.
function(knc_target_options target)
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>)
    if(KNC_SANITIZE)
        # Assertions stay: a run that looks for errors shall see these too.
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${KNC_SANITIZE}
            -fno-sanitize-recover=all -fno-omit-frame-pointer -UNDEBUG>)
        if(KNC_SANITIZE MATCHES "undefined")
            # GCC 12 devirtualizes calls of TLM sockets to code that this sanitizer takes for unreachable.
            target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-devirtualize>)
        endif()
        target_link_options(${target} PUBLIC -fsanitize=${KNC_SANITIZE})
    else()
        # Instrumented code draws warnings that the plain one does not.
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
    endif()
endfunction()
