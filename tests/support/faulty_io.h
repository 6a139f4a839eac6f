/* The controls of faulty_io.c, to be looked up with dlsym(RTLD_DEFAULT, ...): a program without the
 * shim still links. */
#ifndef HEADRACE_TESTS_FAULTY_IO_H
#define HEADRACE_TESTS_FAULTY_IO_H

/* From now on counts this process's reads and writes of files named `path`; the k-th (from 1) does
 * not do what it should: it fails with `error`, or moves half of the bytes if `error` is 0. */
typedef void (*faulty_io_arm_function)(const char* path, int k, int error);
/* Stops counting; whether the fault happened. */
typedef int (*faulty_io_disarm_function)(void);

#endif
