"""Some hundred differential cases of every family of differential_arrange.py with fixed seeds, and those that once
failed. tools/differential runs as many as are wanted."""
import numpy as np
import pytest

import cuprite as cp
from differential_arrange import Mismatch, compare
from differential_explained import TABLE

# Each was a mismatch once, and is here as it was found.
KEPT = [
    "r=xp.sort(A('d',(2, 60),'',64),kind='stable')",
    "a=A('D',(40, 3),'',333);a.sort(0,kind='mergesort');r=a",
    "r=xp.sort(A('e',(100,),'s',64),stable=True)",
    "r=xp.choose(X(0,'i'),A('I',(2,),'',428),out=A('I',(2,)),mode='clip')",
    "r=xp.choose(X([0],'i'),A('I',(2,),'',428),out=A('I',(3,)))",
    "r=xp.lib.stride_tricks.sliding_window_view(A('i',(0, 3),'so',383),X(2))",
    "r=xp.lib.stride_tricks.sliding_window_view(A('i',(5,),'',383),X(2))",
    "r=xp.pad(A('D',(),'',295),10**20,'wrap')",
    "r=xp.pad(A('D',(2,),'',295),2**63,'edge')",
    "r=xp.lexsort(A('f',(1,),'b',1))",
    "r=xp.lexsort(A('H',(3,),'',243))",
    "r=xp.lexsort(X([1,0]))",
    "r=xp.searchsorted(A('d',(1, 4, 4),'',897),A('e',(1,),'',4086),side={})",
    "a=xp.sort(A('D',(6,),'o',25));r=a.searchsorted(0,side=np.nan)",
    "r=xp.take(A('?',(),'',345),X(-2,'b'),mode=True)",
    "a=A('F',(),'',963);r=xp.put(a,X([0],'i'),[0,2,1],mode=(0,0));r=(r,a.copy())",
    "r=xp.packbits(A('B',(3,),'',5),bitorder=1)",
    "a=A('e',(2, 2),'',1082);r=xp.putmask(a,A('?',(2, 2),'',437),np.uint64(7));r=(r,a.copy())",
    "a=A('e',(3, 4),'',776);r=xp.putmask(a,A('?',(3, 4),'',324),np.float32(1.5));r=(r,a.copy())",
    "a=A('e',(3,),'',765);r=xp.place(a,A('?',(3,),'c|0',101),-0.0);r=(r,a.copy())",
    "a=A('E',(),'',549);r=xp.putmask(a,A('E',(),'',388),np.nan);r=(r,a.copy())",
    "a=A('e',(3,),'',5);r=xp.putmask(a,A('?',(3,),'',7),1j)",
    "r=xp.choose(X([1,1],'L'),A('B',(4, 2),'',382))",
    "r=xp.choose(X([0],'i'),[A('i',(),'',1098)],out=A('F',(1,),'',292))",
    "r=X([-2],'l').choose(A('h',(1, 1),'os|10',480),out=A('i',(1,),'c',240),mode='wrap')",
    "r=xp.choose(X([0],'i'),[A('d',(1,),'',20)],out=A('i',(1,),'',292))",
    "r=xp.isin(A('e',(2,),'',5),A('i',(2,),'',7),kind='table')",
    "r=xp.isin(A('h',(),'',1198),[],kind='table')",
    "a=A('h',(2, 4),'',2770);a.flat[X([[7,4],[3,1]],'I')]=[9];r=a.copy()",
    "a=A('D',(2,),'',1035);a.flat[X([[0,0],[-1,0]],'l')]=[1.5];r=a.copy()",
    "f=A('?',(2,),'',3895).flat;next(f);r=(next(f),f.index,f.coords)",
    "r=xp.block(A('i',(3, 4),'|10',578))",
    "r=xp.size(A('f',(),'',29),0)",
    "r=xp.size(A('f',(2,),'',29),-2)",
    "r=A('H',(3, 2),'bo|01',901).byteswap()",
    "r=A('B',(2, 2, 1),'occ|210',201).byteswap()",
    "import io;f=io.BytesIO();xp.save(f,A('f',(4, 2),'|10',863));f.seek(0);r=xp.load(f)",
    "import io;f=io.BytesIO();xp.save(f,A('L',(3, 4),'|10',831));r=f.getvalue()",
    "import io;f=io.BytesIO();xp.savez(f,A('L',(3, 4),'|10',831));f.seek(0);r=xp.load(f)['arr_0']",
    "r=xp.insert(A('L',(4,),'|0',3575),(0,0),1j)",
    "r=xp.insert(A('l',(),'',379),X(0),1e300)",
    "r=xp.insert(A('b',(3,),'',3),1,300)",
    "r=xp.pad(A('i',(4, 2),'rr',275),1,'constant',constant_values=1j)",
    "r=xp.polynomial.polyutils.trimcoef(A('?',(3,),'r',1061),0)",
    "r=xp.polynomial.polyutils.as_series([A('F',(2,),'',1150),A('h',(3,),'c|0',465)])",
    "r=xp.piecewise(A('l',(3, 2, 1),'ccc',548),[A('?',(),'',1465),A('?',(),'',1205)],[1,2.5,1])",
    "a=A('b',(3,),'',0);a[a==a]=np.int64(300);r=a.copy()",
    "a=A('b',(3,),'',0);a[[0,1]]=np.float64(-129);r=a.copy()",
    "a=A('h',(3,),'',0);a[1:]=np.int64(70000);r=a.copy()",
    "a=A('h',(3,),'',0);xp.put(a,[0],np.int64(70000));r=a.copy()",
    "a=A('b',(3,),'',0);xp.putmask(a,a==a,np.int64(300));r=a.copy()",
    "a=A('?',(3,),'',0);xp.putmask(a,a==a,np.float64(0.5));r=a.copy()",
    "a=A('b',(3,3),'',0);xp.fill_diagonal(a,np.int64(300));r=a.copy()",
    "a=A('i',(3,),'',0);xp.put_along_axis(a,X([0]),np.int64(2**31),0);r=a.copy()",
    "r=xp.piecewise(A('b',(3,),'',0),[A('?',(3,),'',0)],[np.int64(300)])",
    "a=A('b',(3,),'',0);a.real=300;r=a.copy()",
    "a=A('d',(3,),'',0);a.real=1j;r=a.copy()",
    "r=xp.pad(A('B',(3,),'',0),1,constant_values=256)",
    "r=xp.pad(A('?',(),'',944),[True,False],'edge')",
    "r=xp.pad(A('B',(3,2),'',0),1,constant_values=((1,300),(2,3)))",
    "r=xp.pad(A('f',(),'',48),((1,2,3),),'constant')",
    "r=xp.select([A('?',(3,),'',3)],[A('h',(3,),'',0)],70000)",
    "r=A('f',(2,3),'|10',0).reshape(None)",
    "r=xp.reshape(A('f',(2,3),'',0),None,order='F')",
    "r=A('f',(3,),'',0).reshape()",
    "r=xp.size(A('l',(2,3),'',0),(0,1))",
    "r=xp.size(A('l',(2,3),'',0),(0,0))",
    "r=xp.ones_like(A('b',(2,1),'|10',1195),shape=(2,3))",
    "r=xp.isin(A('b',(2,),'',0),A('b',(2,),'',0),kind=[])",
    "r=xp.polynomial.polynomial.polyint(A('f',(3,),'',0))",
    "r=xp.polynomial.polynomial.polyder(A('F',(3,),'',0))",
    "r=xp.polynomial.polynomial.polyfromroots(A('f',(2,),'',0))",
]


