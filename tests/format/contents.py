"""What a model file can hold, by docs/model-format.md: each sort of thing must be in a golden file."""

import math


def terms(kind, test=lambda term: True):
    return lambda model: any(term["kind"] == kind and test(term) for term in model["terms"])


def splits(test):
    """Of ordinary and symmetric trees."""
    return lambda model: any(
        test(node)
        for term in model["terms"]
        for node in term.get("nodes", []) + term.get("levels", [])
        if "threshold" in node
    )


def features(test):
    return lambda model: any(map(test, model["features"]))


def is_utf8(text):
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def depth(nodes):
    """Of an ordinary tree, whose children stand behind their parents."""
    levels = [0] * len(nodes)
    for i, node in enumerate(nodes):
        if "left" in node:
            levels[node["left"]] = levels[node["left"] + 1] = levels[i] + 1
    return max(levels)


def scaling(kind):
    return lambda model: model["projections"] != [] and model["scaling"]["kind"] == kind


def knots(n):
    return lambda model: any(len(feature.get("knots", [])) == n for feature in model["scaling"]["features"])


def shared_projections(model):
    used = [term["projection"] for term in model["terms"] if term["kind"] == 2]
    return len(used) > len(set(used))


def curve(n_values, has_valid=False, stopped_early=False):
    return lambda model: (
        n_values(len(model["curve"]["train"]))
        and ("valid" in model["curve"]) == has_valid
        and model["curve"]["stopped_early"] == stopped_early
    )


CONTENTS = {
    "squared loss": lambda model: model["loss"] == 1,
    "log loss of numbers": lambda model: model["loss"] == 2 and isinstance(model["labels"][0], float),
    "log loss of texts": lambda model: model["loss"] == 2 and isinstance(model["labels"][0], bytes),
    "labels that are not UTF-8": lambda model: any(
        isinstance(x, bytes) and not is_utf8(x) for x in model.get("labels", [])
    ),
    "a caller's loss with a link": lambda model: model["loss"] == 3 and model["has_link"],
    "a caller's loss without a link": lambda model: model["loss"] == 3 and not model["has_link"],
    "one member": lambda model: model["n_members"] == 1,
    "several members": lambda model: model["n_members"] > 1,
    "features with names": features(lambda feature: feature["name"] is not None),
    "features without names": features(lambda feature: feature["name"] is None),
    "a name that is not UTF-8": features(lambda feature: feature["name"] is not None and not is_utf8(feature["name"])),
    "a feature of text": features(lambda feature: feature["texts"] is not None),
    "a feature of which no text was met": features(lambda feature: feature["texts"] == []),
    "an empty text": features(lambda feature: b"" in (feature["texts"] or [])),
    "texts that are not UTF-8": features(lambda feature: not all(map(is_utf8, feature["texts"] or []))),
    "options": lambda model: model["options"] != {},
    "no options": lambda model: model["options"] == {},
    "no projections": lambda model: model["projections"] == [] and model["scaling"]["features"] == [],
    "inputs as they are": scaling(0),
    "standardised inputs without bounds": scaling(1),
    "standardised inputs": scaling(3),
    "ranks": scaling(2),
    "one knot": knots(1),
    "several projections": lambda model: len(model["projections"]) > 1,
    "several rounds of a projection": shared_projections,
    "an odd number of components": lambda model: any(len(p["phases"]) % 8 != 0 for p in model["projections"]),
    "many components": lambda model: any(len(p["phases"]) >= 96 for p in model["projections"]),
    "no terms": lambda model: model["terms"] == [],
    "ordinary trees": terms(1),
    "a tree that is a leaf": terms(1, lambda term: len(term["nodes"]) == 1),
    "a tree of the largest depth": terms(1, lambda term: depth(term["nodes"]) == 30),
    "fourier rounds": terms(2),
    "a repaired fourier round": terms(2, lambda term: term["repaired"]),
    "a repaired tree": terms(1, lambda term: term.get("repaired", False)),
    "a repaired symmetric tree": terms(4, lambda term: term.get("repaired", False)),
    "rounds of a caller's learner": terms(3),
    "one of no bytes": terms(3, lambda term: term["bytes"] == b""),
    "symmetric trees": terms(4),
    "a symmetric tree that is a leaf": terms(4, lambda term: term["levels"] == []),
    "a symmetric tree of many levels": terms(4, lambda term: len(term["levels"]) >= 10),
    "missing values go left": splits(lambda split: split["missing_left"]),
    "missing values go right": splits(lambda split: not split["missing_left"]),
    "a threshold of infinity": splits(lambda split: split["threshold"] == math.inf),
    "a threshold of minus infinity": splits(lambda split: split["threshold"] == -math.inf),
    "a threshold of minus zero": splits(lambda s: s["threshold"] == 0 and math.copysign(1, s["threshold"]) < 0),
    "the least threshold over zero": splits(lambda split: split["threshold"] == 5e-324),
    "no curve": curve(lambda n: n == 0),
    "a curve": curve(lambda n: n > 1),
    "a curve with validation": curve(lambda n: n > 1, has_valid=True),
    "a training stopped early": curve(lambda n: n > 1, has_valid=True, stopped_early=True),
}
