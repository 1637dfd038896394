import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { conductorProgram } from "../../support/conductor-command.js";
import { repositoryRoot } from "../../support/repository.js";
import { benchPath } from "../lanes.js";
import type { IdeLane } from "./ide-lane.js";
import type { IdeProject } from "./ide-project.js";
import { McpSubject, type ToolQuestions } from "./mcp-subject.js";
import { ServerSubject } from "./server-subject.js";

const peers = join(repositoryRoot, ".cache", "peers");

/** How the peers are installed: the bench does so for nobody. */
export const peersHint =
  "npm install --prefix .cache/peers/cclsp cclsp@0.7.0; python3 -m venv .cache/peers/serena && .cache/peers/serena/bin/pip install serena-agent==2.1.0";

/** Writes the project's files into `folder`. */
export async function writeProject({ files }: IdeProject, folder: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** PATH for everybody who serves the project. */
export function pathFor({ installed }: IdeProject): string {
  const folder = installed === undefined ? [] : [join(repositoryRoot, ".cache", "language-servers", installed)];
  return [...folder, benchPath].join(delimiter);
}

/** The language server alone, our tools twice, and the peers that are installed and serve the language. */
export async function ideLanes(project: IdeProject, folder: string): Promise<readonly IdeLane[]> {
  const alone: IdeLane = { name: "alone", open: (env) => ServerSubject.open(project, folder, env) };
  const ourWords = ["node", conductorProgram, "mcp", "ide-operations", "--trusted-folder", folder];
  const ours = (name: string, symbol: string): IdeLane =>
    mcpLane(name, folder, { words: ourWords, questions: ourQuestions(project, symbol) });
  const { declared, used } = project;
  return [
    alone,
    ours("ours", `${declared.file}#${declared.name}`),
    // The very question that the language server alone is asked.
    ours("ours at", `${used.file}:${used.line}:${used.column}`),
    ...(await cclsp(project, folder)),
    ...serena(project, folder),
    ...goplsMcp(project, folder),
  ];
}

interface McpCommand {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly questions: ToolQuestions;
}

function mcpLane(name: string, folder: string, { words, env: own, questions }: McpCommand): IdeLane {
  return { name, open: (env) => McpSubject.open({ words, env: { ...env, ...own }, cwd: folder }, questions) };
}

function ourQuestions({ declared, used }: IdeProject, symbol: string): ToolQuestions {
  return {
    definition: { tool: "find_definition", arguments: { symbol }, answer: `${declared.file}:${declared.line}:` },
    references: { tool: "find_references", arguments: { symbol }, answer: used.file },
    symbols: { tool: "symbols", arguments: { file: declared.file }, answer: declared.name },
  };
}

async function cclsp(project: IdeProject, folder: string): Promise<readonly IdeLane[]> {
  const program = join(peers, "cclsp", "node_modules", ".bin", "cclsp");
  const { declared, used, extension, server } = project;
  // It answers no question of TypeScript 7, which then waits for it: every call would take half a minute, and fail.
  if (!existsSync(program) || server[0] === "tsc") return [];
  const config = `${folder}-cclsp.json`;
  await writeFile(config, JSON.stringify({ servers: [{ extensions: [extension], command: server, rootDir: folder }] }));
  const asked = { file_path: join(folder, declared.file), symbol_name: declared.name };
  const place = `${declared.file}:${declared.line}:`;
  return [
    mcpLane("cclsp", folder, {
      words: [program],
      env: { CCLSP_CONFIG_PATH: config },
      questions: {
        definition: { tool: "find_definition", arguments: asked, answer: place },
        references: { tool: "find_references", arguments: asked, answer: used.file },
        symbols: { tool: "find_workspace_symbols", arguments: { query: declared.name }, answer: place },
      },
    }),
  ];
}

function serena({ declared, used }: IdeProject, folder: string): readonly IdeLane[] {
  const program = join(peers, "serena", "bin", "serena");
  if (!existsSync(program)) return [];
  const { name, file, line } = declared;
  const interaction = ["--context", "ide", "--agent-interface", "tools", "--transport", "stdio"];
  const words = [program, "start-mcp-server", "--project", folder, ...interaction, "--enable-web-dashboard", "false"];
  return [
    mcpLane("serena", folder, {
      words,
      // Keeps Serena's own installations between runs.
      env: { SERENA_HOME: join(peers, "serena-home") },
      questions: {
        definition: {
          tool: "find_symbol",
          arguments: { name_path_pattern: name },
          answer: `"start_line": ${line - 1}`,
        },
        references: {
          tool: "find_referencing_symbols",
          arguments: { name_path: name, relative_path: file },
          answer: used.file,
        },
        symbols: { tool: "get_symbols_overview", arguments: { relative_path: file }, answer: name },
      },
    }),
  ];
}

function goplsMcp({ extension, declared, used }: IdeProject, folder: string): readonly IdeLane[] {
  if (extension !== "go") return [];
  const { name, file } = declared;
  const search = { tool: "go_search", arguments: { query: name }, answer: file };
  const asked = { file: join(folder, file), symbol: name };
  const references = { tool: "go_symbol_references", arguments: asked, answer: used.file };
  return [
    mcpLane("gopls mcp", folder, {
      words: ["gopls", "mcp"],
      questions: { definition: search, references, symbols: search },
    }),
  ];
}
