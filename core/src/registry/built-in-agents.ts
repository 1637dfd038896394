import type { Distribution } from "../settings/distribution.js";
import type { RegistryEntry } from "./registry-entry.js";

/** An agent that this product knows without asking a registry. */
export interface BuiltInAgent {
  /** Short and stable, such as `gemini-cli`. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** One phrase for people. */
  readonly description: string;
  /** What the user must have, as a phrase that follows "needs". */
  readonly needs: string;
  /** Looked up on PATH. */
  readonly program: string;
  readonly args: readonly string[];
  /** The npm package that brings the program; it is used where the program is not on PATH. */
  readonly npmPackage?: string;
  /** About what installing the package downloads with all that it needs, in megabytes. */
  readonly downloadMegabytes?: number;
}

/** Listed on every machine. */
export const wellKnownAgents: readonly BuiltInAgent[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    description: "Anthropic's coding agent",
    needs: "a Claude subscription or an Anthropic API key",
    program: "claude-agent-acp",
    args: [],
    npmPackage: "@agentclientprotocol/claude-agent-acp",
    downloadMegabytes: 80,
  },
  {
    id: "gemini-cli",
    name: "Gemini CLI",
    description: "Google's coding agent",
    needs: "a Gemini API key",
    program: "gemini",
    args: ["--acp"],
    npmPackage: "@google/gemini-cli",
    downloadMegabytes: 22,
  },
  {
    id: "codex",
    name: "Codex",
    description: "OpenAI's coding agent",
    needs: "a ChatGPT subscription or an OpenAI API key",
    program: "codex-acp",
    args: [],
    npmPackage: "@agentclientprotocol/codex-acp",
    downloadMegabytes: 175,
  },
  {
    id: "kiro-cli",
    name: "Kiro CLI",
    description: "AWS's coding agent",
    needs: "an AWS Builder ID or a Kiro subscription",
    program: "kiro-cli-chat",
    args: ["acp"],
  },
];

/** Listed where their program is on PATH. */
export const agentsOnPath: readonly BuiltInAgent[] = [
  {
    id: "opencode",
    name: "OpenCode",
    description: "an open coding agent for many models",
    needs: "a model provider set up in it",
    program: "opencode",
    args: ["acp"],
  },
  {
    id: "qwen-code",
    name: "Qwen Code",
    description: "Alibaba's coding agent",
    needs: "a Qwen account or the key of an OpenAI-compatible service",
    program: "qwen",
    args: ["--acp"],
  },
  {
    id: "github-copilot",
    name: "GitHub Copilot CLI",
    description: "GitHub's coding agent",
    needs: "a GitHub Copilot subscription",
    program: "copilot",
    args: ["--acp"],
  },
  {
    id: "goose",
    name: "Goose",
    description: "an open agent for many models",
    needs: "a model provider set up in it",
    program: "goose",
    args: ["acp"],
  },
  {
    id: "auggie",
    name: "Auggie",
    description: "Augment Code's coding agent",
    needs: "an Augment account, signed in from a terminal",
    program: "auggie",
    args: ["--acp"],
  },
  {
    id: "cursor-agent",
    name: "Cursor Agent",
    description: "Cursor's coding agent",
    needs: "a Cursor account",
    program: "cursor-agent",
    args: ["acp"],
  },
];

/** The embedded agent, which needs no model. */
export const eliza = {
  id: "eliza",
  name: "Eliza",
  description: "the test agent inside Symposium, which talks without a language model",
} as const;

/** Other names under which agents are asked for, and published. */
const aliases: Readonly<Record<string, string>> = {
  "claude-acp": "claude-code",
  "zed-claude-code": "claude-code",
  gemini: "gemini-cli",
  "codex-acp": "codex",
  "github-copilot-cli": "github-copilot",
  cursor: "cursor-agent",
  elizacp: eliza.id,
};

/**
 * The built-in agents as entries: the well-known ones, those whose program `isOnPath` finds, and the embedded one. A
 * program that is there is preferred to installing its package.
 */
export function builtInAgents(isOnPath: (program: string) => boolean): readonly RegistryEntry[] {
  const found = agentsOnPath.filter(({ program }) => isOnPath(program));
  const entries = [...wellKnownAgents, ...found].map(({ id, name, description, ...start }) => {
    const found = isOnPath(start.program) && ({ isOnPath: true } as const);
    return {
      id,
      name,
      description,
      distribution: distributionOf(start, isOnPath),
      origin: "built-in",
      ...found,
    } as const;
  });
  return [...entries, { ...eliza, distribution: { symposium: { subcommand: "eliza" } }, origin: "built-in" }];
}

/** What is built in of the agent with this id, whether or not its program is there. */
export function builtInAgent(id: string): BuiltInAgent | undefined {
  return [...wellKnownAgents, ...agentsOnPath].find((agent) => agent.id === id);
}

/** The built-in id that `id` is another name of, or `id` itself. */
export function canonicalAgentId(id: string): string {
  return Object.hasOwn(aliases, id) ? (aliases[id] ?? id) : id;
}

function distributionOf(
  { program, args, npmPackage }: Pick<BuiltInAgent, "program" | "args" | "npmPackage">,
  isOnPath: (program: string) => boolean,
): Distribution {
  if (npmPackage === undefined || isOnPath(program)) return { executable: { command: program, args } };
  return { npx: { package: npmPackage, args } };
}
