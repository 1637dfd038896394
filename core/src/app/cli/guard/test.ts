import { homedir } from "node:os";
import type { McpTool } from "../../../base/acp/mcp-tool-call.js";
import { invalidArguments } from "../../../base/symposium-error.js";
import type { GuardedCall } from "../../../guard/decision.js";
import { judgedCall } from "../../../guard/node/guard-request.js";
import { boundText } from "../../../guard/allow-conditions.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { isAgentNamed } from "../../../guard/node/protection-levels.js";
import { findNamedAgent, readAgentText } from "../../../agents/node/find-agent.js";
import { sayResult, warn } from "../output.js";
import { jsonOption } from "../options.js";
import { subcommand } from "../subcommand.js";
import { brokenRulesRemedy, rulesHere } from "./rules.js";

export const test = subcommand({
  name: "guard test",
  about: "Show which rule applies to a command in this folder. Doesn't run the command.",
  arguments: { "[COMMAND]": "a command line, in quotes" },
  options: {
    read: { value: "FILE", about: "test reading a file instead" },
    write: { value: "FILE", about: "test writing a file instead" },
    fetch: { value: "URL", about: "test fetching an address instead" },
    agent: {
      value: "AGENT",
      about: "test as this agent, including rules for this agent only",
    },
    mcp: { value: "SERVER/TOOL", about: "test calling an MCP tool instead" },
    ...jsonOption,
  },
  async run({ values, positionals: [command] }) {
    const given: readonly (GuardedCall | undefined)[] = [
      command === undefined ? undefined : { kind: "execute", rawInput: { command }, locations: [] },
      values.read === undefined ? undefined : { kind: "read", rawInput: undefined, locations: [values.read] },
      values.write === undefined ? undefined : { kind: "edit", rawInput: undefined, locations: [values.write] },
      values.fetch === undefined ? undefined : { kind: "fetch", rawInput: { url: values.fetch }, locations: [] },
      values.mcp === undefined
        ? undefined
        : { kind: "other", rawInput: undefined, locations: [], tools: [toolOf(values.mcp)] },
    ];
    const calls = given.filter((call) => call !== undefined);
    const [call] = calls;
    if (call === undefined || calls.length > 1) {
      throw invalidArguments("guard test takes one command, file, address or tool.", usage);
    }
    const { rules, problems, isBroken } = await rulesHere(await namesAgent(values.agent));
    for (const problem of problems) warn(plainText(problem, 4_000));
    if (problems.length > 0) warn(brokenRulesRemedy);
    const { decision } = await judgedCall(rules, call, { roots: [process.cwd()], home: homedir() });
    const { effect = isBroken ? "ask" : null, rule = null } = decision ?? {};
    const result = { effect, rule, problems };
    if (!decision) {
      const text = isBroken
        ? "ask: your guard.jsonc cannot be read"
        : "no rule applies: the agent decides whether to ask you";
      return sayResult(values, result, text);
    }
    if (!rule) return sayResult(values, result, `${effect}: the command can't be parsed, and rules limit commands`);
    const reason = rule.reason === undefined ? "" : `: ${plainText(rule.reason)}`;
    return sayResult(
      values,
      result,
      `${effect}: ${rule.subject} ${rule.patterns.map((one) => plainText(one)).join(", ")}${spaced(plainText(boundText(rule), 4_000))} (${plainText(rule.place, 4_000)})${reason}`,
    );
  },
});

const usage = 'symposium-acp-agent guard test "git push", or with --read, --write, --fetch or --mcp.';

async function namesAgent(text: string | undefined): Promise<(name: string) => boolean> {
  if (text === undefined) return () => false;
  const agent = await findNamedAgent(readAgentText(text));
  return (name) => isAgentNamed(agent, name);
}

function spaced(text: string): string {
  return text === "" ? "" : ` ${text}`;
}

function toolOf(name: string): McpTool {
  const [, server, tool] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
  if (server !== undefined && tool !== undefined) return { server, tool };
  throw invalidArguments(`--mcp must name a tool, not ${name}.`, "Write SERVER/TOOL.");
}
