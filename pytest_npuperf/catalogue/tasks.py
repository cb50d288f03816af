"""The words of a profile that mean something to a metric: task types, and rule types."""

from __future__ import annotations

AI_CORES = ("AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "MIX_AIV")
"""Task types that run on AI Cores. Task types are an open set."""

COMMUNICATION = ("HCCL", "COMMUNICATION")
"""Task types of collectives: HCCL until February 2025, COMMUNICATION since."""

LEFT_OUT = ("WRITE_BACK", "INVALID")
"""Task types of rows that are no work; they are counted, but measured nowhere."""

TASK_TYPES = (
    *AI_CORES,
    *COMMUNICATION,
    *("AI_CPU", "DSA_SQE", "DSA", "DVPP", "FFTS_PLUS"),
    *("KERNEL_AICORE", "KERNEL_AIVEC", "KERNEL_AICPU", "KERNEL_MIX_AIC", "KERNEL_MIX_AIV"),
)
"""Task types that are known, the hardware's names last; a profile may have others."""

OLD_RULE_TYPES = {
    "Model/Operator Computation": "Computation",
    "Model/Operator Memory": "Memory",
}
"""What two rule types of msprof's advice were called until December 2022."""
