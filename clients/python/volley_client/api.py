# Written by `npm run clients` from the document of the API (`/openapi.json`).
from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, Optional, TypeAlias, TypedDict, Union
from urllib.parse import quote

from .transport import Transport


class AboutHealthAnswer(TypedDict):
    status: Literal["ok"]


class AgentChatCompletionsBodyVolley(TypedDict):
    strategy: NotRequired[Literal["act", "react", "think-act"]]
    surface: NotRequired[Literal["auto", "batch", "meta", "flat"]]
    tools: NotRequired[List[str]]
    max_rounds: NotRequired[int]
    deadline_ms: NotRequired[int]
    max_tokens: NotRequired[int]
    skip_approval: NotRequired[bool]
    tags: NotRequired[List[str]]
    subject: NotRequired[str]
    connections: NotRequired[Dict[str, str]]
    on_connection: NotRequired[Literal["park", "error"]]


class AgentChatCompletionsBody(TypedDict):
    messages: List[Dict[str, Any]]
    stream: NotRequired[bool]
    volley: NotRequired[AgentChatCompletionsBodyVolley]


class AgentCountTokensAnswer(TypedDict):
    input_tokens: int


class AgentMessagesBodyVolley(TypedDict):
    strategy: NotRequired[Literal["act", "react", "think-act"]]
    surface: NotRequired[Literal["auto", "batch", "meta", "flat"]]
    tools: NotRequired[List[str]]
    max_rounds: NotRequired[int]
    deadline_ms: NotRequired[int]
    max_tokens: NotRequired[int]
    skip_approval: NotRequired[bool]
    tags: NotRequired[List[str]]
    subject: NotRequired[str]
    connections: NotRequired[Dict[str, str]]
    on_connection: NotRequired[Literal["park", "error"]]


class AgentMessagesBody(TypedDict):
    messages: List[Dict[str, Any]]
    stream: NotRequired[bool]
    volley: NotRequired[AgentMessagesBodyVolley]
    thread: NotRequired[Any]


class AgentResponsesBodyVolley(TypedDict):
    strategy: NotRequired[Literal["act", "react", "think-act"]]
    surface: NotRequired[Literal["auto", "batch", "meta", "flat"]]
    tools: NotRequired[List[str]]
    max_rounds: NotRequired[int]
    deadline_ms: NotRequired[int]
    max_tokens: NotRequired[int]
    skip_approval: NotRequired[bool]
    tags: NotRequired[List[str]]
    subject: NotRequired[str]
    connections: NotRequired[Dict[str, str]]
    on_connection: NotRequired[Literal["park", "error"]]


class AgentResponsesBody(TypedDict):
    input: Union[str, List[Dict[str, Any]]]
    stream: NotRequired[bool]
    store: NotRequired[Union[Literal[False], None]]
    background: NotRequired[Union[Literal[False], None]]
    previous_response_id: NotRequired[None]
    conversation: NotRequired[None]
    volley: NotRequired[AgentResponsesBodyVolley]


class DeliveriesResendAnswer(TypedDict):
    delivery_id: str
    status: Literal["pending"]


class EndpointsRecoverBody(TypedDict):
    since: str
    until: NotRequired[str]
    all: NotRequired[bool]


class EndpointsRecoverAnswer(TypedDict):
    deliveries: int


class EndpointsRotateBody(TypedDict):
    overlap_s: NotRequired[int]


class EndpointsTestBody(TypedDict):
    type: NotRequired[str]


class EndpointsTestAnswer(TypedDict):
    event_id: str


class EventsListAnswer(TypedDict):
    events: List[PublishedEvent]
    next_cursor: Union[str, None]


class FlowsRunBody(TypedDict):
    input: NotRequired[Dict[str, Any]]
    deadline_ms: NotRequired[int]
    max_tokens: NotRequired[int]
    dry_run: NotRequired[bool]
    skip_approval: NotRequired[bool]
    callback_url: NotRequired[str]
    progress: NotRequired[bool]
    tags: NotRequired[List[str]]
    subject: NotRequired[str]
    connections: NotRequired[Dict[str, str]]
    on_connection: NotRequired[Literal["park", "error"]]


class ModelsListAnswerDataItem(TypedDict):
    id: str


class ModelsListAnswer(TypedDict):
    data: List[ModelsListAnswerDataItem]


class RunsRestoreAnswer(TypedDict):
    restored: int


class Action(TypedDict):
    tool: str
    args: NotRequired[Dict[str, Any]]
    id: NotRequired[str]
    depends_on: NotRequired[List[str]]
    timeout_ms: NotRequired[int]
    for_each: NotRequired[Union[List[Any], Dict[str, Any]]]
    select: NotRequired[List[str]]
    idempotency_key: NotRequired[str]
    callback_url: NotRequired[str]
    run_at: NotRequired[str]


AddedTool = TypedDict("AddedTool", {
    "name": "str",
    "summary": "str",
    "description": "str",
    "category": "str",
    "actions": "List[str]",
    "is_write": "bool",
    "execution": "NotRequired[Literal['sync', 'fire-and-forget']]",
    "timeout_ms": "NotRequired[int]",
    "idempotent": "NotRequired[Union[bool, Literal['with-key']]]",
    "delivery": "NotRequired[Literal['at-least-once', 'at-most-once']]",
    "private": "NotRequired[bool]",
    "upstream_errors": "NotRequired[bool]",
    "orchestration": "NotRequired[Contract]",
    "input_schema": "Dict[str, Any]",
    "http": "NotRequired[HttpCall]",
    "mcp": "NotRequired[McpCall]",
    "fingerprint": "str",
    "x-orchestration": "NotRequired[Contract]",
})


class AnthropicAnswerMessagesItemContentItem(TypedDict):
    type: Literal["tool_result"]
    tool_use_id: str
    content: str
    is_error: NotRequired[Literal[True]]


class AnthropicAnswerMessagesItem(TypedDict):
    role: Literal["user"]
    content: List[AnthropicAnswerMessagesItemContentItem]


class AnthropicAnswer(TypedDict):
    messages: List[AnthropicAnswerMessagesItem]


class ApprovalLink(TypedDict):
    url: str
    expires_at: str


class Batch(TypedDict):
    actions: List[Action]
    on_error: NotRequired[Literal["partial-success", "fail-fast"]]
    deadline_ms: NotRequired[int]
    dry_run: NotRequired[bool]
    max_tokens: NotRequired[int]
    skip_approval: NotRequired[bool]
    callback_url: NotRequired[str]
    progress: NotRequired[bool]
    tags: NotRequired[List[str]]
    background: NotRequired[bool]
    subject: NotRequired[str]
    connections: NotRequired[Dict[str, str]]
    on_connection: NotRequired[Literal["park", "error"]]


class CallAuthAsC(TypedDict):
    header: str


class CallAuthAsD(TypedDict):
    query: str


class CallAuthAlsoItemAsC(TypedDict):
    header: str


class CallAuthAlsoItemAsD(TypedDict):
    query: str


CallAuthAlsoItem = TypedDict("CallAuthAlsoItem", {
    "secret": "str",
    "as": "Union[Literal['bearer'], Literal['basic'], CallAuthAlsoItemAsC, CallAuthAlsoItemAsD]",
})


CallAuth = TypedDict("CallAuth", {
    "secret": "NotRequired[str]",
    "as": "NotRequired[Union[Literal['bearer'], Literal['basic'], CallAuthAsC, CallAuthAsD]]",
    "also": "NotRequired[List[CallAuthAlsoItem]]",
    "connection": "NotRequired[Union[str, Dict[str, List[str]]]]",
})


class CancelRuns(TypedDict):
    source: NotRequired[Literal["http", "turn", "agent", "mcp", "flow", "webhook", "cron", "approval", "background", "orchestration"]]
    status: NotRequired[Literal["success", "partial", "error", "waiting", "running", "unknown"]]
    tool: NotRequired[str]
    flow: NotRequired[str]
    key: NotRequired[str]
    tag: NotRequired[str]
    subject: NotRequired[str]
    request_id: NotRequired[str]
    since: NotRequired[str]
    until: NotRequired[str]
    cursor: NotRequired[str]


class ChangedRuns(TypedDict):
    runs: int
    next_cursor: NotRequired[str]


class ChatAnswerMessagesItemA(TypedDict):
    role: Literal["tool"]
    tool_call_id: str
    content: str


class ChatAnswerMessagesItemB(TypedDict):
    role: Literal["function"]
    name: str
    content: str


class ChatAnswer(TypedDict):
    messages: List[Union[ChatAnswerMessagesItemA, ChatAnswerMessagesItemB]]


ConditionValue = TypedDict("ConditionValue", {
    "eq": "NotRequired[Union[str, float, bool, None]]",
    "ne": "NotRequired[Union[str, float, bool, None]]",
    "in": "NotRequired[List[Union[str, float, bool, None]]]",
    "gt": "NotRequired[Union[float, str]]",
    "gte": "NotRequired[Union[float, str]]",
    "lt": "NotRequired[Union[float, str]]",
    "lte": "NotRequired[Union[float, str]]",
    "exists": "NotRequired[bool]",
})


class ConfirmationActionsItem(TypedDict):
    id: str
    tool: str
    gated: bool
    args: NotRequired[Any]
    for_each: NotRequired[Any]
    args_of_each: NotRequired[List[Any]]
    account: NotRequired[str]
    resolved: bool
    callback_url: NotRequired[str]
    run_at: NotRequired[str]
    waits_for: List[str]
    followed_by: List[str]
    reach: NotRequired[str]
    edited_args: NotRequired[Any]


class ConfirmationDecidedBy(TypedDict):
    """The key that decided, or the name of the person in the link"""
    name: str
    via: Literal["key", "link"]
    made_by: NotRequired[str]


class ConfirmationCallback(TypedDict):
    """How the event about it fares that the batch's callback_url is sent"""
    status: Literal["running", "retrying", "succeeded", "failed", "dead", "cancelled", "unknown"]
    attempts: int
    next_attempt_at: Union[str, None]


class Confirmation(TypedDict):
    id: str
    status: Literal["pending", "running", "done", "rejected", "expired"]
    created_at: str
    expires_at: str
    requested_by: RequestedBy
    url: str
    actions: List[ConfirmationActionsItem]
    args_hash: str
    decided_by: NotRequired[ConfirmationDecidedBy]
    decided_at: NotRequired[str]
    reason: NotRequired[str]
    edited: NotRequired[Literal[True]]
    callback: NotRequired[ConfirmationCallback]
    results: NotRequired[List[Any]]


class ConfirmationPage(TypedDict):
    confirmations: List[ListedConfirmation]
    next_cursor: Union[str, None]


