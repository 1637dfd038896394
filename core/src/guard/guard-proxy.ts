import { acpMethods, sessionHandlers } from "../base/acp/methods.js";
import { announcedChild } from "../base/acp/child-session.js";
import { sessionIdOf, updateKindOf } from "../base/acp/session-message.js";
import { messageOf } from "../base/symposium-error.js";
import type { CallingSession, Proxy, ProxyChain, ProxyHandlers, RequestHandler } from "../conductor/chain/proxy.js";
import type { McpToolCall } from "../base/mcp/mcp-server.js";
import { openedSessionId } from "../conductor/chain/session-resources.js";
import { asObject, Json, stringsOf } from "../base/rpc/json.js";
import type { Request } from "../base/rpc/message.js";
import { type Notification, Outcome } from "../base/rpc/message.js";
import { type Cancel, deferredRequest, type Reply } from "../base/rpc/peer.js";
import { RpcError } from "../base/rpc/rpc-error.js";
import { requestedCommand } from "../base/safety/requested-command.js";
import { visibleText } from "../base/safety/visible-text.js";
import { shellWord } from "../base/shell-word.js";
import { askUser } from "../settings/trust/question.js";
import { OpenToolCalls, serverNames } from "./open-tool-calls.js";
import type { Decision, GuardedCall } from "./decision.js";
import type { GuardRecord } from "./guard-record.js";
import type { GuardFile, GuardRule } from "./guard-rule.js";
import { rowNamed, sessionRulesOf, withDenials } from "./native-denials.js";
import type { PatternFolders } from "./path-pattern.js";
import { asksYesOrNo, forUserAlone, optionOf } from "./permission-options.js";
import { isGranted, ToolGrants } from "./tool-grants.js";

interface GuardParts {
  /** Returns the rules that currently apply in a folder. Never rejects. */
  readonly rulesFor: (cwd: string) => Promise<GuardFile & { readonly isBroken: boolean }>;
  /** Returns the rules' decision on a tool call, a short description of the call, and whether a sandbox would confine it. */
  readonly judge: (
    rules: readonly GuardRule[],
    call: GuardedCall,
    folders: PatternFolders,
  ) => Promise<{ readonly decision: Decision | undefined; readonly subject: string; readonly isHeld: boolean }>;
  /** Whether the agent does all of its work in a sandbox and currently runs in one. */
  readonly isSandboxed: () => boolean;
  readonly record: (record: GuardRecord) => Promise<void>;
  /** Path of the home folder, for `~/` in patterns. */
  readonly home: string;
  readonly now: () => Date;
}

/** Maximum characters of a tool's arguments in a question. */
const maxArguments = 2_000;

/**
 * Enforces the user's rules (`guard.jsonc`) in every editor. Answers permission requests, and denies or asks about an agent's use of editor
 * files and terminals; without rules, messages pass unmodified, except that permission requests confined by a sandbox are allowed.
 */
export function guardProxy(parts: GuardParts): Proxy {
  return { name: "guard", connect: (chain) => new GuardConnection(chain, parts).handlers };
}

class GuardConnection {
  readonly handlers: ProxyHandlers;
  /** Folders of each session. The first is the working directory. */
  readonly #roots = new Map<string, readonly string[]>();
  /** Names of each session's MCP servers. */
  readonly #servers = new Map<string, readonly string[]>();
  /** The user's session that each sub-agent session belongs to. */
  readonly #parents = new Map<string, string>();
  readonly #calls = new OpenToolCalls();
  readonly #grants = new ToolGrants();
  readonly #told = new Set<string>();
  #agent = "agent";
  /** Format in which denials are passed to the agent when a session is opened. */
  #sessionRules: ReturnType<typeof sessionRulesOf>;
  /** Whether the titles of the agent's requests are commands. */
  #titlesCommands = false;
  /** The last decision. Decisions run one after the other, so that forwarded requests keep their order. */
  #last: Promise<unknown> = Promise.resolve();
  /** Whether any session has rules; undefined before the first session was checked. */
  #hasRules: boolean | undefined;

