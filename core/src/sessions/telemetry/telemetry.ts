import {
  type Context,
  type Meter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { McpOutcome } from "../../base/mcp/mcp-server.js";
import type { Members } from "../../base/rpc/json.js";
import { asObject, numberOf, stringOf } from "../../base/rpc/json.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { SessionLog, SessionLogs, SessionOpening } from "../conversations/session-log.js";
import type { CountObserver } from "../usage/usage-counter.js";
import type { UsageRow } from "../usage/usage-row.js";
import { SessionSpans } from "./session-spans.js";
import { contextIn, contextOf, passingContext, traceparentOf, withTraceparent } from "./trace-context.js";
import { TurnContent } from "./turn-content.js";
import { type Refuser, UsageMetrics } from "./usage-metrics.js";

interface TelemetryOptions {
  readonly tracer: Tracer;
  readonly meter: Meter;
  /** `traceparent` of the program that started this process; undefined if there is none. */
  readonly traceparent?: string | undefined;
  /** Masks secrets in contents; absent if contents aren't sent. */
  readonly mask?: ((text: string) => string) | undefined;
}

/** Request to one of the user's MCP servers. */
interface McpCall {
  /** Name of the server in the user's configuration. */
  readonly server: string;
  readonly session: string | undefined;
  readonly method: string;
  readonly params: Members;
}

/** MCP methods that agents and users cause, with the parameter that names their target. */
const tracedMethods: Readonly<Record<string, string>> = {
  "tools/call": "gen_ai.tool.name",
  "prompts/get": "gen_ai.prompt.name",
  "resources/read": "",
};

/** Makes spans and metrics of what the recorder and `usage` see. Contains no contents, paths or arguments unless `mask` is given. */
export class Telemetry implements SessionLogs, CountObserver {
  readonly #root: Span;
  readonly #rootContext: Context;
  readonly #metrics: UsageMetrics;
  readonly #sessions = new Map<string, SessionSpans>();

  constructor(private readonly options: TelemetryOptions) {
    this.#metrics = new UsageMetrics(options.meter);
    this.#root = options.tracer.startSpan("symposium", {}, contextOf(options.traceparent) ?? ROOT_CONTEXT);
    this.#rootContext = trace.setSpan(ROOT_CONTEXT, this.#root);
  }

  open(opening: SessionOpening): SessionLog {
    const { tracer, mask } = this.options;
    const spans = new SessionSpans(opening, {
      tracer,
      parent: this.#rootContext,
      content: mask && new TurnContent(mask),
      refused: (agent, by) => this.refused(agent, by),
      closed: () => {
        if (this.#sessions.get(opening.id) === spans) this.#sessions.delete(opening.id);
      },
    });
    this.#sessions.set(opening.id, spans);
    return spans;
  }

  forget(): void {
    // Sent data can't be taken back.
  }

  call(session: string, ...report: Parameters<SessionSpans["call"]>): void {
    this.#sessions.get(session)?.call(...report);
  }

  counted(session: string, row: UsageRow): void {
    this.#metrics.count(row);
    if (row.turns > 0) this.#sessions.get(session)?.counted(row);
  }

  refused(agent: string, by: Refuser): void {
    this.#metrics.refused(agent, by);
  }

  /** Variables with which agents join this process's trace. */
  get variables(): Readonly<Record<string, string>> {
    return { TRACEPARENT: traceparentOf(this.#root) };
  }

  /** Adds the trace to the requests that reach agents. */
  towardAgent(agent: Peer): Peer {
    return passingContext(agent, (session) => this.#sessions.get(session ?? "")?.current ?? this.#root);
  }

  /** Makes a span of a request to an MCP server. `send` gets the parameters with the span's `traceparent`. */
  async mcpCall(call: McpCall, send: (params: Members) => Promise<McpOutcome>): Promise<McpOutcome> {
    const { method, params, server } = call;
    const target = tracedMethods[method];
    if (target === undefined) return send(params);
    const name = target === "" ? undefined : stringOf(params["name"]);
    const span = this.options.tracer.startSpan(
      name === undefined ? method : `${method} ${name}`,
      {
        kind: SpanKind.CLIENT,
        attributes: {
          "mcp.method.name": method,
          "symposium.mcp.server": server,
          ...(name !== undefined && { [target]: name }),
          ...(method === "tools/call" && { "gen_ai.operation.name": "execute_tool" }),
        },
      },
      this.#parentOf(call),
    );
    let error: string | undefined = "_OTHER";
    try {
      const outcome = await send(withTraceparent(params, span));
      error = errorIn(outcome);
      return outcome;
    } finally {
      if (error !== undefined) span.setAttribute("error.type", error).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    }
  }

  /** Ends all spans that are still open. */
  end(): void {
    this.#root.end();
  }

  /**
   * Returns the agent's own span if the call names one, or else the session's turn, or else the only running turn, since some agents share
   * servers between sessions.
   */
  #parentOf({ params, session }: McpCall): Context {
    const own = contextIn(params);
    if (own) return own;
    const named = this.#sessions.get(session ?? "");
    const running = [...this.#sessions.values()].filter(({ isRunning }) => isRunning);
    const spans = named?.isRunning !== true && running.length === 1 ? running[0] : named;
    return spans ? trace.setSpan(ROOT_CONTEXT, spans.current) : this.#rootContext;
  }
}

function errorIn({ isError, json }: McpOutcome): string | undefined {
  const value = asObject(json.value);
  if (isError) return String(numberOf(value?.["code"]) ?? "_OTHER");
  return value?.["isError"] === true ? "tool_error" : undefined;
}
