"""Second readings: what the scorers decide is decided once more, by code that shares nothing with them, and compared.

::

    contract_text.py, contract_rules.py, contract_formats.py
                                          IFHardBench's contract, sections 4 to 6, read by the wording alone
    ifhard.py                             the verifiers against it, and against what the generator knows of its answers
    contract_comparison.py                SOBHard's contract, section 5, read so
    sobhard.py                            the scorer's operations against the builder's, its comparison against that
    difference.py                         an answer, and readings of it that part
    explained.py                          differences that are known, each with its reason; any other fails
    __main__.py                           ``python -m proofs.differential``
"""
