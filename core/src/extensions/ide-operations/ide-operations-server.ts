import type { McpServer } from "../../base/mcp/mcp-server.js";
import { ToolServer } from "../../base/mcp/tool-server.js";
import { ideOperationsName } from "./ide-operations-options.js";
import { IdeSession, type IdeSessionParts } from "./ide-call.js";
import { applyEditTool, codeActionTool, formatTool, renameTool } from "./tools/edit-tools.js";
import { definitionTool, hoverTool, implementationsTool } from "./tools/definition-tools.js";
import { diagnosticsTool } from "./tools/diagnostics-tool.js";
import { openFilesTool, selectionTool } from "./tools/editor-tools.js";
import { callHierarchyTool, typeHierarchyTool } from "./tools/hierarchy-tools.js";
import { type IdeToolEntry, toTool } from "./tools/ide-tool.js";
import { programTool } from "./tools/program-tool.js";
import { referencesTool } from "./tools/references-tool.js";
import { symbolsTool } from "./tools/symbols-tool.js";

const entries: readonly IdeToolEntry[] = [
  definitionTool,
  referencesTool,
  implementationsTool,
  symbolsTool,
  hoverTool,
  callHierarchyTool,
  typeHierarchyTool,
  diagnosticsTool,
  renameTool,
  codeActionTool,
  formatTool,
  applyEditTool,
  selectionTool,
  openFilesTool,
  programTool,
];

const instructions =
  "Answers about code come from language servers: exact, where a text search guesses. A symbol is named by " +
  '"Type::method", "file#name", "file:line#name" or "file:line:column"; lines and columns count from 1, and paths start ' +
  "from the workspace's folder. Each answer says in brackets how far it can be trusted.";

interface IdeOperationsServerParts extends IdeSessionParts {
  /** Version that the server reports. */
  readonly version: string;
  /** Tools to list; undefined means all that the editor supports. */
  readonly tools: ReadonlySet<string> | undefined;
}

export function ideOperationsServer({ version, tools, ...parts }: IdeOperationsServerParts): McpServer {
  const session = new IdeSession(parts);
  const listed = entries.filter(
    ({ name, needs }) => needs.every((need) => session.supported.has(need)) && tools?.has(name) !== false,
  );
  return new ToolServer({
    name: ideOperationsName,
    version,
    instructions,
    tools: listed.map((entry) => toTool(entry, session)),
  });
}
