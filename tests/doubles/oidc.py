"""An OpenID provider on loopback over TLS: people with organisations, who sign in by being next; every answer as the Hub's.

It holds what a real one holds: codes are good once, for their client, redirect address and PKCE verifier; a token is asked with
userinfo and can be revoked. A test changes people between two questions.
"""

import base64
import hashlib
import json
import secrets
import ssl
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

CLIENT_ID, CLIENT_SECRET = "client-of-the-space", "s3cret-of-the-space-canary"


def write_certificate(folder: Path) -> Path:
    """Write a certificate for 127.0.0.1 with its key below `folder` and return the file; it is its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    encoding = serialization.Encoding.PEM
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / "tls.pem"
    path.write_bytes(private + certificate.public_bytes(encoding))
    return path


@dataclass
class OidcDouble:
    """What the provider knows; `next_user` is who signs in next."""

    address: str = ""
    people: dict[str, dict[str, Any]] = field(default_factory=dict)
    next_user: str = ""
    is_down: bool = False
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    """Paths, in order."""

    def add(self, user_id: str, name: str, *orgs: tuple[str, str, str]) -> None:
        """Add a person with (organisation id, its name, role) each."""
        self.people[user_id] = {
            "sub": user_id,
            "name": name.title(),
            "preferred_username": name,
            "profile": f"https://hub.example/{name}",
            "picture": "",
            "orgs": [{"sub": org, "name": title, "preferred_username": title, "roleInOrg": role} for org, title, role in orgs],
        }

    def answer(self, method: str, path: str, query: dict[str, str], form: dict[str, str], authorization: str) -> tuple[int, Any]:
        """Return status and JSON, or 302 and an address."""
        self.asked.append(path)
        if self.is_down:
            return 500, {"error": "down"}
        match method, path:
            case "GET", "/.well-known/openid-configuration":
                places = {"authorization_endpoint": "authorize", "token_endpoint": "token", "userinfo_endpoint": "userinfo"}
                return 200, {"issuer": self.address, **{name: f"{self.address}/oauth/{place}" for name, place in places.items()}}
            case "GET", "/oauth/authorize":
                return self._authorize(query)
            case "POST", "/oauth/token":
                return self._token(form, authorization)
            case "GET", "/oauth/userinfo":
                user = self.tokens.get(authorization.removeprefix("Bearer "), "")
                return (200, self.people[user]) if user in self.people else (401, {"error": "invalid_token"})
        return 404, {}

    def _authorize(self, query: dict[str, str]) -> tuple[int, Any]:
        if query.get("client_id") != CLIENT_ID or query.get("code_challenge_method") != "S256":
            return 400, {"error": "invalid_request"}
        code = secrets.token_urlsafe(16)
        self.codes[code] = {**query, "user": self.next_user}
        return 302, f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def _token(self, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        expected = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        given = self.codes.pop(form.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest()).decode().rstrip("=")
        if authorization != f"Basic {expected}":
            return 401, {"error": "invalid_client"}
        if given is None or given["redirect_uri"] != form.get("redirect_uri") or given["code_challenge"] != challenge:
            return 400, {"error": "invalid_grant"}
        token = f"oauth-token-canary-{secrets.token_urlsafe(12)}"
        self.tokens[token] = given["user"]
        return 200, {"access_token": token, "token_type": "bearer", "expires_in": 3_600, "scope": given["scope"]}


def serve_oidc(double: OidcDouble, certificate: Path) -> ThreadingHTTPServer:
    """Serve `double` over TLS from a thread; the caller shuts it down."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            self._answer(dict(parse_qsl(self.rfile.read(length).decode())))

        def _answer(self, form: dict[str, str]) -> None:
            parts = urlsplit(self.path)
            authorization = self.headers.get("authorization", "")
            status, said = double.answer(self.command, parts.path, dict(parse_qsl(parts.query)), form, authorization)
            self.send_response(status)
            data = b"" if status == 302 else json.dumps(said).encode()
            if status == 302:
                self.send_header("location", said)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    double.address = f"https://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server
