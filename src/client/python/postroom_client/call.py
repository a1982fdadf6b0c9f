"""One operation over HTTP: its request, its reply, and when it is made again."""

import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException, HTTPMessage, HTTPResponse
from typing import IO, Any

OMIT: Any = object()
"""Stands for an argument that is left out: None is sent as null."""

FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 60.0
"""A wait that is asked for and is longer is the caller's to decide on."""
LONGEST_STREAM_PAUSE_SECONDS = 30.0

NO_ANSWER = (urllib.error.URLError, HTTPException, OSError)
BUSY = (429, 502, 503, 504)
"""What the service or a gateway before it answers when it is busy or restarts."""


@dataclass(frozen=True)
class File:
    """An answer that is bytes."""

    content_type: str
    filename: str
    content: bytes


class PostroomError(Exception):
    """A call that is refused. A send that is refused is no error: its result says `rejected`."""

    def __init__(self, status: int, headers: Message, body: dict[str, Any]) -> None:
        fields = dict(body)
        self.status = status
        self.code = str(fields.pop("error"))
        """The interface's code; `invalid_response` where something else than Postroom answered."""
        self.hint = str(fields.pop("hint", ""))
        """What to do about it."""
        self.fields = fields
        """All further fields of the reply, such as `scope`."""
        seconds = headers.get("retry-after") or ""
        self.retry_after = int(seconds) if re.fullmatch(r"\d+", seconds) else None
        """Seconds to wait before the call is made again; None where the reply names none."""
        self.request_id = headers.get("x-request-id")
        """Names the request in the service's log."""
        super().__init__(f"{self.code}: {self.hint}")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The key goes to no other address."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


class Connection:
    """Where Postroom is, and by which key it is called.

    A call that comes to 429, 503, a gateway's 502 or 504, or no answer is made again, `retries` times, where that is
    safe: reads, deletes, and sends, which get an Idempotency-Key for it.
    """

    def __init__(
        self, base_url: str, api_key: str | None = None, *, retries: int = 2, timeout_seconds: float = 60
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._retries = retries
        self._timeout_seconds = timeout_seconds

    def _call(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any],
        body: Mapping[str, Any] | None,
        *,
        idempotency_key: str | None = None,
        is_idempotent: bool = False,
        is_bytes: bool = False,
    ) -> Any:
        key = idempotency_key or (str(uuid.uuid4()) if is_idempotent and self._retries > 0 else None)
        is_repeatable = method in ("GET", "DELETE") or key is not None
        given = {name: _to_text(value) for name, value in query.items() if value is not OMIT and value is not None}
        request = self._request(method, path + ("?" + urllib.parse.urlencode(given) if given else ""))
        if body is not None:
            request.add_header("content-type", "application/json")
            sent = {name: value for name, value in body.items() if value is not OMIT}
            request.data = json.dumps(sent).encode()
        if key is not None:
            request.add_header("idempotency-key", key)
        attempt = 0
        while True:
            try:
                return self._call_once(request, is_bytes)
            except (PostroomError, *NO_ANSWER) as error:
                pause = _pause_before(error, attempt)
                if not is_repeatable or attempt >= self._retries or pause is None:
                    raise
                attempt += 1
                time.sleep(pause)

    def _request(self, method: str, path: str) -> urllib.request.Request:
        request = urllib.request.Request(self._base_url + path, method=method)
        if self._api_key is not None:
            request.add_header("authorization", f"Bearer {self._api_key}")
        return request

    def _call_once(self, request: urllib.request.Request, is_bytes: bool) -> Any:
        try:
            with _opener.open(request, timeout=self._timeout_seconds) as response:
                if is_bytes:
                    return _read_file(response)
                return _read_json(response.status, response.headers, response.read())
        except urllib.error.HTTPError as refusal:
            with refusal:
                answer = _read_json(refusal.code, refusal.headers, refusal.read())
            # An answer may have a field of that name: what an endpoint did, or why a source failed.
            if isinstance(answer.get("error"), str):
                raise PostroomError(refusal.code, refusal.headers, answer) from None
            # A send that is refused, and what was too late to cancel, are results; nothing else is.
            if refusal.code not in (409, 422):
                raise _invalid(refusal.code, refusal.headers, json.dumps(answer).encode()) from None
            return answer

    def events(self, last_event_id: str | None = None) -> Iterator[dict[str, Any]]:
        """What happens in the agent's mailbox and its workspace, as it happens; goes on where a connection broke."""
        pause = 1.0
        while True:
            request = self._request("GET", "/v1/events")
            request.add_header("accept", "text/event-stream")
            if last_event_id is not None:
                request.add_header("last-event-id", last_event_id)
            try:
                with _opener.open(request, timeout=self._timeout_seconds) as response:
                    block: dict[bytes, bytes] = {}
                    for line in response:
                        name, _, value = line.rstrip(b"\n").partition(b": ")
                        if name:
                            block[name] = value
                            continue
                        # One without data tells the position alone. One that is cut off comes again.
                        if b"id" in block:
                            last_event_id = block[b"id"].decode()
                        if b"data" in block:
                            pause = 1.0
                            yield json.loads(block[b"data"])
                        block = {}
            except urllib.error.HTTPError as refusal:
                with refusal:
                    if refusal.code != 429 and refusal.code < 500:
                        answer = _read_json(refusal.code, refusal.headers, refusal.read())
                        raise PostroomError(refusal.code, refusal.headers, answer) from None
            except NO_ANSWER:
                pass
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_STREAM_PAUSE_SECONDS)


def quote(value: object) -> str:
    """A value as a part of a path."""
    return urllib.parse.quote(str(value), safe="")


def _to_text(value: object) -> str:
    """A value in a query: lists are parted by commas."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _pause_before(error: BaseException, attempt: int) -> float | None:
    """Seconds to wait; None where another attempt would come to the same."""
    back_off: float = FIRST_PAUSE_SECONDS * 2**attempt * random.uniform(0.75, 1.25)
    if not isinstance(error, PostroomError):
        return back_off
    # With the code, the first try with the same key is still under way.
    if error.status not in BUSY and error.code != "idempotency_in_flight":
        return None
    seconds = back_off if error.retry_after is None else float(error.retry_after)
    return seconds if seconds <= LONGEST_PAUSE_SECONDS else None


def _read_json(status: int, headers: Message, text: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if isinstance(answer, dict):
        return answer
    raise _invalid(status, headers, text)


def _invalid(status: int, headers: Message, text: bytes) -> PostroomError:
    shown = text[:200].decode(errors="replace")
    hint = f"The answer (HTTP {status}) is none of Postroom: {shown}"
    return PostroomError(status, headers, {"error": "invalid_response", "hint": hint})


def _read_file(response: HTTPResponse) -> File:
    found = re.search(r"filename\*=UTF-8''([^;]+)", response.headers.get("content-disposition") or "")
    return File(
        content_type=response.headers.get("content-type") or "application/octet-stream",
        filename=urllib.parse.unquote(found[1]) if found else "",
        content=response.read(),
    )
