/* Headrace: collective I/O on lists of offsets and lengths, with no datatypes and no file views.
 *
 * Conventions
 *
 * Linking. Link libheadrace-openmpi or libheadrace-mpich ahead of the MPI it is named after;
 *   nothing is preloaded. MPI must be initialized before the first call and finalized after the
 *   last file is closed.
 *
 * Ownership. headrace_open gives a handle, headrace_close takes it back. The caller's lists,
 *   buffers, communicator and info are only used during the call they are given to. Texts that are
 *   returned belong to Headrace; each function says how long they live. Never free them.
 *   Pointers to results must not be NULL except where it is allowed.
 *
 * Collective calls. Functions marked "collective" are called by every rank of the file's
 *   communicator, in the same order on all of them; a rank with nothing to do passes empty lists.
 *   Functions marked "local" concern one rank only.
 *
 * Errors. Every function that returns int gives MPI_SUCCESS or an MPI error class, which
 *   MPI_Error_string explains; headrace_error_message says more. A collective call returns the same
 *   class on every rank: an argument that is wrong on one rank only, too, is everybody's error, and
 *   then no rank has moved a byte. (The exception is HEADRACE_FILE_NULL, which names no other rank:
 *   MPI_ERR_FILE, on that rank at once.) After any error the file stays usable, and must be closed.
 *   MPI error handlers are not called, and nothing ever aborts the program.
 *
 * Early return. With the hint headrace_early_return=true a collective write comes back on each rank
 *   when that rank's data have been taken, and a collective read when they are there; buffers are
 *   the caller's again. If it then fails for others, or on the way to the file, all ranks are told
 *   by the next collective call on the file that moves data, by headrace_sync or by headrace_close:
 *   once, with the same class, and, but for the close, that call does nothing else. All other
 *   functions on the file wait until the call is over on all ranks, where they must.
 *
 * Units. Sizes, offsets and lengths are in bytes, 64-bit; no limit of 2 GiB applies to anything.
 *
 * Threads. One thread at a time for one file. Different files may be used by different threads at
 *   once if MPI gives MPI_THREAD_MULTIPLE.
 *
 * Hints. headrace_open takes those of MPI_File_open (cb_nodes, cb_buffer_size, ...) and Headrace's
 *   own (headrace_method, ...); the environment variable HEADRACE_HINTS goes before them. The hints
 *   of rank 0 count for all ranks. A bad value brings one warning on standard error and the default
 *   is used.
 */
#ifndef HEADRACE_HEADRACE_H
#define HEADRACE_HEADRACE_H

#include <mpi.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HEADRACE_API __attribute__((visibility("default")))
#else
#define HEADRACE_API
#endif

#define HEADRACE_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* One open file, on one rank. */
typedef struct headrace_file_state* headrace_file;
#define HEADRACE_FILE_NULL ((headrace_file)0)

/* Opens `path`, as MPI_File_open does. Collective over `comm`, an intracommunicator, which is
 * duplicated.
 *
 * amode: one of MPI_MODE_RDONLY, MPI_MODE_WRONLY, MPI_MODE_RDWR, and any of MPI_MODE_CREATE,
 * MPI_MODE_EXCL, MPI_MODE_DELETE_ON_CLOSE, MPI_MODE_UNIQUE_OPEN (no effect); the same on all ranks
 * (else MPI_ERR_NOT_SAME). MPI_MODE_APPEND and MPI_MODE_SEQUENTIAL: MPI_ERR_AMODE, for there are no
 * file pointers here. Rank 0 creates the file (permissions 0666 less its umask); an existing file
 * keeps its content.
 *
 * On failure *file is HEADRACE_FILE_NULL. */
HEADRACE_API int headrace_open(MPI_Comm comm, const char* path, int amode, MPI_Info info,
                               headrace_file* file);

/* Closes the file, deletes it if it was opened so, and sets *file to HEADRACE_FILE_NULL, whatever
 * is returned. Does not wait for the device: see headrace_sync. Collective. */
HEADRACE_API int headrace_close(headrace_file* file);

/* Removes a file that nobody has open. Local. */
HEADRACE_API int headrace_delete(const char* path);

