/* Drawing on a picture. The letters are strokes, so that they have any size: a glyph is a few polylines on a grid of
 * five columns, with seven lines above the baseline and two below. */
#include "draw.h"

#include <math.h>
#include <string.h>

static void point(canvas *c, int64_t x, int64_t y, colour k)
{
    if (x < 0 || y < 0 || x >= c->width || y >= c->height) return;
    memcpy(c->rgb + (y * c->stride + x) * 3, &k, 3);
}

static void pen(canvas *c, double x, double y, int thick, colour k)
{
    int64_t left = llround(x - (thick - 1) / 2.0), top = llround(y - (thick - 1) / 2.0);
    for (int j = 0; j < thick; j++)
        for (int i = 0; i < thick; i++) point(c, left + i, top + j, k);
}

void draw_fill(canvas *c, int64_t x, int64_t y, int64_t width, int64_t height, colour k)
{
    for (int64_t j = y; j < y + height; j++)
        for (int64_t i = x; i < x + width; i++) point(c, i, j, k);
}

void draw_line(canvas *c, double x0, double y0, double x1, double y1, int thick, colour k)
{
    int n = (int)ceil(fmax(fabs(x1 - x0), fabs(y1 - y0)));
    for (int i = 0; i <= n; i++) {
        double t = n ? i / (double)n : 0;
        pen(c, x0 + t * (x1 - x0), y0 + t * (y1 - y0), thick, k);
    }
}

void draw_circle(canvas *c, double x, double y, double radius, int thick, colour k)
{
    int n = (int)(8 * radius) + 8;
    for (int i = 0; i < n; i++) {
        double angle = 6.283185307179586 * i / n;
        pen(c, x + radius * cos(angle), y + radius * sin(angle), thick, k);
    }
}

/* --- text --- */

/* A point is its column (0 to 4) and its line (0 to 6 from the baseline up, a and b below); a blank lifts the pen. */
static const char *const glyphs[128] = {
    ['0'] = "103041453616050110", ['1'] = "152620 1030", ['2'] = "05163645440040",
    ['3'] = "0516364544334241301001 1333", ['4'] = "30360242", ['5'] = "460604344341301001",
    ['6'] = "4536160501103041423303", ['7'] = "064610", ['8'] = "13040516364544331302011030414233",
    ['9'] = "0110304145361605041343", ['+'] = "0343 2521", ['-'] = "0343", ['.'] = "2020", [','] = "201a",
    [':'] = "2121 2424", ['/'] = "0046", ['('] = "36252130", [')'] = "16252110", ['*'] = "2521 0442 4402",
    ['^'] = "042644", ['\''] = "2624", ['"'] = "1614 3634", ['='] = "0242 0444", ['%'] = "0046 0515 3141",
    ['['] = "36161030", [']'] = "16363010", ['_'] = "0040", ['@'] = "1636341416",
    ['A'] = "002640 1232", ['B'] = "00063645443303 3342413000", ['C'] = "4536160501103041", ['D'] = "00062644422000",
    ['E'] = "46060040 0333", ['F'] = "460600 0333", ['G'] = "45361605011030414323", ['H'] = "0006 4046 0343",
    ['I'] = "1030 2026 1636", ['J'] = "4641301001", ['K'] = "0006 460340", ['L'] = "060040", ['M'] = "0006234640",
    ['N'] = "00064046", ['O'] = "103041453616050110", ['P'] = "00063645443303", ['Q'] = "103041453616050110 2240",
    ['R'] = "00063645443303 2340", ['S'] = "453616050413334241301001", ['T'] = "0646 2620", ['U'] = "060110304146",
    ['V'] = "062046", ['W'] = "0610243046", ['X'] = "0046 0640", ['Y'] = "062346 2320", ['Z'] = "06460040",
    ['a'] = "14344340 421201103041", ['b'] = "0600 0314344341301001", ['c'] = "4334140301103041",
    ['d'] = "4640 4334140301103041", ['e'] = "02424334140301103041", ['f'] = "46362520 1434",
    ['g'] = "444a3b1b0a 4334140301103041", ['h'] = "0600 0314344340", ['i'] = "2024 2626", ['j'] = "242a1b0b 2626",
    ['k'] = "0600 3402 1340", ['l'] = "262130", ['m'] = "0004 03142320 23344340", ['n'] = "0004 0314344340",
    ['o'] = "103041433414030110", ['p'] = "040b 0314344341301001", ['q'] = "444b 4334140301103041",
    ['r'] = "0004 03143443", ['s'] = "43341403123241301001", ['t'] = "26213041 1434", ['u'] = "0401103041 4440",
    ['v'] = "042044", ['w'] = "0410233044", ['x'] = "0044 0440", ['y'] = "0420 441b", ['z'] = "04440040",
};
enum { COLUMNS = 6, LINES = 6 }; /* from one letter to the next; of a capital letter */

double text_width(double size, const char *text)
{
    return ((double)strlen(text) * COLUMNS - 2) * size / LINES;
}

static int line_of(char c) { return c >= 'a' ? 'a' - c - 1 : c - '0'; }

static void draw_glyph(canvas *c, double x, double y, double unit, const char *strokes, int thick, colour k)
{
    for (const char *s = strokes; *s;) {
        if (s[2] == 0 || s[2] == ' ') { /* a stroke of one point, or a stroke's last one */
            s += s[2] ? 3 : 2;
            continue;
        }
        draw_line(c, x + (s[0] - '0') * unit, y - line_of(s[1]) * unit, x + (s[2] - '0') * unit,
                  y - line_of(s[3]) * unit, thick, k);
        s += 2;
    }
}

void draw_text(canvas *c, double x, double y, double size, int align, const char *text, colour k)
{
    double unit = size / LINES;
    int thick = size < 14 ? 1 : (int)(size / 8);
    x -= align < 0 ? 0 : text_width(size, text) * (align ? 1 : 0.5);
    for (; *text; text++, x += COLUMNS * unit) {
        const char *strokes = (unsigned char)*text < 128 ? glyphs[(int)*text] : NULL;
        if (strokes) draw_glyph(c, x, y, unit, strokes, thick, k);
    }
}
