import type { CommandLine } from "../agents/command-line.js";
import { type FoundServer, type FoundServers, foundServersSchema, fullText } from "./found-servers.js";

/** What the import asks and says. */
export interface ImportDialogs {
  /** The servers that the user ticks, those of his own ticked at first; undefined when the list is dismissed. */
  choose(servers: readonly FoundServer[]): Promise<readonly FoundServer[] | undefined>;
  /** Whether servers are to be taken that the list could not show in full; `text` is all of them. */
  confirms(text: string, count: number): Promise<boolean>;
  /** Whether `count` secrets go into the secret store, and config.jsonc has their names alone; undefined when dismissed. */
  movesSecrets(count: number): Promise<boolean | undefined>;
  tell(text: string): void;
  warn(text: string): void;
}

interface ServerImportOptions {
  readonly commandLine: Pick<CommandLine, "json">;
  readonly dialogs: ImportDialogs;
  /** The folder whose project's servers are offered, too; absolute. */
  readonly folder: () => string | undefined;
  /** Where this editor keeps its user's files; absolute. */
  readonly editorFolder: string;
}

/**
 * Takes MCP servers of other products over into config.jsonc, by the very command that does it in a terminal: `mcp import`.
 * It starts none of them, and writes no file of others.
 */
export class ServerImport {
  constructor(private readonly options: ServerImportOptions) {}

  /** What there is to import. Rejects with the command's words where it fails. */
  find(): Promise<FoundServers> {
    return this.#run([]);
  }

  /** Asks which ones, and takes them. Nothing happens where the user chooses none. */
  async run(): Promise<void> {
    const { dialogs } = this.options;
    const { servers, problems } = await this.find();
    if (problems.length > 0) {
      dialogs.warn(`Not read: ${problems.map(({ path, problem }) => `${path}: ${problem}`).join("; ")}`);
    }
    if (servers.length === 0) {
      dialogs.tell("No MCP servers of other products were found, or all of them are in config.jsonc already.");
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
    // The files may have changed while the user looked: only what was shown is taken.
    const choice = chosen.flatMap(({ name, digest }) => [`--server=${name}`, `--digest=${digest}`]);
    await this.#run([...choice, ...(moves ? [] : ["--literal-secrets"])]);
    const missing = chosen.filter((server) => server.missing.length > 0).map(({ name }) => name);
    const rest = missing.length === 0 ? "" : ` ${missing.join(", ")} still needs a value: see config.jsonc.`;
    dialogs.tell(`Agents get ${names.join(", ")} from their next session on.${rest}`);
  }

  #run(choice: readonly string[]): Promise<FoundServers> {
    const { commandLine, folder, editorFolder } = this.options;
    const cwd = folder();
    const words = ["mcp", "import", "--json", "--editor-folder", editorFolder, ...choice];
    return commandLine.json(words, foundServersSchema, cwd === undefined ? {} : { cwd });
  }
}
