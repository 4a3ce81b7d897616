"""Idiom that reads like a translation: a pattern for each, and what to write instead."""

import re

NOT_A_QUESTION = r"(?![^.?!]*\?)"
RULES = {
    # By name: a pattern, and what to write instead.
    "headless-who": (
        r"(?:^|[.;:] )[Ww]ho "
        + NOT_A_QUESTION
        + r"(?=[a-z])|\b(?:for|of|by|to|than|from|with|like) who\b(?! (?:is|was|did|does|else)? ?\?)|^Who (?=[a-z][^?]*$)",
        'write the noun: "a bot that …", "anyone who …", "if you …"',
    ),
    "whoever": (
        r"\b[Ww]h(?:o|om|ose)(?:so)?ever\b",
        'name the person: "the author", "callers", "you"',
    ),
    "body": (
        r"\b(?:[Nn]o|[Ss]ome|[Aa]ny|[Ee]very)body(?:'s)?\b",
        'name who: "no bot", "other players", "anyone"; or use the passive',
    ),
    "free-what": (
        r"\b[Ww]hat (?:there (?:is|are|was|were)|is (?:there|new|open|left|said|promised|due)|(?:be)?c[ao]mes? (?:of|to|from|out|back|in|next|then)\b|became of|it (?:is|was|has|held|saw|had|used)|follows|waits|was (?!at stake)|were|a (?:bot|seat|host|match)|takes|lacks|belongs)\b",
        'name the thing: "the remaining matches", "the output", "the status"',
    ),
    "is-told": (
        r"\b(?:is|are|was|were|be|been|being) (?:told|said)\b(?! to\b)|\bif nothing is said\b|\b[Ss]ay (?:how|which|what|all|why|it|entry|command|whose)\b|\btells? (?:of|how|which|what|whether|whose|nothing|the rest|win|its|each)\b",
        'documents "describe", commands "print", settings "default to", errors "report"',
    ),
    "is-no": (
        r"(?<!here )\b(?:is|are|was|were|be|makes?) no (?!longer\b|more than|less|fewer|different|need|way\b|other|one\b|such\b|doubt)[a-z]+|\bis none\b",
        '"is not a …", "is not valid", "has no …"',
    ),
    "of-own": (
        r"\bof (?:its|their|our|your|his|her|one's|my) own\b",
        '"its own X", "a separate X", "custom"',
    ),
    "anew": (r"\banew\b|\bonce more\b|\bone more time\b", '"again", "re-", "rebuild"'),
    "any-more": (r"\bany ?more\b", '"no longer"'),
    "be-had": (
        r"\b(?:be|is|are) had\b|\bhad back\b|\bis there (?:already|any)\b|\b(?:is|are|was|were) (?:there|here)(?=[.;:,)]|$)(?<!\bthere is there)",
        '"available", "supported", "exists", "present"',
    ),
    "stands": (
        r"\bst(?:and|ood|ands|anding) (?:with|in|on|by|beside|behind|there|first|above|below|before|as|at|still|next|under|out)\b",
        '"is", "appears", "is listed"',
    ),
    "beside": (
        r"\bbeside\b|(?:^|[.;:] )Besides\b",
        '"next to", "alongside", "in addition to", "compared with"',
    ),
    "for-because": (
        r"(?:,|;) for (?=(?:it|they|he|she|we|you|the [a-z]+ (?:is|are|has|does|would)|each [a-z]+ (?:is|has|waits)|nobody|nothing|without|programs|ratings|in it|there|a [a-z]+ (?:is|does|would)|this|what|who)\b)",
        '"because", or a new sentence',
    ),
    "some-number": (
        r"\b[Ss]ome (?:\d|hundred|thousand|million|ten|two|three|four|thirty|dozen|percent|seconds|minutes|kilobytes|megabytes)\b",
        '"about 3 ms", "a few hundred"',
    ),
    "so-many": (
        r"\bso (?:many|much|often)\b(?! (?:that|as|more|better))|\b(?:apart|page|each|told|made|like|meet|known|called|works?|done|found|read|seen|used|chosen|marked|shown|looks?|tested|say|it) so(?=[.,;:)]|$)|\bFound so\b",
        'give the number or parameter name; "this way", "like this"',
    ),
    "also-clause": (
        r"\balso (?:while|by|those|at|with|when|if|in|over|what|beside|because|for|on|from|without|as)\b",
        '"even while …", "including …"',
    ),
    "those-of": (
        r"\b(?:[Tt]hose|[Tt]hat) of (?:the|a|an|its|their|our|each|all|one|others?|bots?|those|both|real|this|these)\b",
        "repeat the noun",
    ),
    "the-one-other": (
        r"\bof the one\b|\bthe one (?:and|or) the other\b|\bone after the other\b|\bthe other way round\b|\bin turns?\b|\bin the one\b",
        '"one at a time", "alternately", "vice versa"',
    ),
    "lead-expect": (
        r"\bl(?:ed|eads?) to expect\b|\bis to be expected\b|\bis to (?:be )?(?:come|begin|start|play|give|end|last|say|write|have)\b|\bare to (?:play|be|enter|come)\b",
        '"predict", "expected", "must", "will"',
    ),
    "archaic": (
        r"\b(?:mend(?:ed|s|ing)?|foret(?:old|ells?|elling)|fores(?:een|ees?)|likewise|fare[ds]?|strangers?|giants?|whereof|thereof|hereby|bot by bot|beforehand|surely|telephone|hand over|alike|seldom|gravest|shall|hither|maybe for want|for want of)\b",
        "use the everyday technical word",
    ),
    "neither-tag": (
        r"\b(?:neither|nor)(?=[.;:)])|, (?:the )?[a-z]+s? neither\b|\bnor does (?:a|the|it)\b",
        '"not even X", "X also cannot"',
    ),
    "that-are": (r"(?:^|[.;:] )That are\b", '"That is"; or restate the subject'),
    "has-docs": (
        r"\]\([^)]*\) (?:has|have|says|tells)\b|\.md`? (?:has|says|tells)\b",
        '"See X for …", "X lists …"',
    ),
}

COMPILED = {name: re.compile(pattern) for name, (pattern, _) in RULES.items()}
