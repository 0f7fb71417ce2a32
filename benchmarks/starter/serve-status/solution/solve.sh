#!/bin/bash
set -euo pipefail
cat > /app/server.py <<'EOF'
"""Answers GET /status."""

from http.server import BaseHTTPRequestHandler, HTTPServer


class Status(BaseHTTPRequestHandler):
    """One document, else 404."""

    def do_GET(self):
        """Answer a GET request."""
        body = b'{"status": "ok"}' if self.path == "/status" else b"not found"
        self.send_response(200 if self.path == "/status" else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


HTTPServer(("127.0.0.1", 8080), Status).serve_forever()
EOF
nohup python3 /app/server.py > /app/server.log 2>&1 &
for _ in $(seq 50); do
  (exec 3<> /dev/tcp/127.0.0.1/8080) 2> /dev/null && exit 0
  sleep 0.05
done
exit 1
