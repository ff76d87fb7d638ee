import { ACCOUNT_HOSTS, answerGitHubApi, answerGoogleAccounts } from "./account-providers.ts";
import { answerBraveSearch } from "./brave-search.ts";
import { answerCohere } from "./cohere.ts";
import { answerDuckDuckGo } from "./duckduckgo.ts";
import { answerEia } from "./eia.ts";
import { EXAMPLES_HOST, answerExamples } from "./examples.ts";
import { answerExchangeRates } from "./exchange-rates.ts";
import { answerGmail } from "./gmail.ts";
import { answerGoogleCalendar } from "./google-calendar.ts";
import { answerGoogleTasks } from "./google-tasks.ts";
import { answerGooglePlaces } from "./google-places.ts";
import { MODEL_HOST, answerModel } from "./model.ts";
import { answerNhtsa } from "./nhtsa.ts";
import { answerOpenMeteoForecast, answerOpenMeteoGeocoding } from "./open-meteo.ts";
import { answerOutlook } from "./outlook.ts";
import { answerOpenAiImages } from "./openai-images.ts";
import { PAGE_HOSTS, answerPages } from "./pages.ts";
import { PROBE_HOST, answerProbe } from "./probe.ts";
import { PROGRAMS_HOST, answerPrograms } from "./programs.ts";
import { answerResend } from "./resend.ts";
import { REAL_PORTS, type StandIn, type StandInPorts } from "./stand-in.ts";

const STAND_INS: ReadonlyMap<string, StandIn> = new Map<string, StandIn>([
  ["places.googleapis.com", answerGooglePlaces],
  ["api.nhtsa.gov", answerNhtsa],
  ["api.search.brave.com", answerBraveSearch],
  ["api.resend.com", answerResend],
  ["api.duckduckgo.com", answerDuckDuckGo],
  ["api.eia.gov", answerEia],
  ["geocoding-api.open-meteo.com", answerOpenMeteoGeocoding],
  ["api.open-meteo.com", answerOpenMeteoForecast],
  ["api.cohere.com", answerCohere],
  ["api.openai.com", answerOpenAiImages],
  ["oauth2.googleapis.com", answerGoogleAccounts],
  ["api.github.com", answerGitHubApi],
  ...ACCOUNT_HOSTS,
  ["graph.microsoft.com", answerOutlook],
  ["www.googleapis.com", answerGoogleCalendar],
  ["gmail.googleapis.com", answerGmail],
  ["tasks.googleapis.com", answerGoogleTasks],
  ["api.frankfurter.dev", answerExchangeRates],
  [MODEL_HOST, answerModel],
  [PROBE_HOST, answerProbe],
  [PROGRAMS_HOST, answerPrograms],
  [EXAMPLES_HOST, answerExamples],
  ...PAGE_HOSTS.map((host) => [host, answerPages] as const),
]);

/** Whether a URL's host has a stand-in. Asked first, because making a `Request` for every call shows in a benchmark. */
export function hasStandIn(url: string): boolean {
  return STAND_INS.has(/^https:\/\/([^/?#]*)/.exec(url)?.[1] ?? "");
}

/**
 * Answer a request for a host that has a stand-in, or give null for any other host. Like `fetch`, the promise rejects
 * with the signal's reason as soon as the request is aborted; the stand-in itself may finish unseen, as a server would.
 */
export function routeUpstream(request: Request, ports: StandInPorts = REAL_PORTS): Promise<Response> | null {
  const standIn = STAND_INS.get(new URL(request.url).hostname);
  return standIn === undefined ? null : untilAborted(standIn(request, ports), request.signal);
}

function untilAborted(answer: Promise<Response>, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
