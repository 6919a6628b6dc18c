"""scikit-learn's array-API estimators and metrics on Cuprite's arrays. Run by tests/python/test_clients.py with
SCIPY_ARRAY_API=1, which scikit-learn asks for: what is learnt and predicted is what it is for NumPy's arrays, and lies
in arrays of Cuprite's."""
import os

assert os.environ.get("SCIPY_ARRAY_API") == "1"

import numpy as np  # noqa: E402
import pytest  # noqa: E402
import sklearn  # noqa: E402
from sklearn import (  # noqa: E402
    decomposition, discriminant_analysis, kernel_approximation, linear_model, metrics, mixture, model_selection,
    naive_bayes, pipeline, preprocessing)

import cuprite as cp  # noqa: E402

rng = np.random.default_rng(3)
CENTRES = rng.standard_normal((3, 5)) * 2
Y = rng.integers(0, 3, 120)
X = CENTRES[Y] + rng.standard_normal((120, 5))
T = X @ np.array([1.0, -2, 0.5, 0, 3]) + rng.standard_normal(120) / 10

TRANSFORMERS = {
    "PCA": decomposition.PCA(3, svd_solver="full"), "PCA eigh": decomposition.PCA(2, svd_solver="covariance_eigh"),
    "PCA whiten": decomposition.PCA(2, svd_solver="full", whiten=True),
    "StandardScaler": preprocessing.StandardScaler(), "MinMaxScaler": preprocessing.MinMaxScaler((-1, 1)),
    "MaxAbsScaler": preprocessing.MaxAbsScaler(), "Normalizer": preprocessing.Normalizer("l2"),
    "Normalizer max": preprocessing.Normalizer("max"), "KernelCenterer": preprocessing.KernelCenterer(),
    "Binarizer": preprocessing.Binarizer(threshold=0.3), "PolynomialFeatures": preprocessing.PolynomialFeatures(3),
    "Nystroem": kernel_approximation.Nystroem(n_components=20, random_state=0),
    "pipeline": pipeline.make_pipeline(preprocessing.StandardScaler(), decomposition.PCA(2, svd_solver="full")),
}
PREDICTORS = {
    "LinearDiscriminantAnalysis": (discriminant_analysis.LinearDiscriminantAnalysis(solver="svd"), Y),
    "Ridge": (linear_model.Ridge(alpha=0.5, solver="svd"), T), "RidgeCV": (linear_model.RidgeCV(alphas=[0.1, 1.0]), T),
    "GaussianNB": (naive_bayes.GaussianNB(), Y),
    "RidgeClassifier": (linear_model.RidgeClassifier(solver="svd"), Y),
    "LogisticRegression": (linear_model.LogisticRegression(solver="lbfgs", C=0.5), Y),
    "GaussianMixture": (mixture.GaussianMixture(3, random_state=1, init_params="random", max_iter=50), None),
}
LABELS, SCORES = rng.integers(0, 3, 120), rng.random(120)
PROBABILITIES = rng.dirichlet(np.ones(3), 120)
METRICS = """
accuracy_score(Y,L) balanced_accuracy_score(Y,L) zero_one_loss(Y,L) f1_score(Y,L,average="macro") hamming_loss(Y,L)
precision_score(Y,L,average="micro") recall_score(Y,L,average="weighted") fbeta_score(Y,L,beta=2,average=None)
jaccard_score(Y,L,average="macro") cohen_kappa_score(Y,L) matthews_corrcoef(Y,L) confusion_matrix(Y,L)
multilabel_confusion_matrix(Y,L) class_likelihood_ratios(Y>0,L>0) brier_score_loss(Y>0,S) d2_brier_score(Y>0,S)
log_loss(Y,P) hinge_loss(Y>0,S) roc_curve(Y>0,S)[1] precision_recall_curve(Y>0,S)[0] det_curve(Y>0,S)[0]
roc_auc_score(Y>0,S) average_precision_score(Y>0,S) r2_score(T,U) mean_squared_error(T,U) mean_absolute_error(T,U)
root_mean_squared_error(T,U) max_error(T,U) median_absolute_error(T,U) explained_variance_score(T,U)
mean_absolute_percentage_error(T,U) mean_pinball_loss(T,U,alpha=0.3) d2_absolute_error_score(T,U)
d2_tweedie_score(T,U) mean_squared_log_error(V,V[::-1]) mean_gamma_deviance(V,V[::-1])
mean_poisson_deviance(V,V[::-1]) pairwise.cosine_similarity(X,X[:9]) pairwise.rbf_kernel(X,X[:9])
pairwise.euclidean_distances(X,X[:9],squared=True) pairwise.linear_kernel(X,X[:9]) pairwise.polynomial_kernel(X,X[:9])
pairwise.sigmoid_kernel(X,X[:9]) pairwise.cosine_distances(X,X[:9]) pairwise.paired_cosine_distances(X,X)
pairwise.paired_euclidean_distances(X,X[::-1]) pairwise.additive_chi2_kernel(V[:,None],V[:9,None])
pairwise.laplacian_kernel(X,X[:9]) pairwise.manhattan_distances(X,X[:9]) cluster.entropy(Y)
pairwise.chi2_kernel(V[:,None],V[:9,None])
""".split()


