import { answersIn, proposedSecrets, secretFieldsOf } from "../../base/acp/secret-answers.js";
import { redacted } from "../../base/secrets/mask-credentials.js";
import { messageOf } from "../../base/symposium-error.js";
import { asObject } from "../../base/rpc/json.js";
import { ChunkGate } from "./redact-across-chunks.js";
import { type FindSecrets, KnownSecrets } from "../../base/secrets/known-secrets.js";
import { redactParams } from "./redact-params.js";
import { redactCredentials } from "../../base/secrets/redact-string.js";
import type { ProcessEvent, TraceEvent, TraceHeader } from "./trace-event.js";

/** Receiver of trace events. `record` never throws. */
export interface TraceSink {
  /** Seconds since the trace started, with microsecond precision. */
  now(): number;
  nextId(): number;
  /** Records an event. The event may contain secrets, which the sink redacts. */
  record(event: TraceEvent): void;
}

interface TraceWriterOptions {
  /** Writes a line without its newline. */
  writeLine(line: string): void;
  /** Returns the time of a monotonic clock in milliseconds. */
  nowMs(): number;
  readonly started: Date;
  /** Finds credentials by format, in addition to those found by name. */
  readonly findSecrets?: FindSecrets;
  /** Returns whether a text is the path of an existing file; see `KnownSecrets`. */
  readonly isExistingPath?: (text: string) => boolean;
}

/** Writes events as redacted lines after a header. */
export class TraceWriter implements TraceSink {
  /** Secrets to mask everywhere; includes values of variables from messages. */
  readonly secrets: KnownSecrets;
  readonly #gate = new ChunkGate({
    write: (event) => this.#write(event),
    redact: (text) => this.#redacted(text),
    isOpen: (text) => this.secrets.endsWithin(text),
  });
  /** Names of the secret fields in forms that haven't been answered, by request id. */
  readonly #secretFields = new Map<number | string, readonly string[]>();
  readonly #options: TraceWriterOptions;
  readonly #startMs: number;
  #nextId = 1;
  #hasHeader = false;

  constructor(options: TraceWriterOptions) {
    this.#options = options;
    this.secrets = new KnownSecrets({
      ...(options.findSecrets && { find: options.findSecrets }),
      ...(options.isExistingPath && { isExistingPath: options.isExistingPath }),
    });
    this.#startMs = options.nowMs();
  }

  /** Writes the header. `components` are in order from client to agent. */
  begin(components: readonly string[]): void {
    const started = this.#options.started.toISOString();
    const header: TraceHeader = { type: "header", version: 1, started, components };
    this.#hasHeader = true;
    this.#options.writeLine(JSON.stringify(header));
  }

  now(): number {
    return Math.round((this.#options.nowMs() - this.#startMs) * 1000) / 1_000_000;
  }

  nextId(): number {
    return this.#nextId++;
  }

  record(event: TraceEvent): void {
    this.secrets.learnFrom(event);
    this.#gate.push(this.#withoutAnswers(event));
  }

  /** Removes answers to a form's secret fields, however short, and masks later repetitions. */
  #withoutAnswers(event: TraceEvent): TraceEvent {
    if (event.type === "request") {
      const fields = secretFieldsOf(event.params);
      if (fields.length > 0) this.#secretFields.set(event.id, fields);
      for (const proposed of proposedSecrets(event.params)) this.secrets.learnSecret(proposed);
    } else if (event.type === "response") {
      const fields = this.#secretFields.get(event.id) ?? [];
      this.#secretFields.delete(event.id);
      for (const answer of answersIn(event.payload, fields)) this.secrets.learnSecret(answer);
      if (fields.length > 0) return { ...event, payload: withoutFields(event.payload, new Set(fields)) };
    }
    return event;
  }

  /** Writes events that wait for more text. */
  end(): void {
    this.#gate.end();
  }

  #redacted(text: string): string {
    try {
      return redactCredentials(text, this.secrets);
    } catch (failure) {
      return `[not recorded: ${messageOf(failure)}]`;
    }
  }

  #write(event: TraceEvent): void {
    if (!this.#hasHeader) this.begin([]);
    this.#options.writeLine(lineOf(event, this.secrets));
  }

  /** Records a process event with the current time. */
  recordProcess(component: string, event: Omit<ProcessEvent, "type" | "ts" | "component">): void {
    this.record({ type: "process", ts: this.now(), component, ...event });
  }
}

function withoutFields(value: unknown, fields: ReadonlySet<string>): unknown {
  const members = asObject(value);
  if (!members) return value;
  return Object.fromEntries(
    Object.entries(members).map(([key, member]) => [key, fields.has(key) ? redacted : withoutFields(member, fields)]),
  );
}

function lineOf(event: TraceEvent, secrets: KnownSecrets): string {
  try {
    return JSON.stringify(redactEvent(event, secrets));
  } catch (failure) {
    const lost = `[not recorded: ${messageOf(failure)}]`;
    switch (event.type) {
      case "process":
        return JSON.stringify({ type: event.type, ts: event.ts, component: event.component, event: event.event });
      case "response":
        return JSON.stringify({ ...event, payload: lost });
      default:
        return JSON.stringify({ ...event, params: lost });
    }
  }
}

function redactEvent(event: TraceEvent, secrets: KnownSecrets): unknown {
  switch (event.type) {
    case "process":
      return redactParams(event, secrets);
    case "response":
      return { ...event, payload: redactParams(event.payload, secrets) };
    default:
      return { ...event, params: redactParams(event.params, secrets) };
  }
}
