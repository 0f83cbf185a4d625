"""Reads a model file and predicts from it, written from docs/model-format.md alone: nothing of the library is used."""

import math
import struct

MAGIC = bytes.fromhex("89 4D 58 42 0D 0A 1A 0A")
SECTIONS = ["meta", "options", "scaling", "projections", "terms", "curve", "repairs"]  # the last one is optional
LARGEST = struct.unpack("<d", bytes.fromhex("ffffffffffffef7f"))[0]


def crc64(data):
    """CRC-64/XZ, bit by bit."""
    crc = 0xFFFFFFFFFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xC96C5795D7870F42 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFFFFFFFFFF


def float32(x):
    """Rounded to float32. Sums and products of float32 come out right if they are taken in double first."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def bounded(x):
    return 0.0 if math.isnan(x) else max(-LARGEST, min(LARGEST, x))


# ---- Bytes ----


class Bytes:
    """What is left to read of a section."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, n):
        assert self.at + n <= len(self.data), "the section ends too early"
        self.at += n
        return self.data[self.at - n : self.at]

    def numbers(self, letter, n):
        return list(struct.unpack(f"<{n}{letter}", self.take(n * struct.calcsize("<" + letter))))

    def u8(self):
        return self.numbers("B", 1)[0]

    def u32(self):
        return self.numbers("I", 1)[0]

    def f32(self):
        return self.numbers("f", 1)[0]

    def f64(self):
        return self.numbers("d", 1)[0]

    def flag(self):
        value = self.u8()
        assert value in (0, 1)
        return value == 1

    def text(self):
        value = self.take(self.u32())
        assert 0 not in value
        return value


def read_sections(data):
    """The bytes of each section, every checksum compared."""
    assert data[:8] == MAGIC
    version, n_sections, length = struct.unpack("<IIQ", data[8:24])
    assert version == 1 and length == len(data)
    n_header = 32 + 32 * n_sections
    assert crc64(data[: n_header - 8]) == struct.unpack("<Q", data[n_header - 8 : n_header])[0]
    sections, at, last = {}, n_header, 0
    for i in range(n_sections):
        section, flags, offset, length, checksum = struct.unpack("<IIQQQ", data[24 + 32 * i : 56 + 32 * i])
        assert section > last and offset == at and flags in (0, 1)
        content = data[at : at + length]
        assert len(content) == length and crc64(content) == checksum
        if section <= len(SECTIONS):
            assert flags == (SECTIONS[section - 1] == "repairs")
            sections[SECTIONS[section - 1]] = Bytes(content)
        else:
            assert flags == 1, "a section that only newer readers know"
        at, last = at + length, section
    assert at == len(data) and list(sections) in (SECTIONS, SECTIONS[:-1])
    return sections


# ---- Sections ----


def read_meta(section):
    meta = {"loss": section.u8()}
    assert meta["loss"] in (1, 2, 3)
    if meta["loss"] == 2:
        kind = section.u8()
        assert kind in (1, 2)
        meta["labels"] = [section.f64() if kind == 1 else section.text() for _ in range(2)]
        assert meta["labels"][0] < meta["labels"][1]
    if meta["loss"] == 3:
        meta["name"], meta["metric"], meta["has_link"] = section.text(), section.text(), section.flag()
    meta["base_score"] = section.f64()
    meta["n_members"] = section.u32()
    n_features, has_names = section.u32(), section.flag()
    meta["features"] = [read_feature(section, has_names) for _ in range(n_features)]
    return meta


def read_feature(section, has_names):
    kind = section.u8()
    assert kind in (1, 2)
    name = section.text() if has_names else None
    texts = [section.text() for _ in range(section.u32())] if kind == 2 else None
    assert texts is None or texts == sorted(set(texts))
    return {"name": name, "texts": texts}


def read_options(section):
    return {section.text().decode(): section.text().decode() for _ in range(section.u32())}


