import * as l10n from "@vscode/l10n";
import { messageOf } from "@symposium-dev/core";
import { type FromMcpServers, fromMcpServersSchema, type McpServersState } from "../../../protocol/mcp-servers.js";
import type { SubcommandRunner } from "../agents/subcommand-runner.js";
import { type ApprovalDialog, approveProject } from "../agents/project-approval.js";
import { KeyedQueue } from "../documents/documents.js";
import { takeMessage } from "../pages/page-message.js";
import { type ListedServer, listedServers, type RunningServer } from "./listed-servers.js";
import { type ServerAction, serverRows, type ServerRow, shownServer } from "./shown-servers.js";

export interface McpServersEditor extends ApprovalDialog {
  readonly folder: string;
  readonly home: string;
  environment(): Promise<Readonly<Record<string, string>>>;
  openUrl(url: string): Promise<boolean>;
  openFile(file: string, line: number | undefined): Promise<void>;
  openSetting(server: string): Promise<void>;
  openConfig(): Promise<void>;
  /** Asks for a new server. Returns arguments for `mcp add`, or undefined if dismissed. */
  askForServer(): Promise<readonly string[] | undefined>;
  say(message: string): void;
}

interface McpServersPageOptions {
  readonly editor: McpServersEditor;
  readonly commandLine: Pick<SubcommandRunner, "json" | "run">;
  readonly running: {
    list(): Promise<readonly RunningServer[]>;
    restart(name: string): Promise<void>;
  };
  readonly changed: () => void;
}

interface Errand {
  readonly text: string;
  readonly abort: AbortController;
}

const addressLine = /^\s+(https?:\/\/\S+)$/;

export class McpServersPage implements Disposable {
  readonly #errands = new Map<string, Errand>();
  readonly #lastErrors = new Map<string, string>();
  #listed: readonly ListedServer[] = [];
  #running: readonly RunningServer[] = [];
  #loads = 0;
  /** Counts reads of the files, so that only the answer to the latest one applies. */
  #asked = 0;
  readonly #writes = new KeyedQueue();
  #problem: string | undefined;
  #again: Promise<void> | undefined;
  #current: Promise<void> = Promise.resolve();

  constructor(private readonly options: McpServersPageOptions) {}