class Connection(TypedDict):
    connection_id: str
    connector: str
    subject: str
    name: str
    state: Literal["pending", "active", "broken"]
    because: NotRequired[Literal["revoked", "refresh_lost", "unreadable"]]
    problem: NotRequired[str]
    scopes: List[str]
    account: Union[str, None]
    account_id: Union[str, None]
    created_at: str
    connected_at: Union[str, None]
    link_expires_at: NotRequired[str]


class ConnectionConfirmation(TypedDict):
    code: str
    subject: str


class ConnectionPage(TypedDict):
    connections: List[Connection]
    next_cursor: Union[str, None]


class ConnectionWish(TypedDict):
    connector: str
    subject: str
    name: NotRequired[str]
    scopes: NotRequired[List[str]]
    return_to: NotRequired[str]
    secret: NotRequired[str]


class ContractBackoff(TypedDict):
    strategy: Literal["exponential"]
    initial_ms: int


ContractDependsOnItem = TypedDict("ContractDependsOnItem", {
    "tool": "str",
    "required_fields": "List[str]",
    "from": "NotRequired[Dict[str, str]]",
})


class ContractRateLimit(TypedDict):
    limit: int
    window_s: int
    scope: Literal["tenant", "global"]


class ContractVerifyWith(TypedDict):
    tool: str
    args: Dict[str, str]
    found: NotRequired[str]
    equals: NotRequired[str]


class ContractConfirmB(TypedDict):
    when: Dict[str, Any]


class Contract(TypedDict):
    mode: Literal["parallel-safe", "sequential-only", "fan-out-bounded", "dependent"]
    max_concurrency: NotRequired[int]
    global_concurrency: NotRequired[int]
    backoff: NotRequired[ContractBackoff]
    depends_on: NotRequired[List[ContractDependsOnItem]]
    on_error: NotRequired[Literal["partial-success", "fail-fast"]]
    rate_limit: NotRequired[ContractRateLimit]
    cache_ttl_s: NotRequired[int]
    verify_with: NotRequired[ContractVerifyWith]
    confirm: NotRequired[Union[Literal["never", "always"], ContractConfirmB]]
    confirm_ttl_s: NotRequired[int]


class Decision(TypedDict):
    decision: Literal["approve", "reject"]
    args_hash: NotRequired[str]
    reason: NotRequired[str]
    args: NotRequired[Dict[str, Dict[str, Any]]]


class DeleteTenant(TypedDict):
    tenant: str


class DeletedTenant(TypedDict):
    tenant: str
    objects: int
    more_objects: bool
    files: int
    keys: int
    sign_ins: int
    runs: int
    counts: int
    endpoints: int
    connections: int


class DeliveryAttemptsItem(TypedDict):
    at: str
    duration_ms: float
    status: NotRequired[int]
    code: NotRequired[str]
    response: NotRequired[str]


class Delivery(TypedDict):
    delivery_id: str
    endpoint: str
    event_id: str
    type: str
    status: Literal["pending", "retrying", "delivered", "failed", "discarded"]
    attempts: List[DeliveryAttemptsItem]
    next_attempt_at: Union[str, None]
    created_at: str
    run_id: NotRequired[str]


class DeliveryPage(TypedDict):
    deliveries: List[Delivery]
    next_cursor: Union[str, None]


class DiscoveryToolsItem(TypedDict):
    name: str
    summary: str
    category: str
    actions: List[str]
    is_write: bool
    parameters: NotRequired[Dict[str, Any]]
    required: NotRequired[List[str]]


class Discovery(TypedDict):
    tools: List[DiscoveryToolsItem]
    total: int
    hint: NotRequired[str]


class DiscoveryRequest(TypedDict):
    query: NotRequired[str]
    queries: NotRequired[List[str]]
    categories: NotRequired[List[str]]
    actions: NotRequired[List[str]]
    detail: NotRequired[Literal["summary", "schema"]]
    limit: NotRequired[int]


DryRunPlanEdgesItem = TypedDict("DryRunPlanEdgesItem", {
    "from": "str",
    "to": "str",
    "reason": "str",
})


class DryRunPlan(TypedDict):
    waves: List[List[str]]
    edges: List[DryRunPlanEdgesItem]
    caps: Dict[str, float]
    confirmations: List[str]
    estimated_tokens: float
    estimated_speedup: float


class DryRunErrorsItem(TypedDict):
    index: int
    id: str
    tool: Union[str, None]
    error: Failure


class DryRunWarningsItem(TypedDict):
    index: int
    id: str
    tool: Union[str, None]
    warnings: List[str]


class DryRun(TypedDict):
    dry_run: Literal[True]
    plan: DryRunPlan
    errors: List[DryRunErrorsItem]
    warnings: NotRequired[List[DryRunWarningsItem]]


class EndpointRateLimit(TypedDict):
    limit: int
    window_s: int


class Endpoint(TypedDict):
    url: str
    customer: NotRequired[str]
    events: List[str]
    filter: NotRequired[Condition]
    description: NotRequired[str]
    headers: NotRequired[Dict[str, str]]
    rate_limit: NotRequired[EndpointRateLimit]
    via: NotRequired[str]
    ordered: bool
    paused: bool
    id: str
    state: Literal["active", "paused", "disabled"]
    failing_since: NotRequired[str]
    disabled_because: NotRequired[Literal["gone", "asked", "failing"]]
    created_at: str
    updated_at: str


class EndpointChangeRateLimit(TypedDict):
    limit: int
    window_s: int


class EndpointChange(TypedDict):
    url: NotRequired[str]
    customer: NotRequired[str]
    events: NotRequired[List[str]]
    filter: NotRequired[Condition]
    description: NotRequired[str]
    headers: NotRequired[Dict[str, str]]
    rate_limit: NotRequired[EndpointChangeRateLimit]
    via: NotRequired[str]
    ordered: NotRequired[bool]
    paused: NotRequired[bool]


class EndpointPage(TypedDict):
    endpoints: List[Endpoint]
    next_cursor: Union[str, None]


class EndpointRequestRateLimit(TypedDict):
    limit: int
    window_s: int


class EndpointRequest(TypedDict):
    url: str
    customer: NotRequired[str]
    events: List[str]
    filter: NotRequired[Condition]
    description: NotRequired[str]
    headers: NotRequired[Dict[str, str]]
    rate_limit: NotRequired[EndpointRequestRateLimit]
    via: NotRequired[str]
    ordered: NotRequired[bool]
    paused: NotRequired[bool]
    secret: NotRequired[str]


class EnvelopeSummary(TypedDict):
    total: int
    ok: int
    error: int
    initiated: int
    skipped: int
    pending_confirmation: int
    unknown: int


class EnvelopeStats(TypedDict):
    duration_ms: float
    critical_path_ms: float
    sequential_ms: float
    speedup: NotRequired[float]
    max_parallelism: int


class Envelope(TypedDict):
    batch_id: str
    results: List[Result]
    summary: EnvelopeSummary
    stats: EnvelopeStats


class EventType(TypedDict):
    type: str
    description: str
    updated_at: str


class EventTypePage(TypedDict):
    event_types: List[EventType]
    next_cursor: Union[str, None]


class EventTypeRequest(TypedDict):
    description: str
    schema: NotRequired[Dict[str, Any]]
    example: NotRequired[Dict[str, Any]]


class ExportToolsItem(TypedDict):
    name: str


class ExportFlowsItem(TypedDict):
    name: str


class ExportSignInsItem(TypedDict):
    sign_in_id: str


class Export(TypedDict):
    volley_export: Literal[1]
    tenant: str
    created_at: str
    tools: NotRequired[List[ExportToolsItem]]
    flows: NotRequired[List[ExportFlowsItem]]
    keys: NotRequired[List[ExportedKey]]
    sign_ins: NotRequired[List[ExportSignInsItem]]
    runs: NotRequired[List[Dict[str, Any]]]
    counts: NotRequired[List[Dict[str, Any]]]
    endpoints: NotRequired[Dict[str, Any]]
    connections: NotRequired[List[Connection]]


class ExportedKeyQuota(TypedDict):
    limit: int
    window_s: int


class ExportedKeyHashesItem(TypedDict):
    hash: str
    ends_at: Union[str, None]


class ExportedKey(TypedDict):
    name: str
    tenant: str
    tools: List[str]
    quota: ExportedKeyQuota
    flags: List[Literal["approve", "skip_approval", "manage_tools", "manage_keys", "manage_endpoints", "manage_connections", "operator"]]
    subject: NotRequired[str]
    created_at: str
    expires_at: Union[str, None]
    rotated_at: Union[str, None]
    previous_ends_at: Union[str, None]
    hashes: List[ExportedKeyHashesItem]


class FailureUpstream(TypedDict):
    """What the service said of its refusal: its words, and no instruction"""
    status: int
    message: NotRequired[str]
    code: NotRequired[str]


class Failure(TypedDict):
    code: Literal["INVALID_ACTION", "UNKNOWN_TOOL", "INVALID_ARGS", "BAD_REFERENCE", "RATE_LIMITED", "TIMEOUT", "DEADLINE_EXCEEDED", "CANCELLED", "UPSTREAM_ERROR", "NOT_FOUND", "BAD_UPSTREAM_RESPONSE", "RESPONSE_TOO_LARGE", "CIRCUIT_OPEN", "EGRESS_DENIED", "TOOL_CHANGED", "FLOW_BROKEN", "CONNECTION_REQUIRED", "MISCONFIGURED", "DEPENDENCY_FAILED", "ABORTED", "CONFIRMATION_INVALID", "CONFIRMATION_REJECTED", "OUTBOX_UNAVAILABLE", "BACKLOG_FULL", "IDEMPOTENCY_CONFLICT", "OVERLOADED", "TOOL_FAILED", "INTERNAL"]
    message: str
    retryable: bool
    hint: NotRequired[str]
    retry_after_ms: NotRequired[int]
    upstream_status: NotRequired[int]
    upstream: NotRequired[FailureUpstream]
    phase: NotRequired[Literal["headers", "idle", "total"]]
    issues: NotRequired[List[Issue]]
    connect_url: NotRequired[str]


class Flow(TypedDict):
    summary: str
    description: NotRequired[str]
    input_schema: Dict[str, Any]
    actions: List[Any]
    on_error: NotRequired[Literal["partial-success", "fail-fast"]]
    answer: NotRequired[Any]
    deadline_ms: NotRequired[int]
    triggers: NotRequired[Triggers]


class FlowAnswerSummary(TypedDict):
    total: int
    ok: int
    error: int
    initiated: int
    skipped: int
    pending_confirmation: int
    unknown: int


