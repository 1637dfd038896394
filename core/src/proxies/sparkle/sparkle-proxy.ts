import { acpMethods } from "../../acp/methods.js";
import { sessionIdOf, updateKindOf } from "../../acp/session-message.js";
import { messageOf } from "../../base/symposium-error.js";
import type { Proxy, ProxyChain, ProxyHandlers, ProxySession, RequestHandler } from "../../conductor/proxy.js";
import { textOrResource, withoutMarked } from "../../context/marked-text.js";
import { HeldPrompts, parseCommand, PromptBlocks, textBlock } from "../../context/prompt-blocks.js";
import type { McpServer } from "../../mcp/mcp-server.js";
import { asObject, type Json } from "../../rpc/json.js";
import type { Notification, Outcome, Request } from "../../rpc/message.js";
import type { Cancel, Reply } from "../../rpc/peer.js";
import { callsMetaMoment, metaMomentInstruction, SessionCommands } from "./commands.js";
import { memoryContext, memoryMark } from "./memory-context.js";
import { SparkleMemory } from "./memory.js";
import type { SparkleServices } from "./services.js";
import { parseSparkleOptions, type SparkleOptions } from "./sparkle-options.js";
import { sparkleServer } from "./sparkle-server.js";

/** The extension that remembers how its user works. `options` are read tolerantly: see {@link parseSparkleOptions}. */
export function sparkleProxy(options: unknown, services: SparkleServices, version = "0.0.0"): Proxy {
  const parsed = parseSparkleOptions(options);
  return { name: "sparkle", connect: (chain) => new SparkleConnection(chain, parsed, services, version).handlers };
}

/** How long a prompt waits for a disk that does not answer. */
const patienceMs = 1_000;

interface SessionState {
  readonly commands: SessionCommands;
  /** Absent where the session was not new in this chain, and once its context was sent. */
  memory?: SparkleMemory | undefined;
  held?: HeldPrompts | undefined;
}

/** What Sparkle is to one chain. */
class SparkleConnection {
  readonly handlers: ProxyHandlers;
  readonly #sessions = new Map<string, SessionState>();
  #takesResources = false;

  constructor(
    private readonly chain: ProxyChain,
    private readonly options: SparkleOptions,
    private readonly services: SparkleServices,
    private readonly version: string,
  ) {
    const forget: RequestHandler = (request, reply) => {
      const sessionId = sessionIdOf(request.params);
      return this.#observe(request, reply, () => this.#sessions.delete(sessionId ?? ""));
    };
    this.handlers = {
      clientRequests: {
        [acpMethods.initialize]: (request, reply) =>
          this.#observe(request, reply, (outcome) => this.#noteInitialized(outcome)),
        [acpMethods.sessionNew]: (request, reply) => this.#open(request, reply),
        [acpMethods.sessionPrompt]: (request, reply) => this.#prompt(request, reply),
        [acpMethods.sessionClose]: forget,
        [acpMethods.sessionDelete]: forget,
      },
      clientNotifications: { [acpMethods.sessionCancel]: (notification) => this.#cancel(notification) },
      agentNotifications: { [acpMethods.sessionUpdate]: (notification) => this.#update(notification) },
      mcpServers: (session) => this.#serversOf(session),
    };
  }

  #observe(request: Request, reply: Reply, onResult: (outcome: Outcome) => void): Cancel {
    return this.chain.successor.request(request, (outcome) => {
      if (!outcome.isError) onResult(outcome);
      reply(outcome);
    });
  }

  #noteInitialized(outcome: Outcome): void {
    const capabilities = asObject(outcome.json.object?.["agentCapabilities"]);
    this.#takesResources = asObject(capabilities?.["promptCapabilities"])?.["embeddedContext"] === true;
  }

