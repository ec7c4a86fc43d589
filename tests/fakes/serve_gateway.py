"""`gateway serve` as it is, but with a detector without models: python -m tests.fakes.serve_gateway CONFIG WORKERS."""

import sys
from argparse import Namespace
from pathlib import Path

from gateway.config import load_config
from gateway.mask import Masker
from gateway.proxy.serve import Loaded, serve_loaded, take
from tests.fakes.detector import FakeDetector

if __name__ == "__main__":
    config = load_config(Path(sys.argv[1]))
    options = Namespace(host="127.0.0.1", port=0, workers=int(sys.argv[2]), cert=None, cert_key=None, log="json")
    with take(options.host, options.port) as taken:
        sys.exit(serve_loaded(Loaded(config, Masker(FakeDetector(), config.policy), {}), taken, options))
