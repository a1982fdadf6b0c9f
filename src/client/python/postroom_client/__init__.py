"""The typed client of Postroom: a method for each operation of its REST API, by the standard library alone.

>>> postroom = Postroom("https://mx.example.com", "svc_...")
>>> postroom.list_messages(unread_only=True)["messages"]
"""

from .call import File, PostroomError
from .operations import Operations as Postroom
from .version import VERSION as __version__
from .webhooks import WebhookVerificationError, require_webhook_signature, verify_webhook

__all__ = [
    "File",
    "Postroom",
    "PostroomError",
    "WebhookVerificationError",
    "__version__",
    "require_webhook_signature",
    "verify_webhook",
]
