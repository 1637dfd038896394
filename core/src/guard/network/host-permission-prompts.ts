import { acpMethods, sessionHandlers } from "../../base/acp/methods.js";
import { sessionIdOf } from "../../base/acp/session-message.js";
import type { Proxy, ProxyChain, ProxyHandlers, RequestHandler } from "../../conductor/chain/proxy.js";
import { openedSessionId } from "../../conductor/chain/session-resources.js";
import type { Request } from "../../base/rpc/message.js";
import { visibleText } from "../../base/safety/visible-text.js";
import { askUser } from "../../settings/trust/question.js";
import type { HostAnswer, HostChoice, HostQuestion } from "./host-gate.js";
import { targetText } from "./target.js";

const maxName = 60;

const onceOptions = {
  session: { name: "Allow in this session", kind: "allow_once" },
  no: { name: "No", kind: "reject_once" },
} as const;
const lastingOptions = {
  workspace: { name: "Allow in this workspace", kind: "allow_always" },
  always: { name: "Always allow", kind: "allow_always" },
} as const;

export interface HostDeskListeners {
  readonly beginTurn: () => void;
  /** Called during a turn when the agent starts or updates a tool call. */
  readonly callTool: () => void;
  readonly endSession: (session: string) => void;
}

/**
 * Asks users about hosts in a chain's sessions: in the session with a running turn, otherwise in the newest session. The proxy doesn't
 * change messages.
 */
export class HostPermissionPrompts {
  readonly proxy: Proxy = { name: "hosts", connect: (chain) => this.#connect(chain) };
  /** Open sessions, newest last. */
  readonly #sessions = new Set<string>();
  /** Number of running turns by session, newest last. */
  readonly #running = new Map<string, number>();
  readonly #closed = new AbortController();
  #chain: ProxyChain | undefined;
  readonly #listeners = new Set<HostDeskListeners>();
  #agent = "The agent";

  /** Creates the object for one chain. `closed` is called when the chain ends. */
  constructor(private readonly closed: () => void = () => undefined) {}

  /** Registers listeners for the chain's turns and sessions. */
  listen(listeners: HostDeskListeners): Disposable {
    this.#listeners.add(listeners);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listeners) };
  }

  /** Whether a turn is running in any of the sessions. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  get agent(): string {
    return this.#agent;
  }

  /** Session that most probably caused a connection. */
  get session(): string | undefined {
    return [...this.#running.keys()].at(-1) ?? [...this.#sessions].at(-1);
  }

  /** Asks the user about a host. Resolves with undefined if there is no session, the question is cancelled, or the session ends. */
  async ask({ targets, isRegistries, isForUserAlone }: HostQuestion): Promise<HostAnswer | undefined> {
    const session = this.session;
    if (this.#chain === undefined || session === undefined) return undefined;
    const names = targets.map(targetText);
    const [first = ""] = names;
    const asker = { client: this.#chain.client, sessionId: session, signal: this.#closed.signal };
    const lasts = isForUserAlone
      ? ""
      : " If you allow it for longer than this session, Symposium adds a rule to your guard.jsonc.";
    const question = {
      title: isRegistries ? `Package registries: ${names.join(", ")}` : first,
      text: isRegistries
        ? `${this.#agent}, or a program that it runs, wants to connect to a package registry. Your package managers use these: ${names.join(", ")}.${lasts}`
        : `${this.#agent}, or a program that it runs, wants to connect to ${first}. It can send your files to any host that it reaches.${lasts}`,
      kind: "fetch",
      rawInput: isRegistries ? { hosts: names } : { host: targets[0]?.host, port: targets[0]?.port },
    };
    // If a rule requires asking, offer only answers that aren't remembered.
    const choice: HostChoice | undefined = isForUserAlone
      ? await askUser(asker, { ...question, options: onceOptions, isForUserAlone })
      : await askUser(asker, {
          ...question,
          options: { session: onceOptions.session, ...lastingOptions, no: onceOptions.no },
        });
    // If the session has ended, its permission has ended too.
    if (choice === "session" && !this.#sessions.has(session) && !this.#running.has(session)) return undefined;
    return choice === undefined ? undefined : { choice, session };
  }

  #connect(chain: ProxyChain): ProxyHandlers {
    this.#chain = chain;
    const open: RequestHandler = (request, reply) => {
      const known = request.method === acpMethods.sessionFork ? undefined : sessionIdOf(request.params);
      if (known !== undefined) this.#add(known);
      return chain.successor.request(request, (outcome) => {
        const id = openedSessionId(request, outcome);
        if (id !== undefined) this.#add(id);
        else if (known !== undefined) this.#remove(known);
        reply(outcome);
      });
    };
    const close: RequestHandler = (request, reply) =>
      chain.successor.request(request, (outcome) => {
        if (!outcome.isError) this.#remove(sessionIdOf(request.params) ?? "");
        reply(outcome);
      });
    return {
      clientRequests: {
        [acpMethods.initialize]: (request, reply) =>
          chain.successor.request(request, (outcome) => {
            const info = outcome.isError ? undefined : outcome.json.object?.["agentInfo"];
            this.#agent = nameIn(info) ?? this.#agent;
            reply(outcome);
          }),
        ...sessionHandlers(open, close),
        [acpMethods.sessionPrompt]: (request, reply) => {
          const end = this.#begin(request);
          return chain.successor.request(request, (outcome) => {
            end();
            reply(outcome);
          });
        },
      },
      agentNotifications: {
        [acpMethods.sessionUpdate]: (notification) => {
          // Ignore tool calls outside running turns, since loading a session repeats old calls. A false match in other text is harmless.
          const isCall = this.isBusy && notification.params?.text.includes('"tool_call') === true;
          if (isCall) for (const each of this.#listeners) each.callTool();
          return notification;
        },
      },
      [Symbol.asyncDispose]: () => {
        this.#closed.abort();
        for (const session of [...this.#sessions]) this.#remove(session);
        this.#running.clear();
        this.#listeners.clear();
        this.closed();
        return Promise.resolve();
      },
    };
  }

  #begin(request: Request): () => void {
    const session = sessionIdOf(request.params);
    if (session === undefined) return () => undefined;
    const turns = (this.#running.get(session) ?? 0) + 1;
    this.#running.delete(session);
    this.#running.set(session, turns);
    for (const each of this.#listeners) each.beginTurn();
    return () => {
      const left = (this.#running.get(session) ?? 1) - 1;
      if (left > 0) this.#running.set(session, left);
      else this.#running.delete(session);
    };
  }

  #add(session: string): void {
    this.#sessions.delete(session);
    this.#sessions.add(session);
  }

  #remove(session: string): void {
    this.#sessions.delete(session);
    this.#running.delete(session);
    for (const each of this.#listeners) each.endSession(session);
  }
}

function nameIn(info: unknown): string | undefined {
  if (typeof info !== "object" || info === null) return undefined;
  const { title, name } = info as Readonly<Record<string, unknown>>;
  const said = typeof title === "string" && title !== "" ? title : name;
  // Sanitize the agent's name, since it is shown in questions.
  return typeof said === "string" && said !== "" ? visibleText(said.slice(0, maxName), "It").text : undefined;
}
