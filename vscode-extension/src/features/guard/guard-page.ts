import * as l10n from "@vscode/l10n";
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "@symposium-dev/core";
import {
  canTakeBack,
  type FromGuard,
  fromGuardSchema,
  type GuardState,
  guardStatusSchema,
} from "../../../protocol/guard.js";
import type { SubcommandRunner } from "../agents/subcommand-runner.js";
import { KeyedQueue } from "../documents/documents.js";
import { takeMessage } from "../pages/page-message.js";
import { type LevelSwitch, setLevel } from "./level-switch.js";

export interface GuardEditor {
  /** Folder of this window's sessions: the open folder or the user's home. */
  readonly folder: string;
  /** Opens a file. `line` is 1-based. */
  openFile(file: string, line: number | undefined): Promise<void>;
  /** Opens the user's guard.jsonc and creates the file if it is missing; undefined means the default path. */
  openRules(file: string | undefined): Promise<void>;
  /** Asks where to open a host; undefined if the user declines. */
  askForHost(host: string): Promise<"folder" | "everywhere" | undefined>;
  say(message: string): void;
}

interface GuardedAgent {
  readonly name: string;
  readonly spec: string;
}

interface GuardPageOptions extends LevelSwitch {
  readonly editor: GuardEditor;
  readonly commandLine: Pick<SubcommandRunner, "json" | "run">;
  readonly agents: () => Promise<readonly GuardedAgent[]>;
  readonly changed: () => void;
}

export class GuardPage {
  #agents: readonly GuardedAgent[] = [];
  #status: GuardState["status"];
  #problem: string | undefined;
  #loads = 0;
  /** Counts refreshes, so that only the answer to the latest one applies. */
  #asked = 0;
  readonly #writes = new KeyedQueue();

  constructor(private readonly options: GuardPageOptions) {}

  get state(): GuardState {
    return {
      folder: this.options.editor.folder,
      isLoading: this.#loads > 0,
      names: Object.fromEntries(this.#agents.map(({ spec, name }) => [spec, name])),
      ...(this.#problem !== undefined && { problem: this.#problem }),
      ...(this.#status && { status: this.#status }),
    };
  }

  /** Reads the status from the command. Never rejects: the page shows the error. */
  async refresh(): Promise<void> {
    const { commandLine, editor, agents, changed } = this.options;
    const turn = ++this.#asked;
    this.#loads++;
    changed();
    try {
      const found = await agents();
      const words = ["guard", "status", "--editor", "--json", "--", ...found.map(({ spec }) => spec)];
      const status = await commandLine.json(words, guardStatusSchema, { cwd: editor.folder });
      if (turn === this.#asked) [this.#status, this.#agents, this.#problem] = [status, found, undefined];
    } catch (error) {
      if (turn === this.#asked) this.#problem = messageOf(error);
    } finally {
      this.#loads--;
    }
    changed();
  }

  /** Handles a message from the page; rejects invalid messages. */
  receive(value: unknown): Promise<void> {
    return takeMessage(value, {
      page: l10n.t("The Guard page"),
      schema: fromGuardSchema,
      act: (message) => this.#act(message),
      say: (text) => this.options.editor.say(text),
    });
  }

  async #act(message: FromGuard): Promise<void> {
    const { editor, changed } = this.options;
    switch (message.type) {
      case "guard-ready":
        changed();
        return;
      case "refresh":
        return this.refresh();
      case "set-level":
        return this.#setLevel(message.agent, message.level);
      case "open-host":
        return this.#openHost(message.host);
      case "take-back":
        return this.#takeBack(message);
      case "open-place": {
        const [, file = message.place, line] = /^(.*):(\d+)$/.exec(message.place) ?? [];
        return editor.openFile(file, line === undefined ? undefined : Number(line));
      }
      case "open-file":
        await editor.openRules(this.#status?.file);
    }
  }

  async #setLevel(agent: string, level: string): Promise<void> {
    if (!this.#agents.some(({ spec }) => spec === agent)) return;
    try {
      await this.#writes.run("guard", () => setLevel(this.options, agent, level));
    } finally {
      // Refresh even after a failure, because the page already shows the level that the user selected.
      await this.refresh();
    }
  }

  async #openHost(host: string): Promise<void> {
    const { editor, commandLine } = this.options;
    const isOffered = this.#status?.refused.some((one) => one.host === host && one.canOpen) === true;
    const where = isOffered ? await editor.askForHost(host) : undefined;
    if (where === undefined) return;
    const within = where === "folder" ? ["--in", editor.folder] : [];
    await this.#writes.run("guard", () => commandLine.run(["guard", "add", ...within, "allow", "host", "--", host]));
    await this.refresh();
  }

  /** Looks up the shown rule again, since the rules may have changed. */
  async #takeBack({ type: _type, ...shown }: Extract<FromGuard, { type: "take-back" }>): Promise<void> {
    const status = this.#status;
    const rule = status?.rules.find(({ place, subject, patterns }) =>
      isDeepStrictEqual({ place, subject, patterns }, shown),
    );
    if (!status || !rule || !canTakeBack(rule, status)) return;
    const { effect, subject, patterns, agent, kind, exact, cwd, in: folder } = rule;
    const named = Object.entries({ agent, kind, cwd, in: folder });
    const options = named.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
    const words = [...options, ...(exact === true ? ["--exact"] : []), "--", effect, subject, ...patterns];
    try {
      await this.#writes.run("guard", () => this.options.commandLine.run(["guard", "remove", ...words]));
    } finally {
      await this.refresh();
    }
  }
}
