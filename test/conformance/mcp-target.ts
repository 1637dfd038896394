import type { McpForm } from "./mcp-entry.js";
import { agentWords, dialects, proxyText } from "../support/scripted-programs.js";
import { conducted, nested, type Target } from "./target.js";

/** A chain with a proxy that offers the server `tools`, before an agent that takes servers in one form. */
interface McpTarget extends Target {
  readonly form: McpForm;
}

/** The name under which the chain's server is declared. */
export const serverName = "tools";

const agents: readonly (readonly [form: McpForm, options: readonly string[]])[] = [
  ["native", ["--acp-mcp"]],
  ["http", []],
  ["stdio", ["--no-http"]],
];

const alone = (form: McpForm, options: readonly string[]): readonly McpTarget[] =>
  dialects.map((dialect) => ({
    ...conducted(
      `a ${dialect} proxy's server, ${form}`,
      [proxyText(dialect, "--mcp", serverName)],
      agentWords(...options),
    ),
    form,
  }));

const behind = [proxyText("mid"), proxyText("legacy"), proxyText("current", "--mcp", serverName)];
const before = [proxyText("legacy", "--mcp", serverName), proxyText("current"), proxyText("mid")];
const inside = [nested(proxyText("legacy", "--mcp", serverName))];

export const mcpTargets: readonly McpTarget[] = [
  ...agents.flatMap(([form, options]) => alone(form, options)),
  { ...conducted("the server of a proxy behind two others", behind), form: "http" },
  { ...conducted("the server of a proxy before two others", before, agentWords("--acp-mcp")), form: "native" },
  { ...conducted("a nested proxy's server", inside), form: "http" },
  { ...conducted("a nested proxy's server, stdio", inside, agentWords("--no-http")), form: "stdio" },
  // The inner conductor is greeted in the older dialect, which cannot tell it that native servers would get through.
  { ...conducted("a nested proxy's server, native", inside, agentWords("--acp-mcp")), form: "http" },
];
