"""C++ templates for cuprite.jit.thrust: algorithms over ranges that one thread runs by itself, on pointers and on the
two iterators that can be made. They ask of an iterator only +, - and []; a sort is a heap sort, as it needs no memory
and no recursion, and a stable one inserts."""
import re

ITERATORS = """template <class T> struct seq_constant {
    T value; long long at;
    __device__ T operator[](long long) const { return value; }
    __device__ seq_constant operator+(long long n) const { return {value, at + n}; }
    __device__ long long operator-(seq_constant o) const { return at - o.at; }
};
template <class T> struct seq_counting {
    T value;
    __device__ T operator[](long long i) const { return (T)(value + i); }
    __device__ seq_counting operator+(long long n) const { return {(T)(value + n)}; }
    __device__ long long operator-(seq_counting o) const { return (long long)(value - o.value); }
};
template <class T> struct seq_strided {
    T *data; long long step;
    __device__ T &operator[](long long i) const { return data[i * step]; }
    __device__ seq_strided operator+(long long n) const { return {data + n * step, step}; }
    __device__ long long operator-(seq_strided o) const { return (data - o.data) / step; }
};
template <class A, class B> struct seq_pair { A v0; B v1; };
template <class T> static __device__ inline void seq_swap(T &a, T &b) { T c = a; a = b; b = c; }
"""