  get state(): McpServersState {
    const { folder, home } = this.options.editor;
    return {
      folder,
      isLoading: this.#loads > 0,
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
      servers: this.#rows.map((row) =>
        shownServer(row, {
          busy: this.#errands.get(row.id)?.text,
          lastError: this.#lastErrors.get(row.id),
          home,
        }),
      ),
    };
  }

  /** Reads the configuration again and asks the running agents. Never rejects: the page shows the error. */
  async refresh(): Promise<void> {
    const { commandLine, editor, changed } = this.options;
    const turn = ++this.#asked;
    this.#loads++;
    changed();
    try {
      const options = { cwd: editor.folder, env: await editor.environment() };
      const listed = await commandLine.json(["mcp", "list", "--json"], listedServers, options);
      if (turn === this.#asked) [this.#listed, this.#problem] = [listed, undefined];
    } catch (error) {
      if (turn === this.#asked) this.#problem = messageOf(error);
    } finally {
      this.#loads--;
    }
    // Show the configuration at once, since agents can be slow.
    changed();
    await this.refreshRunning();
  }

  /** Asks only the running agents for their servers. Calls while a query is waiting share the next query; never rejects. */
  refreshRunning(): Promise<void> {
    this.#again ??= this.#current.then(() => {
      this.#again = undefined;
      return this.#askRunning();
    });
    this.#current = this.#again;
    return this.#current;
  }

  async #askRunning(): Promise<void> {
    try {
      this.#running = await this.options.running.list();
      for (const { id, running } of this.#rows) {
        if (running?.state.kind === "failed") this.#lastErrors.set(id, running.state.reason ?? "");
      }
    } catch (error) {
      this.#problem = messageOf(error);
    }
    this.options.changed();
  }

  /** Handles a message from the page; rejects invalid messages. */
  receive(value: unknown): Promise<void> {
    return takeMessage(value, {
      page: l10n.t("The MCP servers page"),
      schema: fromMcpServersSchema,
      act: (message) => this.#act(message),
      say: (text) => this.options.editor.say(text),
    });
  }

  [Symbol.dispose](): void {
    for (const { abort } of this.#errands.values()) abort.abort(new Error(l10n.t("The page was closed")));
    this.#errands.clear();
  }

  get #rows(): readonly ServerRow[] {
    return serverRows(this.#listed, this.#running);
  }

  async #act(message: FromMcpServers): Promise<void> {
    const { editor, changed } = this.options;
    switch (message.type) {
      case "mcp-servers-ready":
        changed();
        return;
      case "refresh":
        return this.refresh();
      case "open-config":
        return editor.openConfig();
      case "add": {
        const words = await editor.askForServer();
        if (!words) return;
        await this.#write(["mcp", "add", ...words]);
        return this.refresh();
      }
      case "switch-tool": {
        const row = this.#row(message.server);
        if (!row) return;
        try {
          await this.#write(["context", message.isOn ? "on" : "off", `mcp:${nameOf(row)}/${message.tool}`]);
        } finally {
          // Refresh even after a failure, because the page's checkbox has already changed.
          await this.refresh();
        }
        return;
      }
      case "act": {
        const row = this.#row(message.server);
        const isOffered = this.state.servers.some(
          ({ id, actions }) => id === message.server && actions.some((action) => action.id === message.action),
        );
        if (row && isOffered) await this.#actOn(row, message.action as ServerAction);
      }
    }
  }

  async #actOn(row: ServerRow, action: ServerAction): Promise<void> {
    const { editor, running } = this.options;
    const name = nameOf(row);
    switch (action) {
      case "restart":
        await running.restart(name);
        return this.refreshRunning();
      case "on":
      case "off":
        await this.#write(["context", action, `mcp:${name}`]);
        return this.refresh();
      case "allow":
        try {
          await approveProject(this.options.commandLine, editor.folder, editor);
        } finally {
          // Refresh after a refusal, because the project's configuration may have changed.
          await this.refresh();
        }
        return;
      case "sign-in":
        return this.#signIn(row);
      case "sign-out":
        editor.say(await this.#run(["mcp", "logout", name]));
        return this.refresh();
      case "cancel":
        this.#errands.get(row.id)?.abort.abort(new Error(l10n.t("Cancelled")));
        return;
      case "edit":
        if (row.listed?.file !== undefined) await editor.openFile(row.listed.file, row.listed.line);
        return;
      case "edit-setting":
        return editor.openSetting(name);
    }
  }

  /** Runs the sign-in command, which waits for the browser. Sessions that wait for the sign-in detect it themselves. */
  async #signIn(row: ServerRow): Promise<void> {
    const { editor, changed } = this.options;
    const abort = new AbortController();
    this.#errands.set(row.id, { text: l10n.t("Waiting for the browser"), abort });
    changed();
    try {
      const said = await this.#run(["mcp", "login", nameOf(row), "--no-browser"], {
        signal: abort.signal,
        onLine: (line) => {
          const [, url] = addressLine.exec(line) ?? [];
          if (url !== undefined) void editor.openUrl(url);
        },
      });
      editor.say(said);
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    } finally {
      this.#errands.delete(row.id);
      await this.refresh();
    }
  }

  #write(words: readonly string[]): Promise<string> {
    return this.#writes.run("configuration", () => this.#run(words));
  }

  async #run(
    words: readonly string[],
    more: { readonly signal?: AbortSignal; readonly onLine?: (line: string) => void } = {},
  ): Promise<string> {
    const { commandLine, editor } = this.options;
    return commandLine.run(words, { cwd: editor.folder, env: await editor.environment(), ...more });
  }

  #row(id: string): ServerRow | undefined {
    return this.#rows.find((row) => row.id === id);
  }
}

function nameOf({ listed, running }: ServerRow): string {
  return listed?.name ?? running?.name ?? "";
}