@pytest.mark.parametrize("text", KEPT)
def test_kept(text):
    assert compare(text) is None


@pytest.mark.parametrize("text, what", [
    ("r=xp.ones(3,'f4') if xp is np else xp.ones(3,'f8')", "type"),
    ("r=xp.ones(3) if xp is np else xp.ones((3,1))", "shape"),
    ("r=xp.array([0.0]) if xp is np else xp.array([-0.0])", "value"),
    ("a=A('d',(3,));r=a[1:] if xp is np else a[1:].copy()", "view"),
    ("a=A('d',(3,3));r=a.T if xp is np else a[:]", "strides"),
    ("r=xp.ones((2,2),order='F' if xp is np else 'C')", "order"),
    ("a=A('d',(3,));a[0]=1 if xp is np else 2;r=1", "operand"),
    ("r=1 if xp is np else 1.0", "value"),
    ("r=[xp.ones(1)]*(2 if xp is np else 3)", "structure"),
    ("r=(1/0) if xp is np else xp.ones(1)[3]", "exception"),
    ("r=1 if xp is np else 1/0", "raises"),
    ("r=1/0 if xp is np else 1", "accepts")])
def test_a_difference_is_seen(text, what):
    """What is compared is compared: each of these two sides differ in one thing."""
    if what == "strides":  # the values differ too, unless they are all one
        text = text.replace("A('d',(3,3))", "A('?',(3,3),'',0)").replace("r=", "a[...]=True;r=")
    found = compare(text)
    assert isinstance(found, Mismatch) and found.what == what


def test_explanations_are_told():
    kinds = {"raises", "accepts", "exception", "value", "type", "shape", "structure", "order", "writeable", "warning",
             "view"}
    assert all(row.why and set(row.what) <= kinds for row in TABLE)


@pytest.mark.parametrize("t", ["?", "b", "H", "i", "l", "L", "f", "d", "F", "D"])
@pytest.mark.parametrize("shape, axis", [((150_001,), 0), ((2, 140_000), 1), ((70, 1000), 1), ((1000, 70), 0),
                                         ((9, 5), 0)])
def test_argpartition_selects(t, shape, axis):
    """Long rows, many rows, columns, ties and NaNs: a permutation, with each kth and its sides right."""
    rng = np.random.default_rng(5)
    x = rng.integers(0, 90, shape).astype(t)
    if t in "fdFD":
        x.reshape(-1)[::7] = np.nan
        x.reshape(-1)[3::11] = -0.0
    n, lanes = shape[axis], np.arange(shape[axis]).reshape([-1 if k == axis else 1 for k in range(len(shape))])
    for kth in (0, n // 2, n - 1, [1, n // 3, -1], list(range(8)), list(range(9))):
        at = cp.argpartition(cp.array(x), kth, axis).get()
        assert (np.sort(at, axis) == lanes).all()
        got, want = np.take_along_axis(x, at, axis), np.sort(x, axis)
        for k in np.atleast_1d(kth):
            parts = [np.sort(p, axis) for p in np.split(got, [k % n, k % n + 1], axis)]
            np.testing.assert_array_equal(np.concatenate(parts, axis), want)
