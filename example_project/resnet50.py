"""A ResNet-50 of batch 8 as the operators of one step, with shapes and plausible durations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

BATCH = 8
MACS_PER_NS = 42_000
BYTES_PER_NS = 1_600
START_UP_NS = {"AI_CORE": 2_600, "AI_VECTOR_CORE": 1_700, "MIX_AIC": 3_100}


@dataclass(frozen=True)
class Tensors:
    """Shapes, data types and formats of several tensors, each as msprof writes them."""

    shapes: str
    dtypes: str
    formats: str


@dataclass(frozen=True)
class Op:
    """One operator of the graph; ``duration`` is its usual time in nanoseconds."""

    name: str
    type: str
    task_type: str
    inputs: Tensors
    output: Tensors
    duration: int


def regressed(ops: list[Op]) -> list[Op]:
    """Return the same graph with a slower first convolution and a Cast on the AI CPU."""
    first = next(op for op in ops if op.name == "conv1")
    cast = next(op for op in ops if op.name == "output_cast")
    double = replace(cast.output, dtypes="DOUBLE")
    worse = {
        first: replace(first, duration=first.duration * 14 // 10),
        cast: replace(cast, task_type="AI_CPU", output=double, duration=212_000),
    }
    return [worse.get(op, op) for op in ops]


def resnet50() -> list[Op]:
    """Return the 120 operators of one step in the order in which they run."""
    return [*_stem(), *_stages(), *_head()]


def _stem() -> Iterator[Op]:
    image = f"{BATCH},3,224,224"
    inside = _five(3, 224)
    half = Tensors(image, "FLOAT16", "NCHW")
    yield _vector("input_cast", "Cast", Tensors(image, "FLOAT", "NCHW"), half, 7_200_000)
    yield _vector("input_transdata", "TransData", half, _tensor(inside), 21_000_000)
    # Its three channels are padded, so that it is the slowest convolution.
    yield _conv("conv1", (8, 64), (7, 224), stride=2)
    yield _vector("pool1", "MaxPoolV3", _tensor(_five(64, 112)), _tensor(_five(64, 56)), 16_000_000)


def _stages() -> Iterator[Op]:
    channels = 64
    for stage, (width, size, blocks) in enumerate(
        [(64, 56, 3), (128, 28, 4), (256, 14, 6), (512, 7, 3)], start=2
    ):
        for block in range(blocks):
            shrink = 2 if block == 0 and stage > 2 else 1
            yield from _block(f"res{stage}{'abcdef'[block]}", channels, width, size, shrink)
            channels = 4 * width


def _block(name: str, channels: int, width: int, size: int, shrink: int) -> Iterator[Op]:
    """Yield a bottleneck; the first of each stage has a shortcut of its own and a fused last Relu.

    ``size`` is the edge of its output, ``shrink`` how much longer that of its input is.
    """
    yield _conv(f"{name}_branch2a", (channels, width), (1, size * shrink))
    yield _relu(f"{name}_branch2a_relu", width, size * shrink)
    yield _conv(f"{name}_branch2b", (width, width), (3, size * shrink), shrink)
    yield _relu(f"{name}_branch2b_relu", width, size)
    yield _conv(f"{name}_branch2c", (width, 4 * width), (1, size))
    first = channels != 4 * width
    if first:
        yield _conv(f"{name}_branch1", (channels, 4 * width), (1, size * shrink), shrink)
    shape = _five(4 * width, size)
    both = Tensors(f"{shape};{shape}", "FLOAT16;FLOAT16", "NC1HWC0;NC1HWC0")
    yield _vector(name, "Add", both, _tensor(shape), 3 * _bytes(4 * width, size))
    if not first:
        yield _relu(f"{name}_relu", 4 * width, size)


def _head() -> Iterator[Op]:
    pooled = Tensors(f"{BATCH},2048", "FLOAT16", "ND")
    logits = Tensors(f"{BATCH},1000", "FLOAT16", "ND")
    inputs = Tensors(f"{BATCH},2048;2048,1000;1000", "FLOAT16;FLOAT16;FLOAT16", "ND;ND;ND")
    mean = Tensors(_five(2048, 1), "FLOAT16", "NC1HWC0")
    yield _vector("pool5", "ReduceMeanD", _tensor(_five(2048, 7)), mean, _bytes(2048, 7))
    yield _vector("output_transdata", "TransData", mean, pooled, 800_000)
    yield Op("fc1000", "MatMulV2", "MIX_AIC", inputs, logits, START_UP_NS["MIX_AIC"] + 3_400)
    yield _vector("output_cast", "Cast", logits, replace(logits, dtypes="FLOAT"), 48_000)


def _conv(name: str, channels: tuple[int, int], kernel: tuple[int, int], stride: int = 1) -> Op:
    """Return a convolution; ``kernel`` is the edge of its window and that of its input."""
    (from_, to), (edge, size) = channels, kernel
    weights = f"{_sixteens(from_) * edge * edge},{_sixteens(to)},16,16"
    inputs = Tensors(
        f"{_five(from_, size)};{weights};{to}", "FLOAT16;FLOAT16;FLOAT16", "NC1HWC0;FRACTAL_Z;ND"
    )
    macs = BATCH * (size // stride) ** 2 * from_ * to * edge**2
    duration = START_UP_NS["AI_CORE"] + macs // MACS_PER_NS
    return Op(name, "Conv2D", "AI_CORE", inputs, _tensor(_five(to, size // stride)), duration)


def _relu(name: str, channels: int, size: int) -> Op:
    tensor = _tensor(_five(channels, size))
    return _vector(name, "Relu", tensor, tensor, 2 * _bytes(channels, size))


def _vector(name: str, type_: str, inputs: Tensors, output: Tensors, moved: int) -> Op:
    """Return an operator whose duration follows from the bytes that it moves."""
    duration = START_UP_NS["AI_VECTOR_CORE"] + moved // BYTES_PER_NS
    return Op(name, type_, "AI_VECTOR_CORE", inputs, output, duration)


def _tensor(shape: str) -> Tensors:
    return Tensors(shape, "FLOAT16", "NC1HWC0")


def _five(channels: int, size: int) -> str:
    """Return a shape in five dimensions, as the NPU lays out feature maps."""
    return f"{BATCH},{_sixteens(channels)},{size},{size},16"


def _sixteens(channels: int) -> int:
    return -(-channels // 16)


def _bytes(channels: int, size: int) -> int:
    return 2 * BATCH * channels * size * size


# --- the same in INT8 -------------------------------------------------------------------------


def quantised(ops: list[Op]) -> list[Op]:
    """Return the same graph in INT8, but for its first and its last layer.

    A Relu between two convolutions runs inside of the first. What comes from elsewhere into a
    convolution is quantised before it, and what a shortcut brings is dequantised behind it.
    """
    return [each for op in ops for each in _quantised(op)]


def _quantised(op: Op) -> Iterator[Op]:
    if op.name.endswith(("_branch2a_relu", "_branch2b_relu")):
        return
    is_int8 = op.type == "Conv2D" and op.name != "conv1"
    yield _in_int8(op) if is_int8 else op
    if op.name.endswith("_branch1"):
        whole = replace(op.output, dtypes="INT32")
        moved = 6 * _elements(op.output)
        yield _vector(f"{op.name}_dequant_layer", "AscendDequant", whole, op.output, moved)
    if op.name == "pool1":
        # The only float convolution is before it, so here the layout changes, too.
        narrow = replace(op.output, dtypes="INT8")
        yield _quant(op, narrow)
        moved = 2 * _elements(op.output)
        yield _vector("pool1_transdata", "TransData", narrow, _eight_bits(op.output), moved)
    elif _ends_block(op):
        yield _quant(op, _eight_bits(op.output))


def _ends_block(op: Op) -> bool:
    """Return whether the next block of the network takes the output of an operator."""
    is_last = op.type == "Relu" or (op.type == "Add" and op.name.endswith("a"))
    return is_last and op.name != "res5c_relu"


def _quant(op: Op, output: Tensors) -> Op:
    moved = 3 * _elements(op.output)
    return _vector(f"{op.name}_quant_layer", "AscendQuant", op.output, output, moved)


def _in_int8(op: Op) -> Op:
    """Return a convolution that is 1.9 times as fast."""
    image, weights, bias = op.inputs.shapes.split(";")
    shapes = f"{_wide(image, 1)};{_wide(weights, 0)};{bias}"
    inputs = replace(op.inputs, shapes=shapes, dtypes="INT8;INT8;INT32")
    output = op.output
    if op.name.endswith("_branch1"):
        output = replace(output, dtypes="INT32")
    elif not op.name.endswith("_branch2c"):
        output = _eight_bits(output)
    return replace(op, inputs=inputs, output=output, duration=op.duration * 10 // 19)


def _eight_bits(tensor: Tensors) -> Tensors:
    return replace(tensor, shapes=_wide(tensor.shapes, 1), dtypes="INT8")


def _wide(shape: str, channels: int) -> str:
    """Return a shape with 32 channels side by side, where there were 16."""
    sizes = shape.split(",")
    sizes[channels], sizes[-1] = str(-(-int(sizes[channels]) // 2)), "32"
    return ",".join(sizes)


def _elements(tensor: Tensors) -> int:
    return prod(map(int, tensor.shapes.split(",")))