  constructor(
    private readonly chain: ProxyChain,
    private readonly parts: GuardParts,
  ) {
    this.handlers = {
      clientRequests: {
        [acpMethods.initialize]: (request, reply) =>
          chain.successor.request(request, (outcome) => {
            const { name } = asObject(outcome.json.object?.["agentInfo"]) ?? {};
            const row = outcome.isError ? undefined : rowNamed(name);
            // Use the name that rules use for the agent.
            if (!outcome.isError && typeof name === "string") this.#agent = row?.id ?? name;
            this.#sessionRules = sessionRulesOf(row);
            this.#titlesCommands = row?.titlesCommands === true;
            reply(outcome);
          }),
        ...sessionHandlers<RequestHandler>(
          (request, reply) => this.#setUp(request, reply),
          (request, reply) => this.#end(request, reply),
        ),
        [acpMethods.sessionPrompt]: (request, reply) => {
          // A permission from an earlier turn doesn't apply to this turn.
          this.#grants.end(sessionIdOf(request.params) ?? "");
          return chain.successor.request(request, reply);
        },
      },
      agentRequests: {
        [acpMethods.requestPermission]: (request, reply) => this.#permission(request, reply),
        "fs/read_text_file": (request, reply) => this.#work(request, reply, fileCall(request, "read")),
        "fs/write_text_file": (request, reply) => this.#work(request, reply, fileCall(request, "edit")),
        "terminal/create": (request, reply) => this.#work(request, reply, terminalCall(request)),
      },
      agentNotifications: { [acpMethods.sessionUpdate]: (notification) => this.#observe(notification) },
      refuseTool: (call, session, signal) => this.#refuseTool(call, session, signal),
    };
  }

  #setUp(request: Request, reply: Reply): Cancel {
    const { cwd, additionalDirectories } = request.params?.object ?? {};
    const roots = stringsOf([cwd, ...stringsOf(additionalDirectories)]);
    const rules = typeof cwd === "string" ? this.#rulesFor(cwd) : undefined;
    // While a session is being loaded, the agent's requests already belong to it.
    const known = request.method === acpMethods.sessionFork ? undefined : sessionIdOf(request.params);
    const servers = serverNames(request);
    const keep = (id: string): void => {
      this.#roots.set(id, roots);
      this.#servers.set(id, servers);
    };
    if (known !== undefined) keep(known);
    const heard: Reply = (outcome) => {
      const id = openedSessionId(request, outcome);
      if (id !== undefined) keep(id);
      reply(outcome);
    };
    const sessionRules = this.#sessionRules;
    if (!rules || !sessionRules) return this.chain.successor.request(request, heard);
    return deferredRequest(rules, (found) =>
      this.chain.successor.request(withDenials(request, sessionRules, found.rules), heard),
    );
  }

  #end(request: Request, reply: Reply): Cancel {
    return this.chain.successor.request(request, (outcome) => {
      const id = sessionIdOf(request.params) ?? "";
      if (!outcome.isError) {
        const children = [...this.#parents].flatMap(([child, parent]) => (parent === id ? [child] : []));
        for (const one of [id, ...children]) {
          this.#roots.delete(one);
          this.#servers.delete(one);
          this.#parents.delete(one);
        }
        this.#grants.end(id);
      }
      reply(outcome);
    });
  }

  /** Returns the rules for a folder. Logs each unreadable rule once, since the user relies on the rules. */
  async #rulesFor(cwd: string): Promise<Awaited<ReturnType<GuardParts["rulesFor"]>>> {
    const found = await this.parts.rulesFor(cwd);
    // Keep `true`, since other sessions of the chain may have rules.
    if (found.rules.length > 0 || found.isBroken) this.#hasRules = true;
    else this.#hasRules ??= false;
    const tell = (text: string, problem: string): void => {
      if (this.#told.has(problem)) return;
      this.#told.add(problem);
      this.chain.logger.warn(text, { problem });
    };
    for (const problem of found.problems)
      tell("can't read a guard rule; until it is fixed, no rule in its file allows anything", problem);
    for (const note of found.notes) tell("a guard file names an unknown agent", note);
    return found;
  }

  #observe(notification: Notification): Notification {
    // Check only the text, so that streamed updates aren't parsed if there are no rules.
    const kind = updateKindOf(notification);
    const child = kind === "subagent_update" && notification.params ? announcedChild(notification.params) : undefined;
    if (child !== undefined) this.#adopt(sessionIdOf(notification.params) ?? "", child);
    if (this.#hasRules === false && !this.parts.isSandboxed()) return notification;
    if (kind === "tool_call" || kind === "tool_call_update") {
      this.#calls.announced(notification, this.#serversOf(sessionIdOf(notification.params)));
    }
    return notification;
  }

