"""Learners: ``init(key)``, ``update(state)``, ``evaluate(state, key)``; ``jaxpoker.runs`` drives them."""
