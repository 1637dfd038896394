import { updateKindOf } from "../base/acp/session-message.js";
import { acpMethods } from "../base/acp/methods.js";
import { messageOf } from "../base/symposium-error.js";
import { untilAborted, whenAborted } from "../base/until-aborted.js";
import { asObject, Json } from "../base/rpc/json.js";
import { Notification, Outcome, type Request } from "../base/rpc/message.js";
import type { Cancel, Peer, Reply } from "../base/rpc/peer.js";
import type { FirstPromptText, SlashCommand } from "./contribution.js";
import { fitInstructions, instructionText } from "./instructions.js";
import { commandText, contextMark, ownScheme, forAgentOnly, marked, markedBlock } from "../base/acp/marked-text.js";
import { MergedCommands } from "./merged-commands.js";
import type { OpenedContext } from "./opened-context.js";
import { askedPermission, shownUpdate } from "./tool-call-views.js";
import { QueuedPrompts, parseCommand, PromptRequestEdit, textBlock } from "./prompt-request-edit.js";
import { WaitingFileInstructions } from "./touched-files.js";

interface DueNote {
  readonly text: string;
  readonly uri?: string;
}

interface SessionContextOptions {
  readonly opened: OpenedContext;
  readonly successor: Peer;
  /** Text for the first prompt; undefined if the agent gets it in its system prompt. */
  readonly firstPromptText: string | undefined;
  /** Whether the conversation that the session continues already contains the text. */
  readonly isTextKnown: boolean;
  readonly instructionLimit: number;
}

/** Slash commands of an open session, and additions to its next prompt. */
export class SessionContext {
  readonly #options: SessionContextOptions;
  readonly #commands: MergedCommands;
  readonly #files: WaitingFileInstructions;
  #dueText: string | undefined;
  /** Texts for the first prompt that haven't been read yet. */
  #unread: readonly FirstPromptText[];
  #dueNotes: readonly DueNote[] = [];
  #held: QueuedPrompts | undefined;
  #expanding: AbortController | undefined;
  /** Number of turns sent to the agent and not answered. */
  #running = 0;

  constructor(options: SessionContextOptions) {
    this.#options = options;
    const { opened, firstPromptText, isTextKnown } = options;
    this.#commands = new MergedCommands(opened.commands);
    this.#files = new WaitingFileInstructions(opened.fileInstructions, opened.cwd);
    this.#dueText = isTextKnown ? undefined : firstPromptText;
    this.#unread = opened.firstPrompt;
  }

  get isOpen(): boolean {
    return !this.#options.opened.signal.aborted;
  }

  isOf(opened: OpenedContext): boolean {
    return this.#options.opened === opened;
  }

  hasBrought(text: string): boolean {
    return this.#options.firstPromptText === text && this.#dueText === undefined;
  }

