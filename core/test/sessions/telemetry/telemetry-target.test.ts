import assert from "node:assert/strict";
import { type TelemetryLimits, telemetryTarget } from "../../../src/sessions/telemetry/telemetry-target.js";

type Variables = Readonly<Record<string, string>>;

const off = { endpoint: "", content: false };
const local = "http://localhost:4318";
const common = { OTEL_EXPORTER_OTLP_ENDPOINT: local };
const both = { traces: `${local}/v1/traces`, metrics: `${local}/v1/metrics`, hasContent: false };

function target(environment: Variables, settings = off, limits?: TelemetryLimits): ReturnType<typeof telemetryTarget> {
  return telemetryTarget({ environment, settings, limits });
}

describe("where telemetry goes", () => {
  it("is nowhere, unless a variable or the setting names a receiver", () => {
    assert.deepEqual(
      [target({}), target({ OTEL_EXPORTER_OTLP_ENDPOINT: " " }), target({ OTEL_EXPORTER_OTLP_HEADERS: "a=b" })],
      [undefined, undefined, undefined],
    );
    assert.deepEqual(target(common), both);
    assert.deepEqual(target({}, { endpoint: `${local}/`, content: false }), both);
  });

  it("is by signal, as OpenTelemetry's variables say", () => {
    const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/in" };
    assert.deepEqual(target(own), { traces: "https://traces.example/in", hasContent: false });
    assert.deepEqual(target({ ...common, ...own }), { ...both, traces: "https://traces.example/in" });
    assert.deepEqual(target({ ...common, OTEL_TRACES_EXPORTER: "none" }), {
      metrics: both.metrics,
      hasContent: false,
    });
    const none = { ...common, OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" };
    assert.deepEqual([target(none), target({ ...common, OTEL_SDK_DISABLED: "true" })], [undefined, undefined]);
  });

  it("has contents only if that is switched on separately", () => {
    const capture = (value: string): Variables => ({
      ...common,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value,
    });
    const withContent = { endpoint: local, content: true };
    assert.deepEqual(target({}, withContent), { ...both, hasContent: true });
    for (const value of ["true", "SPAN_ONLY", "span_and_event"]) {
      assert.deepEqual(target(capture(value)), { ...both, hasContent: true });
    }
    for (const value of ["false", "no_content", "event_only"])
      assert.deepEqual(target(capture(value), withContent), both);
  });

  it("is where the organisation says, or nowhere, but only if the user wants it", () => {
    const grpc = { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
    const elsewhere = { endpoint: "https://elsewhere.example", content: false };
    assert.deepEqual(target({ ...common, ...grpc }, elsewhere, { endpoint: local }), both);
    assert.deepEqual(
      [target(common, elsewhere, { allowed: false }), target({}, off, { endpoint: local, allowed: true })],
      [undefined, undefined],
    );
  });

  it("is nowhere with an unusable variable, whose value isn't repeated", () => {
    assert.deepEqual(
      [
        target({ OTEL_EXPORTER_OTLP_ENDPOINT: "user:secret@host:4317" }),
        target({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:99999" }),
        target({ ...common, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }),
      ],
      [
        { problem: "OTEL_EXPORTER_OTLP_ENDPOINT isn't an http or https address." },
        { problem: "OTEL_EXPORTER_OTLP_ENDPOINT isn't an http or https address." },
        { problem: "OTEL_EXPORTER_OTLP_PROTOCOL is grpc, but Symposium sends over HTTP." },
      ],
    );
  });
});
