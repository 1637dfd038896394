import { randomUUID } from "node:crypto";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { Logger } from "../../../base/logger.js";
import { isDoneWithin } from "../../../base/until-aborted.js";
import { Telemetry } from "../telemetry.js";
import type { TelemetryTarget } from "../telemetry-target.js";

interface SentTelemetryOptions {
  readonly target: TelemetryTarget;
  /** Version of this product. */
  readonly version: string;
  readonly logger: Logger;
  /** `traceparent` of the program that started this process. */
  readonly traceparent: string | undefined;
  /** Masks secrets in contents, if the target has contents. */
  readonly mask: (text: string) => string;
  /** Maximum number of ended spans that wait for the receiver; default 2,048, as in OpenTelemetry. */
  readonly maxQueuedSpans?: number;
}

/** Maximum time of the last delivery, in milliseconds. */
const farewellMs = 1_000;

type Result = Parameters<Parameters<OTLPTraceExporter["export"]>[1]>[0];
type Told = (result: Result, spans: number) => void;

class SpanSender extends OTLPTraceExporter {
  constructor(
    url: string,
    private readonly told: Told,
  ) {
    super({ url });
  }

  override export(...[spans, done]: Parameters<OTLPTraceExporter["export"]>): void {
    super.export(spans, (result) => {
      this.told(result, spans.length);
      done(result);
    });
  }
}

class MetricSender extends OTLPMetricExporter {
  constructor(
    url: string,
    private readonly told: Told,
  ) {
    super({ url });
  }

  override export(...[metrics, done]: Parameters<OTLPMetricExporter["export"]>): void {
    super.export(metrics, (result) => {
      this.told(result, 0);
      done(result);
    });
  }
}

/** Bounded queue of ended spans, from which OpenTelemetry drops what doesn't fit. */
class CountedSpans extends BatchSpanProcessor {
  ended = 0;

  override onEnd(...[span]: Parameters<BatchSpanProcessor["onEnd"]>): void {
    this.ended++;
    super.onEnd(span);
  }
}

/** Reads the variable that only OpenTelemetry's larger packages read. */
function intervalGiven(): { readonly exportIntervalMillis?: number } {
  const interval = Number(process.env["OTEL_METRIC_EXPORT_INTERVAL"]);
  return interval > 0 ? { exportIntervalMillis: interval } : {};
}

/**
 * Sends telemetry with OpenTelemetry's exporters, which read headers, certificates and time limits from `OTEL_EXPORTER_OTLP_…`. Drops and
 * counts spans that can't be delivered. Disposing sends the rest, for a second at most.
 */
export class SentTelemetry implements AsyncDisposable {
  readonly telemetry: Telemetry;
  readonly #tracers: BasicTracerProvider;
  readonly #meters: MeterProvider;
  readonly #spans: CountedSpans | undefined;
  readonly #logger: Logger;
  readonly #origins: string;
  #delivered = 0;
  #isFailureSaid = false;
  readonly #told: Told = ({ error }, spans) => {
    if (error) this.#say(error.message);
    else this.#delivered += spans;
  };

  constructor({ target, version, logger, traceparent, mask, maxQueuedSpans }: SentTelemetryOptions) {
    this.#logger = logger;
    const { traces, metrics, hasContent } = target;
    const origins = [traces, metrics].flatMap((url) => (url === undefined ? [] : new URL(url).origin));
    this.#origins = [...new Set(origins)].join(", ");
    const resource = resourceFromAttributes({
      "service.name": "symposium",
      "service.version": version,
      // Each process counts for itself, so receivers must tell them apart.
      "service.instance.id": randomUUID(),
    }).merge(detectResources({ detectors: [envDetector] }));
    this.#spans =
      traces === undefined
        ? undefined
        : new CountedSpans(
            new SpanSender(traces, this.#told),
            maxQueuedSpans === undefined ? {} : { maxQueueSize: maxQueuedSpans },
          );
    this.#tracers = new BasicTracerProvider({ resource, spanProcessors: this.#spans ? [this.#spans] : [] });
    this.#meters = new MeterProvider({
      resource,
      readers:
        metrics === undefined
          ? []
          : [
              new PeriodicExportingMetricReader({
                exporter: new MetricSender(metrics, this.#told),
                ...intervalGiven(),
              }),
            ],
    });
    this.telemetry = new Telemetry({
      tracer: this.#tracers.getTracer("symposium", version),
      meter: this.#meters.getMeter("symposium", version),
      traceparent,
      mask: hasContent ? mask : undefined,
    });
  }

  /** Number of ended spans that the receiver hasn't accepted. */
  get undelivered(): number {
    return (this.#spans?.ended ?? 0) - this.#delivered;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.telemetry.end();
    await isDoneWithin(Promise.allSettled([this.#tracers.shutdown(), this.#meters.shutdown()]), farewellMs);
    if (this.undelivered === 0) return;
    this.#say("the receiver didn't answer in time");
    this.#logger.warn("spans were dropped", { count: this.undelivered });
  }

  /** Logs the first failure, with the receivers' origins, since their URLs may contain keys. */
  #say(reason: string): void {
    if (this.#isFailureSaid) return;
    this.#isFailureSaid = true;
    this.#logger.error("telemetry can't be delivered and is dropped", { receiver: this.#origins, reason });
  }
}
