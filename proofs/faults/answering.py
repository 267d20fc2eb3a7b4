"""An OpenAI-compatible server for runs that are killed: each answer is a function of the request alone.

Started as a program, by the proof or by the run itself (``--serve``), so that it needs the standard library alone::

    python answering.py NOTES LATENCY_MS --port=PORT --served-model-name=NAME

Each answer holds the request's mark, so that a line of a journal tells which request it answers. Under NOTES the
server appends to ``pids`` (its process, and a child as vLLM has one) and to ``NAME.requests``: ``arrived MARK``, then
``answered MARK`` once the whole answer was handed to the operating system.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

__all__ = ["mark_of", "said"]

_TEXTS = (
    "Тихий вечер опустился на город.",
    "Снег лежит на крышах, и над рекой стоит туман.",
    "Утро. День. Вечер.",
    "- Первое\n- Второе\n- Третье",
    "Огни гаснут один за другим, и становится тихо.",
)


def mark_of(body: dict[str, Any]) -> str:
    """Twelve hexadecimal digits that stand for a request's body."""
    canonical = json.dumps(body, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()[:12]


def said(body: dict[str, Any]) -> str:
    """The answer to a request; to one for a judge it is a verdict on an open question."""
    mark = mark_of(body)
    number = int(mark, 16)
    if body["model"] == "judge":
        return f"Сверил, отметка m{mark}.\nОценка: {1 if number % 3 else -1}"
    return f"{_TEXTS[number % len(_TEXTS)]} m{mark}"


def _note(path: Path, line: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(descriptor, f"{line}\n".encode())
    finally:
        os.close(descriptor)


def _handler(name: str, notes: Path, latency_s: float) -> type[BaseHTTPRequestHandler]:
    path = notes / f"{name}.requests"

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path == "/v1/models":
                self._send(200, {"object": "list", "data": [{"id": name, "max_model_len": 32768}]})
            else:
                self._send(200 if self.path == "/health" else 404, {})

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path != "/v1/chat/completions":
                self._send(404, {})
                return
            body = json.loads(data)
            mark, text = mark_of(body), said(body)
            _note(path, f"arrived {mark}")
            time.sleep(latency_s * (1 + int(mark[:2], 16) % 4))  # so that answers arrive in another order
            message = {"role": "assistant", "content": text}
            usage = {"prompt_tokens": len(data) // 4, "completion_tokens": len(text), "total_tokens": 0}
            self._send(200, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage})
            _note(path, f"answered {mark}")

        def _send(self, status: int, value: dict[str, Any]) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: Any) -> None:  # a killed client hangs up in the midst of things
        pass


def main() -> None:
    """Serve until killed."""
    notes, latency_s = Path(sys.argv[1]), float(sys.argv[2]) / 1000
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--served-model-name", required=True)
    options, _ = parser.parse_known_args(sys.argv[3:])
    child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(3600)"])
    handler = _handler(options.served_model_name, notes, latency_s)
    with _Server(("127.0.0.1", options.port), handler) as server:
        for pid in (os.getpid(), child.pid):
            _note(notes / "pids", str(pid))
        server.serve_forever()


if __name__ == "__main__":
    main()
