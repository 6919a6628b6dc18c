/* What the archives of CFITSIO, WCSLIB and libpng need in a portable libcuprite-io.so besides the C library.
 *
 * Files reach CFITSIO as memory, never as names. So its drivers of the network (libcurl) and of bzip2 are never called;
 * here they fail. WCSLIB's and libpng's archives refer to the C library's streams in a way that only programs can;
 * stubs.py gives these references the names below. */
#include <stddef.h>
#include <stdio.h>

FILE *cpi_archive_stdin, *cpi_archive_stdout, *cpi_archive_stderr;

__attribute__((constructor)) static void set_streams(void)
{
    cpi_archive_stdin = stdin;
    cpi_archive_stdout = stdout;
    cpi_archive_stderr = stderr;
}

enum { FAILED = 2 }; /* CURLE_FAILED_INIT */

int curl_global_init(long flags) { (void)flags; return FAILED; }
void curl_global_cleanup(void) {}
void *curl_easy_init(void) { return NULL; }
int curl_easy_setopt(void *handle, int option, ...) { (void)handle, (void)option; return FAILED; }
int curl_easy_perform(void *handle) { (void)handle; return FAILED; }
void curl_easy_cleanup(void *handle) { (void)handle; }

enum { BZ_CONFIG_ERROR = -9 };

void *BZ2_bzReadOpen(int *error, FILE *f, int verbosity, int small, void *unused, int n)
{
    (void)f, (void)verbosity, (void)small, (void)unused, (void)n;
    *error = BZ_CONFIG_ERROR;
    return NULL;
}

int BZ2_bzRead(int *error, void *b, void *to, int n)
{
    (void)b, (void)to, (void)n;
    *error = BZ_CONFIG_ERROR;
    return 0;
}

void BZ2_bzReadClose(int *error, void *b) { (void)b; *error = BZ_CONFIG_ERROR; }