  #serversOf(session: ProxySession): readonly McpServer[] {
    if (this.options.tools.size === 0) return [];
    return [sparkleServer(new SparkleMemory(this.services, session.cwd), this.options, this.version)];
  }

  #open(request: Request, reply: Reply): Cancel {
    const cwd = request.params?.object?.["cwd"];
    return this.#observe(request, reply, (outcome) => {
      const sessionId = outcome.json.object?.["sessionId"];
      if (typeof sessionId !== "string" || !this.options.embodiment) return;
      this.#session(sessionId).memory = new SparkleMemory(this.services, typeof cwd === "string" ? cwd : "");
    });
  }

  #prompt(request: Request, reply: Reply): Cancel {
    const sessionId = sessionIdOf(request.params);
    if (sessionId === undefined) return this.chain.successor.request(request, reply);
    const session = this.#session(sessionId);
    const announcement = session.commands.announce(sessionId);
    if (announcement) this.chain.client.notify(announcement);
    if (session.held) return session.held.add(request, reply);
    const { memory } = session;
    if (memory === undefined || isForAgentAlone(request, session)) {
      return this.chain.successor.request(this.#edited(request, session), reply);
    }
    const held = new HeldPrompts();
    session.held = held;
    const cancel = held.add(request, reply);
    void this.#contextOf(memory).then((context) => {
      session.held = undefined;
      held.release(this.chain.successor, (waiting, answer) => this.#withContext(waiting, answer, session, context));
    });
    return cancel;
  }

  /** A prompt that the agent refuses did not bring the context into the conversation: the next one does. */
  #withContext(
    request: Request,
    reply: Reply,
    session: SessionState,
    context: Json | undefined,
  ): readonly [Request, Reply] {
    const edited = this.#edited(request, session);
    const { memory } = session;
    if (memory === undefined || isForAgentAlone(request, session)) return [edited, reply];
    session.memory = undefined;
    const blocks = context && PromptBlocks.of(edited);
    if (!blocks) return [edited, reply];
    const answer: Reply = (outcome) => {
      if (outcome.isError) session.memory = memory;
      reply(outcome);
    };
    // Behind the user's words: agents name sessions by how their first prompt begins.
    return [blocks.withLast(context).toRequest(), answer];
  }

  /** The prompt with a command of ours made an instruction, and what a meta moment asks for added. */
  #edited(request: Request, session: SessionState): Request {
    // Most prompts have neither, and are not taken apart.
    const raw = request.params?.text ?? "";
    const isMetaMoment = this.options.tools.has("save_insight") && callsMetaMoment(raw);
    if (!isMetaMoment && !raw.includes("/")) return request;
    const blocks = PromptBlocks.of(request);
    const given = parseCommand(blocks?.firstText ?? "");
    const command = given && session.commands.find(given.name);
    if (blocks && given && command) return blocks.withFirstText(command.toInstruction(given.words)).toRequest();
    if (!blocks || given || !isMetaMoment || !blocks.texts.some(callsMetaMoment)) return request;
    return blocks.withLast(textBlock(metaMomentInstruction)).toRequest();
  }

  /** The block that says what is remembered. Never rejects. */
  async #contextOf(memory: SparkleMemory): Promise<Json | undefined> {
    const onFault = (fault: unknown): void =>
      this.chain.logger.warn("what is remembered could not be read", { message: messageOf(fault) });
    try {
      const text = memoryContext(await inTime(memory.snapshot(onFault)), this.options);
      return text === undefined ? undefined : textOrResource(text, memoryMark, this.#takesResources);
    } catch (fault) {
      onFault(fault);
      return undefined;
    }
  }

  /** A turn that has not reached the agent ends here. */
  #cancel(notification: Notification): Notification | undefined {
    const sessionId = notification.params?.object?.["sessionId"];
    const held = typeof sessionId === "string" ? this.#sessions.get(sessionId)?.held : undefined;
    return held?.cancelAll() === true ? undefined : notification;
  }

  #update(notification: Notification): Notification | undefined {
    switch (updateKindOf(notification)) {
      case "user_message_chunk":
        return withoutMarked(notification, memoryMark);
      case "available_commands_update": {
        const sessionId = sessionIdOf(notification.params);
        return sessionId === undefined ? notification : this.#session(sessionId).commands.extend(notification);
      }
      default:
        return notification;
    }
  }

  #session(sessionId: string): SessionState {
    const known = this.#sessions.get(sessionId);
    if (known) return known;
    const session: SessionState = { commands: new SessionCommands(this.options.tools) };
    this.#sessions.set(sessionId, session);
    return session;
  }
}

/** Slash commands of an agent take what follows as their arguments, so nothing may be added to them. */
function isForAgentAlone(request: Request, { commands }: SessionState): boolean {
  const given = parseCommand(PromptBlocks.of(request)?.firstText ?? "");
  return given !== undefined && commands.find(given.name) === undefined;
}

function inTime<T>(attempt: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("it took too long")), patienceMs);
    timer.unref?.();
    void attempt.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