_ALGORITHMS = """template <class I, class O>
O seq_adjacent_difference(I a, I b, O o) {
    long long n = b - a;
    if (!n) return o;
    auto before = a[0];
    o[0] = before;
    for (long long i = 1; i < n; i++) {
        auto x = a[i];
        o[i] = x - before;
        before = x;
    }
    return o + n;
}

template <class I, class O>
O seq_copy(I a, I b, O o) {
    long long n = b - a;
    for (long long i = 0; i < n; i++) o[i] = a[i];
    return o + n;
}

template <class I, class T>
long long seq_count(I a, I b, T v) {
    long long n = b - a, c = 0;
    for (long long i = 0; i < n; i++) c += a[i] == v;
    return c;
}

template <class I, class J>
bool seq_equal(I a, I b, J c) {
    long long n = b - a;
    for (long long i = 0; i < n; i++)
        if (!(a[i] == c[i])) return false;
    return true;
}

template <class I, class O, class T>
O seq_exclusive_scan(I a, I b, O o, T sum) {
    long long n = b - a;
    for (long long i = 0; i < n; i++) {
        T x = a[i];
        o[i] = sum;
        sum = sum + x;
    }
    return o + n;
}

template <class I, class O>
O seq_inclusive_scan(I a, I b, O o) {
    long long n = b - a;
    if (!n) return o;
    auto sum = a[0];
    o[0] = sum;
    for (long long i = 1; i < n; i++) {
        sum = sum + a[i];
        o[i] = sum;
    }
    return o + n;
}

template <class K, class I, class O, class T>
O seq_exclusive_scan_by_key(K a, K b, I v, O o, T first) {
    long long n = b - a;
    T sum = first;
    for (long long i = 0; i < n; i++) {
        if (i && !(a[i] == a[i - 1])) sum = first;
        T x = v[i];
        o[i] = sum;
        sum = sum + x;
    }
    return o + n;
}

template <class K, class I, class O>
O seq_inclusive_scan_by_key(K a, K b, I v, O o) {
    long long n = b - a;
    if (!n) return o;
    auto sum = v[0];
    o[0] = sum;
    for (long long i = 1; i < n; i++) {
        auto x = v[i];
        if (a[i] == a[i - 1]) sum = sum + x;
        else sum = x;
        o[i] = sum;
    }
    return o + n;
}

template <class I, class T>
void seq_fill(I a, I b, T v) {
    long long n = b - a;
    for (long long i = 0; i < n; i++) a[i] = v;
}

template <class I, class T>
I seq_find(I a, I b, T v) {
    long long n = b - a, i = 0;
    while (i < n && !(a[i] == v)) i++;
    return a + i;
}

template <class M, class I, class O>
O seq_gather(M a, M b, I x, O o) {
    long long n = b - a;
    for (long long i = 0; i < n; i++) o[i] = x[a[i]];
    return o + n;
}

template <class I, class J, class T>
T seq_inner_product(I a, I b, J c, T sum) {
    long long n = b - a;
    for (long long i = 0; i < n; i++) sum = sum + a[i] * c[i];
    return sum;
}

template <class I>
I seq_is_sorted_until(I a, I b) {
    long long n = b - a, i = 1;
    while (i < n && !(a[i] < a[i - 1])) i++;
    return n < 1 ? b : a + i;
}

template <class I>
bool seq_is_sorted(I a, I b) {
    long long n = b - a;
    for (long long i = 1; i < n; i++)
        if (a[i] < a[i - 1]) return false;
    return true;
}

template <class I, class T>
I seq_lower_bound(I a, I b, T v) {
    long long n = b - a;
    while (n > 0) {
        long long h = n / 2;
        if (a[h] < v) {
            a = a + (h + 1);
            n -= h + 1;
        } else n = h;
    }
    return a;
}

template <class I, class T>
I seq_upper_bound(I a, I b, T v) {
    long long n = b - a;
    while (n > 0) {
        long long h = n / 2;
        if (!(v < a[h])) {
            a = a + (h + 1);
            n -= h + 1;
        } else n = h;
    }
    return a;
}

template <class I, class J>
seq_pair<I, J> seq_mismatch(I a, I b, J c) {
    long long n = b - a, i = 0;
    while (i < n && a[i] == c[i]) i++;
    return {a + i, c + i};
}

template <class I, class T>
T seq_reduce(I a, I b, T sum) {
    long long n = b - a;
    for (long long i = 0; i < n; i++) sum = sum + a[i];
    return sum;
}

template <class K, class I, class O, class P>
seq_pair<O, P> seq_reduce_by_key(K a, K b, I v, O k, P o) {
    long long n = b - a, m = 0;
    for (long long i = 0; i < n; i++) {
        if (i && a[i] == a[i - 1]) o[m - 1] = o[m - 1] + v[i];
        else {
            k[m] = a[i];
            o[m] = v[i];
            m++;
        }
    }
    return {k + m, o + m};
}

template <class I, class O, class T>
O seq_remove_copy(I a, I b, O o, T v) {
    long long n = b - a, m = 0;
    for (long long i = 0; i < n; i++) {
        auto x = a[i];
        if (!(x == v)) o[m++] = x;
    }
    return o + m;
}

template <class I, class O, class T>
O seq_replace_copy(I a, I b, O o, T old, T v) {
    long long n = b - a;
    for (long long i = 0; i < n; i++) {
        auto x = a[i];
        o[i] = x == old ? v : x;
    }
    return o + n;
}

template <class I>
void seq_reverse(I a, I b) {
    long long n = b - a;
    for (long long i = 0; i < n / 2; i++) seq_swap(a[i], a[n - 1 - i]);
}

template <class I, class O>
O seq_reverse_copy(I a, I b, O o) {
    long long n = b - a;
    for (long long i = 0; i < n; i++) o[i] = a[n - 1 - i];
    return o + n;
}

template <class I, class M, class O>
void seq_scatter(I a, I b, M m, O o) {
    long long n = b - a;
    for (long long i = 0; i < n; i++) o[m[i]] = a[i];
}

template <class I, class T>
void seq_sequence(I a, I b, T v, T step) {
    long long n = b - a;
    for (long long i = 0; i < n; i++) a[i] = v + (T)i * step;
}

template <class I, class J>
J seq_swap_ranges(I a, I b, J c) {
    long long n = b - a;
    for (long long i = 0; i < n; i++) seq_swap(a[i], c[i]);
    return c + n;
}

template <class I>
I seq_unique(I a, I b) {
    long long n = b - a, m = 0;
    for (long long i = 0; i < n; i++)
        if (!i || !(a[m - 1] == a[i])) a[m++] = a[i];
    return a + m;
}

template <class I, class J>
seq_pair<I, J> seq_unique_by_key(I a, I b, J v) {
    long long n = b - a, m = 0;
    for (long long i = 0; i < n; i++)
        if (!i || !(a[m - 1] == a[i])) {
            a[m] = a[i];
            v[m++] = v[i];
        }
    return {a + m, v + m};
}

template <class I, class J>
void seq_sort_by_key(I a, I b, J v) {
    long long n = b - a;
    for (long long end = n, root = n / 2; end > 1;) {
        if (root > 0) root--;
        else {
            end--;
            seq_swap(a[0], a[end]);
            seq_swap(v[0], v[end]);
        }
        for (long long i = root, c; (c = 2 * i + 1) < end; i = c) {
            if (c + 1 < end && a[c] < a[c + 1]) c++;
            if (!(a[i] < a[c])) break;
            seq_swap(a[i], a[c]);
            seq_swap(v[i], v[c]);
        }
    }
}

template <class I>
void seq_sort(I a, I b) {
    long long n = b - a;
    for (long long end = n, root = n / 2; end > 1;) {
        if (root > 0) root--;
        else {
            end--;
            seq_swap(a[0], a[end]);
        }
        for (long long i = root, c; (c = 2 * i + 1) < end; i = c) {
            if (c + 1 < end && a[c] < a[c + 1]) c++;
            if (!(a[i] < a[c])) break;
            seq_swap(a[i], a[c]);
        }
    }
}

template <class I>
void seq_stable_sort(I a, I b) {
    long long n = b - a;
    for (long long i = 1; i < n; i++) {
        auto x = a[i];
        long long j = i;
        for (; j > 0 && x < a[j - 1]; j--) a[j] = a[j - 1];
        a[j] = x;
    }
}

template <class I, class J>
void seq_stable_sort_by_key(I a, I b, J v) {
    long long n = b - a;
    for (long long i = 1; i < n; i++) {
        auto x = a[i];
        auto y = v[i];
        long long j = i;
        for (; j > 0 && x < a[j - 1]; j--) {
            a[j] = a[j - 1];
            v[j] = v[j - 1];
        }
        a[j] = x;
        v[j] = y;
    }
}
"""


