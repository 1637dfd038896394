import { isWebAddress } from "./address.js";
import { describeValue, flag, optional, record, type Shape } from "./shape.js";

/** Receiver and contents of telemetry. Telemetry is off while `endpoint` is empty. */
export interface TelemetrySettings {
  /** Base URL of an OTLP receiver over HTTP, such as `http://localhost:4318`; empty for none. */
  readonly endpoint: string;
  /** Whether prompts, answers and tool inputs are sent too. */
  readonly content: boolean;
}

export const defaultTelemetrySettings: TelemetrySettings = { endpoint: "", content: false };

/** Reads a receiver's URL. Headers belong in `OTEL_EXPORTER_OTLP_HEADERS`, so the URL has no credentials. */
const receiver: Shape<string> = {
  schema: {
    type: "string",
    default: defaultTelemetrySettings.endpoint,
    description:
      'URL of an OpenTelemetry receiver (OTLP over HTTP), such as `http://localhost:4318`. "" sends nothing.',
  },
  read(value, place) {
    if (value === "" || (typeof value === "string" && isWebAddress(value))) return value;
    // The value may contain a password.
    const got = typeof value === "string" ? "another text" : describeValue(value);
    return place.report(
      `${place.label} must be an http or https address without a password, got ${got}.`,
      "Nothing is sent. Put headers into OTEL_EXPORTER_OTLP_HEADERS.",
    );
  },
};

const given = record(
  {
    endpoint: optional(receiver),
    content: optional(
      flag(
        "Whether telemetry contains prompts, answers and the inputs of tools. Symposium masks known secrets in them.",
      ),
    ),
  },
  { description: "OpenTelemetry spans and metrics about your sessions. Nothing is sent without an `endpoint`." },
);

/** Format of `telemetry` in config.jsonc. Symposium sends nothing if the value is invalid. */
export const telemetrySettings: Shape<TelemetrySettings> = {
  read(value, place) {
    const read = given.read(value, place);
    return read && { ...defaultTelemetrySettings, ...read };
  },
  schema: { ...given.schema, default: defaultTelemetrySettings },
};