class FlowAnswerStats(TypedDict):
    duration_ms: float
    critical_path_ms: float
    sequential_ms: float
    speedup: NotRequired[float]
    max_parallelism: int


class FlowAnswer(TypedDict):
    batch_id: str
    results: List[Result]
    summary: FlowAnswerSummary
    stats: FlowAnswerStats
    answer: NotRequired[Any]
    answer_error: NotRequired[Dict[str, Any]]


class FlowIssue(TypedDict):
    severity: Literal["error", "warning"]
    path: str
    expected: str
    received: str
    hint: str


class FlowListFlowsItem(TypedDict):
    name: str
    summary: str
    is_write: bool
    fingerprint: str
    paused: bool
    triggers: List[Literal["webhook", "cron"]]
    next_run_at: NotRequired[Union[str, None]]
    broken: NotRequired[str]


class FlowList(TypedDict):
    flows: List[FlowListFlowsItem]


class GeminiAnswerMessagesItemPartsItemFunctionResponse(TypedDict):
    id: NotRequired[str]
    name: str
    response: Dict[str, Any]


class GeminiAnswerMessagesItemPartsItem(TypedDict):
    functionResponse: GeminiAnswerMessagesItemPartsItemFunctionResponse


class GeminiAnswerMessagesItem(TypedDict):
    role: Literal["user"]
    parts: List[GeminiAnswerMessagesItemPartsItem]


class GeminiAnswer(TypedDict):
    messages: List[GeminiAnswerMessagesItem]


class HttpCallQueryItemB(TypedDict):
    argument: str
    name: str
    list: NotRequired[Literal["repeat", "comma", "space", "pipe", "json", "index", "spread"]]


class HttpCallBodyBItemB(TypedDict):
    argument: str
    name: str
    list: NotRequired[Literal["repeat", "comma", "space", "pipe", "json", "index", "spread"]]


class HttpCallBodyC(TypedDict):
    argument: str


class HttpCall(TypedDict):
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    url: str
    query: NotRequired[List[Union[str, HttpCallQueryItemB]]]
    headers: NotRequired[Dict[str, str]]
    body: NotRequired[Union[Literal["args"], List[Union[str, HttpCallBodyBItemB]], HttpCallBodyC]]
    body_required: NotRequired[List[str]]
    auth: NotRequired[CallAuth]
    result: NotRequired[str]


class ImportedToolsSkippedItem(TypedDict):
    operation: str
    reason: str


class ImportedTools(TypedDict):
    tools: List[AddedTool]
    skipped: List[ImportedToolsSkippedItem]
    removed: List[str]


class Invocation(TypedDict):
    tool_name: str
    parameters: NotRequired[Dict[str, Any]]


class Issue(TypedDict):
    path: str
    expected: str
    received: str


class JobTriesItem(TypedDict):
    at: str
    duration_ms: int
    code: NotRequired[str]
    upstream_status: NotRequired[int]
    in_doubt: NotRequired[Literal[True]]


class JobProgress(TypedDict):
    """Of a batch in the background: its calls, elements of loops each for itself"""
    done: int
    failed: int
    total: int


class JobCallback(TypedDict):
    """How the event for `callback_url` fares"""
    status: Literal["pending", "delivered", "disabled", "failed"]
    attempts: int
    last_status: Union[int, None]
    next_attempt_at: Union[str, None]


class Job(TypedDict):
    job_id: str
    tool: str
    batch_id: NotRequired[str]
    key: NotRequired[str]
    trigger: NotRequired[Literal["webhook", "cron"]]
    status: Literal["running", "retrying", "succeeded", "failed", "dead", "cancelled", "unknown"]
    in_doubt: NotRequired[Literal[True]]
    attempts: int
    tries: List[JobTriesItem]
    created_at: str
    updated_at: str
    next_attempt_at: Union[str, None]
    duration_ms: NotRequired[int]
    progress: NotRequired[JobProgress]
    note: NotRequired[str]
    callback: NotRequired[JobCallback]
    args: NotRequired[Any]
    data: NotRequired[Any]
    error: NotRequired[Failure]
    envelope: NotRequired[Any]


class JobPage(TypedDict):
    jobs: List[Job]
    next_cursor: Union[str, None]


class KeptFlow(TypedDict):
    summary: str
    description: NotRequired[str]
    input_schema: Dict[str, Any]
    actions: List[Any]
    on_error: NotRequired[Literal["partial-success", "fail-fast"]]
    answer: NotRequired[Any]
    deadline_ms: NotRequired[int]
    triggers: NotRequired[Triggers]
    name: str
    fingerprint: str
    is_write: bool
    confirm: bool
    hook_url: NotRequired[str]
    next_run_at: NotRequired[Union[str, None]]
    issues: NotRequired[List[FlowIssue]]


class KeyQuota(TypedDict):
    limit: int
    window_s: int


class Key(TypedDict):
    name: str
    tenant: str
    tools: List[str]
    quota: KeyQuota
    flags: List[Literal["approve", "skip_approval", "manage_tools", "manage_keys", "manage_endpoints", "manage_connections", "operator"]]
    subject: NotRequired[str]
    created_at: str
    expires_at: Union[str, None]
    rotated_at: Union[str, None]
    previous_ends_at: Union[str, None]


class KeyPageConfiguredItemQuota(TypedDict):
    limit: int
    window_s: int


class KeyPageConfiguredItem(TypedDict):
    name: str
    tools: List[str]
    quota: KeyPageConfiguredItemQuota
    flags: List[Literal["approve", "skip_approval", "manage_tools", "manage_keys", "manage_endpoints", "manage_connections", "operator"]]


class KeyPage(TypedDict):
    keys: List[Key]
    next_cursor: Union[str, None]
    configured: NotRequired[List[KeyPageConfiguredItem]]


class KeyRequestQuota(TypedDict):
    """At most as many a second as the asking key has; 120 a minute unless said"""
    limit: int
    window_s: int


class KeyRequest(TypedDict):
    name: str
    tenant: NotRequired[str]
    tools: NotRequired[List[str]]
    quota: NotRequired[KeyRequestQuota]
    flags: NotRequired[List[Literal["approve", "skip_approval", "manage_tools", "manage_keys", "manage_endpoints", "manage_connections", "operator"]]]
    subject: NotRequired[str]
    expires_at: NotRequired[str]
    hash: NotRequired[str]
    overlap_s: NotRequired[int]


class ListedConfirmationActionsItem(TypedDict):
    id: str
    tool: str
    gated: bool


class ListedConfirmationAsksItem(TypedDict):
    id: str
    tool: str
    args: NotRequired[str]
    account: NotRequired[str]


class ListedConfirmationDecidedBy(TypedDict):
    """The key that decided, or the name of the person in the link"""
    name: str
    via: Literal["key", "link"]
    made_by: NotRequired[str]


class ListedConfirmation(TypedDict):
    id: str
    status: Literal["pending", "running", "done", "rejected", "expired"]
    created_at: str
    expires_at: str
    requested_by: RequestedBy
    url: str
    actions: List[ListedConfirmationActionsItem]
    asks: List[ListedConfirmationAsksItem]
    decided_by: NotRequired[ListedConfirmationDecidedBy]
    decided_at: NotRequired[str]
    reason: NotRequired[str]
    edited: NotRequired[Literal[True]]


class ListedRunSummary(TypedDict):
    total: int
    ok: int
    error: int
    initiated: int
    skipped: int
    pending_confirmation: int
    unknown: int


class ListedRunError(TypedDict):
    """The first action that failed"""
    action: NotRequired[str]
    code: str


class ListedRun(TypedDict):
    run_id: str
    source: Literal["http", "turn", "agent", "mcp", "flow", "webhook", "cron", "approval", "background", "orchestration"]
    key: str
    flow: NotRequired[str]
    parent: NotRequired[str]
    job_id: NotRequired[str]
    request_id: str
    started_at: str
    duration_ms: float
    status: Literal["success", "partial", "error", "waiting", "running", "unknown"]
    in_doubt: NotRequired[Literal[True]]
    actions: int
    summary: ListedRunSummary
    tools: List[str]
    tags: NotRequired[List[str]]
    subject: NotRequired[str]
    connections: NotRequired[Dict[str, str]]
    error: NotRequired[ListedRunError]
    imported: NotRequired[Literal[True]]


class MadeKeyQuota(TypedDict):
    limit: int
    window_s: int


class MadeKey(TypedDict):
    name: str
    tenant: str
    tools: List[str]
    quota: MadeKeyQuota
    flags: List[Literal["approve", "skip_approval", "manage_tools", "manage_keys", "manage_endpoints", "manage_connections", "operator"]]
    subject: NotRequired[str]
    created_at: str
    expires_at: Union[str, None]
    rotated_at: Union[str, None]
    previous_ends_at: Union[str, None]
    key: NotRequired[str]


class McpCall(TypedDict):
    url: str
    tool: str
    fingerprint: str
    auth: NotRequired[CallAuth]


class ModelAnswerVolleyRoundsItem(TypedDict):
    results: List[Any]
    duration_ms: float
    model_ms: float


class ModelAnswerVolley(TypedDict):
    rounds: List[ModelAnswerVolleyRoundsItem]
    stopped: Literal["answer", "max_rounds", "confirmation", "client_tools", "deadline", "repetition"]


class ModelAnswer(TypedDict):
    """The provider's own answer, and what was run for it"""
    volley: ModelAnswerVolley


class NewLink(TypedDict):
    name: str
    expires_in_s: NotRequired[int]
    edit: NotRequired[bool]


class OrchestrationBatch(TypedDict):
    tools: List[OrchestrationCall]


class OrchestrationBatchAnswerResultResultsItem(TypedDict):
    toolId: str
    toolName: str
    success: bool
    output: NotRequired[Any]
    error: NotRequired[str]
    durationMs: float


class OrchestrationBatchAnswerResultStats(TypedDict):
    totalTools: int
    parallelBatches: int
    serialBatches: int
    maxParallelism: int
    totalDurationMs: float


class OrchestrationBatchAnswerResult(TypedDict):
    success: bool
    results: List[OrchestrationBatchAnswerResultResultsItem]
    stats: OrchestrationBatchAnswerResultStats


class OrchestrationBatchAnswerPartition(TypedDict):
    batches: int
    totalTools: int
    parallelBatches: int
    serialBatches: int
    maxParallelism: int
    estimatedSpeedup: str


class OrchestrationBatchAnswer(TypedDict):
    result: OrchestrationBatchAnswerResult
    partition: OrchestrationBatchAnswerPartition


class OrchestrationCall(TypedDict):
    id: NotRequired[str]
    toolName: NotRequired[str]
    input: NotRequired[Dict[str, Any]]


class OrchestrationPartition(TypedDict):
    tools: List[OrchestrationCall]


