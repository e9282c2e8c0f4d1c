"""Card abstractions by name."""

import pytest

from jaxpoker.solvers import abstraction


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("rank", {}, "unknown card abstraction 'rank': choose 'rank_based', 'rank_history' or 'equity'"),
        ("rank_based", {"num_buckets": (6, 9, 9, 10)}, "num_buckets 6/9/9/10: rank_based has 6/9/9/9"),
        ("rank_based", {"num_buckets": (6, 9, 9)}, r"num_buckets \(6, 9, 9\): give four numbers"),
        ("rank_based", {"num_buckets": (6, 9, 9, 0)}, "each 1 or more"),
        ("rank_based", {"seed": 1}, "rank_based buckets have no option 'seed'"),
    ],
)
def test_impossible_abstractions_say_what_would_be_right(name, options, message):
    with pytest.raises(ValueError, match=message):
        abstraction.make(name, **options)


@pytest.mark.parametrize("name", ["rank_based", "rank_history"])
def test_an_abstraction_has_the_name_that_it_is_made_by(name):
    known = abstraction.make(name)
    assert isinstance(known, abstraction.CardAbstraction) and known.name == name
    assert abstraction.make(name, known.num_buckets) == known
