import type { AdmissionAnswer, AdmissionRequest } from "../../contract/gate/admission.ts";

type Denied = AdmissionAnswer["denied"];

/**
 * Pick the jobs that may be recorded: those whose own draw was not denied and, with `allOrNothing`, none at all when
 * any draw was.
 *
 * A job that is already recorded passes whatever was denied, and is not denied any more: the request came before, its
 * first answer was lost, and the job does run.
 */
export function admitJobs(
  { jobs, allOrNothing }: Pick<AdmissionRequest, "jobs" | "allOrNothing">,
  denied: Denied,
  isRecorded: (id: string) => boolean,
): { jobs: AdmissionRequest["jobs"]; denied: Denied } {
  if (denied.length === 0) return { jobs, denied };
  const recorded = new Set(jobs.filter(({ spec }) => isRecorded(spec.id)).map(({ index }) => index));
  const stillDenied = denied.filter(({ index }) => !recorded.has(index));
  const turnedAway = new Set(stillDenied.map(({ index }) => index));
  const noneNew = allOrNothing && stillDenied.length > 0;
  return {
    jobs: jobs.filter(({ index }) => recorded.has(index) || !(noneNew || turnedAway.has(index))),
    denied: stillDenied,
  };
}
