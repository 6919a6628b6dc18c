/* libpng's error callbacks for reading and writing: its message goes into the string that is its error pointer, then
 * longjmp. */
#ifndef CPI_IO_PLUGIN_PNG_WORDS_H
#define CPI_IO_PLUGIN_PNG_WORDS_H

#include <png.h>
#include <setjmp.h>
#include <stdio.h>

enum { CPI_PNG_WORDS = 80 };

static void on_error(png_structp png, png_const_charp message)
{
    snprintf(png_get_error_ptr(png), CPI_PNG_WORDS, "%s", message);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

#endif