def read_scaling(section):
    kind, features = section.u8(), []
    assert kind in (0, 1, 2, 3)
    for _ in range(section.u32()):
        feature = {"missing": section.f32()}
        if kind == 2:
            n = section.u32()
            feature |= {"knots": section.numbers("d", n), "scores": section.numbers("f", n)}
        else:
            feature |= {"center": section.f64(), "factor": section.f64()}
        features.append(feature)
    return {"kind": kind, "features": features}


def read_projections(section, n_features):
    projections = []
    for _ in range(section.u32()):
        c = section.u32()
        weights = [section.numbers("f", c) for _ in range(n_features)]
        projections.append({"weights": weights, "phases": section.numbers("f", c)})
    return projections


def read_split(section):
    split = {"threshold": section.f64(), "feature": section.u32(), "missing_left": section.flag()}
    split["share"] = section.f32()
    assert 0 <= split["share"] <= 1 and not math.isnan(split["threshold"])
    return split


def read_tree(section):
    max_depth, n_nodes, gain = section.u32(), section.u32(), section.f64()
    nodes, n_children = [], 1
    for i in range(n_nodes):
        assert i < n_children, "no split leads to this node"
        if section.u8() == 0:
            nodes.append({"value": section.f64()})
        else:
            nodes.append(read_split(section) | {"left": n_children})
            n_children += 2
    assert n_children == n_nodes
    return {"max_depth": max_depth, "gain": gain, "nodes": nodes}


def read_symmetric(section):
    max_depth, depth, gain = section.u32(), section.u32(), section.f64()
    levels = [read_split(section) for _ in range(depth)]
    return {"max_depth": max_depth, "gain": gain, "levels": levels, "values": section.numbers("d", 2**depth)}


def read_fourier(section, projections):
    term = {"projection": section.u32(), "repaired": section.flag(), "gain": section.f64(), "intercept": section.f64()}
    return term | {"weights": section.numbers("d", len(projections[term["projection"]]["phases"]))}


def read_own(section):
    return {"learner": section.text(), "rate": section.f64(), "bytes": section.take(section.u32())}


def read_terms(section, projections):
    terms = []
    for _ in range(section.u32()):
        kind = section.u8()
        assert (section.u32(), section.u32()) == (0, 1)
        readers = {1: read_tree, 2: lambda s: read_fourier(s, projections), 3: read_own, 4: read_symmetric}
        terms.append({"kind": kind} | readers[kind](section))
    return terms


def read_curve(section):
    stopped_early, n, has_valid = section.flag(), section.u32(), section.flag()
    return {"stopped_early": stopped_early, "train": section.numbers("d", n)} | (
        {"valid": section.numbers("d", n)} if has_valid else {}
    )


def read_repairs(section, terms):
    places = [section.u32() for _ in range(section.u32())]
    assert places and places == sorted(set(places))
    for place in places:
        assert "repaired" not in terms[place]
        terms[place]["repaired"] = True


def read_model(data):
    sections = read_sections(data)
    model = read_meta(sections["meta"])
    model["options"] = read_options(sections["options"])
    model["scaling"] = read_scaling(sections["scaling"])
    model["projections"] = read_projections(sections["projections"], len(model["features"]))
    model["terms"] = read_terms(sections["terms"], model["projections"])
    model["curve"] = read_curve(sections["curve"])
    if "repairs" in sections:
        read_repairs(sections["repairs"], model["terms"])
    assert all(section.at == len(section.data) for section in sections.values()), "bytes that nobody read"
    return model


# ---- Predictions ----


def numbers_of(model, row):
    """A row of numbers and texts (bytes), None where missing, as numbers."""
    numbers = []
    for feature, value in zip(model["features"], row, strict=True):
        if feature["texts"] is not None:
            value = feature["texts"].index(value) if value in feature["texts"] else None
        numbers.append(math.nan if value is None else float(value))
    return numbers


