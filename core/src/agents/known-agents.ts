/** An agent that can be chosen without knowing its command. */
export interface KnownAgent {
  /** Short and stable, such as `gemini-cli`. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** What the configuration's `agent` says: shell words. */
  readonly words: string;
  /** One phrase for people. */
  readonly description: string;
  /** What the user must have, as a phrase that follows "needs"; absent when nothing. */
  readonly needs?: string;
  /** `path`: its program is there. `npx`: the first start downloads it. `embedded`: part of this product. */
  readonly origin: "path" | "npx" | "embedded";
  /** The program to install before it can start, when that is not on PATH. */
  readonly missing?: string;
}

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly needs: string;
  readonly program: string;
  readonly args: readonly string[];
  /** The npm package that brings the program; npx runs it where the program is not on PATH. */
  readonly npmPackage?: string;
}

/** Listed on every machine. */
const alwaysListed: readonly Entry[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    description: "Anthropic's coding agent",
    needs: "a Claude subscription or an Anthropic API key",
    program: "claude-agent-acp",
    args: [],
    npmPackage: "@agentclientprotocol/claude-agent-acp",
  },
  {
    id: "gemini-cli",
    name: "Gemini CLI",
    description: "Google's coding agent",
    needs: "a Google account or a Gemini API key",
    program: "gemini",
    args: ["--acp"],
    npmPackage: "@google/gemini-cli",
  },
  {
    id: "codex",
    name: "Codex",
    description: "OpenAI's coding agent",
    needs: "a ChatGPT subscription or an OpenAI API key",
    program: "codex-acp",
    args: [],
    npmPackage: "@agentclientprotocol/codex-acp",
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
const listedWhenFound: readonly Entry[] = [
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

const eliza: KnownAgent = {
  id: "eliza",
  name: "Eliza",
  words: "eliza",
  description: "the test agent inside Symposium, which talks without a language model",
  origin: "embedded",
};

/**
 * The agents to offer, in the order of the list: the well-known ones, those whose program `isOnPath` finds, and
 * the embedded one. A program that is there is preferred to downloading its package with npx.
 */
export function knownAgents(isOnPath: (program: string) => boolean): readonly KnownAgent[] {
  const found = listedWhenFound.filter(({ program }) => isOnPath(program));
  return [...[...alwaysListed, ...found].map((entry) => toKnownAgent(entry, isOnPath)), eliza];
}

function toKnownAgent(entry: Entry, isOnPath: (program: string) => boolean): KnownAgent {
  const { id, name, description, needs, program, args, npmPackage } = entry;
  const shared = { id, name, description, needs };
  if (npmPackage === undefined || isOnPath(program)) {
    const words = [program, ...args].join(" ");
    return { ...shared, words, origin: "path", ...(isOnPath(program) ? {} : { missing: program }) };
  }
  const words = ["npx", "-y", npmPackage, ...args].join(" ");
  return { ...shared, words, origin: "npx", ...(isOnPath("npx") ? {} : { missing: "npx" }) };
}
