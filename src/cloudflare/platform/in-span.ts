import type { InSpan, SpanAttributes } from "../../core/egress/ports.ts";

/** A span of the platform's, as far as it is used. */
interface PlatformSpan {
  setAttribute(name: string, value: string | number): unknown;
}

/** The platform's tracing, as it comes with an invocation. */
export interface Tracing {
  enterSpan<T>(name: string, work: (span: PlatformSpan) => T): T;
  getActiveSpan?(): { readonly isTraced: boolean } | undefined;
}

/** Create the spans of an invocation that is traced. Entering a span that is not traced would cost 7 µs. */
export function createInSpan(tracing: Tracing): InSpan {
  return (name, attributes, work) =>
    tracing.enterSpan(name, (span) => {
      const add = (more: SpanAttributes): void => {
        for (const [key, value] of Object.entries(more)) span.setAttribute(key, value);
      };
      add(attributes);
      return work(add);
    });
}
