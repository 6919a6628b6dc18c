/* What a GPU has and the CPU lacks, and launches in a source, are refused by name. Invariant: what is only written, in
 * a string or in a macro that nobody uses, is not refused. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "kernel/translate.h"

static const char parallelism[] = "dynamic parallelism";
static const char *const refused[][2] = {
    {"asm", "inline PTX"}, {"__asm__", "inline PTX"}, {"__asm", "inline PTX"},
    {"tex1D", "textures"}, {"tex2D", "textures"}, {"tex3D", "textures"}, {"tex1Dfetch", "textures"},
    {"surf2Dread", "surfaces"}, {"surf2Dwrite", "surfaces"}, {"cudaTextureObject_t", "textures"},
    {"cudaSurfaceObject_t", "surfaces"}, {"cudaDeviceSynchronize", parallelism}, {"cudaLaunchDevice", parallelism},
    {"cudaLaunchKernel", parallelism}, {"cudaGetParameterBuffer", parallelism},
    {"cudaStreamFireAndForget", parallelism}, {"cudaStreamTailLaunch", parallelism},
    {"this_cluster", "clusters"}, {"cluster_group", "clusters"}, {"__isGlobal", "the kind of memory of an address"},
    {"__isShared", "the kind of memory of an address"}, {"__isConstant", "the kind of memory of an address"},
    {"__isLocal", "the kind of memory of an address"}, {"__isGridConstant", "the kind of memory of an address"}};

/* `int f() noexcept asm("g");` is a name. */
static bool is_label(const cpi_tokens *t, int i)
{
    return i && (cpi_token_is(&t->at[i - 1], ")") || cpi_token_is(&t->at[i - 1], "noexcept"));
}

/* cub::DeviceReduce and its like: NVRTC does not take them either. */
static bool is_device_wide(const cpi_tokens *t, int i)
{
    const cpi_token *w = &t->at[i];
    bool named = w->kind == CPI_W_NAME && w->length > 6 && memcmp(w->text, "Device", 6) == 0;
    return named && i > 1 && cpi_token_is(w - 1, "::") && cpi_token_is(w - 2, "cub");
}

static bool fail(int line, const char *what, int length, const char *name)
{
    return cpi_fail(CP_ERROR_UNSUPPORTED, "line %d: %s (%.*s) is not available on the CPU device", line, what, length,
                    name), false;
}

/* --- launches: name<<<...>>>(...) --- */

/* Whether a brace around token i opens the body of a function of the device. */
static bool in_device_code(const cpi_tokens *t, int i)
{
    for (int k = i - 1; k >= 0; k--) {
        const cpi_token *w = &t->at[k];
        if (cpi_token_is(w, "}") && w->match >= 0) k = w->match;
        if (!cpi_token_is(w, "{")) continue;
        for (int h = k - 1; h >= 0; h--) { /* what stands before it */
            w = &t->at[h];
            if (cpi_token_is(w, ";") || cpi_token_is(w, "{") || cpi_token_is(w, "}")) break;
            if (cpi_token_is(w, "__global__") || cpi_token_is(w, "__device__")) return true;
        }
    }
    return false;
}

/* The launch whose <<< begins at i: the error has the name before it. */
static bool fail_launch(const cpi_tokens *t, int i)
{
    int k = i - 1;
    if (k > 0 && (cpi_token_is(&t->at[k], ">") || cpi_token_is(&t->at[k], ">>")))
        while (k > 0 && cpi_tokens_behind_angles(t, k, i) != i) k--;
    if (k > 0 && cpi_token_is(&t->at[k], "<")) k--;
    const bool named = k >= 0 && t->at[k].kind == CPI_W_NAME;
    char name[80];
    snprintf(name, sizeof name, "%.*s<<<...>>>", named ? (int)t->at[k].length : 0, named ? t->at[k].text : "");
    return fail(t->at[named ? k : i].line, in_device_code(t, i) ? parallelism : "a launch by code of the host",
                (int)strlen(name), name);
}

/* Where a text has <<< outside of quotes. */
static bool has_launch(const char *text, size_t length)
{
    char quote = 0;
    for (size_t i = 0; i + 2 < length; i++) {
        if (quote) {
            if (text[i] == '\\') i++;
            else if (text[i] == quote) quote = 0;
        } else if (text[i] == '"' || text[i] == '\'') quote = text[i];
        else if (memcmp(text + i, "<<<", 3) == 0) return true;
    }
    return false;
}

/* The name that a preprocessor line defines; its length is 0 where it defines none. */
static cpi_token defined(const cpi_token *line)
{
    static const char space[] = " \t\\\n";
    const char *at = line->text + 1, *const end = line->text + line->length; /* behind the # */
    cpi_token name = {.kind = CPI_W_NAME};
    while (at < end && strchr(space, *at)) at++;
    if (end - at < 8 || memcmp(at, "define", 6)) return name;
    at += 6;
    while (at < end && strchr(space, *at)) at++;
    name.text = at;
    while (at < end && (*at == '_' || (*at >= '0' && *at <= '9') || ((*at | 32) >= 'a' && (*at | 32) <= 'z'))) at++;
    name.length = (uint32_t)(at - name.text);
    return name;
}

/* The line where a macro is used, in code or by a macro that is; 0 where it is not. */
static int used_at(const cpi_tokens *t, const cpi_token *macro, int depth)
{
    for (int i = 0; i < t->n; i++) {
        const cpi_token *w = &t->at[i];
        if (w->kind == CPI_W_NAME && w->length == macro->length && !memcmp(w->text, macro->text, w->length))
            return w->line;
        if (w->kind != CPI_W_LINE || depth > 8) continue;
        const cpi_token outer = defined(w);
        const char *body = outer.text + outer.length;
        if (!outer.length || outer.text == macro->text) continue;
        if (!memmem(body, (size_t)(w->text + w->length - body), macro->text, macro->length)) continue;
        const int line = used_at(t, &outer, depth + 1);
        if (line) return line;
    }
    return 0;
}

static bool launches_allowed(const cpi_tokens *t)
{
    for (int i = 0; i < t->n; i++) {
        const cpi_token *w = &t->at[i];
        if (cpi_token_is(w, "<<") && cpi_token_is(&w[1], "<")) return fail_launch(t, i);
        if (w->kind != CPI_W_LINE || !has_launch(w->text, w->length)) continue;
        const cpi_token macro = defined(w);
        const int line = macro.length ? used_at(t, &macro, 0) : 0;
        if (line) return fail(line, "a launch by the macro", (int)macro.length, macro.text);
    }
    return true;
}

bool cpi_cu_allowed(const cpi_tokens *t)
{
    if (!launches_allowed(t)) return false;
    for (int i = 0; i < t->n; i++) {
        const cpi_token *w = &t->at[i];
        const char *what = NULL;
        for (size_t k = 0; w->kind == CPI_W_NAME && k < sizeof refused / sizeof *refused; k++)
            if (cpi_token_is(w, refused[k][0])) what = refused[k][1];
        if (is_device_wide(t, i)) what = "an algorithm of CUB's for a whole device, which the host launches";
        if (!what || (strcmp(what, "inline PTX") == 0 && is_label(t, i))) continue;
        return fail(w->line, what, (int)w->length, w->text);
    }
    return true;
}
