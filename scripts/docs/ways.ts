import type { Sequence } from "./draw-sequence.ts";

/** The main ways through Volley, by the name of their drawing: `docs/images/way-<name>.svg`. */
export const WAYS: Readonly<Record<string, Sequence>> = {
  batch: {
    label:
      "A batch: the Worker checks and plans it, is admitted by the tenant's object, calls upstreams side by side, and answers with one result for every action.",
    actors: ["Caller", "Worker", "Tenant's object", "Upstreams"],
    steps: [
      { from: "Caller", to: "Worker", text: "execute_actions" },
      { at: "Worker", text: "checks arguments, orders the actions" },
      { from: "Worker", to: "Tenant's object", text: "may this run?" },
      { from: "Tenant's object", to: "Worker", text: "quota taken, jobs recorded", answer: true },
      { from: "Worker", to: "Upstreams", text: "actions that wait for none" },
      { from: "Upstreams", to: "Worker", text: "results, kept by id", answer: true },
      { at: "Worker", text: "fills references in with them" },
      { from: "Worker", to: "Upstreams", text: "actions that waited" },
      { from: "Upstreams", to: "Worker", text: "results", answer: true },
      { from: "Worker", to: "Caller", text: "one result each, in order", answer: true },
    ],
  },
  background: {
    label:
      "A background action: it is recorded before it is promised, attempted after the answer, and attempted again by the object's alarm if the Worker is lost.",
    actors: ["Caller", "Worker", "Tenant's object", "Upstream"],
    steps: [
      { from: "Caller", to: "Worker", text: "an action that takes long" },
      { from: "Worker", to: "Tenant's object", text: "record it" },
      { at: "Tenant's object", text: "writes the job, with its first attempt's lease" },
      { from: "Tenant's object", to: "Worker", text: "it is on disk", answer: true },
      { from: "Worker", to: "Caller", text: "initiated, job_id", answer: true },
      { from: "Worker", to: "Upstream", text: "first attempt" },
      { at: "Worker", text: "is lost: no report comes" },
      { at: "Tenant's object", text: "the lease ends, the alarm fires" },
      { from: "Tenant's object", to: "Upstream", text: "again, under the same key" },
      { from: "Upstream", to: "Tenant's object", text: "done", answer: true },
      { from: "Caller", to: "Worker", text: "GET /v1/jobs/JOB_ID" },
      { from: "Worker", to: "Caller", text: "succeeded, attempt 2", answer: true },
    ],
  },
  approval: {
    label:
      "An approval: the actions that need a person park as one question, the others are answered at once, and a yes runs exactly what was shown.",
    actors: ["Model", "Worker", "Tenant's object", "Person"],
    steps: [
      { from: "Model", to: "Worker", text: "reads and a deletion" },
      { at: "Worker", text: "runs the reads" },
      { from: "Worker", to: "Tenant's object", text: "park the deletion" },
      { from: "Worker", to: "Model", text: "results, pending_confirmation", answer: true },
      { from: "Tenant's object", to: "Person", text: "an event, a link or the console" },
      { at: "Person", text: "reads exactly what would run" },
      { from: "Person", to: "Tenant's object", text: "approve" },
      { at: "Tenant's object", text: "claims the question, once" },
      { from: "Tenant's object", to: "Worker", text: "the parked actions", answer: true },
      { at: "Worker", text: "runs them like any batch" },
      { from: "Worker", to: "Model", text: "what became of them", answer: true },
    ],
  },
  delivery: {
    label:
      "An event's delivery: it is recorded for every endpoint that wants it, signed and sent, tried again for days, and switched off where an endpoint is gone.",
    actors: ["Your product", "Worker", "Endpoint's object", "Customer"],
    steps: [
      { from: "Your product", to: "Worker", text: "POST /v1/events" },
      { at: "Worker", text: "finds the endpoints that ask for this type" },
      { from: "Worker", to: "Endpoint's object", text: "a delivery for each" },
      { from: "Endpoint's object", to: "Worker", text: "they are on disk", answer: true },
      { from: "Worker", to: "Your product", text: "202", answer: true },
      { from: "Endpoint's object", to: "Customer", text: "the signed event" },
      { from: "Customer", to: "Endpoint's object", text: "503", answer: true },
      { at: "Endpoint's object", text: "waits, longer each time" },
      { from: "Endpoint's object", to: "Customer", text: "again, the same id" },
      { from: "Customer", to: "Endpoint's object", text: "204", answer: true },
    ],
  },
};