OrchestrationPartitionAnswerBatchesItemToolsItem = TypedDict("OrchestrationPartitionAnswerBatchesItemToolsItem", {
    "call": "Any",
    "class": "Literal['readonly', 'mutating']",
    "reason": "str",
})


class OrchestrationPartitionAnswerBatchesItem(TypedDict):
    parallel: bool
    tools: List[OrchestrationPartitionAnswerBatchesItemToolsItem]


class OrchestrationPartitionAnswerStats(TypedDict):
    totalTools: int
    parallelBatches: int
    serialBatches: int
    maxParallelism: int
    estimatedSpeedup: str


class OrchestrationPartitionAnswer(TypedDict):
    batches: List[OrchestrationPartitionAnswerBatchesItem]
    stats: OrchestrationPartitionAnswerStats


class OverviewTenantsItemToolsItem(TypedDict):
    tool: str
    calls: int
    error_rate: float
    p50_ms: Union[int, None]
    p95_ms: Union[int, None]


class OverviewTenantsItem(TypedDict):
    tenant: str
    runs: int
    actions: int
    error_rate: float
    p50_ms: Union[int, None]
    p95_ms: Union[int, None]
    throttled: int
    dead: Dict[str, int]
    waiting: int
    tools: List[OverviewTenantsItemToolsItem]


class Overview(TypedDict):
    tenants: List[OverviewTenantsItem]


class PortalLink(TypedDict):
    url: str
    expires_at: str


class PortalLinkRequest(TypedDict):
    customer: str
    expires_in_s: NotRequired[int]
    read_only: NotRequired[bool]


class PublishRequest(TypedDict):
    type: str
    data: Dict[str, Any]
    customer: NotRequired[str]
    id: NotRequired[str]
    dry_run: NotRequired[bool]


class PublishedEndpointsBItem(TypedDict):
    endpoint: str
    matched: bool
    because: NotRequired[str]


class Published(TypedDict):
    event_id: NotRequired[str]
    endpoints: Union[int, List[PublishedEndpointsBItem]]
    matched: NotRequired[int]


class PublishedEventDeliveries(TypedDict):
    """Of one event: how many have each status"""
    pending: int
    retrying: int
    delivered: int
    failed: int
    discarded: int


class PublishedEvent(TypedDict):
    event_id: str
    type: str
    customer: NotRequired[str]
    at: str
    run_id: NotRequired[str]
    data: Any
    deliveries: NotRequired[PublishedEventDeliveries]


class RecordedBatch(TypedDict):
    run_id: str
    job_id: str


class RedriveJobs(TypedDict):
    status: Literal["dead"]
    tool: NotRequired[str]
    since: NotRequired[str]


class RedriveTenant(TypedDict):
    tenant: str
    code: NotRequired[str]
    tool: NotRequired[str]


class RedrivenJobs(TypedDict):
    redriven: int
    not_redriven: int
    tools_gone: List[str]
    backlog_full: bool
    more: bool


class RedrivenTenant(TypedDict):
    redriven: int
    not_redriven: int
    tools_gone: List[str]
    backlog_full: bool
    more: bool


class RequestedBy(TypedDict):
    key: NotRequired[str]
    flow: NotRequired[str]
    trigger: NotRequired[Literal["webhook", "cron"]]
    run_id: NotRequired[str]


class Rerun(TypedDict):
    only: NotRequired[Literal["failed"]]


class RerunAnswerSummary(TypedDict):
    total: int
    ok: int
    error: int
    initiated: int
    skipped: int
    pending_confirmation: int
    unknown: int


class RerunAnswerStats(TypedDict):
    duration_ms: float
    critical_path_ms: float
    sequential_ms: float
    speedup: NotRequired[float]
    max_parallelism: int


class RerunAnswer(TypedDict):
    batch_id: str
    results: List[Result]
    summary: RerunAnswerSummary
    stats: RerunAnswerStats
    parent: str


class RerunRuns(TypedDict):
    source: NotRequired[Literal["http", "turn", "agent", "mcp", "flow", "webhook", "cron", "approval", "background", "orchestration"]]
    status: NotRequired[Literal["success", "partial", "error", "waiting", "running", "unknown"]]
    tool: NotRequired[str]
    flow: NotRequired[str]
    key: NotRequired[str]
    tag: NotRequired[str]
    subject: NotRequired[str]
    request_id: NotRequired[str]
    since: NotRequired[str]
    until: NotRequired[str]
    cursor: NotRequired[str]
    only: NotRequired[Literal["failed"]]


class ResealedConnections(TypedDict):
    sealed: int
    unreadable: int
    done: bool


class ResealedEndpoints(TypedDict):
    sealed: int
    unreadable: int
    done: bool


class ResponsesAnswerOutputItem(TypedDict):
    type: Literal["function_call_output", "custom_tool_call_output"]
    call_id: str
    output: str


class ResponsesAnswer(TypedDict):
    output: List[ResponsesAnswerOutputItem]


class RestoreRunsRunsItemAHeadJobsItem(TypedDict):
    job: str
    run: str
    request: str
    tool: str
    status: Literal["running", "retrying", "succeeded", "failed", "dead", "cancelled", "unknown"]
    at: float
    code: NotRequired[str]
    inDoubt: NotRequired[Literal[True]]


class RestoreRunsRunsItemAHeadToolsItemFailed(TypedDict):
    at: int
    action: str
    code: str


class RestoreRunsRunsItemAHeadToolsItemWaitsItem(TypedDict):
    question: str
    until: float
    actions: int


class RestoreRunsRunsItemAHeadToolsItem(TypedDict):
    tool: str
    ends: List[int]
    jobs: NotRequired[int]
    failed: NotRequired[RestoreRunsRunsItemAHeadToolsItemFailed]
    waits: NotRequired[List[RestoreRunsRunsItemAHeadToolsItemWaitsItem]]


class RestoreRunsRunsItemAHead(TypedDict):
    id: str
    source: Literal["http", "turn", "agent", "mcp", "flow", "webhook", "cron", "approval", "background", "orchestration"]
    key: str
    request: str
    startedAt: float
    durationMs: float
    flow: NotRequired[str]
    parent: NotRequired[str]
    job: NotRequired[str]
    answers: NotRequired[str]
    tags: NotRequired[List[str]]
    subject: NotRequired[str]
    connections: NotRequired[Dict[str, str]]
    code: NotRequired[str]
    jobs: NotRequired[List[RestoreRunsRunsItemAHeadJobsItem]]
    tools: List[RestoreRunsRunsItemAHeadToolsItem]


RestoreRunsRunsItemABodyPlanEdgesItem = TypedDict("RestoreRunsRunsItemABodyPlanEdgesItem", {
    "from": "str",
    "to": "str",
    "reason": "str",
})


class RestoreRunsRunsItemABodyPlan(TypedDict):
    edges: List[RestoreRunsRunsItemABodyPlanEdgesItem]


class RestoreRunsRunsItemABodyActionsItem(TypedDict):
    id: str
    tool: str
    status: Literal["success", "error", "initiated", "skipped", "pending_confirmation", "unknown"]


class RestoreRunsRunsItemABody(TypedDict):
    plan: RestoreRunsRunsItemABodyPlan
    actions: List[RestoreRunsRunsItemABodyActionsItem]


class RestoreRunsRunsItemA(TypedDict):
    at: int
    head: RestoreRunsRunsItemAHead
    body: RestoreRunsRunsItemABody


class RestoreRunsRunsItemB(TypedDict):
    at: int
    rerun: str
    root: str
    writes: List[str]


class RestoreRuns(TypedDict):
    runs: List[Union[RestoreRunsRunsItemA, RestoreRunsRunsItemB]]


class ResultA(TypedDict):
    index: int
    id: str
    tool: Union[str, None]
    status: Literal["success"]
    data: Any
    meta: ResultMeta


class ResultB(TypedDict):
    index: int
    id: str
    tool: Union[str, None]
    status: Literal["error"]
    data: NotRequired[Any]
    error: Failure
    meta: ResultMeta


class ResultC(TypedDict):
    index: int
    id: str
    tool: Union[str, None]
    status: Literal["initiated"]
    job_id: str
    meta: ResultMeta


class ResultDConfirmation(TypedDict):
    id: str
    expires_at: str
    message: str
    url: str
    connect_url: NotRequired[str]


class ResultD(TypedDict):
    index: int
    id: str
    tool: Union[str, None]
    status: Literal["pending_confirmation"]
    connect_url: NotRequired[str]
    confirmation: ResultDConfirmation
    meta: ResultMeta


class ResultE(TypedDict):
    index: int
    id: str
    tool: Union[str, None]
    status: Literal["skipped"]
    because: str
    error: Failure
    meta: ResultMeta


class ResultF(TypedDict):
    index: int
    id: str
    tool: Union[str, None]
    status: Literal["unknown"]
    data: NotRequired[Any]
    error: Failure
    meta: ResultMeta


class ResultMetaTriesItem(TypedDict):
    started_ms: float
    duration_ms: float
    code: NotRequired[str]


class ResultMetaItems(TypedDict):
    total: int
    ok: int
    error: int


class ResultMetaTruncated(TypedDict):
    tokens_before: int
    tokens_after: int
    elements_dropped: int
    fields_dropped: int
    characters_dropped: int
    at: List[str]


class ResultMetaVerification(TypedDict):
    """Whether a lost write took effect, as of the moment when its tool's read looked"""
    tool: NotRequired[str]
    verdict: Literal["took_effect", "not_found", "inconclusive"]
    duration_ms: float


class ResultMetaReadAs(TypedDict):
    """From where a field was read that did not stand under its own name"""
    tool: NotRequired[str]
    args: NotRequired[str]


class ResultMeta(TypedDict):
    started_ms: NotRequired[float]
    duration_ms: NotRequired[float]
    queued_ms: NotRequired[float]
    attempts: NotRequired[int]
    tries: NotRequired[List[ResultMetaTriesItem]]
    bytes: NotRequired[int]
    items: NotRequired[ResultMetaItems]
    deduplicated_of: NotRequired[str]
    cached: NotRequired[Literal[True]]
    age_ms: NotRequired[float]
    select_missing: NotRequired[List[str]]
    truncated: NotRequired[ResultMetaTruncated]
    demoted: NotRequired[Literal[True]]
    verification: NotRequired[ResultMetaVerification]
    in_doubt: NotRequired[Literal[True]]
    idempotency_replayed: NotRequired[Literal[True]]
    limiter: NotRequired[Literal["degraded"]]
    read_as: NotRequired[ResultMetaReadAs]
    warnings: NotRequired[List[str]]
    handle: NotRequired[str]


