"""The IFHardBench generator: catalogue -> bank -> stack -> witness -> validation.

``python -m tasks.ifhard.build --seed N --out DIR`` writes a complete, validated dataset; the same seed
gives the same bytes. The stages are one module each, in the order of the arrows above.
"""
