import { emitKeypressEvents, type Key } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { messageOf } from "../../../base/symposium-error.js";
import { safeLine } from "../terminal-chat/safe-text.js";
import type { Style } from "../style.js";
import { boardRows, type BoardRow, boardSummary, clipped, stateOf } from "./board-rows.js";
import type { ListedConversation } from "./live-and-stored.js";

interface BoardScreenOptions {
  readonly input: Readable & { setRawMode?: (isRaw: boolean) => unknown };
  readonly output: Writable & { readonly columns?: number; readonly rows?: number };
  readonly style: Style;
  readonly homeFolder: string;
  load(): Promise<readonly ListedConversation[]>;
  /** Cancels a live session's turn, or closes an idle session without a window. */
  stop(conversation: ListedConversation): Promise<void>;
  /** Deletes a stored conversation; resolves with false if it is open. */
  remove(conversation: ListedConversation): Promise<boolean>;
  /** Archives a stored conversation, or moves it out of the archive; resolves with what happened, such as "is archived". */
  archive(conversation: ListedConversation): Promise<string>;
  readonly refreshMs?: number;
}

/** The terminal's second screen, without a cursor: XTerm's modes 1049 and 25. https://invisible-island.net/xterm/ctlseqs */
const screenOn = "\u001B[?1049h\u001B[?25l";
const screenOff = "\u001B[?25h\u001B[?1049l";
const [home, clearLine, clearBelow] = ["\u001B[H", "\u001B[K", "\u001B[J"];
/** Lines around the conversations: a summary, and the keys or a message. */
const frameLines = 3;
const keysText = "Enter open/answer  s stop  a archive  d delete  q leave";

/** Board on a terminal, which the user leaves by opening a conversation or with `q`. Remembers the selection between runs. */
export class BoardScreen implements Disposable {
  #conversations: readonly ListedConversation[] = [];
  #rows: readonly BoardRow[] = [];
  /** Key that identifies the selected conversation after a refresh. */
  #selected = "";
  /** Position of the selection, used if the selected conversation disappears. */
  #place = 0;
  /** First visible row. */
  #top = 0;
  #message = "";
  /** Conversation whose deletion the user must confirm. */
  #doomed: ListedConversation | undefined;
  #isShown = false;
  #leave: (chosen: ListedConversation | undefined) => void = () => undefined;
  readonly #onKey = (_text: string | undefined, key: Key): void => void this.#press(key);
  readonly #onResize = (): void => this.#draw();

  constructor(private readonly options: BoardScreenOptions) {}

  /**
   * Resolves with the conversation to open, or undefined if the user leaves. Until the next key press, `message` replaces the line that
   * lists the keys.
   */
  async run(message = ""): Promise<ListedConversation | undefined> {
    const { input, output, refreshMs = 2_000 } = this.options;
    this.#message = message;
    this.#conversations = await this.options.load();
    this.#isShown = true;
    output.write(screenOn);
    emitKeypressEvents(input);
    input.on("keypress", this.#onKey);
    input.setRawMode?.(true);
    input.resume();
    output.on("resize", this.#onResize);
    const left = new Promise<ListedConversation | undefined>((resolve) => (this.#leave = resolve));
    const onEnd = (): void => this.#leave(undefined);
    input.on("end", onEnd);
    this.#draw();
    let isLoading = false;
    const timer = setInterval(() => {
      if (isLoading) return;
      isLoading = true;
      void this.#refresh().finally(() => (isLoading = false));
    }, refreshMs);
    try {
      return await left;
    } finally {
      clearInterval(timer);
      input.off("end", onEnd);
      this[Symbol.dispose]();
    }
  }

  /** Restores the terminal. */
  [Symbol.dispose](): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    const { input, output } = this.options;
    output.off("resize", this.#onResize);
    input.off("keypress", this.#onKey);
    input.setRawMode?.(false);
    input.pause();
    output.write(screenOff);
  }

  async #refresh(): Promise<void> {
    try {
      this.#conversations = await this.options.load();
    } catch (fault) {
      this.#message = safeLine(messageOf(fault));
    }
    if (this.#isShown) this.#draw();
  }

  async #press({ name = "", ctrl }: Key): Promise<void> {
    const doomed = this.#doomed;
    const isLeaving = name === "q" || name === "escape" || (ctrl === true && (name === "c" || name === "d"));
    this.#message = "";
    this.#doomed = undefined;
    const selected = this.#selection;
    if (doomed && name === "y") await this.#do(() => this.#remove(doomed));
    else if (doomed) this.#draw();
    else if (isLeaving) this.#leave(undefined);
    else if (ctrl === true) this.#draw();
    else if (name === "up" || name === "k") this.#move(-1);
    else if (name === "down" || name === "j") this.#move(1);
    else if (!selected) this.#draw();
    else if (name === "return") this.#leave(selected);
    else if (name === "s") await this.#do(() => this.#stop(selected));
    else if (name === "a") await this.#do(() => this.#archive(selected));
    else if (name === "d") this.#askToRemove(selected);
    else this.#draw();
  }

  async #do(action: () => Promise<string>): Promise<void> {
    this.#message = await action().catch((fault: unknown) => safeLine(messageOf(fault)));
    await this.#refresh();
  }

  async #stop(conversation: ListedConversation): Promise<string> {
    const state = stateOf(conversation);
    const isRunning = state === "working" || state === "waiting";
    if (!isRunning && conversation.live?.isAttached !== false) return "It isn't running.";
    await this.options.stop(conversation);
    return `${isRunning ? "Stopping" : "Closing"} ${nameOf(conversation)}.`;
  }

  async #archive(conversation: ListedConversation): Promise<string> {
    return liveProblem(conversation) ?? `${nameOf(conversation)} ${await this.options.archive(conversation)}.`;
  }

  #askToRemove(conversation: ListedConversation): void {
    const problem = liveProblem(conversation);
    if (problem === undefined) this.#doomed = conversation;
    else this.#message = problem;
    this.#draw();
  }