  /** Registers a sub-agent's session with the folders and servers of its parent. */
  #adopt(parent: string, child: string): void {
    const [roots, servers] = [this.#roots.get(parent), this.#servers.get(parent)];
    if (!roots || !servers || this.#roots.has(child)) return;
    this.#roots.set(child, roots);
    this.#servers.set(child, servers);
    this.#parents.set(child, this.#parents.get(parent) ?? parent);
  }

  /** Evaluates the rules before calling `then`. If no rule applies, forwards the request unmodified. */
  #judged(
    request: Request,
    reply: Reply,
    call: GuardedCall & { readonly canBeHeld?: boolean },
    then: (decision: Decision, signal: AbortSignal) => Cancel | undefined,
  ): Cancel {
    const given = new AbortController();
    let cancel: Cancel | undefined;
    const decided = this.#last.then(() => this.#decide(sessionIdOf(request.params), call));
    this.#last = decided.catch(() => undefined);
    void decided
      .then((decision) => {
        if (given.signal.aborted) return reply(Outcome.error(RpcError.cancelled()));
        cancel = decision ? then(decision, given.signal) : this.chain.client.request(request, reply);
      })
      .catch((error: unknown) => {
        // Denies a request that can't be evaluated.
        reply(Outcome.error(RpcError.internal(`The guard can't check this: ${messageOf(error)}`)));
      });
    return () => {
      given.abort();
      cancel?.();
    };
  }

  async #decide(
    session = "",
    { canBeHeld = false, ...call }: GuardedCall & { readonly canBeHeld?: boolean },
    roots = this.#roots.get(session) ?? [],
  ): Promise<Decision | undefined> {
    const { rules, isBroken } = await this.#rulesFor(roots[0] ?? "/");
    if (rules.length === 0 && !isBroken && !canBeHeld) return undefined;
    const judged = await this.parts.judge(rules, call, { roots, home: this.parts.home });
    const isHeld = canBeHeld && judged.isHeld;
    const otherwise: Decision | undefined = isBroken ? { effect: "ask" } : isHeld ? { effect: "allow" } : undefined;
    const decision = judged.decision ?? otherwise;
    if (!decision) return undefined;
    const { effect, rule } = decision;
    const place = rule?.place ?? (effect === "allow" ? "held by the sandbox" : undefined);
    const record = {
      time: this.parts.now().toISOString(),
      agent: this.#agent,
      session,
      subject: judged.subject,
      ...(place !== undefined && { rule: place }),
      answer: effect,
    };
    await this.parts.record(record).catch((error: unknown) => {
      this.chain.logger.warn("couldn't write the guard's record", { reason: messageOf(error) });
    });
    return decision;
  }

  /**
   * Answers a permission request according to the decision, or asks the user. If a rule requires asking, neither a remembered choice nor
   * bypass mode can answer.
   */
  #answer(request: Request, reply: Reply, decision: Decision): Cancel | undefined {
    const { effect, rule } = decision;
    if (effect === "ask") return this.chain.client.request(forUserAlone(request), reply);
    const option = optionOf(request, effect === "allow" ? "allow_once" : "reject_once");
    if (option !== undefined) {
      reply(Outcome.result(Json.of({ outcome: { outcome: "selected", optionId: option } })));
    } else if (effect === "deny") {
      reply(Outcome.result(Json.of({ outcome: { outcome: "cancelled" } })));
    } else {
      return this.chain.client.request(request, reply);
    }
    this.chain.logger.info("the guard answered for the user", { effect, ...(rule && { rule: rule.place }) });
    return undefined;
  }

  #serversOf(session: string | undefined): readonly string[] {
    return this.#servers.get(session ?? "") ?? [];
  }

  #permission(request: Request, reply: Reply): Cancel {
    const session = sessionIdOf(request.params) ?? "";
    const canBeHeld = this.parts.isSandboxed() && this.#roots.has(session) && asksYesOrNo(request);
    const asked = this.#calls.requested(request, this.#serversOf(session), this.#titlesCommands);
    const call = { ...asked, canBeHeld };
    return this.#judged(request, reply, call, (decision) => {
      // The user was asked here, so the tool call that follows needn't ask again.
      const heard: Reply = (outcome) => {
        // A sub-agent calls tools through its parent's servers.
        if (isGranted(request, outcome)) this.#grants.add(this.#parents.get(session) ?? session, call);
        reply(outcome);
      };
      return this.#answer(request, decision.effect === "ask" ? heard : reply, decision);
    });
  }

  async #refuseTool(
    { server, originalServer, tool, arguments: args }: McpToolCall,
    { sessionId, cwd }: CallingSession,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const one = { server, tool, alsoNamed: originalServer };
    const call = { kind: "other", rawInput: args, locations: [], tools: [one], isBridged: true };
    try {
      const roots = this.#roots.get(sessionId ?? "") ?? [cwd];
      const decision = await this.#decide(sessionId, call, roots);
      if (!decision || decision.effect === "allow") return undefined;
      if (decision.effect === "deny") return refusalText(decision);
      if (this.#grants.take(sessionId ?? "", call)) return undefined;
      return (await this.#isAllowed(sessionId ?? "", call, signal)) ? undefined : refusalText({ effect: "ask" });
    } catch (error) {
      return `The guard can't check this: ${messageOf(error)}`;
    }
  }

  /** Forwards the agent's request to the editor unless a rule or the user denies it. */
  #work(request: Request, reply: Reply, call: GuardedCall): Cancel {
    return this.#judged(request, reply, call, (decision, signal) => {
      if (decision.effect === "allow") return this.chain.client.request(request, reply);
      if (decision.effect === "deny") {
        reply(refusal(decision));
        return undefined;
      }
      return deferredRequest(this.#isAllowed(sessionIdOf(request.params) ?? "", call, signal), (isAllowed) => {
        if (isAllowed) return this.chain.client.request(request, reply);
        reply(refusal({ effect: "ask" }));
        return undefined;
      });
    });
  }

  async #isAllowed(sessionId: string, call: GuardedCall, signal: AbortSignal): Promise<boolean> {
    const { title, more } = subjectOf(call);
    const answer = await askUser(
      { client: this.chain.client, sessionId, signal },
      {
        title,
        text: [`A rule in a guard.jsonc requires your approval before ${this.#agent} does this.`, ...more].join("\n"),
        options: {
          allow: { name: "Allow", kind: "allow_once" },
          reject: { name: "Reject", kind: "reject_once" },
        },
        isForUserAlone: true,
      },
    );
    return answer === "allow";
  }
}

