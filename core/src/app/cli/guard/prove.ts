import { invalidArguments } from "../../../base/symposium-error.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { findNamedAgent, readAgentText } from "../../../agents/node/find-agent.js";
import { type Enforcement, enforcementOf, type Enforcer } from "../../../guard/enforcement.js";
import { GuardFiles } from "../../../guard/node/guard-rule-files.js";
import { organisationRules } from "../../../guard/node/organisation-rules.js";
import { idOfAgent, isAgentNamed, ProtectionLevels, rowOfAgent } from "../../../guard/node/protection-levels.js";
import { byOrganisation } from "../../../settings/managed-policy/managed-policy.js";
import { defaultSettings } from "../../../settings/settings-table.js";
import { readSoundConfig } from "../../read-user-config.js";
import { jsonOption } from "../options.js";
import { sayResult } from "../output.js";
import { subcommand } from "../subcommand.js";

export const prove = subcommand({
  name: "guard prove",
  about:
    "Show what enforces each rule for an agent with default settings: the sandbox, the agent's own deny rules, its permission " +
    "requests, or nothing. Starts nothing.",
  arguments: { "[AGENT]": "the agent, as for run-with (default: the configured agent)" },
  options: jsonOption,
  async run({ values, positionals: [text] }) {
    const config = await readSoundConfig("go-on");
    const component = text === undefined ? config?.agent : readAgentText(text);
    if (!component) {
      throw invalidArguments("No agent is configured.", "Name one, as in `guard prove codex`.");
    }
    const { rules: organisation } = await organisationRules();
    const agent = await findNamedAgent(component);
    const files = new GuardFiles();
    const [{ rules }, levels, own] = await Promise.all([
      files.rulesFor(process.cwd(), (name) => isAgentNamed(agent, name)),
      ProtectionLevels.read((config?.settings ?? defaultSettings).guard),
      files.own(),
    ]);
    const level = levels.of(agent);
    const givenAtStart = new Set([...organisation, ...own.rules].map(({ place }) => place));
    const proofs = enforcementOf(rules, {
      level,
      row: rowOfAgent(agent),
      isGivenAtStart: (rule) => rule.in === undefined && givenAtStart.has(rule.place),
      isWindows: process.platform === "win32",
    });
    const raised = levels.raised(agent);
    const by = raised ? `, ${byOrganisation(raised.file)}` : "";
    const head = `${idOfAgent(agent)}: ${level}${by}`;
    const places = new Set(organisation.map(({ place }) => place));
    const lines =
      proofs.length === 0 ? ["No rules apply to this folder."] : proofs.map((one) => proofText(one, places));
    return sayResult(
      values,
      { agent: idOfAgent(agent), level, rules: proofs },
      [head, ...lines].map((line) => plainText(line, 4_000)).join("\n"),
    );
  },
});

const words: Readonly<Record<Enforcer, string>> = {
  sandbox: "by the sandbox",
  agent: "by the agent's own deny rules",
  gate: "by Symposium's calls of MCP tools",
  requests: "by the agent's permission requests",
  nothing: "not at all",
};

function proofText(
  { effect, subject, pattern, place, by, note }: Enforcement,
  organisation: ReadonlySet<string>,
): string {
  const limit = note === undefined ? "" : ` (${note})`;
  const from = organisation.has(place) ? `, ${byOrganisation(place)}` : ` (${place})`;
  return `${effect} ${subject} ${pattern}${from}: ${words[by]}${limit}.`;
}