  async #remove(conversation: ListedConversation): Promise<string> {
    const isRemoved = await this.options.remove(conversation);
    return isRemoved ? `${nameOf(conversation)} is deleted.` : "It is open in an editor. Close it there first.";
  }

  get #selectable(): readonly ListedConversation[] {
    return this.#rows.flatMap(({ conversation }) => conversation ?? []);
  }

  get #selection(): ListedConversation | undefined {
    return this.#selectable.find((one) => keyOf(one) === this.#selected);
  }

  #move(step: 1 | -1): void {
    const next = this.#selectable[this.#place + step];
    if (next) this.#selected = keyOf(next);
    this.#draw();
  }

  #draw(): void {
    const { output, style, homeFolder } = this.options;
    // Terminals of unknown size report 0.
    const [columns, height] = [output.columns || 80, output.rows || 24];
    this.#rows = boardRows(this.#conversations, { columns, hasIds: false, style, now: Date.now(), homeFolder });
    const all = this.#selectable;
    const at = all.findIndex((one) => keyOf(one) === this.#selected);
    this.#place = at === -1 ? Math.max(0, Math.min(this.#place, all.length - 1)) : at;
    const selected = all[this.#place];
    this.#selected = selected ? keyOf(selected) : "";
    const lines = this.#rows.map(({ text, conversation }) => {
      if (!conversation) return text;
      return keyOf(conversation) === this.#selected ? style.bold(`> ${text}`) : `  ${text}`;
    });
    const bottom = this.#doomed ? `Delete ${nameOf(this.#doomed)}? y/N` : this.#message;
    const shown = [
      style.bold(clipped(`Conversations: ${boardSummary(this.#conversations) || "none"}`, columns)),
      ...this.#visible(lines, Math.max(1, height - frameLines)),
      "",
      clipped(bottom === "" ? keysText : bottom, columns),
    ];
    output.write(home + shown.map((line) => line + clearLine).join("\r\n") + clearBelow);
  }

  /** Scrolls as little as needed to show the selected line and the line above it, such as its folder. */
  #visible(lines: readonly string[], height: number): readonly string[] {
    const at = this.#rows.findIndex(({ conversation }) => conversation && keyOf(conversation) === this.#selected);
    // Show the headings too if the first conversation is selected; its folder is below them.
    const above = at <= 2 ? 0 : at - 1;
    this.#top = Math.max(0, Math.min(this.#top, above, lines.length - height), at - height + 1);
    return lines.slice(this.#top, this.#top + height);
  }
}

function keyOf({ stored, live, cwd }: ListedConversation): string {
  return JSON.stringify([stored?.session ?? live?.sessionId, cwd, stored?.id]);
}

/** Explains that a live session can't be archived or deleted; undefined if the conversation isn't live. */
function liveProblem({ live }: ListedConversation): string | undefined {
  return live && `It is live. ${live.isAttached ? "Close it in its window first." : "Stop it first."}`;
}

function nameOf({ title }: ListedConversation): string {
  return title === "" ? "The conversation" : `"${clipped(safeLine(title), 30)}"`;
}
