/** Limits of an organisation; absent members set no limit. */
export interface TelemetryLimits {
  /** Base URL of the only receiver that telemetry may go to. The user still decides whether telemetry is sent. */
  readonly endpoint?: string | undefined;
  readonly allowed?: boolean | undefined;
}

/** Receivers of telemetry. At least one of the URLs is present. */
export interface TelemetryTarget {
  /** Complete URL of a signal, such as `http://localhost:4318/v1/traces`; undefined if the signal is off. */
  readonly traces?: string;
  readonly metrics?: string;
  /** Whether prompts, answers and tool inputs are sent. */
  readonly hasContent: boolean;
}

export interface TelemetryWishes {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly settings: { readonly endpoint: string; readonly content: boolean };
  readonly limits?: TelemetryLimits | undefined;
}

const signals = ["traces", "metrics"] as const;
type Signal = (typeof signals)[number];

/**
 * Decides whether and where telemetry is sent, by OpenTelemetry's environment variables, or else by the user's settings, within the
 * organisation's limits. Returns undefined if telemetry is off, or the problem if a variable is unusable.
 */
export function telemetryTarget(wishes: TelemetryWishes): TelemetryTarget | { readonly problem: string } | undefined {
  const { environment, settings, limits = {} } = wishes;
  if (limits.allowed === false || isTrue(environment["OTEL_SDK_DISABLED"])) return undefined;
  const urls = signals.flatMap((signal) => {
    const found = urlOf(signal, wishes);
    return found === undefined ? [] : [{ signal, ...found }];
  });
  const broken = urls.find(({ url }) => !isHttp(url));
  // The value may contain credentials.
  if (broken) return { problem: `${broken.from} isn't an http or https address.` };
  const protocol = environment["OTEL_EXPORTER_OTLP_PROTOCOL"];
  if (urls.length > 0 && limits.endpoint === undefined && protocol === "grpc") {
    return { problem: "OTEL_EXPORTER_OTLP_PROTOCOL is grpc, but Symposium sends over HTTP." };
  }
  if (urls.length === 0) return undefined;
  const captured = environment["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"];
  const hasContent = captured === undefined || captured === "" ? settings.content : isCapturing(captured);
  return { ...Object.fromEntries(urls.map(({ signal, url }) => [signal, url])), hasContent };
}

interface FoundUrl {
  readonly url: string;
  /** Name of the place that has the URL. */
  readonly from: string;
}

function urlOf(signal: Signal, wishes: TelemetryWishes): FoundUrl | undefined {
  const { endpoint } = wishes.limits ?? {};
  const chosen = chosenUrl(signal, wishes);
  if (chosen === undefined || endpoint === undefined) return chosen;
  return { url: below(endpoint, signal), from: "The endpoint in your organisation's policy" };
}

function chosenUrl(signal: Signal, { environment, settings }: TelemetryWishes): FoundUrl | undefined {
  const name = signal.toUpperCase();
  if (environment[`OTEL_${name}_EXPORTER`] === "none") return undefined;
  const [own, common] = [`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`, "OTEL_EXPORTER_OTLP_ENDPOINT"];
  const [ownUrl = "", commonUrl = ""] = [environment[own]?.trim(), environment[common]?.trim()];
  if (ownUrl !== "") return { url: ownUrl, from: own };
  if (commonUrl !== "") return { url: below(commonUrl, signal), from: common };
  if (settings.endpoint !== "") return { url: below(settings.endpoint, signal), from: '"telemetry" in config.jsonc' };
  return undefined;
}

function below(base: string, signal: Signal): string {
  return `${base.replace(/\/+$/, "")}/v1/${signal}`;
}

function isHttp(url: string): boolean {
  return /^https?:\/\/[^\s/?#]/i.test(url) && URL.canParse(url);
}

function isTrue(value: string | undefined): boolean {
  return value?.trim().toLowerCase() === "true";
}

/** Newer instrumentations name the places for contents; Symposium supports spans. */
function isCapturing(value: string): boolean {
  return ["true", "span_only", "span_and_event"].includes(value.trim().toLowerCase());
}