/* Writes and reads of lists.
 *
 * The i-th file request is file_lengths[i] bytes at file_offsets[i]; the j-th piece of memory is
 * mem_lengths[j] bytes at buffer + mem_offsets[j]. The bytes of the one list, in order, are the
 * bytes of the other: both lists have the same total length, but may be cut differently. Lengths
 * may be zero, and the entry then is as if it was not there. A list of no entries may be NULL; so
 * may `buffer`, if the total is zero. Contiguous memory is nmem = 1.
 *
 * File requests of one rank ascend and do not overlap: file_offsets[i+1] >= file_offsets[i] +
 * file_lengths[i], file_offsets[0] >= 0. Those of different ranks may overlap; what a collective
 * write leaves in such places is one of the ranks' bytes. Memory pieces may come in any order, with
 * negative offsets too; those of a read must not overlap.
 *
 * Errors of arguments: MPI_ERR_ARG (lists), MPI_ERR_BUFFER (NULL), MPI_ERR_READ_ONLY and
 * MPI_ERR_ACCESS (the file was not opened for it).
 *
 * *bytes_done (or NULL, if of no interest): how many bytes of this rank were written or really
 * read. A read gives fewer than asked for only where the file ends, and leaves the rest of the
 * buffer unspecified. After an error, 0.
 *
 * Memory: Headrace keeps up to 16 bytes per irregular request (and as much again for a moment while
 * the list is read) during the call, for each of the two lists, and a few bytes per run of requests
 * with one length and one stride. Collective buffers come on top, on aggregators only.
 *
 * Where collective buffering is impossible (no shared memory on a node, no memory, a hint that
 * disables it) or unsafe (a file system whose clients do not see each other's writes: NFS), by
 * agreement of all ranks each rank accesses its own requests one by one: right, and slower. On such
 * a file system it does so under a lock on the range it touches, flushed before it is released; if
 * the lock cannot be had, that is an error. The counter host_calls of headrace_report shows how
 * often this was so. */

/* Collective. */
HEADRACE_API int headrace_write_all(headrace_file file, int64_t nfile, const int64_t* file_offsets,
                                    const int64_t* file_lengths, const void* buffer, int64_t nmem,
                                    const int64_t* mem_offsets, const int64_t* mem_lengths,
                                    int64_t* bytes_done);
/* Collective. */
HEADRACE_API int headrace_read_all(headrace_file file, int64_t nfile, const int64_t* file_offsets,
                                   const int64_t* file_lengths, void* buffer, int64_t nmem,
                                   const int64_t* mem_offsets, const int64_t* mem_lengths,
                                   int64_t* bytes_done);
/* The same for one rank alone, request by request. Local. */
HEADRACE_API int headrace_write(headrace_file file, int64_t nfile, const int64_t* file_offsets,
                                const int64_t* file_lengths, const void* buffer, int64_t nmem,
                                const int64_t* mem_offsets, const int64_t* mem_lengths,
                                int64_t* bytes_done);
/* Local. */
HEADRACE_API int headrace_read(headrace_file file, int64_t nfile, const int64_t* file_offsets,
                               const int64_t* file_lengths, void* buffer, int64_t nmem,
                               const int64_t* mem_offsets, const int64_t* mem_lengths,
                               int64_t* bytes_done);

/* Makes everything written through this file so far durable on the device. Collective. */
HEADRACE_API int headrace_sync(headrace_file file);

/* Cuts or extends the file to `size` bytes, the same on all ranks; what is added reads as zeros.
 * Collective. */
HEADRACE_API int headrace_set_size(headrace_file file, int64_t size);

/* The size of the file in bytes, as this rank's node sees it. Local. */
HEADRACE_API int headrace_get_size(headrace_file file, int64_t* size);

/* What Headrace did with the file since it was opened, as one line of JSON: an object with "path",
 * "ranks", "nodes", "methods" (those that served calls), "counters" (sums over all ranks) and
 * "timers" (seconds), among others. headrace_close appends the same line to the file that the
 * environment variable HEADRACE_REPORT names, if it is set on rank 0. The text is the same on every
 * rank and lives until the next headrace_report on this file, or until it is closed. Collective. */
HEADRACE_API int headrace_report(headrace_file file, const char** json);

/* A sentence on the last call on `file` that failed, in English, if known with the rank it was on;
 * empty if none has. Lives until the next call on the file. For HEADRACE_FILE_NULL: the last
 * headrace_open, headrace_close or headrace_delete of this thread that failed; it lives until the
 * thread's next such call. Never NULL. Local. */
HEADRACE_API const char* headrace_error_message(headrace_file file);

/* HEADRACE_VERSION of the library that is linked. Local, at any time. */
HEADRACE_API const char* headrace_version(void);

#ifdef __cplusplus
}
#endif

#endif
