"""For receivers: whether a webhook delivery is genuine."""

import hashlib
import hmac
import json
import re
import time
from typing import Any

TOLERANCE_SECONDS = 300
"""Older or newer is a replay, or a clock that is wrong."""
MAX_DIGESTS = 16
"""A rotation leaves two or three; the rest of a longer header is ignored."""


class WebhookVerificationError(Exception):
    """The delivery is not genuine, or more than 5 minutes old. Answer it with 400 and ignore its content."""


def require_webhook_signature(body: bytes, signature: str | None, secret: str, now: float | None = None) -> None:
    """Checks `x-svc-signature`, `t=<unix seconds>,v1=<hex>[,v1=<hex>...]`: any digest that is right authenticates.

    `body` is the raw bytes, `secret` the endpoint's as a whole, `whsec_` included.
    """
    parts = [part.strip() for part in (signature or "").split(",")]
    seconds = next((part[2:] for part in parts if part.startswith("t=")), "")
    if not re.fullmatch(r"[0-9]{1,12}", seconds):
        raise WebhookVerificationError("The signature has no time.")
    if abs((time.time() if now is None else now) - int(seconds)) > TOLERANCE_SECONDS:
        raise WebhookVerificationError("The signature is more than 5 minutes from now.")
    digests = [part[3:] for part in parts if re.fullmatch(r"v1=[0-9a-f]{64}", part)][:MAX_DIGESTS]
    wanted = hmac.new(secret.encode(), seconds.encode() + b"." + body, hashlib.sha256).hexdigest()
    if not any(hmac.compare_digest(wanted, digest) for digest in digests):
        raise WebhookVerificationError("No signature of this body is by that secret.")


def verify_webhook(body: bytes, signature: str | None, secret: str, now: float | None = None) -> dict[str, Any]:
    """The envelope of a delivery, once its signature is checked: id, event, timestamp, data."""
    require_webhook_signature(body, signature, secret, now)
    envelope: dict[str, Any] = json.loads(body)
    return envelope
