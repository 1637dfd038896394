import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "../support/json.js";
import { repositoryRoot } from "../support/repository.js";

/** A question to a tool of an MCP server. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Where the function of the bench's projects is declared. */
export interface DeclaredFunction {
  readonly folder: string;
  readonly file: string;
  readonly name: string;
}

/** Another bridge between language servers and agents, as an MCP server over stdio. */
export interface IdePeer {
  readonly name: string;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly definition: ToolCall;
  readonly references: ToolCall;
}

export const peersFolder = join(repositoryRoot, ".cache", "peers");

/** How the peers are installed: the bench does so for nobody. */
export const peersHint =
  "npm install --prefix .cache/peers/cclsp cclsp@0.7.0; python3 -m venv .cache/peers/serena && .cache/peers/serena/bin/pip install serena-agent==2.1.0";

/** The peers that are installed, set up for a project whose `extension` the server `serverWords` serves. */
export async function installedPeers(
  { folder, file, name }: DeclaredFunction,
  extension: string,
  serverWords: readonly string[],
): Promise<readonly IdePeer[]> {
  const peers: IdePeer[] = [];
  const cclsp = join(peersFolder, "cclsp", "node_modules", ".bin", "cclsp");
  if (existsSync(cclsp)) {
    const config = join(folder, "..", `cclsp-${extension}.json`);
    const server = { extensions: [extension], command: serverWords, rootDir: folder };
    await writeFile(config, JSON.stringify({ servers: [server] }));
    const asked = { file_path: join(folder, file), symbol_name: name };
    peers.push({
      name: "cclsp",
      words: [cclsp],
      env: { CCLSP_CONFIG_PATH: config },
      definition: { name: "find_definition", arguments: asked },
      references: { name: "find_references", arguments: asked },
    });
  }
  const serena = join(peersFolder, "serena", "bin", "serena");
  if (existsSync(serena)) {
    const options = ["--project", folder, "--context", "ide", "--transport", "stdio"];
    peers.push({
      name: "serena",
      words: [serena, "start-mcp-server", ...options, "--enable-web-dashboard", "false"],
      env: {},
      definition: { name: "find_symbol", arguments: { name_path_pattern: name } },
      references: { name: "find_referencing_symbols", arguments: { name_path: name, relative_path: file } },
    });
  }
  return peers;
}
