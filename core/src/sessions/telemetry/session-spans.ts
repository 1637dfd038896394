import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { asObject, type Json, type Members, objectsOf, parsedObject, stringOf } from "../../base/rpc/json.js";
import type { SessionLog, SessionOpening } from "../conversations/session-log.js";
import type { UsageRow } from "../usage/usage-row.js";
import { contextIn } from "./trace-context.js";
import type { TurnContent } from "./turn-content.js";
import { agentAttributes, type Refuser } from "./usage-metrics.js";

interface SessionSpansOptions {
  readonly tracer: Tracer;
  /** Parent of the session's span. */
  readonly parent: Context;
  /** Collects the contents of turns; absent if contents aren't sent. */
  readonly content?: TurnContent | undefined;
  refused(agent: string, by: Refuser): void;
  closed(): void;
}

/** Form of a tool's name. Titles aren't names, since they contain commands and paths. */
const toolName = /^[\w.:/-]{1,64}$/;

/** Spans of one session. The session's parts have the attributes of OpenTelemetry's conventions for generative AI. */
export class SessionSpans implements SessionLog {
  readonly #session: Span;
  /** Running turns, oldest first. Each gets the next answer. */
  readonly #turns: Span[] = [];
  /** Calls since the last end of a turn; undefined for a call that has ended. */
  readonly #calls = new Map<string, Span | undefined>();
  #figures: UsageRow | undefined;
  #isReplay = false;
  #agent: string;

  constructor(
    private readonly opening: SessionOpening,
    private readonly options: SessionSpansOptions,
  ) {
    this.#agent = opening.agent;
    this.#session = this.#start("session", options.parent, {
      "gen_ai.conversation.id": opening.id,
      "gen_ai.agent.name": opening.agent,
      ...(opening.client !== undefined && { "symposium.client.name": opening.client }),
    });
  }

  /** The span to which new work belongs: the latest turn, or the session between turns. */
  get current(): Span {
    return this.#turns.at(-1) ?? this.#session;
  }

  get isRunning(): boolean {
    return this.#turns.length > 0;
  }

  replays(): void {
    this.#isReplay = true;
  }

  replayed(): void {
    this.#isReplay = false;
  }

  update(params: string): void {
    if (!this.#isReplay) this.options.content?.update(params);
  }

  child(): void {
    // The call observer reports sub-agents' calls.
  }

  prompt(blocks: string, params?: Json): void {
    const parent = contextIn(params?.object) ?? contextOf(this.#session);
    const attributes = { ...agentAttributes(this.#agent), "gen_ai.conversation.id": this.#id };
    this.#turns.push(this.#start(`invoke_agent ${this.#agent}`, parent, attributes, SpanKind.CLIENT));
    this.options.content?.prompt(blocks);
  }

  /** Records a counted call as reported so far. */
  call(id: string, members: Members, isRefused: boolean): void {
    if (!this.#calls.has(id)) this.#calls.set(id, this.#startCall(id, members));
    const span = this.#calls.get(id);
    const status = members["status"];
    if (!span || !(isRefused || status === "completed" || status === "failed")) return;
    span.setAttributes({ "gen_ai.tool.name": nameOf(members), ...this.options.content?.callOf(members) });
    if (isRefused) fail(span, "refused");
    else if (status === "failed") fail(span, "tool_error");
    this.#endCall(id, span);
  }

  permission(params: string, answer: string, askedAt = Date.now()): void {
    const request = parsedObject(params);
    const outcome = outcomeOf(request, parsedObject(answer));
    const call = asObject(request?.["toolCall"]);
    const span = this.options.tracer.startSpan(
      "request_permission",
      {
        startTime: askedAt,
        attributes: {
          "gen_ai.agent.name": this.#agent,
          "gen_ai.conversation.id": this.#id,
          "gen_ai.tool.name": nameOf(call ?? {}),
          ...idOf(stringOf(call?.["toolCallId"])),
          "symposium.permission.outcome": outcome,
        },
      },
      contextOf(this.current),
    );
    span.end();
    if (outcome.startsWith("reject")) this.options.refused(this.#agent, "user");
  }

  /** Receives the figures of the turn that ends next. */
  counted(row: UsageRow): void {
    this.#figures = row;
  }

  end(answer: string, agent: string): void {
    this.#agent = agent;
    const span = this.#turns.shift();
    if (span) this.#endTurn(span, answer);
    for (const [id, call] of this.#calls) if (call) this.#endCall(id, call);
    this.#calls.clear();
  }

  close(): void {
    for (const [, call] of this.#calls) call?.end();
    for (const turn of this.#turns.splice(0)) {
      fail(turn, "unfinished");
      turn.end();
    }
    this.#session.end();
    this.options.closed();
  }

  get #id(): string {
    return this.opening.id;
  }

  #start(name: string, parent: Context, attributes: Attributes, kind = SpanKind.INTERNAL): Span {
    return this.options.tracer.startSpan(name, { kind, attributes }, parent);
  }

  #startCall(id: string, members: Members): Span {
    const name = nameOf(members);
    return this.#start(`execute_tool ${name}`, contextOf(this.current), {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.agent.name": this.#agent,
      "gen_ai.conversation.id": this.#id,
      "gen_ai.tool.name": name,
      ...idOf(id),
    });
  }

  #endCall(id: string, span: Span): void {
    span.end();
    this.#calls.set(id, undefined);
  }

  #endTurn(span: Span, answer: string): void {
    const { stopReason, code } = parsedObject(answer) ?? {};
    const figures = this.#figures;
    this.#figures = undefined;
    span.setAttributes({
      ...(typeof stopReason === "string" && { "gen_ai.response.finish_reasons": [stopReason] }),
      ...(figures && reported(figures)),
      ...this.options.content?.take(stringOf(stopReason)),
    });
    if (stopReason === undefined) fail(span, typeof code === "number" ? String(code) : "_OTHER");
    span.end();
  }
}

