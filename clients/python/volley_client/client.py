from __future__ import annotations

import json
import time
from typing import Any, Callable, Iterator, Optional, Tuple

from .api import Api, Batch, Envelope, Job
from .transport import Transport

LONGEST_LOOK_S = 10.0


class Volley(Api):
    """A client of Volley: every path of the API by group and name, and what takes more than one request.

    >>> volley = Volley("https://volley.example.com", key="…")
    >>> volley.execute({"actions": [{"tool": "get_weather", "args": {"city": "Phoenix"}}]})["results"]
    """

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
        self._transport = Transport(
            url, key, subject=subject, retries=retries, timeout_s=timeout_s, sleep=sleep
        )
        self._sleep = sleep
        super().__init__(self._transport)

    def execute(self, batch: Batch, *, idempotency_key: Optional[str] = None) -> Envelope:
        """Run a batch: one result for every action, in the order asked."""
        return self.batches.execute(batch, idempotency_key=idempotency_key)  # type: ignore[return-value]

    def stream(self, batch: Batch, *, idempotency_key: Optional[str] = None) -> Iterator[Tuple[str, Any]]:
        """Run a batch and tell ``("result", …)`` the moment each is known; at last ``("done", envelope)``.

        A caller that stops reading stops its reads.
        """
        with self._transport.open(
            "POST", "/v1/execute_actions", body=batch, idempotency_key=idempotency_key, accept="text/event-stream"
        ) as response:
            name = ""
            for line in response:
                field, _, value = line.decode().rstrip("\r\n").partition(": ")
                if field == "event":
                    name = value
                elif field == "data" and name in ("result", "done"):
                    yield name, json.loads(value)

    def wait_for(self, job_id: str, *, every_s: float = 0.5) -> Job:
        """Ask for a job until it is over, however it ends."""
        while True:
            job = self.jobs.get(job_id)
            if job["status"] not in ("running", "retrying"):
                return job
            self._sleep(min(every_s, LONGEST_LOOK_S))
