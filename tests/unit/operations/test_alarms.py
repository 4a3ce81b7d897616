"""Each alarm of deploy/prometheus fires when it should and stays silent otherwise: the examples of
rules_test.yaml, which promtool reads too."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from tests.compose_file import DEPLOY
from tests.promql import Labels, Series, evaluate, labels_of, seconds, values

FOLDER = DEPLOY / "prometheus"
RULES = {
    rule["alert"]: rule
    for rule in yaml.safe_load((FOLDER / "rules.yaml").read_text())["groups"][0]["rules"]
}
EXAMPLES = yaml.safe_load((FOLDER / "rules_test.yaml").read_text())
EVERY_S = seconds(EXAMPLES["evaluation_interval"])


def series_of(example: Mapping[str, Any]) -> list[Series]:
    """The series of an example."""
    every_s = seconds(example["interval"])
    found = []
    for each in example["input_series"]:
        name, labels = labels_of(each["series"])
        samples = [(every_s * i, value) for i, value in enumerate(values(each["values"]))]
        found.append(Series(name, labels, samples))
    return found


def firing(rule: Mapping[str, Any], series: list[Series], at: float) -> set[Labels]:
    """The label sets for which a rule has held for long enough, at every evaluation."""
    held_s = seconds(rule.get("for", "0s"))
    if held_s > at:
        return set()
    evaluations = int(held_s // EVERY_S) + 1
    found = [set(evaluate(rule["expr"], series, at - n * EVERY_S)) for n in range(evaluations)]
    return set.intersection(*found)


def filled_in(text: str, labels: Mapping[str, str]) -> str:
    """A summary with the labels of an alarm."""
    return re.sub(r"\{\{ \$labels\.(\w+) \}\}", lambda found: labels[found[1]], text)


def checks() -> Iterator[Any]:
    for example in EXAMPLES["tests"]:
        for check in example["alert_rule_test"]:
            name = f"{example['name']}: {check['alertname']} at {check['eval_time']}"
            yield pytest.param(example, check, id=name)


@pytest.mark.parametrize(("example", "check"), list(checks()))
def test_an_alarm_fires_and_is_silent_as_its_examples_say(
    example: Mapping[str, Any], check: Mapping[str, Any]
) -> None:
    rule = RULES[check["alertname"]]
    found = [dict(each) for each in firing(rule, series_of(example), seconds(check["eval_time"]))]
    told = [
        (
            sorted({**rule["labels"], **labels}.items()),
            filled_in(rule["annotations"]["summary"], labels),
        )
        for labels in found
    ]
    expected = [
        (sorted(each["exp_labels"].items()), each["exp_annotations"]["summary"])
        for each in check.get("exp_alerts", ())
    ]
    assert sorted(told) == sorted(expected)


def test_each_alarm_has_an_example_in_which_it_fires_and_one_in_which_it_is_silent() -> None:
    examples = [check for example in EXAMPLES["tests"] for check in example["alert_rule_test"]]
    fires = {check["alertname"] for check in examples if check.get("exp_alerts")}
    silent = {check["alertname"] for check in examples if not check.get("exp_alerts")}
    assert fires == silent == RULES.keys()


def test_an_expression_that_is_not_supported_fails() -> None:
    with pytest.raises(AssertionError, match="stddev is not supported"):
        evaluate("stddev(up)", [], 0)
    with pytest.raises(AssertionError):
        evaluate("up == 0 unless up", [], 0)
