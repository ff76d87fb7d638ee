from __future__ import annotations

from typing import Any, Dict, List, Optional


class VolleyError(Exception):
    """A request that was refused whole, or lost. A failed action is told in its result, and is never raised.

    ``CONNECTION_LOST``: it may have arrived, unless ``arrived`` is False. ``UNEXPECTED_ANSWER``: something else than Volley answered, such as a
    proxy. Any other code is Volley's own, and nothing ran; only after ``UNAVAILABLE`` background actions may run.
    """

    def __init__(
        self,
        code: str,
        hint: str,
        *,
        status: int = 0,
        problem: Optional[Dict[str, Any]] = None,
        arrived: Optional[bool] = None,
    ) -> None:
        super().__init__(f"{code}: {hint}")
        self.code = code
        #: The advice about it, in a sentence.
        self.hint = hint
        #: HTTP status; 0 where there was no answer.
        self.status = status
        #: The server's problem document (RFC 9457).
        self.problem = problem or {}
        #: False where no connection was made, so that nothing ran; None where that is not known.
        self.arrived = arrived

    @property
    def issues(self) -> List[Dict[str, Any]]:
        """All that is wrong with what was sent, each with its path, what was expected and what came."""
        return list(self.problem.get("issues", []))

    @property
    def retry_after_ms(self) -> Optional[int]:
        """Milliseconds to wait before asking again; None where the server does not say."""
        wait: Optional[int] = self.problem.get("retry_after_ms")
        return wait
