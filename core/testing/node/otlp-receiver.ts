import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson } from "node:stream/consumers";
import { asObject, type Members, objectsOf } from "../../src/base/rpc/json.js";

/** How the receiver answers: with success, with an HTTP status, or never. */
type Mood = "takes" | "hangs" | number;

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly isError: boolean;
  readonly milliseconds: number;
  readonly attributes: Members;
}

interface Sum {
  readonly attributes: Members;
  readonly sum: number;
}

/** OTLP receiver on loopback, for JSON over HTTP. */
export class OtlpReceiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  /** Headers of each request. */
  readonly headers: IncomingMessage["headers"][] = [];
  /** Everything that was received, as text. */
  text = "";
  /** Latest value of each metric of each process, with the metric's name and the process first. */
  readonly #sums = new Map<string, Sum & { readonly name: string }>();

  private constructor(
    private readonly server: Server,
    public mood: Mood,
  ) {
    server.on("request", (request: IncomingMessage, response: ServerResponse) => void this.#take(request, response));
  }

  static async start(mood: Mood = "takes"): Promise<OtlpReceiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new OtlpReceiver(server, mood);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Returns the sum of a metric over all processes and attributes that match. */
  sumOf(metric: string, wanted: Members = {}): number {
    const matches = [...this.#sums.values()].filter(
      ({ name, attributes }) =>
        name === metric && Object.entries(wanted).every(([key, value]) => attributes[key] === value),
    );
    return matches.reduce((total, { sum }) => total + sum, 0);
  }

  /** Returns spans as `name` or, with a parent that was received, `parent > name`, sorted. */
  tree(): readonly string[] {
    const names = new Map(this.spans.map(({ spanId, name }) => [spanId, name]));
    return this.spans
      .map(({ name, parentSpanId = "" }) => (names.has(parentSpanId) ? `${names.get(parentSpanId)} > ${name}` : name))
      .sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.headers.push(request.headers);
    if (this.mood !== "takes") {
      request.resume();
      if (this.mood !== "hangs") response.writeHead(this.mood).end();
      return;
    }
    const body = asObject(await readJson(request)) ?? {};
    this.text += JSON.stringify(body);
    for (const { scopeSpans } of objectsOf(body["resourceSpans"])) {
      const spans = objectsOf(scopeSpans).flatMap((scope) => objectsOf(scope["spans"]));
      this.spans.push(...spans.map(spanOf));
    }
    for (const { resource, scopeMetrics } of objectsOf(body["resourceMetrics"])) {
      const process = String(attributesOf(asObject(resource)?.["attributes"])["service.instance.id"]);
      for (const metric of objectsOf(scopeMetrics).flatMap((scope) => objectsOf(scope["metrics"]))) {
        this.#takeMetric(process, metric);
      }
    }
    response.setHeader("content-type", "application/json").end("{}");
  }

  #takeMetric(process: string, metric: Members): void {
    const name = String(metric["name"]);
    for (const point of objectsOf(asObject(metric["sum"] ?? metric["histogram"])?.["dataPoints"])) {
      const attributes = attributesOf(point["attributes"]);
      const sum = Number(point["sum"] ?? point["asInt"] ?? point["asDouble"]);
      this.#sums.set(JSON.stringify([process, name, attributes]), { name, attributes, sum });
    }
  }
}

function spanOf(span: Members): ReceivedSpan {
  const { name, traceId, spanId, parentSpanId, attributes, status } = span;
  return {
    name: String(name),
    traceId: String(traceId),
    spanId: String(spanId),
    parentSpanId: typeof parentSpanId === "string" && parentSpanId !== "" ? parentSpanId : undefined,
    isError: asObject(status)?.["code"] === 2,
    milliseconds: (Number(span["endTimeUnixNano"]) - Number(span["startTimeUnixNano"])) / 1e6,
    attributes: attributesOf(attributes),
  };
}

function attributesOf(list: unknown): Members {
  return Object.fromEntries(objectsOf(list).map(({ key, value }) => [String(key), valueOf(asObject(value) ?? {})]));
}

function valueOf({ stringValue, intValue, doubleValue, boolValue, arrayValue }: Members): unknown {
  const list = asObject(arrayValue)?.["values"];
  if (list !== undefined) return objectsOf(list).map((one) => valueOf(one));
  return stringValue ?? boolValue ?? Number(intValue ?? doubleValue);
}
