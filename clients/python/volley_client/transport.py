from __future__ import annotations

import json
import socket
import ssl
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any, Callable, Dict, Mapping, Optional
from urllib.parse import urlencode

from .errors import VolleyError

#: Seconds before something is sent again; each next pause is twice as long.
PAUSE_S = 0.25
LOST = (
    "The connection was lost, so it is not known whether the request arrived. "
    "With an idempotency key it is sent again by itself."
)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Volley redirects nothing: a key never follows one to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Transport:
    """Sends requests. Sent again is only what does the same twice as once: a question, a PUT, or what has an idempotency key."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        subject: Optional[str] = None,
        retries: int = 2,
        timeout_s: float = 120.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._base = url.rstrip("/")
        self._retries = retries
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirect)
        self._headers = {"authorization": f"Bearer {key}"}
        if subject is not None:
            self._headers["volley-subject"] = subject

    def send(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        as_bytes: bool = False,
    ) -> Any:
        """Send a request, and again what was lost on the way and may be repeated; what its answer holds."""
        given = {name: _to_text(value) for name, value in (query or {}).items() if value is not None}
        to = f"{path}?{urlencode(given)}" if given else path
        is_repeatable = method in ("GET", "PUT") or idempotency_key is not None
        again = 0
        while True:
            try:
                with self.open(method, to, body=body, idempotency_key=idempotency_key) as response:
                    return _read(response, as_bytes)
            except VolleyError as error:
                wait_s = self._pause_before(error, again) if is_repeatable and again < self._retries else None
                if wait_s is None:
                    raise
            except (OSError, HTTPException) as error:
                is_unmade = _is_unmade(error)
                # A request that never arrived has no effect that could come twice.
                if not (is_repeatable or is_unmade) or again >= self._retries:
                    raise _lost(error, is_unmade) from error
                wait_s = PAUSE_S * 2**again
            self._sleep(wait_s)
            again += 1

    def open(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        idempotency_key: Optional[str] = None,
        accept: str = "application/json",
    ) -> Any:
        """Send once. A refusal raises; so does a connection that is lost, with the platform's own error."""
        headers: Dict[str, str] = {**self._headers, "accept": accept}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["content-type"] = "application/json"
        if idempotency_key is not None:
            headers["idempotency-key"] = idempotency_key
        request = urllib.request.Request(self._base + path, data=data, headers=headers, method=method)
        try:
            return self._opener.open(request, timeout=self._timeout_s)
        except urllib.error.HTTPError as refused:
            with refused:
                raise _read_problem(refused.code, refused.read()) from None

    @staticmethod
    def _pause_before(error: VolleyError, again: int) -> Optional[float]:
        # The first request goes on there, and its answer can be had when it is over.
        if again > 0 and error.code == "IDEMPOTENCY_IN_PROGRESS":
            own_s: float = PAUSE_S * 2**again
            return max(own_s, (error.retry_after_ms or 0) / 1000)
        return None


def _is_unmade(error: Exception) -> bool:
    """Whether no connection was made: its name, a refusal, or its certificate."""
    reason = getattr(error, "reason", error)
    return isinstance(reason, (ConnectionRefusedError, socket.gaierror, ssl.SSLCertVerificationError))


def _lost(error: Exception, is_unmade: bool) -> VolleyError:
    if not is_unmade:
        return VolleyError("CONNECTION_LOST", LOST)
    why = getattr(error, "reason", error)
    hint = f"No connection was made ({why}), so the request did not arrive and nothing ran. Check the address, and send it again."
    return VolleyError("CONNECTION_LOST", hint, arrived=False)


def _to_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(response: Any, as_bytes: bool) -> Any:
    data: bytes = response.read()
    if as_bytes:
        return data
    if response.status == 204:
        return None
    try:
        return json.loads(data)
    except ValueError:
        raise _unexpected(response.status) from None


def _read_problem(status: int, data: bytes) -> VolleyError:
    try:
        problem = json.loads(data)
    except ValueError:
        return _unexpected(status)
    if not isinstance(problem, dict) or not isinstance(problem.get("code"), str):
        return _unexpected(status)
    return VolleyError(problem["code"], problem.get("detail", ""), status=status, problem=problem)


def _unexpected(status: int) -> VolleyError:
    return VolleyError("UNEXPECTED_ANSWER", f"The answer is not Volley's: HTTP {status}.", status=status)
