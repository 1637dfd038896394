import type { McpServer } from "../../../mcp/mcp-server.js";
import { type Tool, ToolServer } from "../../../mcp/tool-server.js";
import type { CrateLocator } from "../crates/crate-locator.js";
import { crateSourcesTool, textArgument } from "../tools/crate-tools.js";
import { researchServerName, responseToolName, sourceToolName } from "./research-prompt.js";
import type { ResearchSession } from "./research-session.js";

/** What a research session gets: the sources of further crates, and the way to hand in findings. */
export function researchServer(
  locator: CrateLocator,
  cwd: string,
  session: ResearchSession,
  version: string,
): McpServer {
  const sources = crateSourcesTool(locator, cwd, sourceToolName, ({ folder }) => session.folders.push(folder));
  return new ToolServer({ name: researchServerName, version, tools: [sources, responseTool(session)] });
}

function responseTool(session: ResearchSession): Tool {
  return {
    name: responseToolName,
    title: "Hand in findings",
    description: "Hands your findings to the one who asked. Call it when you are done; several calls are joined.",
    inputSchema: {
      properties: { response: { type: "string", minLength: 1, description: "The findings, as Markdown." } },
      required: ["response"],
      additionalProperties: false,
    },
    call(args) {
      session.addResponse(textArgument(args, "response") ?? "");
      return Promise.resolve("Handed in. End your turn unless there is more to hand in.");
    },
  };
}