def _set_operation(name, less, greater, equal, rest):
    """The two algorithms that go along two sorted ranges: `less`, `greater` and `equal` are the ranges that an element
    is taken from when the first range's is that to the second's, `rest` those of which what remains is taken at the
    end."""
    def text(by_key):
        def take(range_):
            key, value = {"a": ("a[i]", "v[i]"), "c": ("c[j]", "w[j]")}[range_]
            return f"o[m] = {key}; " + (f"p[m] = {value}; " if by_key else "") + "m++; "
        lines = []
        for word, taken, moved in (("if (a[i] < c[j])", less, "i++;"), ("else if (c[j] < a[i])", greater, "j++;"),
                                   ("else", equal, "i++; j++;")):
            lines.append(f"        {word} {{ {take(taken) if taken else ''}{moved} }}\n")
        tails = "".join(f"    for (; {i} < {n}; {i}++) {{ {take(r)}}}\n"
                        for r, i, n in (("a", "i", "n"), ("c", "j", "k")) if r in rest)
        types, result, more = ("class I, class J, class O", "O", "") if not by_key else \
            ("class I, class J, class O, class V, class W, class P", "seq_pair<O, P>", ", V v, W w, P p")
        back = "{o + m, p + m}" if by_key else "o + m"
        return (f"template <{types}>\n{result} seq_set_{name}{'_by_key' * by_key}(I a, I b, J c, J d, O o{more}) {{\n"
                "    long long n = b - a, k = d - c, i = 0, j = 0, m = 0;\n    while (i < n && j < k) {\n"
                f"{''.join(lines)}    }}\n{tails}    return {back};\n}}\n")
    return "\n" + text(False) + "\n" + text(True)


_ALGORITHMS += (_set_operation("difference", "a", "", "", "a") + _set_operation("intersection", "", "", "a", "") +
                _set_operation("symmetric_difference", "a", "c", "", "ac") +
                _set_operation("union", "a", "c", "a", "ac"))

HELPERS = {"#iterators": ITERATORS}
for _text in _ALGORITHMS.split("\n\n"):
    _head, _body = _text.split("\n", 1)
    HELPERS[re.search(r"seq_(?!pair)\w+(?=\()", _body)[0]] = f"{_head}\nstatic __device__ inline {_body.rstrip()}\n"