def goes_left(split, row):
    x = row[split["feature"]]
    return split["missing_left"] if math.isnan(x) else x <= split["threshold"]


def leaf_value(term, row):
    if term["kind"] == 4:
        leaf = 0
        for level in term["levels"]:
            leaf = 2 * leaf + (not goes_left(level, row))
        return term["values"][leaf]
    node = term["nodes"][0]
    while "left" in node:
        node = term["nodes"][node["left"] + (not goes_left(node, row))]
    return node["value"]


def clipped(x, limit):
    return max(-limit, min(limit, x))


def rank_score(feature, x):
    knots, scores = feature["knots"], feature["scores"]
    if x <= knots[0]:
        return scores[0]
    if x >= knots[-1]:
        return scores[-1]
    low = max(i for i in range(len(knots)) if knots[i] <= x)
    part, width = x - knots[low], knots[low + 1] - knots[low]
    if math.isinf(width):
        part, width = x / 2 - knots[low] / 2, knots[low + 1] / 2 - knots[low] / 2
    return scores[low] + part / width * (scores[low + 1] - scores[low])


def scaled(kind, feature, x):
    if math.isnan(x):
        return factor(feature["missing"])
    if kind == 2:
        return factor(rank_score(feature, x))
    result = clipped(x - feature["center"], LARGEST) * feature["factor"]
    return factor(clipped(result, 6.0) if kind == 3 else result)


def factor(x):
    x = clipped(x, 2.0**50)
    product = x * (2**41 + 1)
    rounded = product - (product - x)
    return rounded if abs(rounded) >= 2.0**-50 else 0.0


def cosine_of_turns(t):
    t = abs(t)
    r = float32(t - float32(float32(t + 1.5 * 2**23) - 1.5 * 2**23)) if t < 2**22 else 0.0
    a = float32(0.25 - abs(r))
    s = float32(a * a)
    p = float32(39.759827)
    for constant in (-76.581173, 81.602476, -41.341681, 6.2831853):
        p = float32(float32(p * s) + float32(constant))
    return float32(a * p)


def components(projection, inputs):
    c = len(projection["phases"])
    amplitude = float32(math.sqrt(2 / c))
    for j in range(c):
        t = projection["phases"][j]
        for x, weights in zip(inputs, projection["weights"], strict=True):
            t = float32(t + x * weights[j])  # the product is exact
        yield float32(amplitude * cosine_of_turns(t))


def dot(z, weights):
    lane = [0.0] * 8
    for j, (z_j, w_j) in enumerate(zip(z, weights, strict=True)):
        lane[j % 8] += z_j * w_j
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]))


def fourier_terms(model, projection):
    return [term for term in model["terms"] if term["kind"] == 2 and term["projection"] == projection]


def in_order(values):
    total = 0.0
    for value in values:
        total = bounded(total + value)
    return total


def raw_score(model, row, learners=()):
    """`learners` has a function of a term's bytes and a row for each name of a caller's learner."""
    row = numbers_of(model, row)
    m = model["n_members"]
    score = bounded(m * model["base_score"])
    for term in model["terms"]:
        if term["kind"] in (1, 4):
            score += leaf_value(term, row)
    scaling = model["scaling"]
    inputs = [scaled(scaling["kind"], f, x) for f, x in zip(scaling["features"], row, strict=False)]
    for p, projection in enumerate(model["projections"]):
        terms = fourier_terms(model, p)
        if terms:
            weights = [in_order(w) for w in zip(*(term["weights"] for term in terms), strict=True)]
            score = bounded(score + dot(components(projection, inputs), weights))
    score = bounded(score + in_order(term["intercept"] for term in model["terms"] if term["kind"] == 2)) / m
    own = [term for term in model["terms"] if term["kind"] == 3]
    if own:
        score = bounded(score + in_order(t["rate"] * learners[t["learner"]](t["bytes"], row) for t in own) / m)
    return score
