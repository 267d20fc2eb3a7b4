"""Fuzz: drawn inputs for every parser and verifier, none of which may raise or take over a second.

::

    targets.py                    the table of targets, by group
    texts.py, ifhard.py, ifbench.py, sobhard.py, judges.py, servers.py, answer_files.py
                                  the groups: how their inputs are drawn, who judges one and what must hold
    pieces.py, prose.py, documents.py, values.py, server_json.py
                                  grammar: pieces that rules look at, answers, documents of the notations, JSON values,
                                  JSON of servers
    witnesses.py                  the right answers that IFHardBench's generator made
    mutation.py                   edits of a text; shrinking one
    session.py                    inputs of one group, one after another, guided by outcomes not seen before
    corpus.py, corpus/            inputs that are kept: found faults, and one for each outcome
    ledger.py, ledger.yaml        how many inputs each target has had
    __main__.py                   ``python -m proofs.fuzz``
"""
