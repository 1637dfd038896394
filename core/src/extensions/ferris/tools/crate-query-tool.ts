import { argumentsSchema, textArgument, textSchema } from "../../../base/mcp/tool-schema.js";
import type { McpServer } from "../../../base/mcp/mcp-server.js";
import { type Tool, ToolServer } from "../../../base/mcp/tool-server.js";
import type { CrateLocator } from "../crates/crate-locator.js";
import type { ResearchSessionState } from "../research/research-session-state.js";
import { researchServerName, responseToolName, sourceToolName } from "../research/research-prompt.js";
import type { Researcher } from "../research/researcher.js";
import { crateProperties, crateSourcesTool, versionLine } from "./crate-tools.js";

export interface ToolSession {
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Tool that asks another session of the same agent to answer a question from a crate's sources. */
export function crateQueryTool(
  locator: CrateLocator,
  researcher: Researcher,
  session: ToolSession,
  serverVersion: string,
): Tool {
  return {
    name: "rust_crate_query",
    title: "Research a crate",
    description:
      "Asks a separate session to read the sources of a Rust crate, at the version this workspace uses, and to report what it found. " +
      "For questions that take more than a look; it keeps the reading out of this conversation. May take minutes.",
    inputSchema: argumentsSchema(
      {
        crate_name: crateProperties.crate_name,
        crate_version: crateProperties.version,
        prompt: textSchema("The question. The session has no other context."),
      },
      ["crate_name", "prompt"],
    ),
    annotations: { readOnlyHint: true, openWorldHint: true },
    async call(args, context) {
      const crateName = textArgument(args, "crate_name") ?? "";
      const question = { crateName, version: textArgument(args, "crate_version"), cwd: session.cwd };
      const crate = await locator.locate(question, context.signal);
      context.progress(`Researching ${crate.name} ${crate.version}`);
      const answer = await researcher.answer({
        crate,
        prompt: textArgument(args, "prompt") ?? "",
        signals: [context.signal, session.signal],
        progress: (message) => context.progress(message),
        serverFor: (research) => researchServer(locator, session.cwd, research, serverVersion),
      });
      return `${versionLine(crate)}\n\n${answer}`;
    },
  };
}

/** MCP server of a research session: opens sources of more crates and submits findings. */
function researchServer(locator: CrateLocator, cwd: string, session: ResearchSessionState, version: string): McpServer {
  const sources = crateSourcesTool(locator, cwd, sourceToolName, ({ folder }) => session.folders.push(folder));
  return new ToolServer({ name: researchServerName, version, tools: [sources, responseTool(session)] });
}

function responseTool(session: ResearchSessionState): Tool {
  return {
    name: responseToolName,
    title: "Hand in findings",
    description: "Hands your findings to the one who asked. Call it when you are done; several calls are joined.",
    inputSchema: argumentsSchema({ response: textSchema("The findings, as Markdown.") }, ["response"]),
    call(args) {
      session.addResponse(textArgument(args, "response") ?? "");
      return Promise.resolve("Handed in. End your turn unless there is more to hand in.");
    },
  };
}