def same(ours, theirs, tolerance=1e-8):
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs)
        for p, q in zip(ours, theirs):
            same(p, q, tolerance)
        return
    if isinstance(ours, cp.ndarray):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        ours = ours.get()
    else:
        assert not isinstance(theirs, np.ndarray), (type(ours), theirs)
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@pytest.fixture(autouse=True)
def dispatch():
    with sklearn.config_context(array_api_dispatch=True):
        yield


def made(dtype):
    x = X.astype(dtype)
    return cp.asarray(x), x, 1e-8 if dtype == "f8" else 2e-3


def learnt(ours, theirs, tolerance):
    for name, value in vars(theirs).items():
        if name.endswith("_") and isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
            got = getattr(ours, name)
            if name == "scalings_":  # up to the signs of singular vectors
                got, value = cp.abs(got), np.abs(value)
            same(got, value, tolerance)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("name", TRANSFORMERS)
def test_transformers(name, dtype):
    x, a, tolerance = made(dtype)
    if name == "KernelCenterer":
        x, a = x @ x.T, a @ a.T
    ours, theirs = sklearn.clone(TRANSFORMERS[name]), sklearn.clone(TRANSFORMERS[name])
    got, want = ours.fit(x).transform(x), theirs.fit(a).transform(a)
    same(got, want, tolerance)
    learnt(ours, theirs, tolerance)
    if hasattr(theirs, "inverse_transform"):
        same(ours.inverse_transform(got), theirs.inverse_transform(want), tolerance)


@pytest.mark.parametrize("name, dtype", [(n, d) for n in PREDICTORS for d in ("f8", "f4")
                                         if (n, d) != ("GaussianMixture", "f4")])  # ends elsewhere by rounding
def test_predictors(name, dtype):
    x, a, tolerance = made(dtype)
    model, target = PREDICTORS[name]
    target = target if target is None or target.dtype.kind == "i" else target.astype(dtype)
    ours, theirs = sklearn.clone(model), sklearn.clone(model)
    ours.fit(x, None if target is None else cp.asarray(target))
    theirs.fit(a, target)
    if name in ("LogisticRegression", "GaussianMixture"):
        tolerance = max(tolerance, 1e-4)  # where an iteration ends
    for method in ("predict", "predict_proba", "decision_function", "predict_log_proba", "transform"):
        if hasattr(theirs, method):
            got, want = getattr(ours, method)(x), getattr(theirs, method)(a)
            if name.startswith("Linear") and method == "transform":  # up to the signs of singular vectors
                got, want = cp.abs(got), np.abs(want)
            same(got, want, tolerance * (100 if "log" in method else 1))
    learnt(ours, theirs, tolerance)
    if target is not None:
        assert abs(float(ours.score(x, cp.asarray(target))) - theirs.score(a, target)) < tolerance


@pytest.mark.parametrize("call", METRICS)
def test_metrics(call):
    host = {"X": X, "Y": Y, "T": T, "L": LABELS, "S": SCORES, "P": PROBABILITIES, "U": T + SCORES, "V": SCORES + 0.1}
    theirs = eval("metrics." + call, {"metrics": metrics, **host})
    ours = eval("metrics." + call, {"metrics": metrics, **{k: cp.asarray(v) for k, v in host.items()}})
    same(ours, theirs)


def test_splits_and_searches():
    x, y = cp.asarray(X), cp.asarray(Y)
    parts = model_selection.train_test_split(x, y, random_state=0)
    for p, q in zip(parts, model_selection.train_test_split(X, Y, random_state=0)):
        same(p, q)
    search = model_selection.GridSearchCV(linear_model.Ridge(solver="svd"), {"alpha": [0.1, 10.0]}, cv=3)
    ours = sklearn.clone(search).fit(x, cp.asarray(T))
    theirs = sklearn.clone(search).fit(X, T)
    assert ours.best_params_ == theirs.best_params_ and abs(ours.best_score_ - theirs.best_score_) < 1e-8
    same(model_selection.cross_val_predict(linear_model.Ridge(solver="svd"), x, cp.asarray(T)),
         model_selection.cross_val_predict(linear_model.Ridge(solver="svd"), X, T))


def test_labels():
    y = cp.asarray(Y)
    encoder, theirs = preprocessing.LabelEncoder().fit(y), preprocessing.LabelEncoder().fit(Y)
    same(encoder.classes_, theirs.classes_)
    same(encoder.transform(y), theirs.transform(Y))
    same(preprocessing.label_binarize(y, classes=cp.arange(3)), preprocessing.label_binarize(Y, classes=np.arange(3)))