/** Returns the complete content of a call in readable form, for a question to the user. */
function subjectOf(call: GuardedCall): { readonly title: string; readonly more: readonly string[] } {
  const command = requestedCommand(call.rawInput);
  const [tool] = call.tools ?? [];
  if (tool) {
    const { text, warnings } = visibleText(`Call ${tool.tool} of the MCP server ${tool.server}`, "It");
    const args = visibleText(JSON.stringify(call.rawInput).slice(0, maxArguments), "It");
    return { title: text, more: [args.text, ...warnings, ...args.warnings] };
  }
  const said = command
    ? `Run ${command.text}`
    : `${call.kind === "read" ? "Read" : "Write"} ${call.locations.join(", ")}`;
  const { text: title, warnings } = visibleText(said, "It");
  const variables = Object.entries(command?.variables ?? {}).map(([name, value]) => `${name}=${shellWord(value)}`);
  const more = [
    ...(command?.cwd === undefined ? [] : [`In ${command.cwd}.`]),
    ...(variables.length === 0 ? [] : [`With ${variables.join(" ")}.`]),
  ];
  return { title, more: [...more.map((line) => visibleText(line, "It").text), ...warnings] };
}

function refusal(decision: Decision): Outcome {
  return Outcome.error(RpcError.invalidRequest(refusalText(decision)));
}

function refusalText({ rule }: Decision): string {
  const reason = rule?.reason === undefined ? "" : ` ${rule.reason}`;
  const where = rule ? ` by a rule (${rule.place}).${reason}` : " by the user.";
  return `This is refused${where} Do not try to do it in another way.`;
}

function fileCall(request: Request, kind: "read" | "edit"): GuardedCall {
  const { path } = request.params?.object ?? {};
  return { kind, rawInput: undefined, locations: typeof path === "string" ? [path] : [] };
}

function terminalCall(request: Request): GuardedCall {
  const { command, args, cwd, env } = request.params?.object ?? {};
  return { kind: "execute", rawInput: { command, args, cwd, env }, locations: [] };
}
