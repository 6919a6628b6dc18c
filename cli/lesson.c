/* cuprite lesson: the lessons lie in the Python package, which lists and copies them. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

int cmd_lesson(int argc, char **argv)
{
    char *given[argc + 4];
    memcpy(given, (char *[]){"python3", "-m", "cuprite"}, 3 * sizeof *given);
    memcpy(given + 3, argv, (size_t)argc * sizeof *given); /* "lesson" and its arguments */
    given[argc + 3] = NULL;
    execvp(given[0], given);
    return fail("lesson", "python3: %s", strerror(errno));
}
