import type { LogEvent } from "../../../../src/base/logger.js";
import { Logger } from "../../../../src/base/logger.js";
import type { Members } from "../../../../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../../../../src/base/rpc/message.js";
import { ask, type Peer } from "../../../../src/base/rpc/peer.js";
import { together } from "../../../../src/sessions/conversations/session-log.js";
import { SessionRecorder } from "../../../../src/sessions/conversations/session-recorder.js";
import { SentTelemetry } from "../../../../src/sessions/telemetry/node/sent-telemetry.js";
import type { Telemetry } from "../../../../src/sessions/telemetry/telemetry.js";
import { addFigures, noUsage, type UsageFigures } from "../../../../src/sessions/usage/usage-row.js";
import { UsageCounter } from "../../../../src/sessions/usage/usage-counter.js";
import { RecordingPeer } from "../../../../testing/index.js";
import { OtlpReceiver } from "../../../../testing/node/index.js";

interface StageOptions {
  readonly mood?: OtlpReceiver["mood"];
  readonly hasContent?: boolean;
  readonly maxQueuedSpans?: number;
  readonly traceparent?: string;
}

/** Recorder, counter and telemetry between an editor and an agent, as in the product, with a receiver on loopback. */
export class TelemetryStage implements AsyncDisposable {
  readonly logged: LogEvent[] = [];
  readonly agent: RecordingPeer;
  readonly telemetry: Telemetry;
  /** Sum of all that `usage` counted. */
  usage: UsageFigures = noUsage;
  readonly #sent: SentTelemetry;
  readonly #recorder: SessionRecorder;
  readonly #fromEditor: Peer;
  readonly #fromAgent: Peer;
  /** Sends the agent's messages before its answer to the running prompt. */
  #work: () => void | Promise<void> = () => undefined;
  #result: Members = { stopReason: "end_turn" };
  #isEnded = false;

  private constructor(
    readonly receiver: OtlpReceiver,
    { hasContent = false, maxQueuedSpans, traceparent }: StageOptions,
  ) {
    this.#sent = new SentTelemetry({
      target: { traces: `${receiver.url}/v1/traces`, metrics: `${receiver.url}/v1/metrics`, hasContent },
      version: "1.2.3",
      logger: new Logger((event) => this.logged.push(event)),
      traceparent,
      mask: (text) => text.replaceAll("hunter2", "***"),
      ...(maxQueuedSpans !== undefined && { maxQueuedSpans }),
    });
    this.telemetry = this.#sent.telemetry;
    const store = {
      add: (row: UsageFigures) => void (this.usage = addFigures(this.usage, row)),
      limit: () => undefined,
    };
    const logs = together(new UsageCounter(store, Date.now, this.telemetry), this.telemetry);
    this.#recorder = new SessionRecorder(logs, { agentOf: () => "mock" });
    this.agent = new RecordingPeer({ "session/new": { sessionId: "one" }, "session/close": {} });
    const { agent } = this;
    this.#fromEditor = this.#recorder.towardAgent(
      this.telemetry.towardAgent({
        notify: (notification) => agent.notify(notification),
        request: (request, reply) => {
          if (request.method !== "session/prompt") return agent.request(request, reply);
          agent.request(request, () => undefined);
          void Promise.resolve(this.#work()).then(() => reply(Outcome.of(this.#result)));
          return () => undefined;
        },
      }),
    );
    this.#fromAgent = this.#recorder.towardClient(
      new RecordingPeer({
        "session/request_permission": (request: Request) => ({
          outcome: {
            outcome: "selected",
            optionId: (request.params?.object?.["options"] as Members[])[0]?.["optionId"],
          },
        }),
      }),
    );
  }

  static async open(options: StageOptions = {}): Promise<TelemetryStage> {
    const stage = new TelemetryStage(await OtlpReceiver.start(options.mood), options);
    await ask(stage.#fromEditor, Request.of("session/new", { cwd: "/secret/folder", mcpServers: [] }));
    return stage;
  }

  async prompt(
    work: () => void | Promise<void> = () => undefined,
    result: Members = {},
    meta?: Members,
  ): Promise<void> {
    this.#work = work;
    this.#result = { stopReason: "end_turn", ...result };
    const prompt = [{ type: "text", text: "the prompt with hunter2" }];
    await ask(
      this.#fromEditor,
      Request.of("session/prompt", { sessionId: "one", prompt, ...(meta && { _meta: meta }) }),
    );
  }

  update(sessionUpdate: string, members: Members): void {
    this.#fromAgent.notify(
      Notification.of("session/update", { sessionId: "one", update: { sessionUpdate, ...members } }),
    );
  }

  /** Asks the person, who chooses the option of this kind. */
  async ask(toolCall: Members, kind: string): Promise<void> {
    const params = { sessionId: "one", toolCall, options: [{ optionId: "o", name: "Option", kind }] };
    await ask(this.#fromAgent, Request.of("session/request_permission", params));
  }

  get undelivered(): number {
    return this.#sent.undelivered;
  }

  /** Ends the session and sends the rest. */
  async end(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#recorder[Symbol.dispose]();
    await this.#sent[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    await this.receiver[Symbol.asyncDispose]();
  }
}