  /** Checks whether a replayed message contains the instructions, which then needn't be sent again. */
  noteReplay({ params }: Notification): void {
    if (this.#dueText === undefined) return;
    if (params?.text.includes(JSON.stringify(this.#dueText).slice(1, -1)) === true) this.#dueText = undefined;
  }

  /** Called when the agent has opened the session. `early` is its earlier command announcement, if any. */
  start(early: Notification | undefined): void {
    const { client, commands, sessionId, signal } = this.#options.opened;
    if (sessionId === undefined) return;
    const announced = early && this.#commands.extend(early);
    const subscriptions = commands.map(({ list }) =>
      list.subscribe?.(() => client.notify(this.#commands.update(sessionId))),
    );
    const end = (): void => {
      this.#expanding?.abort();
      this.#held?.cancelAll();
      for (const subscription of subscriptions) subscription?.[Symbol.dispose]();
    };
    whenAborted(signal, end);
    // Waits until the response is sent, since clients drop updates for unknown sessions.
    queueMicrotask(() => {
      const announcement = this.#commands.announcement(sessionId) ?? announced;
      if (announcement && !signal.aborted) client.notify(announcement);
    });
  }

  turn(request: Request, reply: Reply): Cancel {
    const { calls } = this.#options.opened;
    if (calls.length === 0) return this.prompt(request, reply);
    for (const view of calls) view.turn(true);
    return this.prompt(request, (outcome) => {
      for (const view of calls) view.turn(false);
      reply(outcome);
    });
  }

  prompt(request: Request, reply: Reply): Cancel {
    if (this.#held) return this.#held.add(request, reply);
    const blocks = PromptRequestEdit.of(request);
    if (!blocks) return this.#toAgent(request, reply);
    const given = parseCommand(blocks.firstText ?? "");
    const command = given && this.#commands.find(given.name);
    if (this.#unread.length > 0 && (command || !given)) return this.#readFirst(request, reply);
    if (command) return this.#expand(command, given.words, request, reply);
    if (given) {
      // Adds nothing to the agent's own commands, since agents would read additions as arguments.
      if (compactions.has(given.name)) this.#dueText = this.#options.firstPromptText;
      return this.#toAgent(request, reply);
    }
    const { texts } = blocks;
    const remarks = this.#options.opened.remarks.flatMap((remark) => remark(texts) ?? []);
    return this.#send(blocks, request, reply, remarks);
  }

  /** Cancels turns that haven't reached the agent. Returns true if no turn is left. */
  cancel(): boolean {
    const isEnded = this.#held?.cancelAll() === true;
    if (isEnded) this.#expanding?.abort();
    return isEnded && this.#running === 0;
  }

  update(notification: Notification): Notification {
    switch (updateKindOf(notification)) {
      case "available_commands_update":
        return this.#commands.extend(notification);
      case "tool_call":
      case "tool_call_update":
        if (notification.params) this.#files.observe(notification.params);
        return shownUpdate(notification, this.#options.opened.calls);
      default:
        return notification;
    }
  }

  permission(request: Request, reply: Reply): Cancel {
    return askedPermission(request, reply, this.#options.opened);
  }

  /** Sends a prompt with all due additions. If the agent rejects the prompt, the next one gets them again. */
  #send(blocks: PromptRequestEdit, request: Request, reply: Reply, remarks: readonly string[] = []): Cancel {
    const { opened, instructionLimit } = this.#options;
    const text = this.#dueText;
    const files = this.#files.take(blocks);
    const fileText = instructionText(fitInstructions(files, instructionLimit));
    const notes = this.#dueNotes;
    const joined = notes.filter(({ uri }) => uri === undefined).map((note) => note.text);
    const apart = notes.filter(({ uri }) => uri !== undefined);
    const added = [text, ...joined, fileText, ...remarks].filter((one) => one !== undefined);
    if (added.length + apart.length === 0) return this.#toAgent(blocks.isChanged ? blocks.toRequest() : request, reply);
    this.#dueText = undefined;
    this.#dueNotes = [];
    const takesResources = takesResourcesOf(opened);
    const texts = [...(added.length > 0 ? [{ text: added.join("\n\n") }] : []), ...apart];
    // Appends additions, since agents name sessions after the beginning of the first prompt.
    const all = texts.reduce((before, one) => before.withLast(noteBlock(one, takesResources)), blocks);
    return this.#toAgent(all.toRequest(), (outcome) => {
      if (outcome.isError) {
        this.#dueText ??= text;
        this.#dueNotes = [...notes, ...this.#dueNotes];
        this.#files.giveBack(files);
      }
      reply(outcome);
    });
  }

  /** Reads the texts for the first prompt; prompts wait meanwhile. */
  #readFirst(request: Request, reply: Reply): Cancel {
    const held = new QueuedPrompts();
    this.#held = held;
    const cancel = held.add(request, reply);
    const { logger } = this.#options.opened;
    const read = this.#unread.map(async (one) => {
      try {
        const note = await one.read();
        return note === undefined ? [] : { text: note, ...(one.uri !== undefined && { uri: one.uri }) };
      } catch (fault) {
        logger.warn("sent a prompt without context that failed to load", {
          source: one.title,
          message: messageOf(fault),
        });
        return [];
      }
    });
    this.#unread = [];
    void Promise.all(read).then((texts) => {
      this.#dueNotes = texts.flat();
      this.#held = undefined;
      held.releaseEach((waiting, answer) => this.prompt(waiting, answer));
    });
    return cancel;
  }

  #toAgent(request: Request, reply: Reply): Cancel {
    this.#running++;
    return this.#options.successor.request(request, (outcome) => {
      this.#running--;
      reply(outcome);
    });
  }

  /** Replaces a command with its content blocks; later prompts wait meanwhile. */
  #expand(command: SlashCommand, words: string, request: Request, reply: Reply): Cancel {
    const held = new QueuedPrompts();
    const stop = new AbortController();
    this.#held = held;
    this.#expanding = stop;
    const cancel = held.add(request, reply);
    const release = (first: (request: Request, reply: Reply) => Cancel): void => {
      if (this.#expanding === stop) this.#expanding = undefined;
      this.#held = undefined;
      held.releaseEach((waiting, answer) =>
        waiting === request ? first(waiting, answer) : this.prompt(waiting, answer),
      );
    };
    untilAborted(command.expand(words, stop.signal), stop.signal).then(
      (expansion) => release((waiting, answer) => this.#sendExpanded(expansion, waiting, answer)),
      (fault: unknown) => release((_waiting, answer) => this.#refuse(fault, answer)),
    );
    return () => {
      cancel();
      stop.abort();
    };
  }

  #sendExpanded(expansion: readonly Readonly<Record<string, unknown>>[], request: Request, reply: Reply): Cancel {
    const blocks = PromptRequestEdit.of(request);
    if (!blocks) return this.#toAgent(request, reply);
    const line = blocks.firstText?.trim() ?? "";
    return this.#send(
      blocks.withFirstTextAs(expandedBlocks(line, expansion, takesResourcesOf(this.#options.opened))),
      request,
      reply,
    );
  }

  /** Ends a turn with an error message for the user. */
  #refuse(fault: unknown, reply: Reply): Cancel {
    const { client, sessionId } = this.#options.opened;
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: messageOf(fault) } };
    client.notify(Notification.of(acpMethods.sessionUpdate, { sessionId, update }));
    reply(Outcome.of({ stopReason: "end_turn" }));
    return () => undefined;
  }
}

function noteBlock({ text, uri }: DueNote, takesResources: boolean): Json {
  return markedBlock(text, uri === undefined ? contextMark : { ...contextMark, uri }, takesResources);
}

/** Agent commands that shorten or clear a conversation, which then lacks the text of its first prompt. */
const compactions: ReadonlySet<string> = new Set(["compact", "compress", "summarize", "clear", "reset", "new"]);

/** Returns the blocks that replace a command. They are marked, so that a replay shows the command as typed. */
function expandedBlocks(
  line: string,
  expansion: readonly Readonly<Record<string, unknown>>[],
  takesResources: boolean,
): readonly Json[] {
  const [first] = expansion;
  const isText = first?.["type"] === "text" && typeof first["text"] === "string";
  const lead = textBlock(commandText(line, isText ? String(first["text"]) : "Its content follows."));
  const rest = (isText ? expansion.slice(1) : expansion).map((block) => {
    const { type, text } = block;
    if (type === "text" && typeof text === "string") return textBlock(marked(text, contextMark));
    const content = asObject(block["resource"])?.["text"];
    if (!takesResources && typeof content === "string") return textBlock(marked(content, contextMark));
    return Json.of(type === "resource" ? ownResource(block) : block);
  });
  return [lead, ...rest];
}

/** Returns a command's embedded resource. Marks the text of a resource of Symposium, so that replays hide it. */
function ownResource(block: Readonly<Record<string, unknown>>): unknown {
  const resource = asObject(block["resource"]);
  const { uri, text } = resource ?? {};
  const isOurs = typeof uri === "string" && uri.startsWith(ownScheme) && typeof text === "string";
  return { ...block, ...forAgentOnly, ...(isOurs && { resource: { ...resource, text: marked(text, contextMark) } }) };
}

/** Whether the agent's model gets embedded resources; otherwise they must be sent as text. */
function takesResourcesOf({ agent, row }: OpenedContext): boolean {
  return agent.accepts.embeddedContext && row?.dropsResources !== true;
}