function contextOf(span: Span): Context {
  return trace.setSpan(ROOT_CONTEXT, span);
}

function fail(span: Span, type: string): void {
  span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR });
}

/** Returns a tool's name if the agent sends one, or else the kind of the call. */
function nameOf({ name, kind, _meta }: Members): string {
  const meta = asObject(_meta);
  const names = [asObject(meta?.["claudeCode"])?.["toolName"], meta?.["toolName"], name, kind];
  return names.find((one): one is string => typeof one === "string" && toolName.test(one)) ?? "other";
}

/** Returns a turn's figures. Leaves out zeros, since many agents don't report tokens or costs. */
function reported({ inputTokens, outputTokens, cachedTokens, toolCalls, microDollars }: UsageRow): Attributes {
  const figures = {
    "gen_ai.usage.input_tokens": inputTokens,
    "gen_ai.usage.output_tokens": outputTokens,
    "symposium.usage.cached_tokens": cachedTokens,
    "symposium.usage.tool_calls": toolCalls,
    "symposium.usage.cost": microDollars / 1e6,
  };
  return Object.fromEntries(Object.entries(figures).filter(([, figure]) => figure > 0));
}

function idOf(id: string | undefined): Attributes {
  return id === undefined ? {} : { "gen_ai.tool.call.id": id.slice(0, 128) };
}

/** Returns the kind of the chosen option, such as `allow_once`, or `cancelled`, or `error`. */
function outcomeOf(request: Members | undefined, answer: Members | undefined): string {
  const outcome = asObject(answer?.["outcome"]);
  if (!outcome) return "error";
  const chosen = objectsOf(request?.["options"]).find(({ optionId }) => optionId === outcome["optionId"]);
  return stringOf(chosen?.["kind"]) ?? (outcome["outcome"] === "cancelled" ? "cancelled" : "other");
}
