import * as l10n from "@vscode/l10n";
import type { SubcommandRunner } from "../agents/subcommand-runner.js";
import { type FoundServer, type FoundServers, foundServersSchema, fullText } from "./found-servers.js";

export interface ImportDialogs {
  /** Returns the servers that the user selects, with the user's own preselected; undefined if dismissed. */
  choose(servers: readonly FoundServer[]): Promise<readonly FoundServer[] | undefined>;
  /** Asks for confirmation of servers that the list couldn't show in full. `text` shows all of these servers. */
  confirms(text: string, count: number): Promise<boolean>;
  /** Asks whether to move `count` secrets to the secret store and write only their names to config.jsonc; undefined if dismissed. */
  movesSecrets(count: number): Promise<boolean | undefined>;
  tell(text: string): void;
  warn(text: string): void;
}

interface ServerImportOptions {
  readonly commandLine: Pick<SubcommandRunner, "json">;
  readonly dialogs: ImportDialogs;
  /** Absolute folder of the project whose servers are also offered. */
  readonly folder: () => string | undefined;
  /** Absolute folder of this editor's user files. */
  readonly editorFolder: string;
}

/**
 * Imports other products' MCP servers into config.jsonc with the command's `mcp import`. Starts no server and writes no other product's
 * file.
 */
export class ServerImport {
  constructor(private readonly options: ServerImportOptions) {}

  find(): Promise<FoundServers> {
    return this.#run([]);
  }

  /** Asks which servers to import, and imports them. Does nothing without a selection. */
  async run(): Promise<void> {
    const { dialogs } = this.options;
    const { servers, problems } = await this.find();
    if (problems.length > 0) {
      dialogs.warn(`Not read: ${problems.map(({ path, problem }) => `${path}: ${problem}`).join("; ")}`);
    }
    if (servers.length === 0) {
      dialogs.tell(
        l10n.t("No MCP servers from other products were found, or all of them are already in config.jsonc."),
      );
      return;
    }
    const chosen = await dialogs.choose(servers);
    if (!chosen || chosen.length === 0) return;
    const cutOff = chosen.flatMap((server) => fullText(server) ?? []);
    if (cutOff.length > 0 && !(await dialogs.confirms(cutOff.join("\n\n"), cutOff.length))) return;
    const count = chosen.reduce((sum, { secrets }) => sum + secrets.length, 0);
    const moves = count === 0 || (await dialogs.movesSecrets(count));
    if (moves === undefined) return;
    const names = chosen.map(({ name }) => name);
    // The digests ensure that only what was shown is imported, even if the files changed meanwhile.
    const choice = chosen.flatMap(({ name, digest }) => [`--server=${name}`, `--digest=${digest}`]);
    await this.#run([...choice, ...(moves ? [] : ["--literal-secrets"])]);
    const missing = chosen.filter((server) => server.missing.length > 0).map(({ name }) => name);
    const rest = missing.length === 0 ? "" : l10n.t(" {0} still needs a value: see config.jsonc.", missing.join(", "));
    dialogs.tell(l10n.t("Agents get {0} from their next session.{1}", names.join(", "), rest));
  }

  #run(choice: readonly string[]): Promise<FoundServers> {
    const { commandLine, folder, editorFolder } = this.options;
    const cwd = folder();
    const words = ["mcp", "import", "--json", "--editor-folder", editorFolder, ...choice];
    return commandLine.json(words, foundServersSchema, cwd === undefined ? {} : { cwd });
  }
}
