"""Which key Schemathesis sends: of every kind in turn, and one of its own where a key is rotated or ended."""

import itertools
import json
import os

import schemathesis

HEADER = "x-service-api-key"
with open(os.environ["KEYS_OF_THE_RUN"]) as file:
    run = json.load(file)
ended = set()
kinds = itertools.cycle(run["inTurn"])


@schemathesis.hook
def before_call(context, case, kwargs):
    # Some requests go out without a key, or with a false one, on purpose.
    if (case.headers or {}).get(HEADER) != run["first"]:
        return
    operation = case.operation.definition.raw["operationId"]
    if operation in ("rotateKey", "deleteKey"):
        is_valid = case.meta is not None and case.meta.generation.mode.is_positive
        own = run[operation]
        is_left = own["id"] not in ended
        if (is_valid and is_left) or case.path_parameters.get("key_id") in run["kept"]:
            case.path_parameters["key_id"] = own["id"]
            case.headers[HEADER] = own["key"] if is_left else run["first"]
    elif case.meta is not None and case.meta.phase.name.value != "stateful":
        # One key in a chain of requests: another one need not see what the first has made.
        case.headers[HEADER] = next(kinds)


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code == 201 and case.operation.definition.raw["operationId"] == "rotateKey":
        run["rotateKey"]["key"] = json.loads(response.content)["key"]
    if response.status_code == 204 and case.operation.definition.raw["operationId"] == "deleteKey":
        ended.add(case.path_parameters["key_id"])
