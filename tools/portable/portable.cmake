# Libraries that run on glibc CUPRITE_GLIBC and later, and hold CFITSIO, WCSLIB, libpng and zlib: for wheels. stubs.py
# says how. SLEEF stays a library of its own, which auditwheel packs.
set(portable ${CMAKE_BINARY_DIR}/portable)
set(CUPRITE_STATIC OFF) # an archive could not say which glibc it is for
set(archives)
foreach(n cfitsio wcs png16 z)
  find_library(archive_${n} lib${n}.a)
  if(NOT archive_${n})
    message(FATAL_ERROR "lib${n}.a is missing, which CUPRITE_GLIBC needs; on Debian and Ubuntu:\n"
                        "    apt-get install libcfitsio-dev wcslib-dev libpng-dev zlib1g-dev")
  endif()
  list(APPEND archives ${archive_${n}})
endforeach()
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/portable/stubs.py ${portable} ${CUPRITE_GLIBC}
                        ${archives} COMMAND_ERROR_IS_FATAL ANY)
set(portable_archives ${portable}/archives.o ${portable}/libcfitsio.a ${portable}/libwcs.a ${portable}/libpng16.a
  ${portable}/libz.a)
# -lc and -lm find the stubs there; what the archives define is nobody else's
add_link_options(-L${portable} -Wl,--exclude-libs,ALL)