class ResultPageResultsItemB(TypedDict):
    index: int
    id: str
    tool: Union[str, None]
    status: Literal["running"]
    data: List[Any]
    meta: Dict[str, Any]


class ResultPage(TypedDict):
    results: List[Union[Result, ResultPageResultsItemB]]
    next_cursor: Union[str, None]


class RunSummary(TypedDict):
    total: int
    ok: int
    error: int
    initiated: int
    skipped: int
    pending_confirmation: int
    unknown: int


class RunError(TypedDict):
    """The first action that failed"""
    action: NotRequired[str]
    code: str


RunPlanEdgesItem = TypedDict("RunPlanEdgesItem", {
    "from": "str",
    "to": "str",
    "reason": "str",
})


class RunPlan(TypedDict):
    edges: List[RunPlanEdgesItem]


class RunModelItem(TypedDict):
    round: int
    started_ms: float
    model_ms: float
    usage: NotRequired[Dict[str, Any]]


class Run(TypedDict):
    run_id: str
    source: Literal["http", "turn", "agent", "mcp", "flow", "webhook", "cron", "approval", "background", "orchestration"]
    key: str
    flow: NotRequired[str]
    parent: NotRequired[str]
    job_id: NotRequired[str]
    request_id: str
    started_at: str
    duration_ms: float
    status: Literal["success", "partial", "error", "waiting", "running", "unknown"]
    in_doubt: NotRequired[Literal[True]]
    actions: List[RunAction]
    summary: RunSummary
    tools: List[str]
    tags: NotRequired[List[str]]
    subject: NotRequired[str]
    connections: NotRequired[Dict[str, str]]
    error: NotRequired[RunError]
    imported: NotRequired[Literal[True]]
    plan: RunPlan
    model: NotRequired[List[RunModelItem]]
    children: List[ListedRun]
    deliveries: NotRequired[str]


class RunActionError(TypedDict):
    code: str


class RunActionConfirmation(TypedDict):
    id: str


class RunActionTriesItem(TypedDict):
    started_ms: float
    duration_ms: float
    code: NotRequired[str]


class RunAction(TypedDict):
    id: str
    tool: str
    status: Literal["success", "error", "initiated", "skipped", "pending_confirmation", "unknown"]
    in_doubt: NotRequired[Literal[True]]
    args: NotRequired[Any]
    data: NotRequired[Any]
    error: NotRequired[RunActionError]
    job_id: NotRequired[str]
    confirmation: NotRequired[RunActionConfirmation]
    started_ms: NotRequired[float]
    queued_ms: NotRequired[float]
    duration_ms: NotRequired[float]
    attempts: NotRequired[int]
    tries: NotRequired[List[RunActionTriesItem]]
    round: NotRequired[int]
    private: NotRequired[Literal[True]]
    cut: NotRequired[List[str]]
    redacted: NotRequired[List[str]]


class RunPage(TypedDict):
    runs: List[ListedRun]
    next_cursor: Union[str, None]


ShownFlowPlanEdgesItem = TypedDict("ShownFlowPlanEdgesItem", {
    "from": "str",
    "to": "str",
    "reason": "str",
})


class ShownFlowPlan(TypedDict):
    waves: List[List[str]]
    edges: List[ShownFlowPlanEdgesItem]
    caps: Dict[str, float]
    confirmations: List[str]
    estimated_tokens: float
    estimated_speedup: float


class ShownFlow(TypedDict):
    summary: str
    description: NotRequired[str]
    input_schema: Dict[str, Any]
    actions: List[Any]
    on_error: NotRequired[Literal["partial-success", "fail-fast"]]
    answer: NotRequired[Any]
    deadline_ms: NotRequired[int]
    triggers: NotRequired[Triggers]
    name: str
    fingerprint: str
    is_write: bool
    confirm: bool
    hook_url: NotRequired[str]
    next_run_at: NotRequired[Union[str, None]]
    issues: NotRequired[List[FlowIssue]]
    plan: NotRequired[ShownFlowPlan]
    broken: NotRequired[str]


class SignIn(TypedDict):
    sign_in_id: str
    client_name: str
    client_id: str
    key: str
    tools: List[str]
    subject: NotRequired[str]
    created_at: str


class SignInPage(TypedDict):
    sign_ins: List[SignIn]
    next_cursor: Union[str, None]


class StartedConnection(TypedDict):
    connection_id: str
    connect_url: NotRequired[str]
    expires_at: NotRequired[str]
    state: NotRequired[Literal["active"]]


class ToolDeclaration(TypedDict):
    summary: str
    description: str
    category: str
    actions: List[str]
    is_write: bool
    execution: NotRequired[Literal["sync", "fire-and-forget"]]
    timeout_ms: NotRequired[int]
    idempotent: NotRequired[Union[bool, Literal["with-key"]]]
    delivery: NotRequired[Literal["at-least-once", "at-most-once"]]
    private: NotRequired[bool]
    upstream_errors: NotRequired[bool]
    orchestration: NotRequired[Contract]
    input_schema: Dict[str, Any]
    http: NotRequired[HttpCall]
    mcp: NotRequired[McpCall]


ToolDescription = TypedDict("ToolDescription", {
    "name": "str",
    "description": "str",
    "parameters": "Dict[str, Any]",
    "required": "List[str]",
    "is_write": "bool",
    "input_schema": "Dict[str, Any]",
    "x-orchestration": "Contract",
})


class ToolImportAuthAAsC(TypedDict):
    header: str


class ToolImportAuthAAsD(TypedDict):
    query: str


ToolImportAuthA = TypedDict("ToolImportAuthA", {
    "secret": "str",
    "as": "NotRequired[Union[Literal['bearer'], Literal['basic'], ToolImportAuthAAsC, ToolImportAuthAAsD]]",
})


class ToolImportAuthB(TypedDict):
    connection: Union[str, Dict[str, List[str]]]


class ToolImportAuthCSchemesValueAAsC(TypedDict):
    header: str


class ToolImportAuthCSchemesValueAAsD(TypedDict):
    query: str


ToolImportAuthCSchemesValueA = TypedDict("ToolImportAuthCSchemesValueA", {
    "secret": "str",
    "as": "NotRequired[Union[Literal['bearer'], Literal['basic'], ToolImportAuthCSchemesValueAAsC, ToolImportAuthCSchemesValueAAsD]]",
})


class ToolImportAuthCSchemesValueB(TypedDict):
    connection: Union[str, Dict[str, List[str]]]


class ToolImportAuthC(TypedDict):
    schemes: Dict[str, Union[ToolImportAuthCSchemesValueA, ToolImportAuthCSchemesValueB]]


class ToolImportOverridesValue(TypedDict):
    name: NotRequired[str]
    summary: NotRequired[str]
    description: NotRequired[str]
    category: NotRequired[str]
    actions: NotRequired[List[str]]
    is_write: NotRequired[bool]
    timeout_ms: NotRequired[int]
    idempotent: NotRequired[Union[bool, Literal["with-key"]]]
    confirm: NotRequired[Literal["always", "never"]]
    orchestration: NotRequired[Contract]
    result: NotRequired[str]


class ToolImportMcp(TypedDict):
    """An MCP server (Streamable HTTP)"""
    url: str
    auth: NotRequired[CallAuth]


class ToolImport(TypedDict):
    prefix: str
    include: NotRequired[List[str]]
    auth: NotRequired[Union[ToolImportAuthA, ToolImportAuthB, ToolImportAuthC]]
    base_url: NotRequired[str]
    overrides: NotRequired[Dict[str, ToolImportOverridesValue]]
    openapi: NotRequired[Union[str, Dict[str, Any]]]
    mcp: NotRequired[ToolImportMcp]
    dry_run: NotRequired[bool]


class ToolList(TypedDict):
    tools: List[Dict[str, Any]]
    left_out: NotRequired[int]


class ToolName(TypedDict):
    tool_name: str


class Triggers(TypedDict):
    webhook: NotRequired[WebhookTrigger]
    cron: NotRequired[str]
    timezone: NotRequired[str]
    paused: NotRequired[bool]


class UsageQuotaRequests(TypedDict):
    limit: int
    window_s: float
    remaining: int
    reset_ms: int


class UsageQuotaLists(TypedDict):
    """For requests that run nothing, as this one"""
    limit: int
    window_s: float
    remaining: int
    reset_ms: int


class UsageQuota(TypedDict):
    requests: UsageQuotaRequests
    lists: UsageQuotaLists


class UsageJobs(TypedDict):
    """Those that are kept, of tools that the key may call, by status"""
    running: int
    retrying: int
    succeeded: int
    failed: int
    dead: int
    cancelled: int
    unknown: int


class UsageBacklog(TypedDict):
    """The live background work of the whole tenant"""
    jobs: int
    webhooks: int
    runs: int


class UsageConfirmations(TypedDict):
    waiting: int
    oldest_at: Union[str, None]


class UsageBreakersOpenItem(TypedDict):
    tool: str
    origin: str
    since: str
    until: str


class UsageBreakers(TypedDict):
    seen_by: Literal["isolate"]
    open: List[UsageBreakersOpenItem]


class UsageAdded(TypedDict):
    """Tools and flows that the tenant has added, and how many and large they may be together"""
    tools: int
    flows: int
    limit: int
    bytes: int
    bytes_limit: int


class Usage(TypedDict):
    key: str
    tenant: str
    environment: NotRequired[str]
    flags: List[Literal["approve", "skip_approval", "manage_tools", "manage_keys", "manage_endpoints", "manage_connections", "operator"]]
    features: List[str]
    quota: UsageQuota
    jobs: UsageJobs
    backlog: UsageBacklog
    confirmations: UsageConfirmations
    breakers: UsageBreakers
    added: UsageAdded


class WebhookTriggerA(TypedDict):
    verify: Literal["standard-webhooks", "github", "stripe", "slack", "gitlab", "shopify", "twilio"]
    secret: str
    events: NotRequired[List[str]]
    max_body_kib: NotRequired[int]
    subject: NotRequired[str]
    tolerance_s: NotRequired[int]
    answer: NotRequired[Literal[200, 202, 204]]


class WebhookTriggerBParts(TypedDict):
    """The header is a list of name=value"""
    separator: str
    timestamp: NotRequired[str]
    signature: str


class WebhookTriggerBTimestamp(TypedDict):
    """Where the sender's time stands: in a header, a part of one or the body; no time is looked at without it"""
    header: NotRequired[str]
    part: NotRequired[str]
    pointer: NotRequired[str]
    unit: NotRequired[Literal["s", "ms", "rfc3339"]]


class WebhookTriggerBIdB(TypedDict):
    header: str


class WebhookTriggerBIdC(TypedDict):
    pointer: str


class WebhookTriggerBEventB(TypedDict):
    header: str


