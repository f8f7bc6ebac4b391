"""MiniStack, and stand-ins for the parts of AWS that it lacks.

Each says what it stands for: what it replaces is not shown by a test on this emulator.
"""

import json
import math
import re
import zlib

from ministack import app
from ministack.core import lambda_runtime
from ministack.services import apigateway_v1, bedrock_runtime, dynamodb
from ministack.services.cloudformation import provisioners

# What `verify` leaves out on a machine without name servers: a webhook's address must have a public name.
NOT_SHOWN = (
    "createWebhook", "getWebhook", "updateWebhook", "deleteWebhook", "rotateWebhook", "testWebhook",
    "listWebhookDeliveries",
)

STREAMING = """
globalThis.awslambda = {
  streamifyResponse: (handler) => async (event, context) => {
    const stream = new (require("stream").PassThrough)();
    const chunks = [];
    stream.on("data", (chunk) => chunks.push(chunk));
    await handler(event, stream, context);
    await require("stream/promises").finished(stream);
    return { ...stream.prelude, body: Buffer.concat(chunks).toString("base64"), isBase64Encoded: true };
  },
  HttpResponseStream: { from: (stream, prelude) => Object.assign(stream, { prelude }) },
};
"""


def stream_responses():
    """Stands for Lambda's response streaming: the answer is collected and sent whole, so neither its speed nor its limit shows."""
    lambda_runtime._NODEJS_WORKER_SCRIPT = STREAMING + lambda_runtime._NODEJS_WORKER_SCRIPT
    function_of = apigateway_v1._extract_lambda_ref_from_integration_uri
    apigateway_v1._extract_lambda_ref_from_integration_uri = lambda uri: function_of(
        uri.replace("/response-streaming-invocations", "/invocations")
    )


def import_any_method():
    """Stands for API Gateway's import of `x-amazon-apigateway-any-method`, which is the method ANY of a path."""
    extension = "x-amazon-apigateway-any-method"
    import_operation = apigateway_v1._import_operation
    apigateway_v1._OPENAPI_HTTP_METHODS.add(extension)
    apigateway_v1._import_operation = lambda api, path, method, *rest: import_operation(
        api, path, "ANY" if method.lower() == extension else method, *rest
    )


def import_gateway_settings():
    """Stands for API Gateway's import of gateway responses and binary media types, which the same document names."""
    import_rest_api = apigateway_v1._import_rest_api

    def with_settings(document, settings=None):
        binary = document.get("x-amazon-apigateway-binary-media-types", [])
        api = import_rest_api(document, {**(settings or {}), "binaryMediaTypes": binary})
        for kind, response in document.get("x-amazon-apigateway-gateway-responses", {}).items():
            apigateway_v1._put_gateway_response(api, kind, response)
        return api

    apigateway_v1._import_rest_api = with_settings


def keep_query_definitions():
    """Stands for saved queries of Logs Insights: they are accepted and never run."""
    provisioners._RESOURCE_HANDLERS["AWS::Logs::QueryDefinition"] = {
        "create": lambda name, properties, stack: (f"{stack}-{name}", {}),
        "delete": lambda name, properties: None,
    }


def keep_alarms_of_expressions():
    """Stands for alarms with metric math: they exist and have an ARN, but watch nothing and never ring."""
    record = provisioners._cw_metric_alarm_record

    def watching_nothing(name, properties):
        plain = {key: value for key, value in properties.items() if key != "Metrics"}
        if "Metrics" in properties:
            plain.update(MetricName="Expression", Namespace="Expression")
        return record(name, plain)

    provisioners._cw_metric_alarm_record = watching_nothing


def create_vector_indexes():
    """Stands for CloudFormation's vector indexes of a table: they are ready at once, and are not compared on an update."""
    resource = provisioners._RESOURCE_HANDLERS["AWS::DynamoDB::Table"]
    create = resource["create"]

    def with_indexes(name, properties, stack):
        table, attributes = create(name, properties, stack)
        dynamodb._tables[table]["VectorIndexes"] = [
            dynamodb._vector_index_record(table, index, online=False)
            for index in properties.get("VectorIndexes", [])
        ]
        return table, attributes

    resource["create"] = with_indexes


def embed_words():
    """Stands for Titan Text Embeddings: texts are near each other if they share words, not if they mean the same."""
    invoke_model = bedrock_runtime._invoke_model

    def embed(model, headers, body):
        if "titan-embed" not in model:
            return invoke_model(model, headers, body)
        asked = json.loads(body)
        words = re.findall(r"\w+", asked["inputText"].lower()) or [""]
        vector = [0.0] * asked.get("dimensions", 1024)
        for word in words:
            vector[zlib.crc32(word.encode()) % len(vector)] += 1.0
        length = math.hypot(*vector)
        answer = {"embedding": [each / length for each in vector], "inputTextTokenCount": len(words)}
        return 200, {"Content-Type": "application/json"}, json.dumps(answer).encode()

    bedrock_runtime._invoke_model = embed


def list_no_quotas():
    """Stands for Service Quotas: it lists no quota, so `preflight` does not see whether one is too low."""

    async def list_service_quotas(method, path, headers, body, query):
        return 200, {"Content-Type": "application/x-amz-json-1.1"}, b'{"Quotas": []}'

    app.SERVICE_HANDLERS["servicequotas"] = list_service_quotas


for stand_in in (
    stream_responses,
    import_any_method,
    import_gateway_settings,
    keep_query_definitions,
    keep_alarms_of_expressions,
    create_vector_indexes,
    embed_words,
    list_no_quotas,
):
    stand_in()
    print(f"Stand-in: {stand_in.__doc__}", flush=True)
for operation in NOT_SHOWN:
    print(f"Not shown: {operation} works", flush=True)
app.main()
