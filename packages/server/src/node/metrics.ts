import { StoreError } from "@fieldroll/core";
import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import type { MetricsSource } from "../http/exchange.ts";
import type { AnswerEntry } from "../http/handler.ts";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Figures of a running handler: what it is given as `metrics`, and what fills them. */
export interface Metrics extends MetricsSource {
  /** Called after each answer, as the handler's `onAnswer`. */
  answered(entry: AnswerEntry): void;
  /** Called with what was thrown where nothing is expected to be, as the handler's `onFailure`. */
  failed(error: unknown): void;
}

/**
 * Gathers the figures of one handler and of this process in the text format of Prometheus. Labels are route templates,
 * methods and classes of status: a bounded set without personal data.
 */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const figures = figuresIn(registry);
  return {
    answered(entry) {
      const labels = labelsOf(entry);
      figures.requests.inc({ ...labels, status: `${Math.floor(entry.status / 100)}xx` });
      figures.durations.observe(labels, entry.milliseconds / 1000);
      if (entry.route === "POST /oauth2/token" && entry.status === 200) figures.tokens.inc();
    },
    failed(error) {
      if (error instanceof StoreError) figures.storeFailures.inc({ code: error.code });
    },
    contentType: registry.contentType,
    metrics: () => registry.metrics(),
  };
}

function figuresIn(registry: Registry) {
  const registers = [registry];
  return {
    requests: new Counter({
      name: "http_requests_total",
      help: "Requests answered, by route template, method and class of status.",
      labelNames: ["route", "method", "status"],
      registers,
    }),
    durations: new Histogram({
      name: "http_request_duration_seconds",
      help: "Time from a request's arrival to its answer.",
      labelNames: ["route", "method"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    tokens: new Counter({ name: "oauth_tokens_issued_total", help: "Access tokens issued.", registers }),
    storeFailures: new Counter({
      name: "store_failures_total",
      help: "Errors of the store that a request met, by their code.",
      labelNames: ["code"],
      registers,
    }),
  };
}

/** Any text may stand as a method; only known ones become labels. */
function labelsOf({ route, method }: AnswerEntry) {
  const known = methods.includes(method) ? method : "other";
  return { route: route.replace(/^[A-Z]+ /, ""), method: known };
}