class WebhookTriggerBEventC(TypedDict):
    pointer: str


class WebhookTriggerB(TypedDict):
    verify: Literal["hmac", "hmac-sha256"]
    secret: str
    events: NotRequired[List[str]]
    max_body_kib: NotRequired[int]
    subject: NotRequired[str]
    tolerance_s: NotRequired[int]
    answer: NotRequired[Literal[200, 202, 204]]
    header: Union[str, List[str]]
    encoding: NotRequired[Literal["hex", "base64", "base64url"]]
    prefix: NotRequired[str]
    key: NotRequired[Literal["text", "hex", "base64"]]
    payload: NotRequired[str]
    parts: NotRequired[WebhookTriggerBParts]
    timestamp: NotRequired[WebhookTriggerBTimestamp]
    id: NotRequired[Union[str, WebhookTriggerBIdB, WebhookTriggerBIdC]]
    event: NotRequired[Union[str, WebhookTriggerBEventB, WebhookTriggerBEventC]]
    algorithm: NotRequired[Literal["sha256", "sha1", "sha512"]]
    id_header: NotRequired[str]


class WebhookTriggerCParts(TypedDict):
    """The header is a list of name=value"""
    separator: str
    timestamp: NotRequired[str]
    signature: str


class WebhookTriggerCTimestamp(TypedDict):
    """Where the sender's time stands: in a header, a part of one or the body; no time is looked at without it"""
    header: NotRequired[str]
    part: NotRequired[str]
    pointer: NotRequired[str]
    unit: NotRequired[Literal["s", "ms", "rfc3339"]]


class WebhookTriggerCIdB(TypedDict):
    header: str


class WebhookTriggerCIdC(TypedDict):
    pointer: str


class WebhookTriggerCEventB(TypedDict):
    header: str


class WebhookTriggerCEventC(TypedDict):
    pointer: str


class WebhookTriggerC(TypedDict):
    verify: Literal["ed25519"]
    secret: str
    events: NotRequired[List[str]]
    max_body_kib: NotRequired[int]
    subject: NotRequired[str]
    tolerance_s: NotRequired[int]
    answer: NotRequired[Literal[200, 202, 204]]
    header: Union[str, List[str]]
    encoding: NotRequired[Literal["hex", "base64", "base64url"]]
    prefix: NotRequired[str]
    key: NotRequired[Literal["text", "hex", "base64"]]
    payload: NotRequired[str]
    parts: NotRequired[WebhookTriggerCParts]
    timestamp: NotRequired[WebhookTriggerCTimestamp]
    id: NotRequired[Union[str, WebhookTriggerCIdB, WebhookTriggerCIdC]]
    event: NotRequired[Union[str, WebhookTriggerCEventB, WebhookTriggerCEventC]]


class WebhookTriggerDTimestamp(TypedDict):
    """Where the sender's time stands: in a header, a part of one or the body; no time is looked at without it"""
    header: NotRequired[str]
    part: NotRequired[str]
    pointer: NotRequired[str]
    unit: NotRequired[Literal["s", "ms", "rfc3339"]]


class WebhookTriggerDIdB(TypedDict):
    header: str


class WebhookTriggerDIdC(TypedDict):
    pointer: str


class WebhookTriggerDEventB(TypedDict):
    header: str


class WebhookTriggerDEventC(TypedDict):
    pointer: str


class WebhookTriggerD(TypedDict):
    verify: Literal["token"]
    secret: str
    events: NotRequired[List[str]]
    max_body_kib: NotRequired[int]
    subject: NotRequired[str]
    tolerance_s: NotRequired[int]
    answer: NotRequired[Literal[200, 202, 204]]
    timestamp: NotRequired[WebhookTriggerDTimestamp]
    id: NotRequired[Union[str, WebhookTriggerDIdB, WebhookTriggerDIdC]]
    event: NotRequired[Union[str, WebhookTriggerDEventB, WebhookTriggerDEventC]]
    header: NotRequired[str]
    query: NotRequired[str]
    pointer: NotRequired[str]
    basic: NotRequired[Literal[True]]


class WholeEndpointRateLimit(TypedDict):
    limit: int
    window_s: int


class WholeEndpointLast24h(TypedDict):
    delivered: int
    failed: int
    pending: int
    p95_ms: Union[float, None]


class WholeEndpoint(TypedDict):
    url: str
    customer: NotRequired[str]
    events: List[str]
    filter: NotRequired[Condition]
    description: NotRequired[str]
    headers: NotRequired[Dict[str, str]]
    rate_limit: NotRequired[WholeEndpointRateLimit]
    via: NotRequired[str]
    ordered: bool
    paused: bool
    id: str
    state: Literal["active", "paused", "disabled"]
    failing_since: NotRequired[str]
    disabled_because: NotRequired[Literal["gone", "asked", "failing"]]
    created_at: str
    updated_at: str
    secret: NotRequired[str]
    last_24h: NotRequired[WholeEndpointLast24h]


Condition: TypeAlias = "Dict[str, ConditionValue]"
CountedConversation: TypeAlias = "Dict[str, Any]"
Execution: TypeAlias = "Union[Envelope, DryRun]"
OpenApiDocument: TypeAlias = "Dict[str, Any]"
Result: TypeAlias = "Union[ResultA, ResultB, ResultC, ResultD, ResultE, ResultF]"
Turn: TypeAlias = "Union[Dict[str, Any], List[Dict[str, Any]]]"
WebhookTrigger: TypeAlias = "Union[WebhookTriggerA, WebhookTriggerB, WebhookTriggerC, WebhookTriggerD]"


class AboutPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def document(self) -> OpenApiDocument:
        """This document: `GET /openapi.json`"""
        return self._transport.send("GET", "/openapi.json")  # type: ignore[no-any-return]

    def health(self) -> AboutHealthAnswer:
        """Say whether the configuration can be read: `GET /healthz`"""
        return self._transport.send("GET", "/healthz")  # type: ignore[no-any-return]


class AgentPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def chat_completions(self, body: AgentChatCompletionsBody, *, idempotency_key: Optional[str] = None) -> ModelAnswer:
        """Ask a model, as OpenAI's Chat Completions, and run the tools that it calls: `POST /v1/chat/completions`"""
        return self._transport.send("POST", "/v1/chat/completions", body=body, idempotency_key=idempotency_key)  # type: ignore[no-any-return]

    def count_tokens(self, body: CountedConversation) -> AgentCountTokensAnswer:
        """Count the tokens of a conversation, as Anthropic does; Volley's tools are not in it: `POST /v1/messages/count_tokens`"""
        return self._transport.send("POST", "/v1/messages/count_tokens", body=body)  # type: ignore[no-any-return]

    def messages(self, body: AgentMessagesBody, *, idempotency_key: Optional[str] = None) -> ModelAnswer:
        """Ask a model, as Anthropic's Messages, and run the tools that it calls: `POST /v1/messages`"""
        return self._transport.send("POST", "/v1/messages", body=body, idempotency_key=idempotency_key)  # type: ignore[no-any-return]

    def responses(self, body: AgentResponsesBody, *, idempotency_key: Optional[str] = None) -> ModelAnswer:
        """Ask a model, as OpenAI's Responses, and run the tools that it calls: `POST /v1/responses`"""
        return self._transport.send("POST", "/v1/responses", body=body, idempotency_key=idempotency_key)  # type: ignore[no-any-return]


class BatchesPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def execute(self, body: Batch, *, idempotency_key: Optional[str] = None) -> Union[Execution, RecordedBatch]:
        """Run a batch of actions and answer each of them: `POST /v1/execute_actions`"""
        return self._transport.send("POST", "/v1/execute_actions", body=body, idempotency_key=idempotency_key)  # type: ignore[no-any-return]


class ConfirmationsPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def decide(self, id: str, body: Decision, *, idempotency_key: Optional[str] = None) -> Envelope:
        """Say a person's yes, which runs what was parked, or no: `POST /v1/confirmations/{id}`"""
        return self._transport.send("POST", f"/v1/confirmations/{quote(id, safe='')}", body=body, idempotency_key=idempotency_key)  # type: ignore[no-any-return]

    def get(self, id: str, *, wait_s: Optional[int] = None) -> Confirmation:
        """Show what a person's yes would run: `GET /v1/confirmations/{id}`"""
        return self._transport.send("GET", f"/v1/confirmations/{quote(id, safe='')}", query={"wait_s": wait_s})  # type: ignore[no-any-return]

    def link(self, id: str, body: NewLink) -> ApprovalLink:
        """Make a link by which a person without a key decides, once and under a name: `POST /v1/confirmations/{id}/link`"""
        return self._transport.send("POST", f"/v1/confirmations/{quote(id, safe='')}/link", body=body)  # type: ignore[no-any-return]

    def links(self, id: str) -> None:
        """End all links of a question, that of its event among them: `DELETE /v1/confirmations/{id}/links`"""
        self._transport.send("DELETE", f"/v1/confirmations/{quote(id, safe='')}/links")

    def list(self, *, status: Optional[Literal["waiting", "pending", "running", "done", "rejected", "expired"]] = None, limit: Optional[int] = None, cursor: Optional[str] = None) -> ConfirmationPage:
        """List what waits, or waited, for a person's yes, newest first: `GET /v1/confirmations`"""
        return self._transport.send("GET", "/v1/confirmations", query={"status": status, "limit": limit, "cursor": cursor})  # type: ignore[no-any-return]


class ConnectionsPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def confirm(self, id: str, body: ConnectionConfirmation) -> Connection:
        """Say who came back from the provider: the right subject makes the connection active, another one ends it: `POST /v1/connections/{id}/confirm`"""
        return self._transport.send("POST", f"/v1/connections/{quote(id, safe='')}/confirm", body=body)  # type: ignore[no-any-return]

    def create(self, body: ConnectionWish) -> StartedConnection:
        """Connect an account of a subject: make the link that the person opens, or keep the subject's key: `POST /v1/connections`"""
        return self._transport.send("POST", "/v1/connections", body=body)  # type: ignore[no-any-return]

    def delete(self, id: str) -> None:
        """End a connection: its tokens are forgotten, and taken back at the provider where it can be: `DELETE /v1/connections/{id}`"""
        self._transport.send("DELETE", f"/v1/connections/{quote(id, safe='')}")

    def get(self, id: str, *, wait_s: Optional[int] = None) -> Connection:
        """Show a connection: `GET /v1/connections/{id}`"""
        return self._transport.send("GET", f"/v1/connections/{quote(id, safe='')}", query={"wait_s": wait_s})  # type: ignore[no-any-return]

    def list(self, *, subject: Optional[str] = None, connector: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None) -> ConnectionPage:
        """List connections, the newest first: `GET /v1/connections`"""
        return self._transport.send("GET", "/v1/connections", query={"subject": subject, "connector": connector, "limit": limit, "cursor": cursor})  # type: ignore[no-any-return]

    def reseal(self) -> ResealedConnections:
        """Seal the tokens of all connections under the vault's first key: `POST /v1/connections/reseal`"""
        return self._transport.send("POST", "/v1/connections/reseal")  # type: ignore[no-any-return]


class DeliveriesPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, id: str) -> Delivery:
        """Show a delivery with its attempts: `GET /v1/deliveries/{id}`"""
        return self._transport.send("GET", f"/v1/deliveries/{quote(id, safe='')}")  # type: ignore[no-any-return]

    def list(self, *, endpoint: Optional[str] = None, event: Optional[str] = None, run: Optional[str] = None, status: Optional[Literal["pending", "retrying", "delivered", "failed", "discarded"]] = None, limit: Optional[int] = None, cursor: Optional[str] = None) -> DeliveryPage:
        """List deliveries, the latest event first: `GET /v1/deliveries`"""
        return self._transport.send("GET", "/v1/deliveries", query={"endpoint": endpoint, "event": event, "run": run, "status": status, "limit": limit, "cursor": cursor})  # type: ignore[no-any-return]

    def resend(self, id: str) -> DeliveriesResendAnswer:
        """Deliver an event to its endpoint once more, to its present address: `POST /v1/deliveries/{id}/resend`"""
        return self._transport.send("POST", f"/v1/deliveries/{quote(id, safe='')}/resend")  # type: ignore[no-any-return]


class EndpointsPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def delete(self, id: str) -> None:
        """Delete an endpoint; what waits for it is discarded: `DELETE /v1/endpoints/{id}`"""
        self._transport.send("DELETE", f"/v1/endpoints/{quote(id, safe='')}")

    def get(self, id: str) -> WholeEndpoint:
        """Show an endpoint, and how its last day went: `GET /v1/endpoints/{id}`"""
        return self._transport.send("GET", f"/v1/endpoints/{quote(id, safe='')}")  # type: ignore[no-any-return]

    def list(self, *, customer: Optional[str] = None, state: Optional[Literal["active", "paused", "disabled"]] = None, limit: Optional[int] = None, cursor: Optional[str] = None) -> EndpointPage:
        """List endpoints, the newest first: `GET /v1/endpoints`"""
        return self._transport.send("GET", "/v1/endpoints", query={"customer": customer, "state": state, "limit": limit, "cursor": cursor})  # type: ignore[no-any-return]

    def put(self, id: str, body: EndpointRequest) -> WholeEndpoint:
        """Keep an endpoint under an id, or replace the one that has it: `PUT /v1/endpoints/{id}`"""
        return self._transport.send("PUT", f"/v1/endpoints/{quote(id, safe='')}", body=body)  # type: ignore[no-any-return]

    def recover(self, id: str, body: EndpointsRecoverBody) -> EndpointsRecoverAnswer:
        """Deliver again what failed in a time: `POST /v1/endpoints/{id}/recover`"""
        return self._transport.send("POST", f"/v1/endpoints/{quote(id, safe='')}/recover", body=body)  # type: ignore[no-any-return]

    def reseal(self) -> ResealedEndpoints:
        """Seal the secrets of all endpoints under the vault's first key: `POST /v1/endpoints/reseal`"""
        return self._transport.send("POST", "/v1/endpoints/reseal")  # type: ignore[no-any-return]

    def rotate(self, id: str, body: EndpointsRotateBody) -> WholeEndpoint:
        """Give an endpoint another secret; both sign for a while: `POST /v1/endpoints/{id}/rotate`"""
        return self._transport.send("POST", f"/v1/endpoints/{quote(id, safe='')}/rotate", body=body)  # type: ignore[no-any-return]

    def test(self, id: str, body: EndpointsTestBody) -> EndpointsTestAnswer:
        """Send an example to one endpoint: `POST /v1/endpoints/{id}/test`"""
        return self._transport.send("POST", f"/v1/endpoints/{quote(id, safe='')}/test", body=body)  # type: ignore[no-any-return]

    def update(self, id: str, body: EndpointChange) -> WholeEndpoint:
        """Change fields of an endpoint; `paused: false` makes a disabled one active: `PATCH /v1/endpoints/{id}`"""
        return self._transport.send("PATCH", f"/v1/endpoints/{quote(id, safe='')}", body=body)  # type: ignore[no-any-return]


class EventTypesPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def delete(self, id: str) -> None:
        """Forget a type's description; events of it stay free: `DELETE /v1/event_types/{id}`"""
        self._transport.send("DELETE", f"/v1/event_types/{quote(id, safe='')}")

    def get(self, id: str) -> EventType:
        """Show a described type: `GET /v1/event_types/{id}`"""
        return self._transport.send("GET", f"/v1/event_types/{quote(id, safe='')}")  # type: ignore[no-any-return]

    def list(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> EventTypePage:
        """List the described types of events: `GET /v1/event_types`"""
        return self._transport.send("GET", "/v1/event_types", query={"limit": limit, "cursor": cursor})  # type: ignore[no-any-return]

    def put(self, id: str, body: EventTypeRequest) -> EventType:
        """Describe a type of events; what is published under it must fit its schema: `PUT /v1/event_types/{id}`"""
        return self._transport.send("PUT", f"/v1/event_types/{quote(id, safe='')}", body=body)  # type: ignore[no-any-return]


class EventsPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, id: str) -> PublishedEvent:
        """Show an event, and how many of its deliveries have each status: `GET /v1/events/{id}`"""
        return self._transport.send("GET", f"/v1/events/{quote(id, safe='')}")  # type: ignore[no-any-return]

    def list(self, *, type: Optional[str] = None, customer: Optional[str] = None, since: Optional[str] = None, until: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None) -> EventsListAnswer:
        """List published events, the latest first: `GET /v1/events`"""
        return self._transport.send("GET", "/v1/events", query={"type": type, "customer": customer, "since": since, "until": until, "limit": limit, "cursor": cursor})  # type: ignore[no-any-return]

    def publish(self, body: PublishRequest, *, idempotency_key: Optional[str] = None) -> Published:
        """Publish an event to the endpoints that ask for it: `POST /v1/events`"""
        return self._transport.send("POST", "/v1/events", body=body, idempotency_key=idempotency_key)  # type: ignore[no-any-return]


class FlowsPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def delete(self, id: str) -> None:
        """Delete a flow: `DELETE /v1/flows/{id}`"""
        self._transport.send("DELETE", f"/v1/flows/{quote(id, safe='')}")

    def get(self, id: str) -> ShownFlow:
        """Show a flow, with its plan: `GET /v1/flows/{id}`"""
        return self._transport.send("GET", f"/v1/flows/{quote(id, safe='')}")  # type: ignore[no-any-return]

    def list(self) -> FlowList:
        """List the flows that the key may call: `GET /v1/flows`"""
        return self._transport.send("GET", "/v1/flows")  # type: ignore[no-any-return]

    def put(self, id: str, body: Flow) -> KeptFlow:
        """Keep a batch under a name, as a tool of the tenant's own, or replace one: `PUT /v1/flows/{id}`"""
        return self._transport.send("PUT", f"/v1/flows/{quote(id, safe='')}", body=body)  # type: ignore[no-any-return]

    def run(self, id: str, body: FlowsRunBody, *, idempotency_key: Optional[str] = None) -> FlowAnswer:
        """Run a flow with an input: `POST /v1/flows/{id}/run`"""
        return self._transport.send("POST", f"/v1/flows/{quote(id, safe='')}/run", body=body, idempotency_key=idempotency_key)  # type: ignore[no-any-return]


class JobsPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def cancel(self, id: str) -> Job:
        """Cancel a job that is not over: `POST /v1/jobs/{id}/cancel`"""
        return self._transport.send("POST", f"/v1/jobs/{quote(id, safe='')}/cancel")  # type: ignore[no-any-return]

    def get(self, id: str, *, wait_s: Optional[int] = None) -> Job:
        """Show what became of background work: `GET /v1/jobs/{id}`"""
        return self._transport.send("GET", f"/v1/jobs/{quote(id, safe='')}", query={"wait_s": wait_s})  # type: ignore[no-any-return]

    def list(self, *, status: Optional[Literal["running", "retrying", "succeeded", "failed", "dead", "cancelled", "unknown"]] = None, tool: Optional[str] = None, batch_id: Optional[str] = None, since: Optional[str] = None, until: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None) -> JobPage:
        """List background jobs, newest first: `GET /v1/jobs`"""
        return self._transport.send("GET", "/v1/jobs", query={"status": status, "tool": tool, "batch_id": batch_id, "since": since, "until": until, "limit": limit, "cursor": cursor})  # type: ignore[no-any-return]

    def redrive(self, id: str) -> Job:
        """Give a dead job new attempts: `POST /v1/jobs/{id}/redrive`"""
        return self._transport.send("POST", f"/v1/jobs/{quote(id, safe='')}/redrive")  # type: ignore[no-any-return]

    def redrive_many(self, body: RedriveJobs) -> RedrivenJobs:
        """Give dead jobs new attempts: `POST /v1/jobs/redrive`"""
        return self._transport.send("POST", "/v1/jobs/redrive", body=body)  # type: ignore[no-any-return]

    def results(self, id: str, *, cursor: Optional[str] = None) -> ResultPage:
        """The results of a batch in the background, in pages: `GET /v1/jobs/{id}/results`"""
        return self._transport.send("GET", f"/v1/jobs/{quote(id, safe='')}/results", query={"cursor": cursor})  # type: ignore[no-any-return]


class KeysPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: KeyRequest) -> MadeKey:
        """Make a key, or with `overlap_s` another one of a name that has one: `POST /v1/keys`"""
        return self._transport.send("POST", "/v1/keys", body=body)  # type: ignore[no-any-return]

    def delete(self, id: str) -> None:
        """Revoke every key of a name: `DELETE /v1/keys/{id}`"""
        self._transport.send("DELETE", f"/v1/keys/{quote(id, safe='')}")

    def list(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> KeyPage:
        """List the tenant's keys, newest first: `GET /v1/keys`"""
        return self._transport.send("GET", "/v1/keys", query={"limit": limit, "cursor": cursor})  # type: ignore[no-any-return]


class ModelsPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self) -> ModelsListAnswer:
        """List the models that may be asked for, as their server does: `GET /v1/models`"""
        return self._transport.send("GET", "/v1/models")  # type: ignore[no-any-return]


class ObjectsPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, id: str) -> bytes:
        """Read a file that a tool has made: `GET /v1/objects/{id}`"""
        return self._transport.send("GET", f"/v1/objects/{quote(id, safe='')}", as_bytes=True)  # type: ignore[no-any-return]


class OperatorPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def overview(self, *, hours: Optional[int] = None, limit: Optional[int] = None) -> Overview:
        """Look across all tenants: counts, errors, times, dead jobs, open questions: `GET /v1/operator/overview`"""
        return self._transport.send("GET", "/v1/operator/overview", query={"hours": hours, "limit": limit})  # type: ignore[no-any-return]

    def redrive(self, body: RedriveTenant) -> RedrivenTenant:
        """Give dead jobs of a tenant fresh attempts, the newest first: `POST /v1/operator/redrive`"""
        return self._transport.send("POST", "/v1/operator/redrive", body=body)  # type: ignore[no-any-return]


class OrchestrationPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def batch(self, body: OrchestrationBatch, *, idempotency_key: Optional[str] = None) -> OrchestrationBatchAnswer:
        """Run tool calls, reads together and every write alone: `POST /api/orchestration/batch`"""
        return self._transport.send("POST", "/api/orchestration/batch", body=body, idempotency_key=idempotency_key)  # type: ignore[no-any-return]

    def partition(self, body: OrchestrationPartition) -> OrchestrationPartitionAnswer:
        """Show how tool calls would be ordered: `POST /api/orchestration/partition`"""
        return self._transport.send("POST", "/api/orchestration/partition", body=body)  # type: ignore[no-any-return]


class PortalLinksPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: PortalLinkRequest) -> PortalLink:
        """Make a link by which a customer looks after its own endpoints: `POST /v1/portal_links`"""
        return self._transport.send("POST", "/v1/portal_links", body=body)  # type: ignore[no-any-return]

    def delete(self, *, customer: str) -> None:
        """End all portal links of a customer: `DELETE /v1/portal_links`"""
        self._transport.send("DELETE", "/v1/portal_links", query={"customer": customer})


class RunsPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def cancel_many(self, body: CancelRuns) -> ChangedRuns:
        """End what goes on of the runs that fit, at most a thousand: themselves, their jobs, their questions: `POST /v1/runs/cancel`"""
        return self._transport.send("POST", "/v1/runs/cancel", body=body)  # type: ignore[no-any-return]

    def delete(self, id: str) -> None:
        """Forget a run; its jobs and questions stay: `DELETE /v1/runs/{id}`"""
        self._transport.send("DELETE", f"/v1/runs/{quote(id, safe='')}")

    def get(self, id: str) -> Run:
        """Show a run: its plan, its actions, the runs that it caused: `GET /v1/runs/{id}`"""
        return self._transport.send("GET", f"/v1/runs/{quote(id, safe='')}")  # type: ignore[no-any-return]

    def list(self, *, source: Optional[Literal["http", "turn", "agent", "mcp", "flow", "webhook", "cron", "approval", "background", "orchestration"]] = None, status: Optional[Literal["success", "partial", "error", "waiting", "running", "unknown"]] = None, tool: Optional[str] = None, flow: Optional[str] = None, key: Optional[str] = None, tag: Optional[str] = None, subject: Optional[str] = None, request_id: Optional[str] = None, since: Optional[str] = None, until: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None) -> RunPage:
        """List what ran, newest first: `GET /v1/runs`"""
        return self._transport.send("GET", "/v1/runs", query={"source": source, "status": status, "tool": tool, "flow": flow, "key": key, "tag": tag, "subject": subject, "request_id": request_id, "since": since, "until": until, "limit": limit, "cursor": cursor})  # type: ignore[no-any-return]

    def rerun(self, id: str, body: Rerun, *, idempotency_key: Optional[str] = None) -> RerunAnswer:
        """Run again what ran: a write that succeeded is answered, one that may have happened asks first: `POST /v1/runs/{id}/rerun`"""
        return self._transport.send("POST", f"/v1/runs/{quote(id, safe='')}/rerun", body=body, idempotency_key=idempotency_key)  # type: ignore[no-any-return]

    def rerun_many(self, body: RerunRuns) -> ChangedRuns:
        """Run again the runs that fit, at most a thousand; none of them sends a write twice: `POST /v1/runs/rerun`"""
        return self._transport.send("POST", "/v1/runs/rerun", body=body)  # type: ignore[no-any-return]

    def restore(self, body: RestoreRuns) -> RunsRestoreAnswer:
        """Take back runs of an export, with what reruns need: `PUT /v1/runs`"""
        return self._transport.send("PUT", "/v1/runs", body=body)  # type: ignore[no-any-return]


class SignInsPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def delete(self, id: str) -> None:
        """End a sign-in, and with it its tokens: `DELETE /v1/sign_ins/{id}`"""
        self._transport.send("DELETE", f"/v1/sign_ins/{quote(id, safe='')}")

    def list(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> SignInPage:
        """List the programs that signed in with the key, newest first: `GET /v1/sign_ins`"""
        return self._transport.send("GET", "/v1/sign_ins", query={"limit": limit, "cursor": cursor})  # type: ignore[no-any-return]


class TenantPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def delete(self, body: DeleteTenant) -> DeletedTenant:
        """Delete what is kept of the tenant: jobs, results, questions, tools, flows, files, objects, keys: `POST /v1/tenant/delete`"""
        return self._transport.send("POST", "/v1/tenant/delete", body=body)  # type: ignore[no-any-return]

    def export(self) -> Export:
        """Give the tenant's tools, flows and keys as one document, to keep or to restore: `GET /v1/export`"""
        return self._transport.send("GET", "/v1/export")  # type: ignore[no-any-return]


class ToolsPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def delete(self, id: str) -> None:
        """Delete a tool that the tenant added: `DELETE /v1/tools/{id}`"""
        self._transport.send("DELETE", f"/v1/tools/{quote(id, safe='')}")

    def discover(self, body: DiscoveryRequest) -> Discovery:
        """Find tools by what they do, by category or by action: `POST /v1/discover_tools`"""
        return self._transport.send("POST", "/v1/discover_tools", body=body)  # type: ignore[no-any-return]

    def get(self, id: str) -> AddedTool:
        """Show the declaration of a tool that the tenant added: `GET /v1/tools/{id}`"""
        return self._transport.send("GET", f"/v1/tools/{quote(id, safe='')}")  # type: ignore[no-any-return]

    def import_(self, body: ToolImport) -> ImportedTools:
        """Add a tool for every operation of an OpenAPI document, or every tool of an MCP server: `POST /v1/tools/import`"""
        return self._transport.send("POST", "/v1/tools/import", body=body)  # type: ignore[no-any-return]

    def invoke(self, body: Invocation, *, idempotency_key: Optional[str] = None) -> Result:
        """Call one tool: `POST /v1/invoke_tool`"""
        return self._transport.send("POST", "/v1/invoke_tool", body=body, idempotency_key=idempotency_key)  # type: ignore[no-any-return]

    def list(self, *, format: Optional[Literal["json-schema", "openai", "openai-responses", "anthropic", "gemini", "mcp"]] = None, surface: Optional[Literal["batch", "meta", "flat"]] = None) -> ToolList:
        """List the tools, ready to paste into a model call: `GET /v1/tools`"""
        return self._transport.send("GET", "/v1/tools", query={"format": format, "surface": surface})  # type: ignore[no-any-return]

    def put(self, id: str, body: ToolDeclaration) -> AddedTool:
        """Add a tool of the tenant's own, or replace one: `PUT /v1/tools/{id}`"""
        return self._transport.send("PUT", f"/v1/tools/{quote(id, safe='')}", body=body)  # type: ignore[no-any-return]

    def schema(self, body: ToolName) -> ToolDescription:
        """Describe one tool: `POST /v1/get_tool_schema`"""
        return self._transport.send("POST", "/v1/get_tool_schema", body=body)  # type: ignore[no-any-return]


class TurnsPaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def anthropic(self, body: Turn, *, idempotency_key: Optional[str] = None) -> AnthropicAnswer:
        """Run the tool calls that Anthropic's Messages returned: `POST /v1/anthropic/tool_use`"""
        return self._transport.send("POST", "/v1/anthropic/tool_use", body=body, idempotency_key=idempotency_key)  # type: ignore[no-any-return]

    def gemini(self, body: Turn, *, idempotency_key: Optional[str] = None) -> GeminiAnswer:
        """Run the tool calls that Gemini returned: `POST /v1/gemini/function_calls`"""
        return self._transport.send("POST", "/v1/gemini/function_calls", body=body, idempotency_key=idempotency_key)  # type: ignore[no-any-return]

    def openai_chat(self, body: Turn, *, idempotency_key: Optional[str] = None) -> ChatAnswer:
        """Run the tool calls that OpenAI's Chat Completions returned: `POST /v1/openai/tool_calls`"""
        return self._transport.send("POST", "/v1/openai/tool_calls", body=body, idempotency_key=idempotency_key)  # type: ignore[no-any-return]

    def openai_responses(self, body: Turn, *, idempotency_key: Optional[str] = None) -> ResponsesAnswer:
        """Run the tool calls that OpenAI's Responses returned: `POST /v1/openai/function_calls`"""
        return self._transport.send("POST", "/v1/openai/function_calls", body=body, idempotency_key=idempotency_key)  # type: ignore[no-any-return]


class UsagePaths:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self) -> Usage:
        """Show what the key has left, and what of its tenant's goes on, waits or fails: `GET /v1/usage`"""
        return self._transport.send("GET", "/v1/usage")  # type: ignore[no-any-return]


class Api:
    """Every path of the API, by group and name."""

    def __init__(self, transport: Transport) -> None:
        self.about = AboutPaths(transport)
        self.agent = AgentPaths(transport)
        self.batches = BatchesPaths(transport)
        self.confirmations = ConfirmationsPaths(transport)
        self.connections = ConnectionsPaths(transport)
        self.deliveries = DeliveriesPaths(transport)
        self.endpoints = EndpointsPaths(transport)
        self.event_types = EventTypesPaths(transport)
        self.events = EventsPaths(transport)
        self.flows = FlowsPaths(transport)
        self.jobs = JobsPaths(transport)
        self.keys = KeysPaths(transport)
        self.models = ModelsPaths(transport)
        self.objects = ObjectsPaths(transport)
        self.operator = OperatorPaths(transport)
        self.orchestration = OrchestrationPaths(transport)
        self.portal_links = PortalLinksPaths(transport)
        self.runs = RunsPaths(transport)
        self.sign_ins = SignInsPaths(transport)
        self.tenant = TenantPaths(transport)
        self.tools = ToolsPaths(transport)
        self.turns = TurnsPaths(transport)
        self.usage = UsagePaths(transport)
